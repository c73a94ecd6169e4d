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

/* A message that has passed some stops, the last one when the visit ends. */
struct passage {
	struct visit visit; /* stands first */
	const struct ring *ring;
	const struct ring_way *way;
	uint32_t hops; /* more than the way's if it has gone round */
	uint32_t kind;
};

/* Less than a round behind another one. */
static unsigned stop_behind(const struct ring *ring, unsigned from,
			    unsigned hops, unsigned direction)
{
	unsigned stop = direction ? from + ring->num_stops - hops : from + hops;

	return stop < ring->num_stops ? stop : stop - ring->num_stops;
}

/* The slot that is at a stop in a cycle. */
static unsigned slot_at(const struct ring *ring, const struct ring_way *way,
			uint64_t cycle)
{
	return stop_behind(ring, way->from, (unsigned)(cycle % ring->num_stops),
			   !way->direction);
}

static void tell(struct sigbank *bank, const void *visit)
{
	const struct passage *passage = visit;
	const struct ring *ring = passage->ring;
	const struct ring_way *way = passage->way;
	uint64_t injected = passage->visit.last - passage->hops;
	unsigned slot = slot_at(ring, way, injected);

	(void)bank;
	for (unsigned hop = 1; hop <= passage->hops; hop++) {
		const struct stop *stop = &ring->stops[stop_behind(
			ring, way->from, hop % ring->num_stops,
			way->direction)];
		unsigned pair = way->direction != stop->is_down;

		if (!stop->bank)
			continue;
		tell_later(stop->bank,
			   (unsigned)stop->kind->used +
				   (passage->kind * 2 + pair) * 2 + slot % 2,
			   injected + hop, 1);
	}
}

/* It got on in a cycle and off in another. */
static void keep(struct ring *ring, unsigned kind, const struct ring_way *way,
		 uint64_t on, uint64_t off)
{
	struct passage *passage = visits_next(ring->visits);

	*passage = (struct passage){
		.visit = { tell, off },
		.ring = ring,
		.way = way,
		.hops = (uint32_t)(off - on),
		.kind = kind,
	};
	visits_keep(ring->visits);
}

/* What takes off at its stop has taken one in that cycle: it goes round. */
static SIG_SLOW void bounce(const struct ring *ring, unsigned kind,
			    const struct ring_way *way, uint64_t at)
{
	const struct stop *stop = &ring->stops[way->to];
	const struct stop_kind *told = stop->kind;

	if (!stop->bank)
		return;
	if (told->bounced != NOT_TOLD)
		sig_later(stop->bank,
			  (unsigned)told->bounced + kind * 2 + way->direction,
			  at, 1);
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

/* From a cycle on, in the first slot that is free for the whole way, as many
 * times round as it takes: when it gets on, *at, and off. */
static SIG_SLOW uint64_t take_late(struct ring *ring, unsigned kind,
				   const struct ring_way *way, unsigned row,
				   unsigned sink, uint64_t *at)
{
	uint64_t bits = board_mask(way->hops), off;
	struct board_view view = board_view(&ring->board, *at);

	while (board_meets(&view, row + slot_at(ring, way, *at), bits))
		view = board_view(&ring->board, ++*at);
	board_take(&view, row + slot_at(ring, way, *at), bits);
	off = *at + way->hops;
	for (bits++; board_meets(&view, sink, bits); bits = 1) {
		bounce(ring, kind, way, off);
		off += ring->num_stops;
		view = board_view(&ring->board, off);
	}
	board_take(&view, sink, bits);
	return off;
}

/* At once, if slot and sink are free, and that is seen in one group: the bit
 * behind those of the ride is that in which it gets off. */
static inline bool take(struct board *board, unsigned slot, unsigned sink,
			uint64_t at, uint64_t bits)
{
	uint64_t *words = board_group(board, at) + 1;
	uint64_t on = bits << at % 64, off = on + (UINT64_C(1) << at % 64);

	if (!off || !board_is_open(words - 1, at) || words[slot] & on ||
	    words[sink] & off)
		return false;
	words[slot] |= on;
	words[sink] |= off;
	return true;
}

static inline struct ring_ride ride(struct ring *ring, enum ring_kind kind,
				    const struct ring_way *way, uint64_t ready,
				    unsigned slots)
{
	unsigned row = kind * ring->num_rows + way->row;
	unsigned sink = kind * ring->num_rows + way->sink;
	uint64_t bits, at = ready, last = ready, off;

	if (!way->hops)
		return (struct ring_ride){ ready, ready + slots - 1, false };
	board_forget(&ring->board, engine_now(ring->engine));
	bits = board_mask(way->hops);
	for (; slots; slots--, at++) {
		off = at + way->hops;
		if (!take(&ring->board, row + slot_at(ring, way, at), sink, at,
			  bits))
			off = take_late(ring, kind, way, row, sink, &at);
		keep(ring, kind, way, at, off);
		last = sim_later(last, off);
	}
	return (struct ring_ride){ at - 1, last, way->direction };
}

struct ring_ride ring_ride(struct ring *ring, enum ring_kind kind,
			   const struct ring_way *way, uint64_t ready,
			   unsigned slots)
{
	return ride(ring, kind, way, ready, slots);
}

struct ring_ride ring_carry(struct ep *ep, unsigned socket, enum ring_kind kind,
			    unsigned from, unsigned to, uint64_t ready,
			    unsigned slots)
{
	struct ring *const *rings = ep->sockets[socket].rings;
	const struct ring_way *way;
	struct ring *ring;

	if (ep->kind->carry)
		return ep->kind->carry(ep, socket, kind, from, to, ready,
				       slots);
	from &= ~(unsigned)EP_CORE_SENDS;
	ring = rings[ep_ring_of(ep, from)];
	way = ring_way(ring, from, to);
	if (!way->over)
		return ride(ring, kind, way, ready, slots);
	return sbo_carry(ring, rings[!ep_ring_of(ep, from)], kind, way, to,
			 ready, slots);
}

bool ring_is_against(const struct ep *ep, unsigned from, unsigned to)
{
	return !ep->kind->carry &&
	       ring_way(ep->sockets[0].rings[ep_ring_of(ep, from)], from, to)
		       ->direction;
}

/* The ways */

/* Between stops of one ring. */
static struct ring_way shorter_way(const struct ep *ep, unsigned from,
				   unsigned to)
{
	unsigned ring = ep_ring_of(ep, from), num = ep->stops.num[ring];
	unsigned first = ring ? ep->stops.num[0] : 0;
	unsigned along = (to + num - from) % num;
	bool is_against = along > num / 2;

	return (struct ring_way){
		.from = (uint8_t)(from - first),
		.to = (uint8_t)(to - first),
		.hops = (uint8_t)(is_against ? num - along : along),
		.direction = is_against,
		.row = (uint8_t)(is_against * num),
		.sink = (uint8_t)(RING_DIRECTIONS * num + to - first),
	};
}

/* By the bridge that makes the way to the other ring shortest. */
static struct ring_way way_over(const struct ep *ep, unsigned from, unsigned to)
{
	unsigned least = UINT_MAX, ring = ep_ring_of(ep, from);
	struct ring_way best = { 0 };

	for (unsigned i = 0; i < EP_BRIDGES; i++) {
		unsigned over = ep->stops.bridges[!ring][i];
		struct ring_way way =
			shorter_way(ep, from, ep->stops.bridges[ring][i]);
		unsigned hops = way.hops + shorter_way(ep, over, to).hops;

		if (hops >= least)
			continue;
		least = hops;
		best = way;
		best.bridge = (uint8_t)i;
		best.over = (uint8_t)over;
	}
	return best;
}

static void lay_ways(const struct ep *ep, struct ring *ring)
{
	unsigned all = ep->stops.num[0] + ep->stops.num[1];

	for (unsigned i = 0; i < ring->num_stops; i++)
		for (unsigned to = 0; to < all; to++)
			ring->ways[i][to] =
				to - ring->first < ring->num_stops
					? shorter_way(ep, ring->first + i, to)
					: way_over(ep, ring->first + i, to);
}

/* A ring */

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
	bool is_whole;

	if (!ring)
		return NULL;
	ring->first = number ? ep->stops.num[0] : 0;
	ring->num_stops = ep->stops.num[number];
	ring->engine = &ep->engine;
	lay_ways(ep, ring);
	ring->num_rows = RING_ROWS * ring->num_stops;
	is_whole = board_init(&ring->board, RING_NUM_KINDS * ring->num_rows);
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
	if (!ring)
		return;
	for (unsigned i = 0; i < EP_BRIDGES; i++)
		sbo_free(ring->bridges[i]);
	board_fini(&ring->board);
	free(ring);
}
