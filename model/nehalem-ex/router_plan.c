/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The plan of a packet's way: when each hop sends it on. How long the credit
 * for a buffer is needed depends on what comes behind it. So ports, links and
 * slots are planned forwards, and then credits are taken backwards. Where there
 * is none, those behind it go back, and the plan goes on from the hop that
 * needs it with the next cycle worth trying.
 */
#include <assert.h>

#include "model/nehalem-ex/router_parts.h"

/* When a hop has the link, if it sends in the cycle `at`. */
static void plan_link(struct trip *trip, struct hop *hop, uint64_t at)
{
	uint64_t length =
		trip->packet->flits * (uint64_t)hop->router->flit_ticks;

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
		.flits = trip->packet->flits,
		.cls = trip->packet->cls,
		.network = hop->passage.next_network,
	};
}

/* The output queue may have no room in the cycle `at`: when it has, when all
 * but as many flits as it may have besides this packet have been sent. */
static uint64_t queue_room_from(struct trip *trip, struct hop *hop, uint64_t at)
{
	const struct router *router = hop->router;
	unsigned others = router->config.output_flits - trip->packet->flits;
	uint64_t ticks = (uint64_t)others * router->flit_ticks, from = at;
	struct credits_need need;

	if (trip->has_trouble)
		from = trip_queue_from(hop, at);
	else if (hop->start > ticks_of(at) + ticks)
		from = cycles_up(hop->start - ticks);
	if (from == at || hop->passage.overflow)
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

/* The first cycles from one on in which its input port is not read, and the
 * crossbar not taken. */
static uint64_t ports_from(struct router *router, const struct passage *passage,
			   uint64_t at)
{
	for (;; at++) {
		struct board_view view = board_view(&router->board, at);
		uint64_t taken =
			board_look(&view, row_of(passage->in, ROW_READ)) |
			board_look(&view, row_of(passage->out, ROW_CROSSBAR));

		if (!(taken & board_mask(passage->flits)))
			return at;
	}
}

/* When a packet is granted its output port, from a cycle on. */
static void grant(struct trip *trip, struct hop *hop, uint64_t from)
{
	struct passage *passage = &hop->passage;

	for (;;) {
		passage->granted = ports_from(hop->router, passage, from);
		from = room_from(trip, hop, passage->granted);
		if (from <= passage->granted)
			break;
		passage->target = from;
	}
}

/* The first hop: a box that has a credit from `from` on, or a hub. */
static void leave(struct trip *trip, struct hop *hop, uint64_t from)
{
	hop->from = hop->start = from;
	if (hop->way->link)
		plan_link(trip, hop, from);
	else
		router_wire_from(hop->router, hop->way->in, &hop->start,
				 board_mask(trip->packet->flits));
}

/* When a packet enters the buffer behind a hop. */
static uint64_t enters(const struct trip *trip, const struct hop *hop)
{
	uint64_t begun = hop->way->link
				 ? cycles_up(hop->end) - trip->packet->flits
				 : hop->start;

	return begun + hop->way->cycles;
}

/* The next R-Box, from what sends the packet there. From the second link on it
 * is on VN1. */
static void enter(struct trip *trip, struct hop *hop, const struct hop *last)
{
	const struct packet *packet = trip->packet;
	struct passage *passage = &hop->passage;
	uint64_t from;

	hop->router = last->way->next;
	hop->way = &hop->router->ways[packet->dest];
	board_forget(&hop->router->board, trip->now);
	*passage = (struct passage){
		.entered = enters(trip, last),
		.network = last->passage.next_network,
		.next_network = last->passage.next_network |
				(last->way->link && hop->way->link),
		.in = last->way->in,
		.out = hop->way->out,
		.cls = packet->cls,
		.flits = packet->flits,
	};
	from = queue_from(hop->router, passage);
	passage->target = passage->table;
	grant(trip, hop, from);
}

/* Plans a hop from a cycle on, and those that follow. */
static void plan_from(struct trip *trip, struct hop *hop, uint64_t from)
{
	if (hop == trip->hops) {
		if (!trip->has_begun)
			leave(trip, hop, from);
	} else {
		hop->passage.target = from;
		grant(trip, hop, from);
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

/* Takes a credit from when the packet is sent until the way back from the next
 * hop, which sends it on in the cycle `left`. */
static uint64_t take_credit(struct trip *trip, struct hop *hop, uint64_t left)
{
	struct credits_need need;

	hop->to = left + hop->way->back_cycles;
	need = need_of(trip, hop);
	return credits_take(hop->way->credits, trip->now, &need, &hop->vn);
}

/* Takes all credits; the hop that has none before *from, or NULL. */
static struct hop *take_credits(struct trip *trip, uint64_t *from)
{
	struct hop *hop = trip->last, *behind;
	uint64_t left = hop->passage.taken;

	for (;; hop--) {
		if (hop > trip->hops)
			hop->from = hop->passage.granted;
		if (hop->way->credits &&
		    (*from = take_credit(trip, hop, left)) > hop->from)
			break;
		if (hop == trip->hops)
			return NULL;
		left = hop->passage.granted;
	}
	for (behind = hop + 1; behind <= trip->last; behind++)
		if (behind->way->credits)
			credits_put_back(behind->way->credits);
	return hop;
}

struct router_ride trip_plan(struct trip *trip, uint64_t ready)
{
	struct hop *first = trip->hops, *hop = first;
	uint64_t from = ready;

	if (trip->has_trouble)
		trip_begin_flights(trip);
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
