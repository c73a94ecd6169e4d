/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * An I/O hub at the far end of a QPI port: devices that read and write memory
 * (dma.c) and send interrupts, and that answer uncached, port and configuration
 * accesses of cores. It caches nothing: a line that it writes is its own from
 * the grant of its InvItoE until its WbMtoI, and the home keeps others waiting.
 */
#ifndef UNCORE_HUB_H
#define UNCORE_HUB_H

#include "model/nehalem-ex/ex.h"
#include "model/station/calendar.h"
#include "model/station/places.h"
#include "uncore/model.h"

enum { HUB_MAX_HOMES = EX_MAX_SOCKETS * EX_SIDES, HUB_REQUESTS = 24 };

enum hub_state { HUB_RUNS, HUB_WAITS, HUB_ENDED };

/* An access of a device to memory. */
struct dma {
	uint64_t line;
	uint8_t home, credit;
	uint8_t writes_left; /* of a line that it has been granted */
};

struct hub {
	struct ex *ex;
	struct socket *socket; /* at whose R-Box it is */
	unsigned index, node, latency_cycles;
	struct calendar port; /* packets ready for the link */
	struct places answers;
	/* DMA: accesses under way, their shares of the homes' trackers */
	struct places requests, credits[HUB_MAX_HOMES];
	struct dma dmas[HUB_REQUESTS];
	unsigned num_asking, num_writing; /* their end is not known yet */
	uint32_t number;
	uint64_t num_reads, num_writes;
	uint64_t busy_until;	  /* all others that were begun are over */
	struct places interrupts; /* and door bells */
	/* Traffic */
	enum hub_state state;
	struct uncore_access access; /* the next one */
	uint64_t ready, poll_cycles;
	uint64_t run_at; /* latest time asked for; others are void */
	bool has_access;
	bool is_stopped;  /* by StopReq1, */
	bool owes_answer; /* which it has not agreed to yet */
};

/* The hub of a socket; NULL without memory. */
struct hub *hub_new(struct ex *ex, unsigned socket);
void hub_free(struct hub *hub);

/* Traffic has been set: begin to take it from the present cycle on. */
void hub_start(struct hub *hub);

/* A packet that was made in the cycle `at` leaves: packet->dest has it, where
 * there is room from room_from on (which is found out for S-Boxes). */
uint64_t hub_send(struct hub *hub, struct packet *packet, uint64_t at,
		  uint64_t room_from);

/* An access of a core that comes in the cycle `from` or later: there is room
 * for it from then on. */
struct hub_visit {
	unsigned place;
	uint64_t room_from;
};
void hub_expect(struct ex *ex, struct hub *hub, uint64_t from,
		struct hub_visit *visit);

/* It has come in the cycle `at`: the device answers; when the answer is at the
 * requester. */
uint64_t hub_answer(struct ex *ex, struct hub *hub,
		    const struct hub_visit *visit, const struct packet *request,
		    uint64_t at, struct packet *answer);

/* StopReq1 (StartReq2) has come, by an event: nothing begins any more until
 * StartReq2. The hub agrees when its DMA is over, by lock_hub_stands(). */
void hub_stop(struct hub *hub);
void hub_go_on(struct hub *hub);

/* The end of an access has become known: what waits for it looks again. */
void hub_look(struct hub *hub);

/* dma.c: from which cycle on (not before now) an access of a device to memory
 * may begin (PLACES_NEVER: that is not known yet); it begins now. */
uint64_t dma_from(struct hub *hub, const struct uncore_access *access);
void dma_begin(struct hub *hub, const struct uncore_access *access);

#endif
