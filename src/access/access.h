/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * One way to the registers is one table of these few calls. Policy (what is
 * written, in which order, what is put back) is the session's.
 */
#ifndef UNCORE_ACCESS_ACCESS_H
#define UNCORE_ACCESS_ACCESS_H

#include <stdbool.h>
#include <stdint.h>

#include "uncore/family.h"
#include "uncore/target.h"

enum { ACCESS_MAX_PLACES = 2 };

/* Who handles PMIs, see uncore_target_on_pmi(). */
struct access_pmi {
	void (*handler)(void *context, unsigned socket, unsigned core,
			uint64_t cycle);
	void *context;
};

enum { ACCESS_NUM_CLASSES = 28 };

/* A window or a rest begins, or has ended: as enum uncore_model_seam, which
 * this side does not know; classes as in access_ops. */
enum {
	ACCESS_WINDOW_ENDS,
	ACCESS_WINDOW_BEGINS,
	ACCESS_REST_BEGINS,
	ACCESS_REST_ENDS,
};
typedef void access_window_fn(void *to, unsigned seam, const uint64_t *classes);

struct access_ops {
	const char *name;
	/* Other processes reach the same registers: sessions need a lock and
	 * leave a journal. */
	bool is_shared;
	/* 0, UNCORE_ERR_GP where the processor refuses the address or the
	 * value, UNCORE_ERR_SOCKET, UNCORE_ERR_IO. Never blocks for long. */
	int (*read)(void *context, unsigned socket, uint64_t address,
		    uint64_t *value);
	int (*write)(void *context, unsigned socket, uint64_t address,
		     uint64_t value);
	/* All in their order, sockets checked; 0 when all have codes, else
	 * what kept them from it. NULL: one by one. */
	int (*batch)(void *context, struct uncore_target_op *ops, size_t num,
		     uint64_t *cycle);
	/* As the calls of target.h; NULL: UNCORE_ERR_STATE. */
	int (*status)(void *context, struct uncore_target_status *status);
	int (*step)(void *context, uint64_t cycles);
	int (*subscribe)(void *context, unsigned kinds);
	int (*wait)(void *context, int timeout_ms,
		    struct uncore_target_event *event);
	/* From now on (NULL: no more) PMIs go to this handler in their cycle;
	 * NULL: nobody can be told so early. */
	int (*on_pmi)(void *context, const struct access_pmi *pmi);
	/* Its errors are whole sentences: which register was at hand when they
	 * were found says nothing. */
	bool tells_all;
	/* What went wrong with the way itself, or NULL; NULL: never anything */
	const char *(*error)(void *context);
	/* Whether an event can count anything here; NULL: all can. */
	bool (*counts)(void *context, const char *box, const char *event,
		       const char *unit_mask, unsigned port);
	/* A sentence on why a register is not to be found here, good until the
	 * next call; NULL: it is there. NULL: all are. */
	const char *(*missing)(void *context, unsigned socket,
			       uint64_t address);
	/* Whether this machine has no such box in the socket, as parts have
	 * fewer than the largest of their family: who counts all instances
	 * counts the others. NULL: all are there. */
	bool (*absent)(void *context, unsigned socket, uint64_t address);
	/* The part of the time since a counter was first enabled in which it
	 * was let count, 0 to 1, where somebody shares counters out; what it
	 * holds is an estimate for all of it. NULL: always 1. */
	double (*share)(void *context, unsigned socket, uint64_t address);
	/* As uncore_model_requester(); NULL: nobody knows. */
	uint64_t (*requester)(void *context, unsigned socket, uint64_t address);
	/* Target of another PMU that listens to the same signals (its number: 1
	 * and on), to be freed before this one; NULL without memory. NULL:
	 * there is one PMU only. */
	struct uncore_target *(*beside)(void *context, unsigned pmu);
	/* Where not all of a run is worked out in its time (docs/sampled.md):
	 * told of each window, NULL: no more; and accesses by class so far, all
	 * and instructions first. False where all is. NULL: it always is. */
	void (*on_window)(void *context, access_window_fn *fn, void *to);
	bool (*classes)(void *context, uint64_t *classes);
	/* As uncore_model_skipped(), uncore_model_needs_detail(); there where
	 * on_window is. */
	uint64_t (*skipped)(void *context);
	const char *(*needs_detail)(void *context, uint64_t *accesses);
	/* Frees the context; NULL: nothing to free. */
	void (*close)(void *context);
};

struct uncore_target {
	const struct access_ops *ops;
	void *context;
	const struct uncore_family *family;
	unsigned num_sockets;
	char *origin; /* NULL: the name of the way */
	/* The files or folders that lead to registers that others reach, too:
	 * who counts there is known by these. Part of context or origin. */
	const char *places[ACCESS_MAX_PLACES];
	struct access_pmi pmi;
	/* MSRs are bytes of plain files, where neighbours overlap. */
	bool is_plain;
};

/* A target that owns the context, or NULL without memory. The library of the
 * model calls it: hence its prefix, see docs/tools.md. */
struct uncore_target *uc_access_new(const struct access_ops *ops, void *context,
				    const struct uncore_family *family,
				    unsigned num_sockets);

/* The same, whose origin is "name:place". */
struct uncore_target *access_new_at(const struct access_ops *ops, void *context,
				    const struct uncore_family *family,
				    unsigned num_sockets, const char *place);

/* Whether an event of the guide can count anything on a target. */
bool access_counts(const struct uncore_target *target, const char *box,
		   const char *event, const char *unit_mask, unsigned port);

/* Why a register of a socket cannot be reached, or NULL, as in access_ops. */
const char *access_missing(const struct uncore_target *target, unsigned socket,
			   uint64_t address);

/* Whether the box of a register is not there, as in access_ops. */
bool access_absent(const struct uncore_target *target, unsigned socket,
		   uint64_t address);

/* The part of the time in which a counter was on, as in access_ops. */
double access_share(const struct uncore_target *target, unsigned socket,
		    uint64_t address);

/* Who made a counter run over last, as in access_ops; 0: not known. */
uint64_t access_requester(const struct uncore_target *target, unsigned socket,
			  uint64_t address);

#endif
