/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Where the registers are: in a model in this process, in one behind a socket
 * or a tree of files, or in this machine's own processors. A session does not
 * know which. A target is for one thread at a time.
 *
 * Functions return 0 or a negative UNCORE_ERR_*; see error.h for `char
 * **error`.
 */
#ifndef UNCORE_TARGET_H
#define UNCORE_TARGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct uncore_family;
struct uncore_model;
struct uncore_target;

/* One access of a batch. */
struct uncore_target_op {
	unsigned socket;
	uint64_t address;
	bool is_write;
	int code;	  /* out: 0 or a negative UNCORE_ERR_* */
	uint64_t value;	  /* to be written; or out: what was read */
	uint64_t time_ns; /* out: CLOCK_MONOTONIC when it was done, where the
			   * batch has no cycle; else 0 */
};

/* Of the model behind a target. */
struct uncore_target_status {
	uint64_t cycle;
	double clock_hz;
	bool is_stepped;    /* time passes by uncore_target_step() alone */
	bool traffic_ended; /* the machine is idle and will stay so */
};

enum uncore_target_event_kind {
	UNCORE_TARGET_PMI = 1,	 /* a core received a PMI */
	UNCORE_TARGET_ENDED = 2, /* the traffic has ended */
};

struct uncore_target_event {
	enum uncore_target_event_kind kind;
	unsigned socket, core; /* of a PMI */
	uint64_t cycle;
	uint64_t lost; /* events just before, which came too fast */
};

/* The cycle of a batch where nobody can tell it. */
#define UNCORE_NO_CYCLE UINT64_MAX

/* The registers of a model, which must outlive the target. NULL: no memory,
 * or a machine whose family is not known. */
struct uncore_target *uncore_target_model(struct uncore_model *model);

/* The registers of this machine, in all spaces that its processor has them in.
 * NULL and *error when there is no processor of a known family, no msr driver,
 * or no permission. */
struct uncore_target *uncore_target_machine(char **error);

/* What the kernel's PMUs count, through perf_event_open(): `name` as machines
 * are called, perf[:PLACE][,events=PLACE] (NULL: perf, of this machine), see
 * docs/machines.md. Where they belong to a family of which there are data, it
 * is that family; else a live one. NULL and *error when there are none. Rights
 * are found missing when something is counted. */
struct uncore_target *uncore_target_perf(const char *name, char **error);

/* Registers through files: MSRs through MSR/N/msr of the first processor of
 * each package ("": /dev/cpu), those in PCI functions through their
 * configuration spaces, in a tree like /proc/bus/pci or /sys/bus/pci/devices
 * ("": the latter). NULL: not this way, and what is there is not counted. Where
 * MSR/status exists, as `uncore model serve --msr` makes it, family and sockets
 * are those it names; else they are this machine's. A PCI function is found by
 * its id, its socket by the node map of its bus. NULL and *error as above. */
struct uncore_target *uncore_target_files(const char *msr, const char *pci,
					  char **error);

/* The registers of a model behind a Unix socket (`uncore model serve
 * --socket`). When the server dies, this and all later calls return
 * UNCORE_ERR_DIED. */
struct uncore_target *uncore_target_socket(const char *path, char **error);

/* Closes it; the registers stay as they are. */
void uncore_target_free(struct uncore_target *target);

/* "model", "socket:PATH", or "msr", "pci" with ":FOLDER" where it is not this
 * machine's, or both with a comma: every output says where its numbers come
 * from. */
const char *uncore_target_origin(const struct uncore_target *target);
const struct uncore_family *
uncore_target_family(const struct uncore_target *target);
unsigned uncore_target_sockets(const struct uncore_target *target);

/* One register of a socket. UNCORE_ERR_GP where the processor refuses. */
int uncore_target_read(struct uncore_target *target, unsigned socket,
		       uint64_t address, uint64_t *value);
int uncore_target_write(struct uncore_target *target, unsigned socket,
			uint64_t address, uint64_t value);

/* Many in their order, in one round trip where there is a way; on a model all
 * at one cycle, stored in *cycle (may be NULL; else UNCORE_NO_CYCLE). One that
 * is refused stops no other. Returns the code of the first that is not 0, or
 * UNCORE_ERR_SOCKET with nothing done. */
int uncore_target_batch(struct uncore_target *target,
			struct uncore_target_op *ops, size_t num,
			uint64_t *cycle);

/* A sentence on what went wrong with the target itself, such as the death of a
 * server; "" if nothing did. Good until the next call. */
const char *uncore_target_error(const struct uncore_target *target);

/* UNCORE_ERR_STATE where there is no model, here and in the next two calls. */
int uncore_target_status(struct uncore_target *target,
			 struct uncore_target_status *status);

/* Advances a stepped clock; UNCORE_ERR_STATE if it runs by itself. Returns when
 * it is over, which may take long: give it portions. */
int uncore_target_step(struct uncore_target *target, uint64_t cycles);

/* An interrupt handler: called for every PMI in the cycle in which a core gets
 * it, on the thread that runs that socket of a model in this process. It may
 * access the registers of the PMI's socket and of no other; no event passes
 * meanwhile. NULL: no more. UNCORE_ERR_STATE where nobody can be told in time:
 * subscribe and wait, or look at the overflow status. */
int uncore_target_on_pmi(struct uncore_target *target,
			 void (*handler)(void *context, unsigned socket,
					 unsigned core, uint64_t cycle),
			 void *context);

/* The kinds of events (or-ed) that are wanted from now on; 0: none.
 * UNCORE_ERR_STATE where events cannot be had. */
int uncore_target_subscribe(struct uncore_target *target, unsigned kinds);

/* The oldest event not yet taken: 1; 0 if none came in time, or if a signal
 * came first. timeout_ms: 0 does not wait, -1 waits without end. */
int uncore_target_wait(struct uncore_target *target, int timeout_ms,
		       struct uncore_target_event *event);

#ifdef __cplusplus
}
#endif

#endif
