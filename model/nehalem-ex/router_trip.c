/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Links with trouble on a way.
 */
#include "model/nehalem-ex/router_trip.h"

void trip_init_flights(struct trip *trip)
{
	for (struct hop *hop = trip->hops; hop <= trip->last; hop++) {
		struct router *router = hop->router;
		unsigned k = (unsigned)(hop - trip->hops);
		unsigned port = k ? hop->way->out : hop->way->in;

		if (!hop->way->link)
			continue;
		hop->flight = &trip->flights[k];
		*hop->flight = (struct flight){
			.router = router,
			.link = hop->way->link,
			.port = (uint8_t)port,
			.flits = (uint8_t)trip->flits,
			.is_from_hub = !k,
			.is_to_hub = k && router->neighbours[port] < 0,
		};
		if (router->retries)
			hop->flight->retry =
				&router->retries[k ? port : RBOX_NUM_PORTS];
	}
}

void trip_plan_flight(struct hop *hop, uint64_t at)
{
	hop->flight->at = at;
	trouble_plan(hop->flight);
	hop->start = hop->flight->start;
	hop->end = hop->flight->end;
}

void trip_take_flight(struct trip *trip, struct hop *hop,
		      struct stretch *stretch)
{
	struct router *router = hop->router;
	struct doze doze;

	link_take(hop->way->link, router, hop->start, hop->end, stretch, &doze);
	if (router->config.idle_cycles && !hop->flight->is_from_hub)
		router_publish_null(router, hop->way->out, stretch, &doze);
	trouble_take(hop->flight, trip->ex, trip->now);
}

/* Flits in the output queue at a time, by packets; *next: one of them has been
 * sent. */
static unsigned in_queue(const struct hop *hop, uint64_t at, uint64_t *next)
{
	const struct router *router = hop->router;
	unsigned flits = 0;

	*next = UINT64_MAX;
	for (unsigned i = 0; i < ROUTER_RECENT; i++) {
		const struct recent *other = &router->recent[i];

		if (other->out != hop->way->out || other->granted > at ||
		    other->until <= at)
			continue;
		flits += other->flits;
		if (other->until < *next)
			*next = other->until;
	}
	return flits;
}

uint64_t trip_queue_from(const struct trip *trip, const struct hop *hop,
			 uint64_t at)
{
	unsigned room = hop->router->config.output_flits - trip->flits;
	uint64_t next;

	while (in_queue(hop, at, &next) > room)
		at = next;
	return at;
}
