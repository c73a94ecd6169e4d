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

_Static_assert((int)BY_RING_AK == RING_AK && (int)BY_RING_BL == RING_BL &&
		       (int)BY_RING_IV == RING_IV,
	       "the rings of facts are in another order");

/* What a box tells that has credits for each bridge. */
#define CREDITS(box)                                                           \
	.num_pools = EP_BRIDGES, .acquired = box##_SBO_CREDITS_ACQUIRED(0, 0), \
	.held = box##_SBO_CREDIT_OCCUPANCY(0, 0),                              \
	.stalled = box##_STALL_NO_SBO_CREDIT_SBO(0, 0)

static const struct stop_kind cbo = {
	.box = "cbo",
	.used = CBO_RING_USED(0, 0, 0),
	.bounced = CBO_RING_BOUNCES(0, 0),
	.starved = CBO_RING_SINK_STARVED(0),
	.num_pools = 1,
	.acquired = CBO_SBO_CREDITS_ACQUIRED(0),
	.held = CBO_SBO_CREDIT_OCCUPANCY(0),
	.stalled = NOT_TOLD,
};

static const struct stop_kind ha = {
	.box = "ha",
	.used = HA_RING_USED(0, 0, 0),
	.bounced = NOT_TOLD,
	.starved = NOT_TOLD,
	CREDITS(HA),
};

static const struct stop_kind r2pcie = {
	.box = "r2pcie",
	.used = R2PCIE_RING_USED(0, 0, 0),
	.bounced = R2PCIE_RING_BOUNCES(0, 0),
	.starved = NOT_TOLD,
	CREDITS(R2PCIE),
};

static const struct stop_kind r3qpi = {
	.box = "r3qpi",
	.used = R3QPI_RING_USED(0, 0, 0),
	.bounced = R3QPI_RING_BOUNCES(0, 0),
	.starved = R3QPI_RING_SINK_STARVED(0),
	CREDITS(R3QPI),
};

static const struct stop_kind sbo = {
	.box = "sbo",
	.used = SBO_RING_USED(0, 0, 0),
	.bounced = SBO_RING_BOUNCES(0, 0),
	.starved = SBO_RING_SINK_STARVED(0),
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

		if (!stop->bank)
			continue;
		tell_later(stop->bank,
			   (unsigned)stop->kind->used +
				   (passage->kind * 2 + way) * 2 +
				   passage->slot % 2,
			   passage->injected + hop, 1);
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
		   unsigned direction, uint64_t at)
{
	const struct stop_kind *told = stop->kind;

	if (!stop->bank)
		return;
	if (told->bounced != NOT_TOLD)
		sig_later(stop->bank,
			  (unsigned)told->bounced + kind * 2 + direction, at,
			  1);
	if (told->starved != NOT_TOLD)
		sig_span(stop->bank, (unsigned)told->starved + kind, at,
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

	if (ep->kind->carry)
		return false;
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
			bounce(ring, stop, kind, direction, at + way);
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
	if (ep->kind->carry)
		return ep->kind->carry(ep, socket, kind, from, to, ready,
				       slots);
	from &= ~(unsigned)EP_CORE_SENDS;
	if (ep_ring_of(ep, to) == ep_ring_of(ep, from))
		return ring_ride(ep, socket, kind, from, to, ready, slots);
	return sbo_carry(ep, socket, kind, from, to, bridge_to(ep, from, to),
			 ready, slots);
}

static void drive(const struct stop *stop, int first, unsigned num)
{
	if (first != NOT_TOLD && !stop->is_off && stop->bank)
		sig_drives(stop->bank, (unsigned)first, num);
}

static void make_credits(struct stop *stop, unsigned num)
{
	const struct stop_kind *kind = stop->kind;
	unsigned told = kind->num_pools * RING_NUM_KINDS;

	for (unsigned i = 0; i < kind->num_pools; i++)
		for (unsigned n = 0; n < RING_NUM_KINDS; n++)
			places_init(&stop->credits[i][n], num);
	if (!kind->num_pools)
		return;
	drive(stop, kind->acquired, told);
	drive(stop, kind->held, told);
	drive(stop, kind->stalled, told);
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
	stop->bank = socket_bank(socket, family,
				 kind == &cbo ? socket->kind->wiring->slice
					      : kind->box,
				 instance);
	stop->kind = kind;
	stop->is_off = kind == &cbo && instance >= socket->num_cores;
	drive(stop, kind->used, RING_NUM_KINDS * 4);
	drive(stop, kind->bounced, RING_NUM_KINDS * 2);
	drive(stop, kind->starved, RING_NUM_KINDS);
	make_credits(stop, socket_param(socket, PARAM_SBO_CREDITS));
	if (!stop->bank)
		return true;
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
