/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * A request of a slice on its way out of the socket's floor: to its home, and
 * as snoops to all other sockets, until the home's answer is at the S-Box.
 */
#ifndef UNCORE_OUT_H
#define UNCORE_OUT_H

#include "model/nehalem-ex/access.h"

struct out_request {
	struct home_job job; /* stands first */
	struct ex *ex;
	unsigned socket;
	struct agent *agent;
	struct slice *slice;
	uint64_t line;
	unsigned opcode; /* HOM0_* */
	unsigned serial; /* of the request table, */
	uint32_t number; /* and the request's number */
	unsigned owing;	 /* sockets, see home_owing() */
	/* The home's reply is in the job, the value below. */
	void (*then)(struct out_request *request);
	/* It waits at its home, at least until then. */
	void (*waits)(struct out_request *request, uint64_t until);
	/* What comes back. */
	struct line_forward forward; /* from a peer; arrived: at the S-Box */
	struct packet reply;	     /* from the home, */
	uint64_t reply_at;	     /* at the S-Box */
	bool is_direct;		     /* over the direct link */
	bool is_forced;		     /* it has to acknowledge a conflict */
	uint32_t value;		     /* of the line, for --check */
};

/* A request is taken from ex->requests, with what its transaction adds behind
 * it, and given back when that is over. */
enum { OUT_REQUEST_SIZE = 768 };

/* The request is at its home, in the cycle job.arrived: before its snoops. */
void out_arrive(struct out_request *request);

/* A socket answers a snoop of the request that has arrived there: the home has
 * the answer, data for the requester are in forward. */
void out_hear(struct out_request *request, unsigned socket,
	      const struct packet *snoop, uint64_t arrived);

/* The request leaves the slice in the cycle `at`: it is at its home, and those
 * who were snooped have answered. */
void out_ask(struct out_request *request, uint64_t at);

/* The home works it off, request->then() follows: at once, or when those who
 * were there before with the same line are out of the way. */
void out_settle(struct out_request *request);

/* The home's answer comes to the requester's S-Box: reply, reply_at. */
void out_take_reply(struct out_request *request);

/* A conflict is acknowledged from the cycle `at` on: returns when the home's
 * completion is at the slice. */
uint64_t out_acknowledge(struct out_request *request, uint64_t at);

/* A changed line, or a part of one, leaves a slice for memory (WbMtoI and its
 * data) from `at` on; its entry of the request table is released when that is
 * complete. */
void out_write_back(struct ex *ex, unsigned socket, struct slice *slice,
		    const struct slice_victim *victim, unsigned serial,
		    uint32_t number, uint64_t at);

/* A ring bound packet at its S-Box; see agent_deliver(). */
struct delivery {
	uint64_t slice_at, core_at;
	uint64_t left; /* the S-Box's queue */
};
static inline struct delivery out_deliver(struct ex *ex, struct agent *agent,
					  const struct packet *packet,
					  uint64_t at, bool is_direct,
					  uint64_t ipq_from, int core)
{
	struct delivery delivery;

	(void)ex;
	delivery.core_at = 0;
	delivery.slice_at = agent_deliver(agent, packet, at, is_direct,
					  ipq_from, core, &delivery.core_at);
	delivery.left = agent_left(agent);
	return delivery;
}

/* A packet of a slice goes over a ring to its S-Box and from there to
 * packet->dest, where it is in the cycle that is returned. takes_credit: of the
 * slice's credits for the S-Box, which write-backs overdraw. */
uint64_t out_send(struct ex *ex, unsigned socket, struct slice *slice,
		  struct packet *packet, uint64_t at, bool takes_credit);

/* The same; *taken: the S-Box has it. */
uint64_t out_carry(struct agent *agent, struct slice *slice,
		   struct packet *packet, uint64_t at, bool takes_credit,
		   uint64_t *taken);

#endif
