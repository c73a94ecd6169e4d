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
	struct ex *ex;
	unsigned socket;
	struct agent *agent;
	struct slice *slice;
	uint64_t line;
	unsigned opcode; /* HOM0_* */
	unsigned serial; /* of the request table, */
	uint32_t number; /* and the request's number */
	/* What comes back. */
	struct line_forward forward; /* from a peer; arrived: at the S-Box */
	struct packet reply;	     /* from the home, */
	uint64_t reply_at;	     /* at the S-Box */
	bool is_direct;		     /* over the direct link */
	bool is_forced; /* it has to acknowledge a conflict */
	uint32_t value; /* of the line, for --check */
	struct home_job job;
};

/* A socket answers a snoop of the request that has arrived there: the answer is
 * in its job, data for the requester in forward. */
void out_hear(struct out_request *request, unsigned socket,
	      const struct packet *snoop, uint64_t arrived);

/* The request is at its home, those who were snooped have answered: what the
 * home replies is in its job, the value, and whether it is forced. */
void out_settle(struct out_request *request);

/* The request leaves the slice in the cycle `at`. */
void out_ask(struct out_request *request, uint64_t at);

/* A conflict is acknowledged from the cycle `at` on: returns when the home's
 * completion is at the slice. */
uint64_t out_acknowledge(struct out_request *request, uint64_t at);

/* A changed line leaves a slice for memory (WbMtoI and its data) from `at` on;
 * its entry of the request table is released when that is complete. */
void out_write_back(struct ex *ex, unsigned socket, struct slice *slice,
		    uint64_t line, unsigned serial, uint32_t number,
		    uint64_t at);

/* A ring bound packet at its S-Box; see agent_deliver(). */
struct delivery {
	uint64_t slice_at, core_at;
	uint64_t left; /* the S-Box's queue */
};
struct delivery out_deliver(struct ex *ex, struct agent *agent,
			    const struct packet *packet, uint64_t at,
			    bool is_direct, uint64_t ipq_from, int core);

/* A packet of a slice goes over a ring to its S-Box and from there to
 * packet->dest, where it is in the cycle that is returned. takes_credit: of the
 * slice's credits for the S-Box, which write-backs overdraw. */
uint64_t out_send(struct ex *ex, unsigned socket, struct slice *slice,
		  struct packet *packet, uint64_t at, bool takes_credit);

#endif
