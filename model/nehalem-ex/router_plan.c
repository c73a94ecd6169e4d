/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The plan of a packet's way: when it enters each R-Box on it and is granted
 * its port there. How long a credit is needed depends on what comes behind it,
 * so an R-Box is planned with all that follow. With nothing in the way each is
 * planned once; where something is, the next cycle worth trying is.
 *
 * Nothing is taken here but credits, which go back where a plan is given up.
 */
#include "model/nehalem-ex/router_trip.h"

/* When the last flit of a packet is at the other end of a link. */
static inline uint64_t there(const struct router *router, uint64_t end)
{
	return cycles_up(end) + router->config.link_latency_cycles;
}

static inline uint64_t enters(const struct trip *trip,
			      const struct router *router, uint64_t end)
{
	return there(router, end) - trip->flits +
	       router->config.pipeline_cycles - 1;
}

/* The way over the link behind an R-Box, for a grant in the cycle `at`. */
static inline void plan_link(struct trip *trip, unsigned k, uint64_t at)
{
	struct router *router = trip->routers[k];
	struct link *link = &trip->outputs[k]->link;
	uint64_t length = trip->flits * (uint64_t)router->flit_ticks;

	if (router->has_trouble) {
		trip_plan_flight(trip, k, at);
		return;
	}
	trip->starts[k] = link_from(link, ticks_of(at), length);
	trip->ends[k] = trip->starts[k] + length;
}

/* The buffer at the other end of a link. */
static inline struct credits *buffer_behind(struct trip *trip, unsigned k)
{
	if (k + 1 == trip->num)
		return &trip->routers[k]->hub_credits;
	return &trip->inputs[k + 1]->credits;
}

static void plan(struct trip *trip, unsigned k, uint64_t entered);

/* The rest of the way behind a link; when the credit for its other end is
 * back. */
static inline uint64_t plan_rest(struct trip *trip, unsigned k)
{
	const struct router *router = trip->routers[k];
	uint64_t end = trip->ends[k];

	if (k + 1 < trip->num) {
		plan(trip, k + 1, enters(trip, router, end));
		return trip->hops[k + 1]->granted + router->window_cycles;
	}
	trip->hops[k]->taken = ex_later(there(router, end), trip->room_from);
	return trip->hops[k]->taken + router->config.link_latency_cycles;
}

/* The output queue has no room in the cycle `at`; from when on it has, when all
 * but as many flits as it may have besides this packet have been sent. */
static SIG_SLOW uint64_t queue_room_from(struct trip *trip, unsigned k,
					 uint64_t at)
{
	const struct router *router = trip->routers[k];
	struct passage *hop = trip->hops[k];
	unsigned others = router->config.output_flits - trip->flits;
	uint64_t ticks = (uint64_t)others * router->flit_ticks;
	uint64_t from = 0;

	if (router->has_trouble)
		from = trip_queue_from(trip, k, at);
	else if (trip->starts[k] > ticks)
		from = cycles_up(trip->starts[k] - ticks);
	if (from > at && !trip->overflows[k] &&
	    credits_from(buffer_behind(trip, k),
			 &(struct credits_need){ at, at + 1, trip->flits,
						 trip->cls, hop->next_network },
			 &hop->vn_out) == at)
		trip->overflows[k] = at;
	return from;
}

/* The way from an R-Box on is to be planned anew: credits that have been taken
 * for the links on it go back. */
static SIG_SLOW void put_back_from(struct trip *trip, unsigned k)
{
	for (; k < trip->num; k++)
		if (router_is_qpi(trip->hops[k]->out))
			credits_put_back(buffer_behind(trip, k), trip->now,
					 &trip->needs[k],
					 trip->hops[k]->vn_out);
}

/* `at`, if the target has room for a packet granted in that cycle, else the
 * next cycle worth trying. */
static inline uint64_t target_from(struct trip *trip, unsigned k, uint64_t at)
{
	struct passage *hop = trip->hops[k];
	struct credits_need *need = &trip->needs[k];
	uint64_t from;

	if (!router_is_qpi(hop->out)) {
		from = slot_from(trip->routers[k], hop, at, trip->room_from);
		if (from > at && !trip->overflows[k])
			trip->overflows[k] = at;
		return from;
	}
	plan_link(trip, k, at);
	if (trip->starts[k] > ticks_of(at)) {
		from = queue_room_from(trip, k, at);
		if (from > at)
			return from;
	}
	need->from = at;
	need->to = plan_rest(trip, k);
	need->flits = trip->flits;
	need->cls = trip->cls;
	need->network = hop->next_network;
	from = credits_take(buffer_behind(trip, k), trip->now, need,
			    &hop->vn_out);
	if (from > at)
		put_back_from(trip, k + 1);
	return from;
}

/* A packet that cannot be granted in the cycle after its entry. */
static SIG_SLOW void plan_slowly(struct trip *trip, unsigned k)
{
	struct router *router = trip->routers[k];
	struct passage *hop = trip->hops[k];
	const struct lane *in = &trip->inputs[k]->lane;
	const struct lane *out = &trip->outputs[k]->lane;
	uint64_t from = queue_from(router, hop);

	hop->is_plain = false;
	hop->target = hop->table;
	for (;;) {
		uint64_t at = lane_free_from(in, LANE_READ, out, LANE_CROSSBAR,
					     from, trip->flits);

		from = target_from(trip, k, at);
		hop->granted = at;
		if (from <= at)
			break;
		hop->target = from;
	}
	hop->overflow = trip->overflows[k];
}

/* When a packet is granted its output port: in the next cycle, if it can. */
static void plan(struct trip *trip, unsigned k, uint64_t entered)
{
	struct passage *hop = trip->hops[k];
	const struct router_input *input = trip->inputs[k];
	const struct lane *out = &trip->outputs[k]->lane;
	unsigned num = trip->flits + 1u;
	uint64_t read = lane_peek(&input->lane, LANE_READ, entered, num), taken;

	hop->entered = entered;
	hop->is_in_vain = read & 1;
	hop->is_plain = true;
	trip->overflows[k] = 0;
	if (queue_is_empty(&input->queue, entered)) {
		hop->granted = entered + 1;
		taken = lane_peek(out, LANE_CROSSBAR, entered, num) | read;
		if (!(taken >> 1 & lane_mask(trip->flits)) &&
		    target_from(trip, k, entered + 1) <= entered + 1)
			return;
	}
	plan_slowly(trip, k);
}

/* A packet of a box that has a credit from `from` on: when it leaves it. */
static inline uint64_t plan_wire(struct trip *trip, uint64_t from)
{
	struct router *router = trip->routers[0];
	const struct lane *in = &trip->inputs[0]->lane;

	if (lane_peek(in, LANE_WIRE, from, trip->flits) &
	    lane_mask(trip->flits))
		from = lane_free_from(in, LANE_WIRE, in, LANE_WIRE, from,
				      trip->flits);
	plan(trip, 0, from + router->config.pipeline_cycles - 1);
	trip->release = trip->hops[0]->granted;
	return from;
}

static uint64_t plan_hub_link(struct trip *trip, uint64_t from)
{
	const struct router *router = trip->routers[0];

	trip_plan_entry(trip, from);
	plan(trip, 0, enters(trip, router, trip->entry_end));
	trip->release = trip->hops[0]->granted + router->window_cycles;
	return trip->entry_start >> TICK_BITS;
}

/* The whole way of a packet that is ready to enter. */
struct router_ride trip_plan(struct trip *trip, uint64_t ready)
{
	struct passage *hop = trip->hops[0];
	struct credits *credits = &trip->inputs[0]->credits;
	struct credits_need need = { ready, 0, trip->flits, trip->cls,
				     hop->network };
	struct router_ride ride = { 0 };
	uint64_t next;

	for (;;) {
		ride.entered = router_is_qpi(hop->in)
				       ? plan_hub_link(trip, need.from)
				       : plan_wire(trip, need.from);
		need.to = trip->release;
		next = credits_take(credits, trip->now, &need, &hop->vn_in);
		if (next <= need.from)
			break;
		put_back_from(trip, 0);
		need.from = next;
	}
	ride.has_waited = need.from > ready;
	ride.credit_wait = need.from - ready;
	return ride;
}
