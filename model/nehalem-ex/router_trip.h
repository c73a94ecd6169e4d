/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * A packet on its way, as long as it is worked off. For the R-Box's own files.
 */
#ifndef UNCORE_ROUTER_TRIP_H
#define UNCORE_ROUTER_TRIP_H

#include "model/nehalem-ex/router_parts.h"

struct trip {
	struct ex *ex;
	uint64_t now, room_from;
	uint64_t release; /* of the credit for the first input buffer */
	unsigned num;	  /* R-Boxes */
	uint8_t flits, cls;
	struct router *routers[ROUTER_HOPS];
	struct router_input *inputs[ROUTER_HOPS];
	struct router_output *outputs[ROUTER_HOPS];
	struct passage *hops[ROUTER_HOPS];
	struct credits_need needs[ROUTER_HOPS]; /* for the links behind them */
	uint64_t overflows[ROUTER_HOPS];	/* the target was full, or 0 */
	/* On the links behind them and on that of the hub that it comes from,
	 * in ticks. */
	uint64_t starts[ROUTER_HOPS], ends[ROUTER_HOPS];
	uint64_t entry_start, entry_end;
	/* Where links have trouble. */
	struct flight flights[ROUTER_HOPS], entry;
};

void trip_init_flights(struct trip *trip);

/* router_plan.c */
struct router_ride trip_plan(struct trip *trip, uint64_t ready);

/* Plans and takes the link behind an R-Box, and that of the hub. */
void trip_plan_flight(struct trip *trip, unsigned k, uint64_t at);
void trip_plan_entry(struct trip *trip, uint64_t at);
/* The first cycle from `at` on in which the output queue has room, where a link
 * may be busy with something that is not in it. */
uint64_t trip_queue_from(const struct trip *trip, unsigned k, uint64_t at);
void trip_take_flight(struct trip *trip, unsigned k, struct stretch *stretch);
void trip_take_entry(struct trip *trip);

#endif
