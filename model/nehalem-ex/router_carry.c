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

/* A packet that nothing is in the way of. */
struct ride {
	struct ex *ex;
	const struct packet *packet;
	uint64_t now, room_from;
	uint64_t mask; /* a bit for each flit */
	unsigned flits, dest, cls;
	bool network;
	struct router *router; /* that it has left, or of the box's socket, */
	const struct way *way; /* by this way, with a credit */
	uint64_t left;	       /* from then on; */
	uint64_t entered;      /* it comes into the next one */
};

/* A passage through an R-Box that can be had at once. */
struct transit {
	struct router *router;
	const struct way *way;
	struct lane_slot *read, *crossbar;
	uint64_t at; /* it is granted */
	bool is_in_vain;
	bool next_network;
	struct stretch sent;
};

/* The ports, in a slot of either timetable. */
static inline bool find_ports(const struct ride *ride, struct transit *transit)
{
	struct router_port *in = ride->way->input, *out = transit->way->output;
	uint64_t present = ride->now / 64, number = transit->at / 64, taken;
	unsigned bit = transit->at % 64;

	if (bit + ride->flits > 64 || in->queue.until > ride->entered ||
	    !router_bids_alone(in, ride->entered, ride->cls))
		return false;
	transit->read = lane_slot(&in->lane, present, number);
	transit->crossbar = lane_slot(&out->lane, present, number);
	taken = transit->read->bits[LANE_READ];
	transit->is_in_vain =
		(bit ? taken >> (bit - 1)
		     : lane_word(&in->lane, LANE_READ, number - 1) >> 63) &
		1;
	taken |= transit->crossbar->bits[LANE_CROSSBAR];
	return !(taken >> bit & ride->mask);
}

/* What is behind the output port: a link to an R-Box, or a box. */
static inline bool is_way_free(const struct ride *ride,
			       const struct transit *transit)
{
	const struct way *way = transit->way;

	if (way->link)
		return way->next &&
		       link_is_free(way->link, ticks_of(transit->at)) &&
		       credits_have(way->credits, ride->now, transit->at,
				    ride->flits);
	return way->output->held_until <= transit->at &&
	       ride->room_from <= transit->at + ride->flits;
}

static inline void take_ports(const struct ride *ride,
			      const struct transit *transit)
{
	unsigned bit = transit->at % 64;
	uint64_t bits = ride->mask << bit;

	transit->read->bits[LANE_READ] |= bits;
	transit->crossbar->bits[LANE_CROSSBAR] |= bits;
	transit->crossbar->bits[LANE_GRANTS] |= UINT64_C(1) << bit;
}

/* The buffer that it has come from. */
static inline void free_buffer(const struct ride *ride, uint64_t at)
{
	const struct way *way = ride->way;

	credits_hold(way->credits, ride->left, at + way->back_cycles,
		     ride->flits);
	if (way->link)
		router_give_back(ride->router, way, &way->input->link,
				 ride->now, at);
}

/* Returns when the packet enters the next R-Box. */
static inline uint64_t take_link(const struct ride *ride,
				 struct transit *transit)
{
	const struct router *router = transit->router;
	const struct way *way = transit->way;
	uint64_t ticks = ride->flits * (uint64_t)router->flit_ticks;
	uint64_t window = router->window_cycles;

	link_take_cycle(way->link, router, transit->at, ticks, &transit->sent);
	special_revoke(way->next, way->input, ride->now,
		       transit->sent.from + window, transit->sent.to + window);
	return transit->at + cycles_up(ticks) - ride->flits + way->cycles;
}

static inline void take_slot(const struct ride *ride, struct transit *transit)
{
	uint64_t at = transit->at, taken = at + ride->flits;

	transit->sent = (struct stretch){ at, taken, 0, 0 };
	router_note(transit->router, transit->way->out, ride->packet, at,
		    taken);
	router_free_slot(transit->router, transit->way, ride->now, taken);
}

static inline void keep_visit(const struct ride *ride,
			      const struct transit *transit)
{
	struct visits *visits = transit->router->visits;
	struct router_visit *visit = visits_next(visits);

	visit->visit.tell = router_tell;
	visit->visit.last = transit->at + transit->way->told_cycles;
	visit->entered = visit->table = ride->entered;
	visit->granted = transit->at;
	visit->last = ride->way;
	visit->way = transit->way;
	visit->packet = *ride->packet;
	visit->sent = transit->sent;
	visit->vn_in = visit->vn_out = CREDITS_VNA;
	visit->is_bid = true;
	visit->is_in_vain = transit->is_in_vain;
	visit->network = ride->network;
	visit->next_network = transit->next_network;
	visits_keep(visits);
}

/* Through the next R-Box; false: it cannot be had at once, and nothing has
 * happened. */
static inline bool pass(struct ride *ride)
{
	struct router *router = ride->way->next;
	const struct way *way = &router->ways[ride->dest];
	struct transit transit;
	uint64_t enters = 0;

	transit.router = router;
	transit.way = way;
	transit.at = ride->entered + 1;
	if (!find_ports(ride, &transit) || !is_way_free(ride, &transit))
		return false;
	transit.next_network = ride->network | (ride->way->link && way->link);
	take_ports(ride, &transit);
	free_buffer(ride, transit.at);
	router_bid(ride->way->input, ride->now, ride->entered, ride->cls,
		   transit.is_in_vain);
	if (way->link)
		enters = take_link(ride, &transit);
	else
		take_slot(ride, &transit);
	keep_visit(ride, &transit);
	ride->router = router;
	ride->way = way;
	ride->left = transit.at;
	ride->network = transit.next_network;
	ride->entered = enters;
	return true;
}

/* It leaves its box, as soon as the wire is free; false: it is a hub, or has no
 * credit. */
static inline bool leave(struct ride *ride)
{
	const struct way *way = ride->way;
	struct router_port *port = way->input;
	uint64_t from = ride->left;

	if (way->link || ride->router->has_trouble ||
	    !credits_have(way->credits, ride->now, from, ride->flits))
		return false;
	if (from < port->wire_until)
		from = lane_free_from(&port->lane, LANE_WIRE, &port->lane,
				      LANE_WIRE, from, ride->flits);
	router_take_wire(ride->router, port, ride->now, from, ride->flits);
	ride->entered = from + way->cycles;
	return true;
}

/* The rest of it, or all. */
static SIG_SLOW struct router_ride go_on(struct ride from,
					 struct packet *packet, bool has_begun)
{
	struct router_ride rest;
	struct trip trip;
	struct hop *first = trip.hops;

	trip.ex = from.ex;
	trip.packet = packet;
	trip.now = from.now;
	trip.room_from = from.room_from;
	trip.mask = from.mask;
	trip.flits = from.flits;
	trip.has_begun = has_begun;
	trip.has_trouble = from.router->has_trouble;
	first->router = from.router;
	first->way = from.way;
	first->from = from.left;
	first->start = from.entered - from.way->cycles;
	first->end = ticks_of(first->start + from.flits);
	first->passage.next_network = from.network;
	if (trip.has_trouble)
		trip_begin_flights(&trip, from.way);
	rest = trip_plan(&trip, from.left);
	trip_take(&trip);
	packet->vn = trip.last->vn;
	return rest;
}

/* It has gone through some R-Boxes at once, if any, and so has a credit; the
 * first of them would have been in the cycle `credit_at`. */
static SIG_SLOW struct router_ride go_on_from(struct ride from,
					      struct packet *packet,
					      uint64_t sent, uint64_t credit_at)
{
	bool is_first = !from.way->output;
	struct router_ride rest = go_on(from, packet, true);

	rest.entered = sent;
	if (!is_first)
		rest.credit_at = credit_at;
	return rest;
}

struct router_ride router_carry(struct ex *ex, unsigned socket,
				enum rbox_port from, struct packet *packet,
				uint64_t ready, uint64_t room_from)
{
	struct router *router = ex->sockets[socket].router;
	struct ride ride = {
		.ex = ex,
		.packet = packet,
		.now = ex_now(ex),
		.room_from = room_from,
		.mask = lane_mask(packet->flits),
		.flits = packet->flits,
		.dest = packet->dest,
		.cls = packet->cls,
		.network = packet->network,
		.router = router,
		.way = &router->entries[from],
		.left = ready,
	};
	uint64_t sent, credit_at;

	assert(packet->flits - 1u < RBOX_MAX_FLITS && packet->network < 2);
	assert(ready >= ride.now);
	if (!leave(&ride))
		return go_on(ride, packet, false);
	sent = ride.entered - ride.way->cycles;
	credit_at = ride.entered + 1;
	do
		if (!pass(&ride))
			return go_on_from(ride, packet, sent, credit_at);
	while (ride.way->next);
	packet->vn = CREDITS_VNA;
	return (struct router_ride){
		.entered = sent,
		.vn = CREDITS_VNA,
		.credit_at = credit_at,
		.arrived = ride.left + ride.flits,
	};
}
