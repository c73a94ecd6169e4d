/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * An S-Box: the QPI caching agent of half of the C-Boxes (guide 2.5).
 */
#ifndef UNCORE_AGENT_H
#define UNCORE_AGENT_H

#include "model/nehalem-ex/ex.h"

struct agent;

/* Once, not in each place that calls it: the host's cache is small. */
#define AGENT_APART __attribute__((noinline))

struct agent *agent_new(struct ex *ex, unsigned socket, unsigned side,
			struct sigbank *bank);
void agent_free(struct agent *agent);

/* What does not go together in the settings of a socket, or NULL. */
const char *agent_config_check(const struct socket *socket);

/* The request table (and the tracker credits of the home of a memory request).
 * First cycle from `from` on in which there is an entry (a credit) for a miss,
 * a write-back or a non-coherent request (home: no node, -1). The last of them
 * are kept for write-backs. SIM_NEVER: that depends on when entries are
 * released that are taken now. */
uint64_t agent_table_from(struct ex *ex, struct agent *agent, uint64_t from,
			  bool is_write_back);

uint64_t agent_tracker_from(struct ex *ex, struct agent *agent, unsigned home,
			    uint64_t from, bool is_write_back);

/* Takes an entry (and a credit), both there from `from` on; its number goes
 * into packets as `serial`, *number as `number`. It counts from then on, or
 * from agent_show_from(). When it becomes known that the request is not
 * complete before a cycle, agent_keep() shows it until then; agent_release()
 * does so to its end. */
unsigned agent_take(struct ex *ex, struct agent *agent, int home, uint64_t from,
		    bool is_write_back, uint32_t *number);
void agent_show_from(struct agent *agent, unsigned serial, uint64_t from);
void agent_keep(struct agent *agent, unsigned serial, uint64_t until);
void agent_release(struct ex *ex, struct agent *agent, unsigned serial,
		   uint64_t until);

/* System bound: a message of a C-Box is at the S-Box in the cycle `at` (over
 * the ring); it goes over the direct link to the B-Box of the side (HOM for
 * it), or through the R-Box. Returns the cycle in which packet->dest has it.
 * *taken: the S-Box has taken it off the ring (the C-Box's credit is back);
 * later than `at` by some rounds of the ring if its queue was full, each of
 * them a bounce. A request that is snooped for (agent_send_snoops()) is taken
 * when there is room for its snoops too. */
uint64_t agent_send(struct agent *agent, struct packet *packet, uint64_t at,
		    uint64_t *taken);

/* The snoops of a request (HOM0), one to the caching agent of the same side in
 * each other socket: arrived[i] belongs to socket i. *snoop becomes one of
 * them. `at`: the S-Box has taken the request. */
void agent_send_snoops(struct ex *ex, struct agent *agent,
		       const struct packet *request, struct packet *snoop,
		       uint64_t at, uint64_t arrived[EX_MAX_SOCKETS]);

/* The snoop that goes with a request (enum packet_opcode); -1: none does. */
int agent_snoop_opcode(unsigned opcode);

/* From which cycle on (not before `from`) the agent has room for a ring bound
 * packet of a class; is_direct: from the B-Box of its side. */
uint64_t agent_room_from(struct ex *ex, struct agent *agent, unsigned cls,
			 bool is_direct, uint64_t from);

/* Ring bound: a packet has arrived from the R-Box, or directly from the B-Box.
 * A snoop goes over AD to the slice packet->cbox (whose IPQ has room from
 * ipq_from on), a completion over AK, data over BL to the slice and (core >= 0)
 * to that core; of a non-coherent request a completion to the slice and data to
 * the core. Nobody but the S-Box is told of the completion of a write-back, nor
 * that the home wants to hear of a conflict. Returns the cycle in which the
 * slice has it (or, where nobody is told, the one in which it left its queue);
 * *core_at: when the core has all of the line. */
AGENT_APART uint64_t agent_bring_short(struct agent *agent,
				       const struct packet *packet, uint64_t at,
				       bool is_direct, uint64_t ipq_from);
AGENT_APART uint64_t agent_bring_line(struct agent *agent,
				      const struct packet *packet, uint64_t at,
				      bool is_direct, int core,
				      uint64_t *core_at);
static inline uint64_t agent_deliver(struct agent *agent,
				     const struct packet *packet, uint64_t at,
				     bool is_direct, uint64_t ipq_from,
				     int core, uint64_t *core_at)
{
	return packet->cls == PACKET_DRS
		       ? agent_bring_line(agent, packet, at, is_direct, core,
					  core_at)
		       : agent_bring_short(agent, packet, at, is_direct,
					   ipq_from);
}

/* The cycle in which the last packet delivered left its queue for the ring: as
 * far as it goes its request is complete then (agent_release()), and a conflict
 * is acknowledged. */
uint64_t agent_left(const struct agent *agent);

/* Who a message or an interrupt reached, and the answer to it. */
struct agent_message {
	uint32_t cores;			/* bit each */
	uint64_t core_at[EX_MAX_CORES]; /* that core has it */
	struct packet answer;		/* Cmp or CmpD */
	uint64_t answer_at;		/* packet->source has the answer */
};

/* Ring bound NCS and NCB of U-Boxes and hubs: a message or an interrupt goes
 * over AD to packet->core, or (AGENT_ALL_CORES) to each core of the side; not
 * to the one that locks, if it is a StopReq1. When all have it the answer
 * leaves; its receiver has room from room_from on. */
enum { AGENT_ALL_CORES = 0xff };
void agent_message(struct ex *ex, struct agent *agent,
		   const struct packet *packet, uint64_t at, uint64_t room_from,
		   struct agent_message *message);

#endif
