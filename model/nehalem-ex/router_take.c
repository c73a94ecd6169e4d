/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Takes what was planned, and tells of it.
 */
#include "model/nehalem-ex/router_parts.h"

static void take_on_link(struct trip *trip, struct hop *hop,
			 struct stretch *sent)
{
	if (trip->has_trouble)
		trip_take_flight(trip, hop, sent);
	else
		link_take(hop->way->link, hop->router, hop->start, hop->end,
			  sent);
}

/* The packet leaves its box, or hub. */
static void take_entry(struct trip *trip)
{
	struct hop *hop = trip->hops;
	unsigned port = hop->way->in;
	uint64_t latency = hop->router->config.link_latency_cycles;
	struct board_view view;
	struct stretch sent;

	if (!hop->way->link) {
		view = board_view(&hop->router->board, hop->start);
		router_take_wire(hop->router, &view, port, hop->start,
				 trip->packet->flits);
		return;
	}
	take_on_link(trip, hop, &sent);
	special_revoke(hop->router, port, sent.from + latency,
		       sent.to + latency);
}

/* Over a link, to another R-Box or to a hub, where nobody counts. */
static void take_link(struct trip *trip, struct hop *hop, struct stretch *sent)
{
	const struct way *way = hop->way;

	take_on_link(trip, hop, sent);
	if (trip->has_trouble)
		router_note(hop->router, way->out, trip->packet,
			    hop->passage.granted, sent->to);
	router_carry_credits(way, sent);
	router_give_back(way, way->next ? hop[1].passage.granted
					: hop->passage.taken);
}

/* The box, or one before it, is late. */
static void hold_slot(struct hop *hop, struct stretch *sent)
{
	struct router_port *output = hop->way->output;
	const struct passage *passage = &hop->passage;

	if (passage->taken == sent->to && output->held_until <= sent->from)
		return;
	router_publish_late(hop->router, passage);
	sent->to = sent->from;
	output->held_until = sim_later(output->held_until, passage->taken);
}

static void take_slot(const struct trip *trip, struct hop *hop,
		      struct stretch *sent)
{
	const struct passage *passage = &hop->passage;

	*sent = (struct stretch){ .from = passage->granted,
				  .to = passage->granted + passage->flits };
	hold_slot(hop, sent);
	router_note(hop->router, passage->out, trip->packet, passage->granted,
		    passage->taken);
	router_free_slot(hop->way, passage->taken);
}

static void take_passage(struct trip *trip, struct hop *hop)
{
	const struct passage *passage = &hop->passage;
	struct board_view view;
	struct stretch sent;
	unsigned how = passage->table == passage->entered ? VISIT_TABLE : 0;

	router_publish_bids(hop->router, passage);
	router_publish_overflow(hop->router, passage);
	if (passage->granted > passage->entered + 1)
		queue_note(hop->router, passage, trip->now);
	view = board_view(&hop->router->board, passage->granted);
	router_take_ports(&view, passage->in, passage->out,
			  board_mask(passage->flits));
	if (hop->way->link) {
		take_link(trip, hop, &sent);
	} else {
		hop->vn = hop[-1].vn;
		take_slot(trip, hop, &sent);
	}
	how |= passage->network << VISIT_NETWORK |
	       passage->next_network << VISIT_NEXT_NETWORK |
	       hop[-1].vn << VISIT_VN_IN | hop->vn << VISIT_VN_OUT;
	router_visit(hop[-1].way, hop->way, trip->packet, passage->entered,
		     passage->granted, &sent, how);
}

void trip_take(struct trip *trip)
{
	struct hop *first = trip->hops;

	if (!trip->has_begun)
		take_entry(trip);
	else if (first->way->link)
		router_give_back(first->way, first[1].passage.granted);
	for (struct hop *hop = first + 1; hop <= trip->last; hop++)
		take_passage(trip, hop);
}
