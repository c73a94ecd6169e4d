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
#include "model/station/calendar.h"

enum {
	AGENT_TABLE_ROOM = 48,
	AGENT_CBOXES = 5,
	AGENT_MAX_HOMES = EX_MAX_SOCKETS * EX_SIDES,
};

/* System bound queues (Table 2-36); per C-Box where they begin a row of
 * AGENT_CBOXES. OUT_LOC_NCS is for the U-Box of the own socket. */
enum out_queue {
	OUT_HOM_R,
	OUT_HOM_B,
	OUT_SNP,
	OUT_NDR,
	OUT_DRS,
	OUT_NCB = OUT_DRS + AGENT_CBOXES,
	OUT_NCS = OUT_NCB + AGENT_CBOXES,
	OUT_LOC_NCS = OUT_NCS + AGENT_CBOXES,
	OUT_NUM = OUT_LOC_NCS + AGENT_CBOXES,
};

/* Ring bound queues. */
enum in_queue { IN_SNP, IN_NCS, IN_NCB, IN_NDR, IN_R2S, IN_B2S, IN_NUM };

/* What brings the heads of ring bound queues to the ring. */
enum agent_pump { PUMP_SNP, PUMP_NDR, PUMP_DRS, PUMP_NC, PUMP_NUM };

/* The direct links and those of the R-Box's port. */
enum agent_link_kind {
	LINK_TO_R,
	LINK_TO_B,
	LINK_FROM_R,
	LINK_FROM_B,
	LINK_NUM,
};

/* An entry of the request table. */
struct agent_entry {
	uint8_t home; /* index of its tracker credits */
	uint8_t tracker; /* the credit */
	bool is_local, is_write_back, is_nc;
	uint64_t shown; /* up to here */
};

struct agent {
	struct sigbank *bank;
	struct socket *socket;
	unsigned index, side, node, own_bbox;
	enum rbox_port port;
	unsigned num_sockets, num_stops;
	unsigned first_cbox; /* of its side */
	unsigned cycles, bypass_cycles, bbox_cycles;
	unsigned num_snoops; /* of a request that is snooped for */
	uint8_t direction[EX_MAX_CORES]; /* of the ring to that stop */
	/* The last DRS of each C-Box, to tell the second of a pair. */
	uint32_t last_number[AGENT_CBOXES];
	uint8_t last_requester[AGENT_CBOXES];
	uint32_t number; /* of the last request */
	uint64_t left;	 /* see agent_left() */
	struct agent_link links[LINK_NUM];
	struct calendar to_bbox; /* the direct link, as it is given out */
	struct calendar pumps[PUMP_NUM];
	struct agent_queue out[OUT_NUM];
	struct agent_queue in[IN_NUM];
	unsigned in_room; /* of SNP, NCS and NCB together */
	/* What waits for a slot of AD, AK, BL. */
	struct agent_queue egress[RING_BL + 1][NUM_RING_DIRECTIONS];
	struct agent_queue answers; /* places for NDR, promised */
	struct agent_queue b_vna;   /* the B-Box's buffer, in flits */
	uint64_t b_vn0_until;	    /* and its place on VN0 */
	struct agent_queue table;
	struct agent_queue trackers[AGENT_MAX_HOMES];
	bool has_trackers; /* fewer than entries, so they can run out */
	struct agent_entry entries[AGENT_TABLE_ROOM];
	struct stay *stays; /* of all queues */
};

/* agent_out.c: an answer that is there in the cycle `at` leaves for
 * packet->dest. Returns the cycle in which that has it; *left: it has left its
 * queue. */
uint64_t agent_answer(struct ex *ex, struct agent *agent, struct packet *packet,
		      uint64_t at, uint64_t room_from, uint64_t *left);

/* A packet's place in a system bound queue. */
struct out_visit {
	enum out_queue which;
	unsigned place;
	bool is_bypassed;
	uint64_t ready;
};

/* agent_sent.c: a message of a C-Box was taken; it has left; so has a snoop
 * (the first of its request); what filters see of what goes to the R-Box. */
void agent_count_request(struct agent *agent, const struct packet *packet,
			 uint64_t at);
void agent_count_sent(struct agent *agent, const struct out_visit *visit,
		      const struct packet *packet, uint64_t left);
void agent_count_snoop(struct agent *agent, bool is_first, bool is_bypassed,
		       uint64_t left);
void agent_show(struct agent *agent, const struct packet *packet,
		uint64_t left);

/* agent_credit.c */

/* Spends a credit of the B-Box's buffer, VNA first, and notes it in vn; it is
 * back when agent_bbox_credit_back() says. Returns the cycle from which on the
 * flit may go. */
struct bbox_credit {
	uint64_t from;
	unsigned place; /* of VNA */
};
struct bbox_credit agent_bbox_credit(struct ex *ex, struct agent *agent,
				     struct packet *packet, uint64_t ready);
void agent_bbox_credit_back(struct agent *agent, const struct packet *packet,
			    const struct bbox_credit *credit, uint64_t left);

/* The C-Box's place behind the S-Box. */
static inline unsigned agent_place(const struct agent *agent, unsigned cbox)
{
	return cbox - agent->first_cbox;
}

#endif
