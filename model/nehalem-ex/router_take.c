/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Takes what was planned, and tells of it.
 */
#include "model/nehalem-ex/router_parts.h"

/* The packet leaves its box, or hub. */
static void take_entry(struct trip *trip)
{
	struct hop *hop = trip->hops;
	const struct way *way = hop->way;
	uint64_t latency;
	struct stretch sent;

	if (!way->link) {
		router_take_wire(hop->router, way->input, trip->now, hop->start,
				 trip->flits);
		return;
	}
	latency = hop->router->config.link_latency_cycles;
	if (trip->has_trouble)
		trip_take_flight(trip, hop, &sent);
	else
		link_take(way->link, hop->router, hop->start, hop->end, &sent,
			  NULL);
	special_revoke(hop->router, way->input, trip->now, sent.from + latency,
		       sent.to + latency);
}

/* The next R-Box has sent it on. */
static void give_back(const struct trip *trip, const struct hop *hop)
{
	router_give_back(hop->router, hop->way, &hop->way->input->link,
			 trip->now, hop[1].passage.granted);
}

/* Over a link, to another R-Box or to a hub, where nobody counts. Credits that
 * would have gone the same way in idle flits are carried. */
static void take_link(struct trip *trip, struct hop *hop, struct stretch *sent)
{
	const struct way *way = hop->way;
	uint64_t window = hop->router->window_cycles;

	if (trip->has_trouble) {
		trip_take_flight(trip, hop, sent);
		router_note(hop->router, way->out, trip->packet,
			    hop->passage.granted, sent->to);
	} else {
		link_take(way->link, hop->router, hop->start, hop->end, sent,
			  NULL);
	}
	if (way->next) {
		special_revoke(way->next, way->input, trip->now,
			       sent->from + window, sent->to + window);
		give_back(trip, hop);
		return;
	}
	router_give_back(hop->router, way, &hop->router->hub_link, trip->now,
			 hop->passage.taken);
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
	uint64_t taken = passage->taken;

	*sent = (struct stretch){ passage->granted,
				  passage->granted + trip->flits, 0, 0 };
	if (!passage->is_plain)
		hold_slot(hop, sent);
	router_note(hop->router, hop->way->out, trip->packet, passage->granted,
		    taken);
	router_free_slot(hop->router, hop->way, trip->now, taken);
}

/* It could not be granted at once. */
static void note_wait(struct router *router, struct passage *passage,
		      uint64_t now)
{
	unsigned limit = router->config.starvation_cycles;

	if (passage->granted == passage->entered + 1)
		return;
	router_publish_losses(router, passage);
	if (passage->granted - passage->entered > limit)
		passage->starving = queue_since(router, passage) + limit;
	queue_note(router, passage, now);
}

/* The ports, before anything else of a plan: that may move their slots. */
static void take_ports(struct trip *trip, struct hop *hop)
{
	if (!hop->passage.is_plain)
		note_wait(hop->router, &hop->passage, trip->now);
	ports_take(hop->input, hop->way->output, &hop->slots, trip->now,
		   hop->passage.granted, trip->mask);
}

static void keep_visit(const struct trip *trip, const struct hop *hop,
		       const struct stretch *sent, unsigned how)
{
	const struct passage *passage = &hop->passage;
	uint64_t until = sim_later(sent->to, sent->retry_to);

	if (passage->is_plain || passage->table == passage->entered)
		how |= VISIT_TABLE;
	how |= passage->network << VISIT_NETWORK |
	       passage->next_network << VISIT_NEXT_NETWORK |
	       hop[-1].vn << VISIT_VN_IN | hop->vn << VISIT_VN_OUT;
	until = sim_later(until, passage->granted + hop->way->told_cycles);
	visit_at(visit_of(hop[-1].way, hop->way, trip->packet, until, how),
		 passage->entered, passage->granted, sent);
	visits_keep(hop->router->visits);
}

/* Only what is behind its output port may have been in its way. */
static bool is_at_once(const struct passage *passage)
{
	return passage->is_plain ||
	       (passage->granted == passage->entered + 1 &&
		passage->table == passage->entered && !passage->overflow);
}

/* It holds up levels together with others. */
static void publish_wait(struct trip *trip, struct hop *hop)
{
	passage_complete(trip, hop);
	router_publish_wait(hop->router, &hop->passage);
}

static void take_passage(struct trip *trip, struct hop *hop)
{
	const struct passage *passage = &hop->passage;
	struct stretch sent;
	unsigned how = 0;

	if (hop->way->link) {
		take_link(trip, hop, &sent);
	} else {
		hop->vn = hop[-1].vn;
		take_slot(trip, hop, &sent);
	}
	if (is_at_once(passage) &&
	    router_bids_alone(hop->input, passage->entered,
			      trip->packet->cls)) {
		router_bid(
			hop->input, trip->now, passage->entered,
			router_bid_of(trip->packet->cls, passage->is_in_vain));
		how = VISIT_IS_BID | passage->is_in_vain * VISIT_IN_VAIN;
	} else {
		publish_wait(trip, hop);
	}
	keep_visit(trip, hop, &sent, how);
}

void trip_take(struct trip *trip)
{
	struct hop *first = trip->hops, *last = trip->last;

	for (struct hop *hop = first + 1; hop <= last; hop++)
		take_ports(trip, hop);
	if (!trip->has_begun)
		take_entry(trip);
	else if (first->way->link)
		give_back(trip, first);
	for (struct hop *hop = first + 1; hop <= last; hop++)
		take_passage(trip, hop);
}
