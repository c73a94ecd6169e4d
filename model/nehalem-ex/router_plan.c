/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The plan of a packet's way: when each hop sends it on. How long the credit
 * for a buffer is needed depends on what comes behind it. So ports, links and
 * slots are planned forwards, and then credits are taken backwards. Where there
 * is none, those behind it go back, and the plan goes on from the hop that
 * needs it with the next cycle worth trying.
 *
 * Nothing else is taken here.
 */
#include <assert.h>

#include "model/nehalem-ex/router_parts.h"

/* When a hop has the link, if it sends in the cycle `at`. */
static void plan_link(struct trip *trip, struct hop *hop, uint64_t at)
{
	uint64_t length = trip->flits * (uint64_t)hop->router->flit_ticks;

	if (trip->has_trouble) {
		trip_plan_flight(trip, hop, at);
		return;
	}
	hop->start = link_find(hop->way->link, ticks_of(at), length);
	hop->end = hop->start + length;
}

/* From when to when a hop needs a credit for what is behind it. */
static struct credits_need need_of(const struct trip *trip,
				   const struct hop *hop)
{
	return (struct credits_need){
		.from = hop->from,
		.to = hop->to,
		.flits = (uint8_t)trip->flits,
		.cls = trip->packet->cls,
		.network = hop->passage.next_network,
	};
}

/* The output queue has no room in the cycle `at`; from when on it has, when all
 * but as many flits as it may have besides this packet have been sent. */
static uint64_t queue_room_from(struct trip *trip, struct hop *hop, uint64_t at)
{
	const struct router *router = hop->router;
	unsigned others = router->config.output_flits - trip->flits;
	uint64_t ticks = (uint64_t)others * router->flit_ticks, from = 0;
	struct credits_need need;

	if (trip->has_trouble)
		from = trip_queue_from(trip, hop, at);
	else if (hop->start > ticks)
		from = cycles_up(hop->start - ticks);
	if (from <= at || hop->passage.overflow)
		return from;
	hop->from = at;
	hop->to = at + 1;
	need = need_of(trip, hop);
	if (credits_from(hop->way->credits, trip->now, &need, &hop->vn) == at)
		hop->passage.overflow = at;
	return from;
}

/* `at`, if there is room behind the output port for a packet granted in that
 * cycle, else the next cycle worth trying. */
static uint64_t room_from(struct trip *trip, struct hop *hop, uint64_t at)
{
	struct passage *passage = &hop->passage;
	uint64_t from;

	if (hop->way->link) {
		plan_link(trip, hop, at);
		return hop->start > ticks_of(at)
			       ? queue_room_from(trip, hop, at)
			       : at;
	}
	from = slot_from(hop->router, passage, at, trip->room_from);
	if (from > at && !passage->overflow)
		passage->overflow = at;
	return from;
}

/* A packet that cannot be granted in the cycle after its entry, but from `from`
 * on; 0: when its class lets it. */
static SIG_SLOW void grant_slowly(struct trip *trip, struct hop *hop,
				  uint64_t from)
{
	struct passage *passage = &hop->passage;

	passage_complete(trip, hop);
	if (!from) {
		from = queue_from(hop->router, passage);
		passage->target = passage->table;
	} else {
		passage->target = from;
	}
	passage->is_plain = false;
	hop->slots.read = NULL;
	for (;;) {
		uint64_t at = lane_free_from(&hop->input->lane, LANE_READ,
					     &hop->way->output->lane,
					     LANE_CROSSBAR, from, trip->flits);

		passage->granted = at;
		from = room_from(trip, hop, at);
		if (from <= at)
			break;
		passage->target = from;
	}
}

/* Whether nothing is in the way behind the output port. */
static inline bool way_is_free(const struct trip *trip, struct hop *hop,
			       uint64_t at)
{
	const struct way *way = hop->way;

	if (way->link) {
		hop->start = ticks_of(at);
		hop->end = hop->start +
			   trip->flits * (uint64_t)hop->router->flit_ticks;
		return link_is_free(way->link, hop->start) &&
		       !trip->has_trouble;
	}
	hop->passage.taken = at + trip->flits;
	return way->output->held_until <= at &&
	       trip->room_from <= hop->passage.taken;
}

/* When a packet is granted its output port: in the next cycle, if it can. */
static inline void grant(struct trip *trip, struct hop *hop, uint64_t entered)
{
	struct passage *passage = &hop->passage;

	passage->entered = entered;
	passage->granted = entered + 1;
	passage->is_plain = true;
	if (!ports_are_free(hop->input, hop->way->output, trip->now, entered,
			    trip->mask, &hop->slots, &passage->is_in_vain) ||
	    hop->input->queue.until > entered ||
	    !way_is_free(trip, hop, entered + 1))
		grant_slowly(trip, hop, 0);
}

/* The first hop: a box that has a credit from `from` on, or a hub. */
static inline void leave(struct trip *trip, struct hop *hop, uint64_t from)
{
	const struct lane *in = &hop->way->input->lane;

	hop->from = from;
	if (hop->way->link) {
		plan_link(trip, hop, from);
		return;
	}
	hop->start =
		lane_free_from(in, LANE_WIRE, in, LANE_WIRE, from, trip->flits);
}

/* When a packet enters the buffer behind a hop. */
static inline uint64_t enters(const struct trip *trip, const struct hop *hop)
{
	uint64_t begun =
		hop->way->link ? cycles_up(hop->end) - trip->flits : hop->start;

	return begun + hop->way->cycles;
}

/* The next R-Box, from what sends the packet there. From the second link on it
 * is on VN1. */
static inline void enter(struct trip *trip, struct hop *hop,
			 const struct hop *last)
{
	const struct way *way = last->way;
	struct router *router = way->next;

	hop->router = router;
	hop->input = way->input;
	hop->way = &router->ways[trip->packet->dest];
	hop->passage.network = last->passage.next_network;
	hop->passage.next_network =
		last->passage.next_network | (way->link && hop->way->link);
	grant(trip, hop, enters(trip, last));
}

/* Plans a hop from a cycle on, and those that follow. */
static inline void plan_from(struct trip *trip, struct hop *hop, uint64_t from)
{
	if (hop == trip->hops) {
		if (!trip->has_begun)
			leave(trip, hop, from);
	} else {
		grant_slowly(trip, hop, from);
	}
	for (; hop->way->next; hop++) {
		assert(hop < trip->hops + ROUTER_HOPS);
		enter(trip, hop + 1, hop);
	}
	trip->last = hop;
	if (hop->way->link)
		hop->passage.taken =
			sim_later(cycles_up(hop->end) + hop->way->cycles,
				  trip->room_from);
}

/* The credits of hops from one on go back. */
static SIG_SLOW void put_back(struct trip *trip, struct hop *hop)
{
	for (; hop <= trip->last; hop++) {
		struct credits_need need = need_of(trip, hop);

		if (hop->way->credits)
			credits_put_back(hop->way->credits, trip->now, &need,
					 hop->vn);
	}
}

static SIG_SLOW uint64_t take_slowly(struct trip *trip, struct hop *hop)
{
	struct credits_need need = need_of(trip, hop);

	return credits_take(hop->way->credits, trip->now, &need, &hop->vn);
}

/* Takes a credit from when the packet is sent until the way back from the next
 * hop; returns what credits_take() does. */
static inline uint64_t take_credit(struct trip *trip, struct hop *hop,
				   uint64_t left)
{
	const struct way *way = hop->way;

	hop->to = left + way->back_cycles;
	if (!credits_have(way->credits, trip->now, hop->from, trip->flits))
		return take_slowly(trip, hop);
	credits_hold(way->credits, hop->from, hop->to, trip->flits, 0);
	hop->vn = CREDITS_VNA;
	return hop->from;
}

/* Takes all credits; the hop that has none before *from, or NULL. */
static inline struct hop *take_credits(struct trip *trip, uint64_t *from)
{
	struct hop *hop = trip->last;
	uint64_t left = hop->passage.taken;

	for (; hop > trip->hops; hop--) {
		hop->from = hop->passage.granted;
		if (hop->way->link &&
		    (*from = take_credit(trip, hop, left)) > hop->from)
			break;
		left = hop->passage.granted;
	}
	if (hop == trip->hops &&
	    (*from = take_credit(trip, hop, left)) <= hop->from)
		return NULL;
	put_back(trip, hop + 1);
	return hop;
}

/* The whole way of a packet that is ready to enter. */
struct router_ride trip_plan(struct trip *trip, uint64_t ready)
{
	struct hop *first = trip->hops, *hop = first;
	uint64_t from = ready;

	do {
		plan_from(trip, hop, from);
		hop = take_credits(trip, &from);
	} while (hop);
	return (struct router_ride){
		.entered = first->way->link ? first->start >> TICK_BITS
					    : first->start,
		.has_waited = first->from > ready,
		.credit_wait = first->from - ready,
		.vn = first->vn,
		.credit_at = first[1].passage.granted,
		.arrived = trip->last->passage.taken,
	};
}
