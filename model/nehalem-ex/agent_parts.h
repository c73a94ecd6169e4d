/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The inside of an S-Box, for agent*.c.
 */
#ifndef UNCORE_AGENT_PARTS_H
#define UNCORE_AGENT_PARTS_H

#include <stddef.h>

#include "model/nehalem-ex/agent.h"
#include "model/nehalem-ex/agent_link.h"
#include "model/nehalem-ex/agent_queue.h"
#include "model/nehalem-ex/floor.h"
#include "model/nehalem-ex/rbox.h"
#include "model/nehalem-ex/ring.h"
#include "model/pmu/visit.h"
#include "model/station/calendar.h"
#include "model/station/places.h"
#include "signals.h"

enum {
	AGENT_TABLE_ROOM = 48,
	AGENT_CBOXES = 5,
	AGENT_MAX_HOMES = EX_MAX_SOCKETS * EX_SIDES,
};

/* System bound queues (Table 2-36), their kinds: of HOM there is one to the
 * R-Box and one to the B-Box, from OUT_DRS on one for each C-Box. OUT_LOC_NCS
 * is for the U-Box of the own socket. */
enum out_kind {
	OUT_HOM,
	OUT_SNP,
	OUT_NDR,
	OUT_DRS,
	OUT_NCB,
	OUT_NCS,
	OUT_LOC_NCS,
	OUT_NUM
};
enum { HOM_TO_R, HOM_TO_B, HOM_NUM };
/* A queue's number: of its kind times OUT_EACH, and its place in that. */
enum { OUT_EACH = 8 };

/* Ring bound queues. */
enum in_queue { IN_SNP, IN_NCS, IN_NCB, IN_NDR, IN_R2S, IN_B2S, IN_NUM };

/* What brings the heads of ring bound queues to the ring. */
enum agent_pump { PUMP_SNP, PUMP_NDR, PUMP_DRS, PUMP_NC, PUMP_NUM };

/* NO_CREDIT_*. */
enum { NUM_LACKS = SIG_SBOX_NO_CREDIT_LOC_NCS - SIG_SBOX_NO_CREDIT_HOM + 1 };

/* An entry of the request table. */
struct agent_entry {
	uint8_t home;	 /* index of its tracker credits */
	uint8_t tracker; /* the credit */
	bool is_local, is_write_back, is_nc;
	uint64_t shown; /* up to here */
};

struct agent_way {
	const struct floor_routes *routes;
	struct agent_queue *egress; /* by ring */
};

struct agent {
	struct ex *ex;
	struct sigbank *bank;
	struct visits *visits;
	struct socket *socket;
	unsigned index, side, node;
	unsigned bbox; /* the node behind the direct link */
	enum rbox_port port;
	unsigned num_sockets, num_stops;
	unsigned first_cbox; /* of its side */
	unsigned cycles, bypass_cycles, bbox_cycles;
	unsigned saved[4]; /* by the bypasses of lines, see agent_in.c */
	/* Of a HOM0 opcode: a bit, if it is snooped for; then the snoops. */
	unsigned snooped, num_snoops;
	struct floor *floor;
	struct agent_way ways[EX_MAX_CORES]; /* over the rings to a stop */
	/* The last DRS of each C-Box, to tell the second of a pair. */
	uint32_t last_number[AGENT_CBOXES];
	uint8_t last_requester[AGENT_CBOXES];
	uint32_t number; /* of the last request */
	uint64_t sent;	 /* the last packet to the R-Box has left, */
	uint64_t left;	 /* and to the ring; see agent_left() */
	struct agent_links links;
	struct calendar to_bbox; /* the direct link, as it is given out */
	struct calendar pumps[PUMP_NUM];
	struct calendar lacks[NUM_LACKS]; /* see agent_lacks() */
	struct agent_queue out[OUT_NUM * OUT_EACH];
	struct agent_queue in[IN_NUM];
	unsigned in_room; /* of SNP, NCS and NCB together */
	/* What waits for a slot of AD, AK, BL. */
	struct agent_queue egress[NUM_RING_DIRECTIONS][RING_BL + 1];
	struct agent_queue answers; /* places for NDR, promised */
	struct agent_queue b_vna;   /* the B-Box's buffer, in flits */
	uint64_t b_vn0_until;	    /* and its place on VN0 */
	struct places table;
	struct places trackers[AGENT_MAX_HOMES];
	bool has_trackers; /* fewer than entries, so they can run out */
	struct agent_entry entries[AGENT_TABLE_ROOM];
	struct stay *stays; /* of all queues */
};

/* Whether a packet that comes then passes the box by its bypass: its queue is
 * empty, the link behind it free. */
static inline bool agent_bypasses(struct agent *agent,
				  struct agent_queue *queue,
				  enum agent_link link, uint64_t now,
				  uint64_t at)
{
	return queue_is_empty(queue, now, at) &&
	       link_is_free(&agent->links, link, now, at);
}

/* It stays in a HOM queue: are both together full? */
static inline void agent_show_hom(struct agent *agent, uint64_t now,
				  uint64_t from, uint64_t until)
{
	struct agent_queue *hom = agent->out;

	if (hom[HOM_TO_R].used + hom[HOM_TO_B].used >= hom->room)
		queues_show_full(hom, HOM_NUM, hom->room, agent->bank,
				 SIG_SBOX_TO_R_B_HOM_MSGQ_FULL, now, from,
				 until);
}

/* agent_tell.c: a packet finds no credit, of the kind that is the signal's. Of
 * two at once the second one does so a cycle later. */
SIG_SLOW void agent_lacks(struct agent *agent, unsigned signal, uint64_t at);

/* agent_direct.c: a HOM packet that is taken in the cycle `at` goes over the
 * direct link. Returns when the B-Box has it. */
AGENT_APART uint64_t agent_pass(struct agent *agent, struct packet *packet,
				unsigned flags, uint64_t at,
				uint64_t room_from);

/* agent_out.c: an answer that is there in the cycle `at` leaves for
 * packet->dest, its queue in the cycle agent->sent. Returns the cycle in which
 * packet->dest has it. */
uint64_t agent_answer(struct agent *agent, struct packet *packet, uint64_t at,
		      uint64_t room_from);

/* agent_in.c, of what is no line and comes from the R-Box: into its ring bound
 * queue, *from becomes the cycle in which it is there; when it may leave. And
 * out of it again. */
uint64_t agent_enter(struct agent *agent, const struct packet *packet,
		     uint64_t *from);
void agent_bring(struct agent *agent, const struct packet *packet,
		 uint64_t from, uint64_t left);

/* There is room before ring AD on the way to a core from then on; if not at
 * once that is counted. Sends then; its arrival. */
uint64_t agent_core_from(struct agent *agent, unsigned core, uint64_t from);
uint64_t agent_to_core(struct agent *agent, unsigned core, uint64_t at);

/* What is told of a packet when it has left the box (agent_tell.c): it was in
 * its queue from `from` on, left it `left` cycles later, and its credit was
 * back after `credit`. */

/* To the system. */
enum {
	SENT_LOCAL = 1 << 0,  /* a request for memory of the own socket, */
	SENT_REMOTE = 1 << 1, /* or for something else */
	SENT_AGAIN = 1 << 2,  /* the guide counts the one before it */
	SENT_BYPASSED = 1 << 3,
	SENT_BIG = 1 << 4,     /* a snoop to more than one socket */
	SENT_CARRIER = 1 << 5, /* its credit took an idle flit */
};
struct agent_sent {
	struct visit visit;
	uint64_t from, line;
	uint32_t left, credit;
	/* as in struct packet, so that they are copied at once */
	uint8_t mc, opcode, state, flits, source, dest, requester, home;
	uint8_t which; /* its queue's number */
	uint8_t flags;
};
enum {
	SENT_HEADER_BYTES = offsetof(struct agent_sent, which) -
			    offsetof(struct agent_sent, mc),
};
void tell_sent(struct sigbank *bank, const void *visit);

/* Over the direct link; some of the flags above, and these. */
enum {
	PASSED_CHANNEL = 1 << 6, /* the first in its channel's bypass then */
	PASSED_CREDIT = 1 << 7,	 /* so is the idle flit of its credit */
};
struct agent_passed {
	struct visit visit;
	uint64_t from;
	uint32_t left, credit;
	uint8_t flags;
};
void tell_passed(struct sigbank *bank, const void *visit);

/* Towards the ring. */
enum {
	BROUGHT_LOCAL = 1 << 0,	   /* from the own U-Box */
	BROUGHT_HALFLINE = 1 << 1, /* by the half-line bypass */
	BROUGHT_RETURN = 1 << 2,   /* its credit went in an idle flit, */
	BROUGHT_CREDIT = 1 << 3,   /* the first in the bypass to the B-Box */
	BROUGHT_DIRECT = 1 << 4,   /* it came from there */
};
struct agent_brought {
	struct visit visit;
	uint64_t from;
	uint32_t left;
	uint16_t bypass; /* from then on: cycles of the B-Box's bypass */
	uint8_t which;	 /* enum in_queue */
	uint8_t flags;
};
void tell_brought(struct sigbank *bank, const void *visit);

/* The facts of each, while time stands (ex.engine.is_quick). */
void agent_count_sent(struct agent *agent, const struct packet *packet,
		      unsigned which, unsigned flags);
void agent_count_passed(struct agent *agent, unsigned flags);
void agent_count_brought(struct agent *agent, unsigned which);

#endif
