/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * An access of a core on its transaction, as the files of the transactions
 * share it.
 */
#ifndef UNCORE_ACCESS_H
#define UNCORE_ACCESS_H

#include "model/box/copies.h"
#include "model/box/core.h"
#include "model/box/socket.h"
#include "model/nehalem-ex/agent.h"
#include "model/nehalem-ex/ex.h"
#include "model/nehalem-ex/floor.h"
#include "model/nehalem-ex/home.h"

struct access {
	struct ex *ex;
	struct ex_socket *here;
	struct floor *floor;
	struct slice *slice;
	struct agent *agent;
	struct core *core;
	uint64_t line;
	unsigned socket, entry; /* entry: the core's miss */
	unsigned kind;		/* enum uncore_access_kind */
	uint32_t oldest;	/* value that it may read, for --check */
	struct llc_spot spot;	/* of the line */
	unsigned home;		/* node, of one that needs it */
	struct llc_way *way;	/* as the pass found it */
	struct floor_wait *wait;
	struct quick_miss *told; /* its class, if it tells what others will */
};

/* The access of a core's miss (entry). */
static inline struct access access_of(struct core *core, unsigned entry)
{
	struct ex *ex = core->socket->ex;
	struct ex_socket *here = &ex->sockets[core->socket->index];
	const struct core_miss *miss = &core->misses[entry];
	struct slice *slices = here->floor->slices, *slice;
	struct llc_spot spot;

	slice = &slices[llc_slice_and_spot(&slices->llc, miss->line, &spot)];

	return (struct access){
		.ex = ex,
		.here = here,
		.floor = here->floor,
		.slice = slice,
		.agent = here->agents[slice->side],
		.core = core,
		.wait = &here->floor->waits[core->index][entry],
		.line = miss->line,
		.spot = spot,
		.socket = core->socket->index,
		.entry = entry,
		.kind = miss->kind,
		.oldest = miss->floor,
	};
}

/* What the slice and the core have of a line that is in a way. */
static inline struct copies_line
slice_copy(const struct slice *slice, const struct llc_way *way, uint64_t line)
{
	struct slice *own = (struct slice *)slice;

	return (struct copies_line){ own->floor->socket, &own->llc, way, line };
}

static inline struct copies_access access_copy(const struct access *access,
					       const struct llc_way *way)
{
	return (struct copies_access){
		.at = slice_copy(access->slice, way, access->line),
		.kind = access->kind,
		.core = access->core->number,
		.oldest = access->oldest,
	};
}

/* A core's request for a line: read, code, own, write-back, flush, streaming
 * store. It begins now. */
void access_start(struct core *core, unsigned entry);

/* Whether the core may write to its copy without asking, as the only one: then
 * it does. */
bool access_write_silently(struct ex *ex, unsigned socket, unsigned core,
			   uint64_t line);

/* From when on a core has room for a line that it sends. */
uint64_t access_data_from(struct ex *ex, unsigned socket, unsigned core);

/* Ends it for the core: done in a cycle. */
void access_done(const struct access *access, uint64_t at);

/* Takes a MAF entry from a cycle on, its place; who passes tells of it. */
unsigned access_take_maf(const struct access *access, uint64_t from);
void access_free_maf(const struct access *access, unsigned place,
		     uint64_t until);

/* A MAF entry is held until a cycle, if not longer. To be told before what was
 * told last is past: a counter that takes things in order cannot go back. */
void access_show_maf(struct slice *slice, unsigned place, uint64_t until);

/* The request of a MAF entry waits at its home, until a cycle if not longer. */
void access_keep_maf(const struct access *access, unsigned place,
		     uint64_t until);

/* From which cycle on a MAF entry may be free, and the same of what somebody
 * has to release who does not know yet when: then it is worth a try. */
uint64_t access_maf_from(const struct access *access, uint64_t at);
uint64_t access_known(uint64_t from, uint64_t at);

/* A request has passed the pipeline. */
struct access_pass {
	uint64_t at;	/* the cycle of the result */
	uint64_t until; /* it is in the IRQ, if not longer */
	uint64_t freed; /* of a hit: the MAF entry that it has taken then */
	int signal;	/* hit, missed or refused, or NO_SIGNAL */
	bool is_first;	/* it has just come in */
	bool is_refused;
	bool takes_maf; /* an entry, in this cycle */
};
void access_keep_pass(const struct access *access,
		      const struct access_pass *pass);

/* sim_fn: what had to wait, for a place in the IRQ or there, goes on. */
void access_go_on(void *core, uint64_t entry);

/* The transactions behind the acknowledging pass, which was in the cycle `at`;
 * the signal that counts a hit or a miss. Of a hit the cycle in which its MAF
 * entry is free; that is the caller's to publish. */
uint64_t access_hit(struct access *access, uint64_t at, int *signal);
void access_miss(struct access *access, uint64_t at, int *signal);
void access_write_back(struct access *access, uint64_t at);

/* The same while time stands, from the core on; and what is told of the way to
 * the slice and of the pass. */
void access_hit_at_once(struct access *access);
void access_miss_at_once(struct access *access);
void access_write_back_at_once(struct access *access);
void access_tell_arrival(const struct access *access);

void access_flush(struct access *access, uint64_t at);

/* Of a flush or a streaming store: whether it has to ask the home; a signal
 * that says why a pass comes to nothing, or -1. A flush drives the line out
 * first. */
bool access_flush_needs_home(const struct access *access);
int access_flush_refusal(struct access *access, uint64_t at, uint64_t *again);

/* A fill and its victim are done: the MAF entry is free, the core has its GO.
 */
void access_end_fill(struct slice *slice, unsigned place, uint64_t at);

/* The line of a way makes room for the fill of a MAF entry, which is there in
 * the cycle `at`: it leaves the tags now, and the slice through the VIQ from
 * then on. access_end_fill() follows. */
void line_make_way(struct slice *slice, unsigned place, uint64_t line,
		   struct llc_way *way, uint64_t victim, uint64_t at);

/* The line of a way leaves the tags now, and the slice through the VIQ, which
 * has a place in the cycle `from`: cores give it up, and what was changed goes
 * to memory. */
void line_evict(struct slice *slice, struct llc_way *way, uint64_t line,
		uint64_t from);

/* A line that never was in the slice goes to memory the same way, or a part of
 * one. */
void line_evict_new(struct slice *slice, const struct slice_victim *line,
		    uint64_t from);

/* Data that a peer sends to the requester. */
struct line_forward {
	struct packet packet;
	uint64_t left;	  /* the peer's S-Box, */
	bool is_there;	  /* if there are any */
	uint64_t arrived; /* at the requester's agent */
};

/* A snoop has arrived at the caching agent of a socket: its slice answers the
 * home, and may send data to the requester and to the home. is_owed: the line
 * is to go to somebody who comes before. */
void line_snoop(struct ex *ex, unsigned socket, const struct packet *snoop,
		uint64_t arrived, bool is_owed, struct home_answer *answer,
		struct line_forward *forward);

#endif
