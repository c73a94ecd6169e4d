/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What the files of the home agent share with each other and with nobody else.
 */
#ifndef UNCORE_HA_PARTS_H
#define UNCORE_HA_PARTS_H

#include "model/pmu/visit.h"
#include "model/sandy-bridge-ep/parts.h"
#include "model/station/spans.h"
#include "model/station/stays.h"

/* HA_EGRESSES: AD, AK, BL, of two schedulers each. */
enum {
	HA_TRACKED = 128,
	HA_REGIONS = 12,
	HA_RETRY_CYCLES = 8,
	HA_SCHEDULERS = 2,
	HA_EGRESSES = 3 * HA_SCHEDULERS,
	HA_ALIKE = 256,
	HA_LATEST = 64, /* messages in an egress that are known of */
	HA_TOLD = 5
};

/* A request in the tracker. While `until` is not known it is SIM_NEVER. */
struct ha_entry {
	uint64_t line, from, until;
	struct imc *imc; /* where its read waits, of an object; NULL */
	void *object;
};

/* A queue, and when the latest were in it. */
struct ha_egress {
	struct places places;
	struct stay latest[HA_LATEST];
	unsigned num;
};

/* What is told together: levels that are higher by one; pulses, to: 0. */
struct ha_visit {
	struct visit visit; /* stands first */
	unsigned num;
	struct {
		uint64_t from, to;
		unsigned id;
	} told[HA_TOLD];
};

struct ha {
	struct ep *ep;
	unsigned node, socket, number, cycles;
	struct sigbank *bank;
	struct visits *visits;
	enum ha_mode mode;
	bool has_direct, has_prefetch;
	struct places rtids[EP_MAX_NODES];
	struct places read_credits[EP_MAX_CHANNELS],
		write_credits[EP_MAX_CHANNELS];
	struct ha_egress egress[HA_EGRESSES];
	unsigned num_tracked; /* entries of the tracker */
	unsigned starve_cycles;
	unsigned broadcasts_below; /* while so few requests are tracked */
	/* Cycles that are told already: of reads, of writes. */
	struct spans no_credit[2][EP_MAX_CHANNELS], no_room[2][EP_MAX_CHANNELS];
	struct ha_entry entries[HA_TRACKED];
	struct stay tracked[HA_TRACKED]; /* as far as it has been told */
	unsigned num_entries; /* the first ones, that were in use some time */
	unsigned latest;      /* of them, that somebody got */
	uint8_t alike[HA_ALIKE];   /* entries by line % HA_ALIKE, used or not */
	struct hitme_entry *hitme; /* NULL: there is none */
	unsigned num_hitme;
	struct directory *directory; /* the socket's; NULL: there is none */
};

/* ha_tell.c: a request has come; it is in the tracker from .. until; its line
 * is there (0: it gets none) and all answers to snoops are (0: there are none),
 * and it is sent on. */
void ha_drive_signals(struct ha *ha);
void ha_tell_request(struct ha *ha, const struct ha_request *request,
		     bool is_write);
void ha_tell_tracked(struct ha *ha, const struct ha_request *request,
		     unsigned place, uint64_t from, uint64_t until);
void ha_tell_wait(struct ha *ha, const struct ha_request *request,
		  uint64_t data_at, uint64_t known, uint64_t sent);
void ha_tell_snooped(struct ha *ha, const struct ha_request *request,
		     uint64_t known);

/* A record of up to HA_TOLD, none of which is later than `last`; what is in it;
 * visits_keep() follows. */
struct ha_visit *ha_visit(struct ha *ha, uint64_t last);
static inline void ha_tell(struct ha_visit *visit, unsigned id, uint64_t from,
			   uint64_t to)
{
	visit->told[visit->num].from = from;
	visit->told[visit->num].to = to;
	visit->told[visit->num++].id = id;
}

/* ha_snoop.c: who is asked for a request, as the mode has it; whether that
 * waits for the directory to say so; whether its state keeps the line from
 * going past a home that is not at the memory's stop; they are asked in a
 * cycle. What is known when memory has answered is told. */
void ha_look_up(struct ha *ha, struct ha_ask *ask);
bool ha_snoops_late(const struct ha_ask *ask);
bool ha_directory_forbids(const struct ha *ha, const struct ha_ask *ask);
void ha_ask_others(struct ha *ha, struct ha_ask *ask, uint64_t at);
void ha_tell_looked_up(struct ha *ha, const struct ha_ask *ask, uint64_t at);

/* ha_hitme.c: false without memory. Whether it has a line; of a request the
 * nodes that may have the line, its own among them (0: not known), looked up in
 * a cycle; an answer to a snoop for it; a line is written back. */
bool ha_hitme_new(struct ha *ha, unsigned num);
bool ha_hitme_has(const struct ha *ha, uint64_t line);
uint32_t ha_hitme_ask(struct ha *ha, const struct ha_request *request,
		      uint64_t at);
void ha_hitme_answered(struct ha *ha, const struct ha_request *request,
		       unsigned response, unsigned node, uint64_t at);
void ha_hitme_written(struct ha *ha, uint64_t line, uint64_t at);

/* ha_directory.c: the nodes that have to be snooped for a request, a bit for
 * each, and what is said of the line; what is known of it behind that, written
 * in the order of the requests, and told later; a node has given the line back.
 */
uint32_t ha_must_snoop(struct ha *ha, const struct ha_request *request,
		       enum ha_state *state);
struct ha_update ha_remember(struct ha *ha, const struct ha_request *request,
			     const struct ha_reply *reply);
void ha_tell_update(struct ha *ha, const struct ha_request *request,
		    const struct ha_update *update, uint64_t at);
void ha_forget(struct ha *ha, const struct ha_request *request, uint64_t at);

#endif
