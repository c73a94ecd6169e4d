/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The way of a packet from box to box. Per R-Box (2.6.1):
 *
 *  - It comes into an input buffer, for which it has a credit, and enters the
 *    queue of its class after the pipeline's cycles. The credit goes back when
 *    it is granted, since room appears as fast as new flits can come: at once
 *    to a box, with the link's latency and the pipeline's to a neighbour.
 *  - In the next cycle at the earliest it is granted its output port. The three
 *    arbitrations are one question: the first cycle from which on the input
 *    port can be read and the crossbar is free for all of its flits, and its
 *    target has room. Who starts first has the first choice; there is no round
 *    robin.
 *  - Over a link it goes by an output queue, which has room if what is in it is
 *    sent soon enough. The next R-Box reads a flit per cycle, faster than they
 *    come: it starts so that the last one is there in time.
 *  - A box gets it with its last flit, or when the box has room.
 *
 * From one link to the next a packet changes over to VN1.
 *
 * Mostly nothing is in the way: each R-Box is passed at once and nothing has to
 * be planned, since there is a credit for the next buffer however long it is
 * held. Where that is not so the rest is a trip (router_plan.c).
 */
#include <assert.h>

#include "model/nehalem-ex/router_parts.h"

/* A packet that nothing is in the way of but other packets of its link. */
struct ride {
	const struct packet *packet;
	const struct way *way; /* by which it has left, with a credit */
	uint64_t left;	       /* from then on; */
	uint64_t entered;      /* it comes into the next R-Box */
	uint64_t now, room_from;
	uint64_t mask; /* a bit for each flit */
	unsigned flits, network;
};

/* The first time at which its link is free; false: the output queue has no room
 * until then. */
static bool find_link(const struct way *way, unsigned flits, uint64_t at,
		      uint64_t *start)
{
	const struct router *router = way->router;
	uint64_t flit = router->flit_ticks;

	*start = ticks_of(at);
	if (link_is_free(way->link, *start))
		return true;
	*start = link_find(way->link, *start, flits * flit);
	return *start - ticks_of(at) <=
	       (router->config.output_flits - flits) * flit;
}

/* Whether it can be granted in the next cycle, with none of its class ahead of
 * it; there is VNA behind a link however long that is needed. */
static bool is_free(const struct ride *ride, const struct way *way,
		    const struct board_view *view, uint64_t *start)
{
	unsigned in = ride->way->in, flits = ride->flits;
	uint64_t at = ride->entered + 1, bits = ride->mask << 1;

	if (board_meets(view, row_of(in, ROW_READ), bits) |
	    board_meets(view, row_of(way->out, ROW_CROSSBAR), bits) |
	    board_meets(view, bid_row(in, ride->packet->cls, BID_QUEUE), 1))
		return false;
	if (!way->link)
		return way->output->held_until <= at &&
		       ride->room_from <= at + flits;
	return way->next &&
	       credits_suffice(way->credits, ride->now, at, flits) &&
	       find_link(way, flits, at, start);
}

/* Through the next R-Box; false: it cannot be had at once, and nothing has
 * happened. On the second link it is on VN1. */
static bool pass(struct ride *ride, const struct way *way)
{
	const struct way *last = ride->way;
	struct router *router = way->router;
	unsigned flits = ride->flits, network = ride->network;
	uint64_t at = ride->entered + 1, start = 0, end;
	struct board_view view;
	struct stretch sent;
	unsigned how = VISIT_TABLE | network << VISIT_NETWORK |
		       CREDITS_VNA << VISIT_VN_IN | CREDITS_VNA << VISIT_VN_OUT;

	board_forget(&router->board, ride->now);
	view = board_view(&router->board, ride->entered);
	if (!is_free(ride, way, &view, &start))
		return false;
	router_take_ports(&view, last->in, way->out, ride->mask << 1);
	how |= router_bid(&view, last->in, ride->packet->cls);
	credits_hold(last->credits, ride->now, ride->left,
		     at + last->back_cycles, flits);
	if (last->link)
		router_give_back(last, at);
	if (way->link) {
		end = start + flits * (uint64_t)router->flit_ticks;
		link_take(way->link, router, start, end, &sent);
		router_carry_credits(way, &sent);
		ride->network |= last->link != NULL;
		ride->entered = cycles_up(end) - flits + way->cycles;
	} else {
		sent.from = sent.retry_from = at;
		sent.to = sent.retry_to = at + flits;
		router_note(router, way->out, ride->packet, at, at + flits);
		router_free_slot(way, at + flits);
	}
	how |= ride->network << VISIT_NEXT_NETWORK;
	router_visit(last, way, ride->packet, at - 1, at, &sent, how);
	ride->way = way;
	ride->left = at;
	return true;
}

/* It leaves its box, as soon as the wire is free; false: it is a hub, or has no
 * credit. */
static bool leave(struct ride *ride)
{
	const struct way *way = ride->way;
	struct router *router = way->router;
	uint64_t at = ride->left;
	struct board_view view;

	if (way->link || router->has_trouble ||
	    !credits_suffice(way->credits, ride->now, ride->left, ride->flits))
		return false;
	view = router_wire_from(router, way->in, &at, ride->mask);
	router_take_wire(router, &view, way->in, at, ride->flits);
	ride->entered = at + way->cycles;
	return true;
}

/* The rest of it, or all. */
static SIG_SLOW struct router_ride go_on(struct ex *ex, const struct ride *from,
					 struct packet *packet, bool has_begun)
{
	struct router_ride rest;
	struct trip trip;
	struct hop *first = trip.hops;

	trip.ex = ex;
	trip.packet = from->packet;
	trip.now = from->now;
	trip.room_from = from->room_from;
	trip.has_begun = has_begun;
	trip.has_trouble = from->way->router->has_trouble;
	first->router = from->way->router;
	first->way = from->way;
	first->from = from->left;
	first->start = from->entered - from->way->cycles;
	first->end = ticks_of(first->start + from->packet->flits);
	first->passage.next_network = (uint8_t)from->network;
	rest = trip_plan(&trip, from->left);
	trip_take(&trip);
	packet->vn = trip.last->vn;
	return rest;
}

struct router_ride router_carry(struct ex *ex, unsigned socket,
				enum rbox_port from, struct packet *packet,
				uint64_t ready, uint64_t room_from)
{
	struct router *router = ex->sockets[socket].router;
	struct ride ride = {
		.packet = packet,
		.way = &router->entries[from],
		.left = ready,
		.now = engine_now(&ex->engine),
		.room_from = room_from,
		.mask = board_mask(packet->flits),
		.flits = packet->flits,
		.network = packet->network,
	};
	struct router_ride told = { .vn = CREDITS_VNA };
	bool has_begun;

	assert(packet->flits - 1u < RBOX_MAX_FLITS && packet->network < 2);
	assert(ready >= ride.now);
	board_forget(&router->board, ride.now);
	has_begun = leave(&ride);
	if (has_begun) {
		told.entered = ride.entered - ride.way->cycles;
		told.credit_at = ride.entered + 1;
	}
	while (has_begun && pass(&ride, &ride.way->next->ways[packet->dest]))
		if (!ride.way->next)
			break;
	packet->vn = CREDITS_VNA;
	told.arrived = ride.left + packet->flits;
	if (ride.way->next) {
		struct router_ride rest = go_on(ex, &ride, packet, has_begun);

		if (!has_begun)
			return rest;
		if (!ride.way->output)
			told.credit_at = rest.credit_at;
		told.arrived = rest.arrived;
	}
	return told;
}

uint64_t router_pass(struct ex *ex, unsigned socket, enum rbox_port from,
		     struct packet *packet)
{
	const struct way *last = &ex->sockets[socket].router->entries[from];
	const struct way *way;
	unsigned network = packet->network;

	do {
		unsigned next;

		way = &last->next->ways[packet->dest];
		next = network | (last->link && way->link);
		router_count(&ex->engine.facts, last, way, packet,
			     network << VISIT_NETWORK |
				     next << VISIT_NEXT_NETWORK |
				     CREDITS_VNA << VISIT_VN_OUT);
		network = next;
		last = way;
	} while (way->next);
	packet->vn = CREDITS_VNA;
	return engine_now(&ex->engine);
}
