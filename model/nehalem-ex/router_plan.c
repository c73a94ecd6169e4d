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
#include "model/nehalem-ex/router_trip.h"

/* When the last flit of a packet is at the other end of a link. */
static inline uint64_t there(const struct router *router, uint64_t end)
{
	return cycles_up(end) + router->config.link_latency_cycles;
}

/* When a hop has the link, if it sends in the cycle `at`. */
static inline void plan_link(const struct trip *trip, struct hop *hop,
			     uint64_t at)
{
	uint64_t length = trip->flits * (uint64_t)hop->router->flit_ticks;

	if (hop->flight) {
		trip_plan_flight(hop, at);
		return;
	}
	hop->start = link_from(hop->way->link, ticks_of(at), length);
	hop->end = hop->start + length;
}

/* The output queue has no room in the cycle `at`; from when on it has, when all
 * but as many flits as it may have besides this packet have been sent. */
static SIG_SLOW uint64_t queue_room_from(struct trip *trip, struct hop *hop,
					 uint64_t at)
{
	const struct router *router = hop->router;
	unsigned others = router->config.output_flits - trip->flits;
	uint64_t ticks = (uint64_t)others * router->flit_ticks, from = 0;
	struct credits_need now = hop->need;

	if (hop->flight)
		from = trip_queue_from(trip, hop, at);
	else if (hop->start > ticks)
		from = cycles_up(hop->start - ticks);
	now.from = at;
	now.to = at + 1;
	if (from > at && !hop->overflow &&
	    credits_from(hop->way->credits, &now, &hop->vn) == at)
		hop->overflow = at;
	return from;
}

/* `at`, if there is room behind the output port for a packet granted in that
 * cycle, else the next cycle worth trying. */
static inline uint64_t room_from(struct trip *trip, struct hop *hop,
				 uint64_t at)
{
	uint64_t from;

	if (hop->way->link) {
		plan_link(trip, hop, at);
		return hop->start > ticks_of(at)
			       ? queue_room_from(trip, hop, at)
			       : at;
	}
	from = slot_from(hop->router, hop->passage, at, trip->room_from);
	if (from > at && !hop->overflow)
		hop->overflow = at;
	return from;
}

/* A packet that cannot be granted in the cycle after its entry, but from `from`
 * on; 0: when its class lets it. */
static SIG_SLOW void grant_slowly(struct trip *trip, struct hop *hop,
				  uint64_t from)
{
	struct passage *passage = hop->passage;

	if (!from) {
		from = queue_from(hop->router, passage);
		passage->target = passage->table;
	} else {
		passage->target = from;
	}
	passage->is_plain = false;
	hop->read = NULL;
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
	passage->overflow = hop->overflow;
}

/* Whether ports are free for a packet that enters: mostly the cycles of its
 * grant are in one slot of either timetable, and both are near. */
static inline bool ports_are_free(struct trip *trip, struct hop *hop)
{
	struct passage *passage = hop->passage;
	uint64_t entered = passage->entered, at = entered + 1, read, taken;
	struct lane *in = &hop->input->lane, *out = &hop->way->output->lane;
	unsigned num = trip->flits + 1u;

	if (entered % 64 + num <= 64 && at / 64 - trip->now / 64 < LANE_SLOTS) {
		hop->read = lane_slot(in, trip->now / 64, at / 64);
		hop->crossbar = lane_slot(out, trip->now / 64, at / 64);
		read = hop->read->bits[LANE_READ] >> entered % 64;
		taken = hop->crossbar->bits[LANE_CROSSBAR] >> entered % 64;
	} else {
		hop->read = NULL;
		read = lane_look(in, LANE_READ, entered);
		taken = lane_look(out, LANE_CROSSBAR, entered);
	}
	passage->is_in_vain = read & 1;
	return !((taken | read) >> 1 & lane_mask(trip->flits));
}

/* When a packet is granted its output port: in the next cycle, if it can. */
static inline void grant(struct trip *trip, struct hop *hop, uint64_t entered)
{
	struct passage *passage = hop->passage;

	hop->overflow = 0;
	passage->entered = passage->table = entered;
	passage->granted = entered + 1;
	passage->is_plain = true;
	if (!ports_are_free(trip, hop) ||
	    !queue_is_empty(&hop->input->queue, entered) ||
	    room_from(trip, hop, entered + 1) > entered + 1)
		grant_slowly(trip, hop, 0);
}

/* The first hop: a box that has a credit from `from` on, or a hub. */
static inline void leave(struct trip *trip, struct hop *hop, uint64_t from)
{
	const struct lane *in = &hop[1].input->lane;

	hop->need.from = from;
	if (hop->way->link) {
		plan_link(trip, hop, from);
		return;
	}
	if (lane_peek(in, LANE_WIRE, from, trip->flits) &
	    lane_mask(trip->flits))
		from = lane_free_from(in, LANE_WIRE, in, LANE_WIRE, from,
				      trip->flits);
	hop->start = from;
}

/* When a packet enters the buffer behind a hop. */
static inline uint64_t enters(const struct trip *trip, const struct hop *hop)
{
	const struct router *router = hop->router;
	unsigned pipeline = router->config.pipeline_cycles;

	return hop->way->link
		       ? there(router, hop->end) - trip->flits + pipeline - 1
		       : hop->start + pipeline - 1;
}

/* Plans a hop from a cycle on, and those that follow. */
static inline void plan_from(struct trip *trip, unsigned k, uint64_t from)
{
	struct hop *hops = trip->hops;

	if (k)
		grant_slowly(trip, &hops[k], from);
	else
		leave(trip, hops, from);
	for (k++; k <= trip->num; k++)
		grant(trip, &hops[k], enters(trip, &hops[k - 1]));
}

/* When the credit that a hop needs is back. */
static inline uint64_t back_at(struct trip *trip, unsigned k)
{
	struct hop *hop = &trip->hops[k];
	const struct router *router = hop->router;

	if (k < trip->num)
		return hop[1].passage->granted +
		       (hop->way->link ? router->window_cycles : 0);
	hop->passage->taken =
		ex_later(there(router, hop->end), trip->room_from);
	return hop->passage->taken + router->config.link_latency_cycles;
}

/* The credits of hops from one on go back. */
static SIG_SLOW void put_back(struct trip *trip, unsigned k)
{
	for (; k <= trip->num; k++)
		if (trip->hops[k].way->credits)
			credits_put_back(trip->hops[k].way->credits, trip->now,
					 &trip->hops[k].need, trip->hops[k].vn);
}

/* Takes all credits; the hop that has none before *from, or -1. */
static inline int take_credits(struct trip *trip, uint64_t *from)
{
	for (unsigned k = trip->num + 1; k--;) {
		struct hop *hop = &trip->hops[k];

		if (!hop->way->credits)
			continue;
		if (k)
			hop->need.from = hop->passage->granted;
		hop->need.to = back_at(trip, k);
		*from = credits_take(hop->way->credits, trip->now, &hop->need,
				     &hop->vn);
		if (*from <= hop->need.from)
			continue;
		put_back(trip, k + 1);
		return (int)k;
	}
	return -1;
}

/* The whole way of a packet that is ready to enter. */
struct router_ride trip_plan(struct trip *trip, uint64_t ready)
{
	struct hop *first = trip->hops;
	uint64_t from = ready;
	int k = 0;

	do {
		plan_from(trip, (unsigned)k, from);
		k = take_credits(trip, &from);
	} while (k >= 0);
	return (struct router_ride){
		.entered = first->way->link ? first->start >> TICK_BITS
					    : first->start,
		.has_waited = first->need.from > ready,
		.credit_wait = first->need.from - ready,
		.vn = first->vn,
		.credit_at = first[1].passage->granted,
	};
}
