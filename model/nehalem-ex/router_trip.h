/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * A packet on its way, as long as it is worked off. For the R-Box's own files.
 */
#ifndef UNCORE_ROUTER_TRIP_H
#define UNCORE_ROUTER_TRIP_H

#include "model/nehalem-ex/router_parts.h"

/* What sends the packet on: the first one is the box (or hub) that it comes
 * from, the others are R-Boxes. */
struct hop {
	struct router *router;
	const struct way *way; /* from there on */
	/* Of an R-Box: where the packet comes in, and what comes to be. */
	struct router_port *input;
	struct passage passage;
	struct lane_slot *read, *crossbar; /* of the grant; NULL: look again */
	/* For what is behind it, and the credit that it has. */
	struct credits_need need;
	uint8_t vn;
	struct flight *flight; /* NULL: the link is without trouble */
	/* On the link, in ticks; of a box: the cycle of the wire. */
	uint64_t start, end;
};

struct trip {
	struct ex *ex;
	const struct packet *packet;
	uint64_t now, room_from;
	uint64_t mask; /* a bit for each flit */
	unsigned flits;
	struct hop *last;
	struct hop hops[ROUTER_HOPS + 1];
	struct flight flights[ROUTER_HOPS + 1]; /* where links have trouble */
};

/* router_plan.c */
struct router_ride trip_plan(struct trip *trip, uint64_t ready);

/* router_trip.c, of links with trouble: plans and takes one; the first cycle
 * from `at` on in which the output queue has room, where the link may be busy
 * with something that is not in it. */
void trip_init_flights(struct trip *trip);
void trip_plan_flight(struct hop *hop, uint64_t at);
uint64_t trip_queue_from(const struct trip *trip, const struct hop *hop,
			 uint64_t at);
void trip_take_flight(struct trip *trip, struct hop *hop,
		      struct stretch *stretch);

static inline void trip_take_link(struct trip *trip, struct hop *hop,
				  struct stretch *stretch)
{
	if (hop->flight)
		trip_take_flight(trip, hop, stretch);
	else
		link_take(hop->way->link, hop->router, hop->start, hop->end,
			  stretch, NULL);
}

#endif
