/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Each ring and direction has as many slots as there are stops, which move on
 * by a stop a cycle. A message takes a slot for as long as it rides.
 */
#include "model/sandy-bridge-ep/ring_parts.h"

#include <limits.h>
#include <stdlib.h>

#include "model/pmu/visit.h"
#include "signals.h"

#define CBO_CREDITS                                                            \
	{                                                                      \
		.acquired = { SIG_CBO_SBO_CREDITS_ACQUIRED_AD,                 \
			      SIG_CBO_SBO_CREDITS_ACQUIRED_BL },               \
		.held = { SIG_CBO_SBO_CREDIT_OCCUPANCY_AD,                     \
			  SIG_CBO_SBO_CREDIT_OCCUPANCY_BL },                   \
	}

#define STALLED(box, n)                                                        \
	.stalled = { SIG_##box##_STALL_NO_SBO_CREDIT_SBO##n##_AD,              \
		     SIG_##box##_STALL_NO_SBO_CREDIT_SBO##n##_BL }

/* Credits of a bridge, as a box that tells them apart has them. */
#define CREDITS(box, n)                                                        \
	{                                                                      \
		.acquired = { SIG_##box##_SBO##n##_CREDITS_ACQUIRED_AD,        \
			      SIG_##box##_SBO##n##_CREDITS_ACQUIRED_BL },      \
		.held = { SIG_##box##_SBO##n##_CREDIT_OCCUPANCY_AD,            \
			  SIG_##box##_SBO##n##_CREDIT_OCCUPANCY_BL },          \
		STALLED(box, n)                                                \
	}

static const struct stop_kind cbo = {
	.box = "cbo",
	.used = { SIG_CBO_RING_AD_USED_UP_EVEN, SIG_CBO_RING_AK_USED_UP_EVEN,
		  SIG_CBO_RING_BL_USED_UP_EVEN, SIG_CBO_RING_IV_USED_ANY },
	.bounced = { SIG_CBO_RING_BOUNCES_AD, SIG_CBO_RING_BOUNCES_AK_CORE,
		     SIG_CBO_RING_BOUNCES_BL_CORE,
		     SIG_CBO_RING_BOUNCES_IV_CORE },
	.starved = { SIG_CBO_RING_SINK_STARVED_AD_CACHE,
		     SIG_CBO_RING_SINK_STARVED_AK_CORE,
		     SIG_CBO_RING_SINK_STARVED_BL_CORE,
		     SIG_CBO_RING_SINK_STARVED_IV_CORE },
	.num_pools = 1,
	.credits = { CBO_CREDITS, CBO_CREDITS },
};

static const struct stop_kind ha = {
	.box = "ha",
	.used = { SIG_HA_RING_AD_USED_CW_EVEN, SIG_HA_RING_AK_USED_CW_EVEN,
		  SIG_HA_RING_BL_USED_CW_EVEN, 0 },
	.num_pools = EP_BRIDGES,
	.credits = { CREDITS(HA, 0), CREDITS(HA, 1) },
};

static const struct stop_kind r2pcie = {
	.box = "r2pcie",
	.used = { SIG_R2PCIE_RING_AD_USED_CW_EVEN,
		  SIG_R2PCIE_RING_AK_USED_CW_EVEN,
		  SIG_R2PCIE_RING_BL_USED_CW_EVEN,
		  SIG_R2PCIE_RING_IV_USED_ANY },
	.bounced = { 0, SIG_R2PCIE_RXR_AK_BOUNCES, 0, 0 },
	.num_pools = EP_BRIDGES,
	.credits = { CREDITS(R2PCIE, 0), { STALLED(R2PCIE, 1) } },
};

static const struct stop_kind r3qpi = {
	.box = "r3qpi",
	.used = { SIG_R3QPI_RING_AD_USED_CW_EVEN,
		  SIG_R3QPI_RING_AK_USED_CW_EVEN,
		  SIG_R3QPI_RING_BL_USED_CW_EVEN, SIG_R3QPI_RING_IV_USED_ANY },
	.num_pools = EP_BRIDGES,
	.credits = { CREDITS(R3QPI, 0), CREDITS(R3QPI, 1) },
};

static const struct stop_kind sbo = {
	.box = "sbo",
	.used = { SIG_SBO_RING_AD_USED_UP_EVEN, SIG_SBO_RING_AK_USED_UP_EVEN,
		  SIG_SBO_RING_BL_USED_UP_EVEN, SIG_SBO_RING_IV_USED_UP },
	.has_iv_ways = true,
};

/* A message that has passed some stops. */
struct passage {
	struct visit visit; /* stands first */
	const struct ring *ring;
	uint64_t injected; /* its first slot */
	uint16_t hops;
	uint8_t from, slot, kind, direction;
};

static unsigned stop_behind(const struct ring *ring, unsigned from,
			    unsigned hops, unsigned direction)
{
	hops %= ring->num_stops;
	return (direction ? from + ring->num_stops - hops : from + hops) %
	       ring->num_stops;
}

/* The slot that is at a stop in a cycle. */
static unsigned slot_at(const struct ring *ring, unsigned stop,
			unsigned direction, uint64_t cycle)
{
	unsigned turned = (unsigned)(cycle % ring->num_stops);

	return (direction ? stop + turned : stop + ring->num_stops - turned) %
	       ring->num_stops;
}

static void tell(struct sigbank *bank, const void *visit)
{
	const struct passage *passage = visit;

	(void)bank;
	for (unsigned hop = 1; hop <= passage->hops; hop++) {
		const struct stop *stop = &passage->ring->stops[stop_behind(
			passage->ring, passage->from, hop, passage->direction)];
		unsigned way = passage->direction != stop->is_down;
		unsigned id;

		if (!stop->bank || !stop->kind->used[passage->kind])
			continue;
		id = stop->kind->used[passage->kind];
		if (passage->kind != RING_IV)
			id += way * 2 + passage->slot % 2;
		else if (stop->kind->has_iv_ways)
			id += way;
		tell_later(stop->bank, id, passage->injected + hop, 1);
	}
}

static void keep(struct ring *ring, const struct passage *passage,
		 uint64_t last)
{
	struct passage *kept = visits_next(ring->visits);

	*kept = *passage;
	kept->visit = (struct visit){ tell, last };
	kept->ring = ring;
	visits_keep(ring->visits);
}

/* The sink of a stop has taken one in that cycle: this message goes round. */
static void bounce(struct ring *ring, struct stop *stop, unsigned kind,
		   uint64_t at)
{
	if (!stop->bank)
		return;
	if (stop->kind->bounced[kind])
		sig_later(stop->bank, stop->kind->bounced[kind], at, 1);
	if (stop->kind->starved[kind])
		sig_span(stop->bank, stop->kind->starved[kind], at,
			 at + ring->num_stops, 1);
	for (unsigned i = 0; i < ring->num_stops; i++) {
		const struct stop *other = &ring->stops[i];

		if (other != stop && other->kind == &cbo)
			sig_span(other->bank, SIG_CBO_RING_SRC_THRTL, at,
				 at + ring->num_stops, 1);
	}
}

/* On at the first slot that is free for the whole way. */
static uint64_t get_on(struct ring *ring, unsigned kind, unsigned from,
		       unsigned direction, uint64_t at, unsigned hops,
		       uint64_t now)
{
	struct calendar *way = ring->slots[kind][direction];

	for (;; at++) {
		struct calendar *slot =
			&way[slot_at(ring, from, direction, at)];

		calendar_forget(slot, now);
		if (!calendar_is_free(slot, at, hops))
			continue;
		calendar_mark(slot, at, hops);
		return at;
	}
}

/* Hops in the order of the stops, from and to stops of one ring. */
static unsigned hops_along(const struct ep *ep, unsigned from, unsigned to)
{
	unsigned num = ep->stops.num[ep_ring_of(ep, from)];

	return (to + num - from) % num;
}

static unsigned hops_between(const struct ep *ep, unsigned from, unsigned to)
{
	unsigned along = hops_along(ep, from, to);
	unsigned against = hops_along(ep, to, from);

	return along < against ? along : against;
}

/* The bridge that makes the way to the other ring shortest. */
static unsigned bridge_to(const struct ep *ep, unsigned from, unsigned to)
{
	unsigned best = 0, least = UINT_MAX, ring = ep_ring_of(ep, from);

	for (unsigned i = 0; i < EP_BRIDGES; i++) {
		unsigned hops =
			hops_between(ep, from, ep->stops.bridges[ring][i]) +
			hops_between(ep, ep->stops.bridges[!ring][i], to);

		if (hops < least) {
			best = i;
			least = hops;
		}
	}
	return best;
}

bool ring_is_against(const struct ep *ep, unsigned from, unsigned to)
{
	unsigned ring = ep_ring_of(ep, from);

	if (ep_ring_of(ep, to) != ring)
		to = ep->stops.bridges[ring][bridge_to(ep, from, to)];
	return hops_along(ep, from, to) > ep->stops.num[ring] / 2;
}

struct ring_ride ring_ride(const struct ep *ep, unsigned socket,
			   enum ring_kind kind, unsigned from, unsigned to,
			   uint64_t ready, unsigned slots)
{
	struct ring *ring = ep->sockets[socket].rings[ep_ring_of(ep, from)];
	struct stop *stop = &ring->stops[to - ring->first];
	unsigned direction = ring_is_against(ep, from, to);
	unsigned hops =
		direction ? hops_along(ep, to, from) : hops_along(ep, from, to);
	uint64_t at = ready, last = ready, now = engine_now(&ep->engine);
	struct passage passage = {
		.from = (uint8_t)(from - ring->first),
		.kind = (uint8_t)kind,
		.direction = (uint8_t)direction,
	};

	if (!hops)
		return (struct ring_ride){ ready, ready + slots - 1, false };
	calendar_forget(&stop->sinks[kind], now);
	for (unsigned s = 0; s < slots; s++, at++) {
		unsigned way = hops;

		at = get_on(ring, kind, passage.from, direction, at, hops, now);
		while (!calendar_try(&stop->sinks[kind], at + way, 1)) {
			if (!calendar_at(&stop->sinks[kind], at + way, 1))
				break; /* too far ahead to be told */
			bounce(ring, stop, kind, at + way);
			way += ring->num_stops;
		}
		passage.injected = at;
		passage.slot =
			(uint8_t)slot_at(ring, passage.from, direction, at);
		passage.hops = (uint16_t)way;
		keep(ring, &passage, at + way);
		last = at + way > last ? at + way : last;
	}
	return (struct ring_ride){ at - 1, last, direction };
}

struct ring_ride ring_carry(struct ep *ep, unsigned socket, enum ring_kind kind,
			    unsigned from, unsigned to, uint64_t ready,
			    unsigned slots)
{
	if (ep_ring_of(ep, to) == ep_ring_of(ep, from))
		return ring_ride(ep, socket, kind, from, to, ready, slots);
	return sbo_carry(ep, socket, kind, from, to, bridge_to(ep, from, to),
			 ready, slots);
}

static void make_credits(struct stop *stop, unsigned pool, unsigned num)
{
	const struct stop_credits *told = &stop->kind->credits[pool];

	for (unsigned i = 0; i < 2; i++) {
		places_init(&stop->credits[pool][i], num);
		if (told->acquired[i]) {
			sig_drives(stop->bank, told->acquired[i], 1);
			sig_drives(stop->bank, told->held[i], 1);
		}
		if (told->stalled[i])
			sig_drives(stop->bank, told->stalled[i], 1);
	}
}

/* Not if the stop is on another ring. */
static bool add_stop(struct ring *ring, const struct socket *socket,
		     const struct uc_family *family,
		     const struct stop_kind *kind, unsigned instance,
		     unsigned number)
{
	struct stop *stop;

	if (number - ring->first >= ring->num_stops)
		return true;
	stop = &ring->stops[number - ring->first];
	stop->bank = socket_bank(socket, family, kind->box, instance);
	stop->kind = kind;
	for (unsigned i = 0; i < RING_NUM_KINDS; i++) {
		if (kind->used[i])
			sig_drives(stop->bank, kind->used[i],
				   i != RING_IV	       ? 4
				   : kind->has_iv_ways ? 2
						       : 1);
		if (kind->bounced[i])
			sig_drives(stop->bank, kind->bounced[i], 1);
	}
	for (unsigned i = 0; i < kind->num_pools; i++)
		make_credits(stop, i, socket_param(socket, PARAM_SBO_CREDITS));
	if (ring->visits)
		return visits_join(ring->visits, stop->bank);
	ring->visits = visits_new(stop->bank, sizeof(struct passage));
	return ring->visits;
}

static bool add_bridge(const struct ep *ep, struct ring *ring,
		       const struct socket *socket,
		       const struct uc_family *family, unsigned number,
		       unsigned bridge)
{
	unsigned instance = number * EP_BRIDGES + bridge;

	ring->bridges[bridge] =
		sbo_new(socket, socket_bank(socket, family, "sbo", instance));
	return ring->bridges[bridge] &&
	       add_stop(ring, socket, family, &sbo, instance,
			ep->stops.bridges[number][bridge]);
}

struct ring *ring_new(struct ep *ep, unsigned socket, unsigned number,
		      const struct uc_family *family)
{
	const struct socket *s = ep->sockets[socket].socket;
	struct ring *ring = calloc(1, sizeof(*ring));
	unsigned num_cbos = ep->num_places[0] + ep->num_places[1];
	bool is_whole = ring;

	if (!ring)
		return NULL;
	ring->first = number ? ep->stops.num[0] : 0;
	ring->num_stops = ep->stops.num[number];
	for (unsigned i = 0; i < num_cbos; i++)
		is_whole &=
			add_stop(ring, s, family, &cbo, i, ep_cbo_stop(ep, i));
	for (unsigned i = 0; i < ring->num_stops; i++)
		ring->stops[i].is_down = ring->stops[i].kind == &cbo &&
					 i > ep->num_places[number] / 2;
	for (unsigned i = 0; i < ep->num_homes; i++)
		is_whole &=
			add_stop(ring, s, family, &ha, i, ep_home_stop(ep, i));
	is_whole &= add_stop(ring, s, family, &r2pcie, 0, ep_io_stop(ep));
	for (unsigned i = 0; i < ep->num_links; i++)
		is_whole &= add_stop(ring, s, family, &r3qpi, i,
				     ep_link_stop(ep, i));
	for (unsigned i = 0; i < EP_BRIDGES && ep->num_rings > 1; i++)
		is_whole &= add_bridge(ep, ring, s, family, number, i);
	if (is_whole)
		return ring;
	ring_free(ring);
	return NULL;
}

void ring_free(struct ring *ring)
{
	for (unsigned i = 0; ring && i < EP_BRIDGES; i++)
		sbo_free(ring->bridges[i]);
	free(ring);
}
