/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The parts of a way that are not the usual case: ports that are not free, hubs
 * and links with trouble.
 */
#include "model/nehalem-ex/router_trip.h"

static void init_flight(struct flight *flight, struct router *router,
			unsigned port, unsigned flits)
{
	flight->router = router;
	flight->link = &router->outputs[port].link;
	flight->retry = router->retries ? &router->retries[port] : NULL;
	flight->port = (uint8_t)port;
	flight->flits = (uint8_t)flits;
	flight->is_from_hub = false;
	flight->is_to_hub = router->neighbours[port] < 0;
	flight->is_drawn = false;
}

void trip_init_flights(struct trip *trip)
{
	struct router *router = trip->routers[0];
	struct flight *entry = &trip->entry;

	for (unsigned k = 0; k < trip->num; k++)
		init_flight(&trip->flights[k], trip->routers[k],
			    trip->hops[k]->out, trip->flits);
	init_flight(entry, router, trip->hops[0]->in, trip->flits);
	entry->link = &router->hub_link;
	entry->is_from_hub = true;
	entry->is_to_hub = false;
	if (entry->retry)
		entry->retry = &router->retries[RBOX_NUM_PORTS];
}

void trip_plan_flight(struct trip *trip, unsigned k, uint64_t at)
{
	struct flight *flight = &trip->flights[k];

	flight->at = at;
	trouble_plan(flight);
	trip->starts[k] = flight->start;
	trip->ends[k] = flight->end;
}

void trip_plan_entry(struct trip *trip, uint64_t at)
{
	const struct router *router = trip->routers[0];
	uint64_t length = trip->flits * (uint64_t)router->flit_ticks;

	if (!router->has_trouble) {
		trip->entry_start =
			link_find(&router->hub_link, ticks_of(at), length);
		trip->entry_end = trip->entry_start + length;
		return;
	}
	trip->entry.at = at;
	trouble_plan(&trip->entry);
	trip->entry_start = trip->entry.start;
	trip->entry_end = trip->entry.end;
}

void trip_take_flight(struct trip *trip, unsigned k, struct stretch *stretch)
{
	struct router *router = trip->routers[k];
	unsigned out = trip->hops[k]->out;
	struct doze doze;

	link_take(&router->outputs[out].link, router, trip->starts[k],
		  trip->ends[k], stretch, &doze);
	if (!router->has_trouble)
		return;
	if (router->config.idle_cycles)
		router_publish_null(router, out, stretch, &doze);
	trouble_take(&trip->flights[k], trip->ex, trip->now);
}

void trip_take_entry(struct trip *trip)
{
	struct router *router = trip->routers[0];
	unsigned latency = router->config.link_latency_cycles;
	struct stretch sent;
	struct doze doze;

	link_take(&router->hub_link, router, trip->entry_start, trip->entry_end,
		  &sent, &doze);
	special_revoke(router, trip->hops[0]->in, sent.from + latency,
		       sent.to + latency);
	if (router->has_trouble)
		trouble_take(&trip->entry, trip->ex, trip->now);
}

/* Flits in the output queue at a time, by packets; *next: one of them has been
 * sent. */
static unsigned in_queue(const struct trip *trip, unsigned k, uint64_t at,
			 uint64_t *next)
{
	const struct router *router = trip->routers[k];
	unsigned out = trip->hops[k]->out, flits = 0;

	*next = UINT64_MAX;
	for (unsigned i = 0; i < ROUTER_PASSAGES; i++) {
		const struct passage *other = &router->passages[i];

		if (other == trip->hops[k] || other->out != out ||
		    other->granted > at || other->sent.to <= at)
			continue;
		flits += other->flits;
		if (other->sent.to < *next)
			*next = other->sent.to;
	}
	return flits;
}

uint64_t trip_queue_from(const struct trip *trip, unsigned k, uint64_t at)
{
	unsigned room = trip->routers[k]->config.output_flits - trip->flits;
	uint64_t next;

	while (in_queue(trip, k, at, &next) > room)
		at = next;
	return at;
}
