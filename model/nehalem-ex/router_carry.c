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

/* A packet that nothing is in the way of but other packets of its link. It
 * stands in memory, and to pass an R-Box is a function each for the two kinds
 * of ports that it may leave by: the host's registers are few. */
struct ride {
	struct ex *ex;
	const struct packet *packet;
	const struct way *way; /* by which it has left, with a credit */
	uint64_t left;	       /* from then on; */
	uint64_t entered;      /* it comes into the next R-Box */
	uint64_t now, room_from;
	uint64_t mask; /* a bit for each flit */
	unsigned flits, dest, cls;
	unsigned bid; /* in its stays */
	unsigned how; /* of its visits, with its network twice */
};

enum {
	HOW_NETWORK = 1 << VISIT_NETWORK | 1 << VISIT_NEXT_NETWORK,
	HOW_PLAIN = VISIT_IS_BID | VISIT_TABLE | CREDITS_VNA << VISIT_VN_IN |
		    CREDITS_VNA << VISIT_VN_OUT,
};

bool ports_are_free_far(const struct router_port *in,
			const struct router_port *out, uint64_t entered,
			uint64_t mask, bool *is_in_vain)
{
	uint64_t read = lane_look(&in->lane, LANE_READ, entered);
	uint64_t taken = lane_look(&out->lane, LANE_CROSSBAR, entered) | read;

	*is_in_vain = read & 1;
	return !(taken >> 1 & mask);
}

void ports_take_far(struct router_port *in, struct router_port *out,
		    uint64_t now, uint64_t at, uint64_t mask)
{
	lane_set(&in->lane, LANE_READ, now, at, mask);
	lane_set(&out->lane, LANE_CROSSBAR, now, at, mask);
	lane_set(&out->lane, LANE_GRANTS, now, at, 1);
}

/* The link is not free at once: false: the output queue has no room until the
 * packet is sent. */
static SIG_SLOW bool find_link(const struct way *way, unsigned flits,
			       uint64_t at, uint64_t *start)
{
	const struct router *router = way->router;
	uint64_t others = (uint64_t)(router->config.output_flits - flits) *
			  router->flit_ticks;

	*start = link_find(way->link, ticks_of(at),
			   flits * (uint64_t)router->flit_ticks);
	return *start <= others || cycles_up(*start - others) <= at;
}

/* Whether it can be granted in the next cycle. */
static inline bool find_ports(const struct ride *ride, const struct way *way,
			      struct grant_slots *slots, bool *is_in_vain)
{
	struct router_port *in = ride->way->input;

	return router_bids_alone(in, ride->entered, ride->cls) &&
	       ports_are_free(in, way->output, ride->now, ride->entered,
			      ride->mask, slots, is_in_vain);
}

/* The ports for the grant, and the buffer that it has come from. */
static inline void take_ports(const struct ride *ride, const struct way *way,
			      const struct grant_slots *slots, bool is_in_vain)
{
	const struct way *last = ride->way;
	struct router_port *in = last->input;
	uint64_t at = ride->entered + 1;

	ports_take(in, way->output, slots, ride->now, at, ride->mask);
	credits_hold(&in->credits, ride->left, at + last->back_cycles,
		     ride->flits, ride->bid | is_in_vain);
	if (last->link)
		router_give_back(last->router, last, &in->link, ride->now, at);
}

/* Through the next R-Box to a box; false: it cannot be had at once, and nothing
 * has happened. */
static __attribute__((noinline)) bool pass_to_box(struct ride *ride,
						  const struct way *way)
{
	uint64_t at = ride->entered + 1, taken = at + ride->flits;
	struct router_visit *visit;
	struct grant_slots slots;
	bool is_in_vain;

	if (way->output->held_until > at || ride->room_from > taken ||
	    !find_ports(ride, way, &slots, &is_in_vain))
		return false;
	take_ports(ride, way, &slots, is_in_vain);
	router_note(way->router, way->out, ride->packet, at, taken);
	router_free_slot(way->router, way, ride->now, taken);
	visit = visit_of(ride->way, way, ride->packet, at + way->told_cycles,
			 ride->how | is_in_vain * VISIT_IN_VAIN);
	visit->granted = at;
	visit->waits = 1;
	visit->from = 0;
	visit->to = ride->flits;
	visits_keep(way->router->visits);
	ride->way = way;
	ride->left = at;
	return true;
}

/* The same to a link. On the second one it is on VN1. */
static __attribute__((noinline)) bool pass_to_link(struct ride *ride,
						   const struct way *way)
{
	const struct router *router = way->router;
	uint64_t at = ride->entered + 1, start = ticks_of(at), end;
	unsigned how = ride->how, window = router->window_cycles;
	struct grant_slots slots;
	struct stretch sent;
	bool is_in_vain;

	if (!find_ports(ride, way, &slots, &is_in_vain) || !way->next ||
	    !credits_have(way->credits, ride->now, at, ride->flits) ||
	    (!link_is_free(way->link, start) &&
	     !find_link(way, ride->flits, at, &start)))
		return false;
	take_ports(ride, way, &slots, is_in_vain);
	end = start + ride->flits * (uint64_t)router->flit_ticks;
	link_take_behind(way->link, router, start, end, &sent);
	special_revoke(way->next, way->input, ride->now, sent.from + window,
		       sent.to + window);
	if (ride->way->link)
		how |= 1 << VISIT_NEXT_NETWORK;
	visit_at(visit_of(ride->way, way, ride->packet,
			  sent.to + way->told_cycles,
			  how | is_in_vain * VISIT_IN_VAIN),
		 ride->entered, at, &sent);
	visits_keep(router->visits);
	ride->how |= how & 1 << VISIT_NEXT_NETWORK ? HOW_NETWORK : 0;
	ride->way = way;
	ride->left = at;
	ride->entered = cycles_up(end) - ride->flits + way->cycles;
	return true;
}

/* It leaves its box, as soon as the wire is free; false: it is a hub, or has no
 * credit. */
static inline bool leave(struct ride *ride)
{
	const struct way *way = ride->way;
	struct router_port *port = way->input;
	uint64_t from = ride->left;

	if (way->link || way->router->has_trouble ||
	    !credits_have(way->credits, ride->now, from, ride->flits))
		return false;
	if (from < port->wire_until)
		from = lane_free_from(&port->lane, LANE_WIRE, &port->lane,
				      LANE_WIRE, from, ride->flits);
	router_take_wire(way->router, port, ride->now, from, ride->flits);
	ride->entered = from + way->cycles;
	return true;
}

/* The rest of it, or all. */
static SIG_SLOW struct router_ride go_on(const struct ride *from,
					 struct packet *packet, bool has_begun)
{
	struct router_ride rest;
	struct trip trip;
	struct hop *first = trip.hops;

	trip.ex = from->ex;
	trip.packet = packet;
	trip.now = from->now;
	trip.room_from = from->room_from;
	trip.mask = from->mask;
	trip.flits = from->flits;
	trip.has_begun = has_begun;
	trip.has_trouble = from->way->router->has_trouble;
	first->router = from->way->router;
	first->way = from->way;
	first->from = from->left;
	first->start = from->entered - from->way->cycles;
	first->end = ticks_of(first->start + from->flits);
	first->passage.next_network = from->how >> VISIT_NEXT_NETWORK & 1;
	if (trip.has_trouble)
		trip_begin_flights(&trip, from->way);
	rest = trip_plan(&trip, from->left);
	trip_take(&trip);
	packet->vn = trip.last->vn;
	return rest;
}

/* It has gone through some R-Boxes at once, if any, and so has a credit; the
 * first of them would have been in the cycle `credit_at`. */
static SIG_SLOW struct router_ride go_on_from(const struct ride *from,
					      struct packet *packet,
					      uint64_t sent, uint64_t credit_at)
{
	bool is_first = !from->way->output;
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
	struct ride ride;
	const struct way *way;
	uint64_t sent, credit_at;

	assert(packet->flits - 1u < RBOX_MAX_FLITS && packet->network < 2);
	ride.ex = ex;
	ride.packet = packet;
	ride.way = &ex->sockets[socket].router->entries[from];
	ride.left = ready;
	ride.now = engine_now(&ex->engine);
	ride.room_from = room_from;
	ride.mask = lane_mask(packet->flits);
	ride.flits = packet->flits;
	ride.dest = packet->dest;
	ride.cls = packet->cls;
	ride.bid = router_bid_of(packet->cls, false);
	ride.how = HOW_PLAIN | packet->network * HOW_NETWORK;
	assert(ready >= ride.now);
	if (!leave(&ride))
		return go_on(&ride, packet, false);
	sent = ride.entered - ride.way->cycles;
	credit_at = ride.entered + 1;
	do {
		way = &ride.way->next->ways[ride.dest];
		if (!(way->link ? pass_to_link(&ride, way)
				: pass_to_box(&ride, way)))
			return go_on_from(&ride, packet, sent, credit_at);
	} while (way->next);
	packet->vn = CREDITS_VNA;
	return (struct router_ride){
		.entered = sent,
		.vn = CREDITS_VNA,
		.credit_at = credit_at,
		.arrived = ride.left + ride.flits,
	};
}

uint64_t router_pass(struct ex *ex, unsigned socket, enum rbox_port from,
		     struct packet *packet)
{
	const struct way *last = &ex->sockets[socket].router->entries[from];
	const struct way *way;
	unsigned how = HOW_PLAIN | packet->network * HOW_NETWORK;

	do {
		way = &last->next->ways[packet->dest];
		if (last->link && way->link)
			how |= 1 << VISIT_NEXT_NETWORK;
		router_count(&ex->engine.facts, last, way, packet, how);
		if (how & 1 << VISIT_NEXT_NETWORK)
			how |= HOW_NETWORK;
		last = way;
	} while (way->next);
	packet->vn = CREDITS_VNA;
	return engine_now(&ex->engine);
}
