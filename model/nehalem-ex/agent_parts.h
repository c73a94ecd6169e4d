/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The inside of an S-Box, for agent*.c.
 */
#ifndef UNCORE_AGENT_PARTS_H
#define UNCORE_AGENT_PARTS_H

#include "model/box/ring.h"
#include "model/box/rbox.h"
#include "model/nehalem-ex/agent.h"
#include "model/nehalem-ex/agent_link.h"
#include "model/nehalem-ex/agent_queue.h"
#include "model/pmu/visit.h"
#include "model/station/calendar.h"
#include "model/station/places.h"

enum {
	AGENT_TABLE_ROOM = 48,
	AGENT_CBOXES = 5,
	AGENT_MAX_HOMES = EX_MAX_SOCKETS * EX_SIDES,
};

/* System bound queues (Table 2-36): of HOM one to the R-Box and one to the
 * B-Box, from OUT_DRS on one for each C-Box. OUT_LOC_NCS is for the U-Box of
 * the own socket. */
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

/* Ring bound queues. */
enum in_queue { IN_SNP, IN_NCS, IN_NCB, IN_NDR, IN_R2S, IN_B2S, IN_NUM };

/* What brings the heads of ring bound queues to the ring. */
enum agent_pump { PUMP_SNP, PUMP_NDR, PUMP_DRS, PUMP_NC, PUMP_NUM };

/* An entry of the request table. */
struct agent_entry {
	uint8_t home; /* index of its tracker credits */
	uint8_t tracker; /* the credit */
	bool is_local, is_write_back, is_nc;
	uint64_t shown; /* up to here */
};

struct agent {
	struct ex *ex;
	struct sigbank *bank;
	struct visits *visits;
	struct socket *socket;
	unsigned index, side, node;
	enum rbox_port port;
	unsigned num_sockets, num_stops;
	unsigned first_cbox; /* of its side */
	unsigned cycles, bypass_cycles, bbox_cycles;
	unsigned num_snoops; /* of a request that is snooped for */
	/* Of HOM and NCS: the node whose packets have a queue of their own. */
	uint8_t beside[PACKET_NUM_CLASSES];
	uint8_t direction[EX_MAX_CORES]; /* of the ring to that stop */
	/* The last DRS of each C-Box, to tell the second of a pair. */
	uint32_t last_number[AGENT_CBOXES];
	uint8_t last_requester[AGENT_CBOXES];
	uint32_t number; /* of the last request */
	uint64_t sent; /* the last packet to the system has left, */
	uint64_t left; /* and to the ring; see agent_left() */
	struct agent_links links;
	struct calendar to_bbox; /* the direct link, as it is given out */
	struct calendar pumps[PUMP_NUM];
	struct agent_queue out[OUT_NUM][AGENT_CBOXES];
	struct agent_queue in[IN_NUM];
	unsigned in_room; /* of SNP, NCS and NCB together */
	/* What waits for a slot of AD, AK, BL. */
	struct agent_queue egress[RING_BL + 1][NUM_RING_DIRECTIONS];
	struct agent_queue answers; /* places for NDR, promised */
	struct agent_queue b_vna;   /* the B-Box's buffer, in flits */
	uint64_t b_vn0_until;	    /* and its place on VN0 */
	struct places table;
	struct places trackers[AGENT_MAX_HOMES];
	bool has_trackers; /* fewer than entries, so they can run out */
	struct agent_entry entries[AGENT_TABLE_ROOM];
	struct stay *stays; /* of all queues */
};

/* A packet in a system bound queue. */
struct out_visit {
	struct agent_queue *queue;
	uint8_t kind, place; /* enum out_kind */
	uint8_t flags;	     /* SENT_* */
	uint64_t from, ready, left;
};

/* agent_direct.c: over the direct link. Returns when the B-Box has it. */
uint64_t agent_pass(struct agent *agent, struct out_visit *visit,
		    struct packet *packet, uint64_t now, uint64_t room_from);

/* agent_out.c: an answer that is there in the cycle `at` leaves for
 * packet->dest, its queue in the cycle agent->sent. Returns the cycle in which
 * packet->dest has it. */
uint64_t agent_answer(struct agent *agent, struct packet *packet, uint64_t at,
		      uint64_t room_from);

/* A packet's place in a ring bound queue. */
struct in_visit {
	uint8_t which; /* enum in_queue */
	uint8_t flags; /* BROUGHT_* */
	uint16_t bypass;
	uint64_t from, ready;
};

/* agent_in.c, of what is no line: into the queue, out of it. */
void agent_enter(struct ex *ex, struct agent *agent, struct in_visit *visit,
		 const struct packet *packet, uint64_t at);
void agent_bring(struct ex *ex, struct agent *agent, struct in_visit *visit,
		 uint64_t left);

/* There is room before a ring on the way to a stop from then on; if not at once
 * that is counted. */
uint64_t agent_egress_from(struct ex *ex, struct agent *agent,
			   enum ring_kind ring, unsigned to, uint64_t from);

/* Sends over a ring what there is room for in the cycle `at`; its arrival. */
uint64_t agent_to_ring(struct ex *ex, struct agent *agent, enum ring_kind ring,
		       unsigned to, uint64_t at, bool to_core);

/* What is told of a packet when it has left the box (agent_tell.c): it was in
 * its queue from `from` on, left it `left` cycles later, and its credit was
 * back after `credit`. */

/* To the system. */
enum {
	SENT_LOCAL = 1 << 0,	/* a request for memory of the own socket, */
	SENT_REMOTE = 1 << 1,	/* or for something else */
	SENT_AGAIN = 1 << 2,	/* the guide counts the one before it */
	SENT_BYPASSED = 1 << 3,
	SENT_BIG = 1 << 4,	/* a snoop to more than one socket */
	SENT_CARRIER = 1 << 5,	/* its credit took an idle flit */
};
struct agent_sent {
	struct visit visit;
	uint64_t from, line;
	uint32_t left, credit;
	/* as in struct packet, so that they are copied at once */
	uint8_t mc, opcode, state, flits, source, dest, requester, home;
	uint8_t kind, place; /* of its queue */
	uint8_t flags;
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

#endif
