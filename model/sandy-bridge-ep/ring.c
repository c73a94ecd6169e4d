/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Each ring and direction has as many slots as there are stops, which move on
 * by a stop a cycle. A message takes a slot for as long as it rides.
 */
#include "model/sandy-bridge-ep/ring.h"

#include <stdlib.h>
#include <string.h>

#include "model/pmu/visit.h"
#include "model/station/calendar.h"
#include "signals.h"

enum { DIRECTIONS = 2 };

/* Where a stop's uses of the ring are published: the signal of RING_AD_USED
 * clockwise in even slots, those of odd slots and the other way behind it. */
struct stop {
	struct sigbank *bank; /* NULL: nobody counts there */
	uint16_t used[RING_NUM_KINDS];
	bool is_down; /* clockwise is down: the pairs are the other way round */
	/* Of a message that is not taken: a pulse; a level until it is. */
	uint16_t bounced[RING_NUM_KINDS], starved[RING_NUM_KINDS];
	struct calendar
		sinks[RING_NUM_KINDS]; /* cycles in which it takes one */
};

struct ring {
	struct visits *visits;
	unsigned num_stops, num_cbos;
	uint8_t cbo_stops[EP_MAX_CORES];
	struct stop stops[EP_MAX_STOPS];
	struct calendar slots[RING_NUM_KINDS][DIRECTIONS][EP_MAX_STOPS];
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
		unsigned id = stop->used[passage->kind];

		if (!stop->bank || !id)
			continue;
		if (passage->kind != RING_IV)
			id += way * 2 + passage->slot % 2;
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
	if (stop->bounced[kind])
		sig_later(stop->bank, stop->bounced[kind], at, 1);
	if (stop->starved[kind])
		sig_span(stop->bank, stop->starved[kind], at,
			 at + ring->num_stops, 1);
	for (unsigned i = 0; i < ring->num_cbos; i++) {
		struct stop *other = &ring->stops[ring->cbo_stops[i]];

		if (other != stop)
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

struct ring_ride ring_carry(struct ep *ep, unsigned socket, enum ring_kind kind,
			    unsigned from, unsigned to, uint64_t ready,
			    unsigned slots)
{
	struct ring *ring = ep->sockets[socket].ring;
	struct stop *stop = &ring->stops[to];
	unsigned clockwise = (to + ring->num_stops - from) % ring->num_stops;
	unsigned direction = clockwise > ring->num_stops / 2;
	unsigned hops = direction ? ring->num_stops - clockwise : clockwise;
	uint64_t at = ready, last = ready, now = ep_now(ep);
	struct passage passage = {
		.from = (uint8_t)from,
		.kind = (uint8_t)kind,
		.direction = (uint8_t)direction,
	};

	if (!hops)
		return (struct ring_ride){ ready, ready + slots - 1, false };
	calendar_forget(&stop->sinks[kind], now);
	for (unsigned s = 0; s < slots; s++, at++) {
		unsigned way = hops;

		at = get_on(ring, kind, from, direction, at, hops, now);
		while (!calendar_try(&stop->sinks[kind], at + way, 1)) {
			if (!calendar_at(&stop->sinks[kind], at + way, 1))
				break; /* too far ahead to be told */
			bounce(ring, stop, kind, at + way);
			way += ring->num_stops;
		}
		passage.injected = at;
		passage.slot = (uint8_t)slot_at(ring, from, direction, at);
		passage.hops = (uint16_t)way;
		keep(ring, &passage, at + way);
		last = at + way > last ? at + way : last;
	}
	return (struct ring_ride){ at - 1, last, direction };
}

static bool add_stop(struct ring *ring, unsigned number, struct sigbank *bank,
		     const uint16_t used[RING_NUM_KINDS], bool is_down)
{
	struct stop *stop = &ring->stops[number];

	stop->bank = bank;
	stop->is_down = is_down;
	for (unsigned i = 0; i < RING_NUM_KINDS; i++) {
		stop->used[i] = used[i];
		if (used[i])
			sig_drives(bank, used[i], i == RING_IV ? 1 : 4);
	}
	if (ring->visits)
		return visits_join(ring->visits, bank);
	ring->visits = visits_new(bank, sizeof(struct passage));
	return ring->visits;
}

struct ring *ring_new(struct ep *ep, unsigned socket,
		      const struct uc_family *family)
{
	static const uint16_t cbo[] = { SIG_CBO_RING_AD_USED_UP_EVEN,
					SIG_CBO_RING_AK_USED_UP_EVEN,
					SIG_CBO_RING_BL_USED_UP_EVEN,
					SIG_CBO_RING_IV_USED_ANY };
	static const uint16_t ha[] = { SIG_HA_RING_AD_USED_CW_EVEN,
				       SIG_HA_RING_AK_USED_CW_EVEN,
				       SIG_HA_RING_BL_USED_CW_EVEN, 0 };
	static const uint16_t r2pcie[] = { SIG_R2PCIE_RING_AD_USED_CW_EVEN,
					   SIG_R2PCIE_RING_AK_USED_CW_EVEN,
					   SIG_R2PCIE_RING_BL_USED_CW_EVEN,
					   SIG_R2PCIE_RING_IV_USED_ANY };
	static const uint16_t r3qpi[] = { SIG_R3QPI_RING_AD_USED_CW_EVEN,
					  SIG_R3QPI_RING_AK_USED_CW_EVEN,
					  SIG_R3QPI_RING_BL_USED_CW_EVEN,
					  SIG_R3QPI_RING_IV_USED_ANY };
	static const uint16_t bounced[] = { 0, SIG_CBO_RING_BOUNCES_AK_CORE,
					    SIG_CBO_RING_BOUNCES_BL_CORE,
					    SIG_CBO_RING_BOUNCES_IV_CORE };
	static const uint16_t starved[] = { SIG_CBO_RING_SINK_STARVED_AD_CACHE,
					    SIG_CBO_RING_SINK_STARVED_AK_CORE,
					    SIG_CBO_RING_SINK_STARVED_BL_CORE,
					    SIG_CBO_RING_SINK_STARVED_IV_CORE };
	const struct socket *s = ep->sockets[socket].socket;
	struct ring *ring = calloc(1, sizeof(*ring));
	struct stop *io;
	bool is_whole = ring;

	if (!ring)
		return NULL;
	ring->num_stops = ep_num_stops(ep);
	ring->num_cbos = ep->num_places;
	for (unsigned i = 0; i < ring->num_cbos; i++) {
		struct stop *stop = &ring->stops[ep_cbo_stop(ep, i)];

		ring->cbo_stops[i] = (uint8_t)ep_cbo_stop(ep, i);
		is_whole &= add_stop(ring, ring->cbo_stops[i],
				     socket_bank(s, family, "cbo", i), cbo,
				     i >= ring->num_cbos / 2);
		memcpy(stop->bounced, bounced, sizeof(bounced));
		memcpy(stop->starved, starved, sizeof(starved));
	}
	for (unsigned i = 0; i < ep->num_homes; i++)
		is_whole &=
			add_stop(ring, ep_home_stop(ep, i),
				 socket_bank(s, family, "ha", i), ha, false);
	is_whole &=
		add_stop(ring, ep_io_stop(ep),
			 socket_bank(s, family, "r2pcie", 0), r2pcie, false);
	io = &ring->stops[ep_io_stop(ep)];
	io->bounced[RING_AK] = SIG_R2PCIE_RXR_AK_BOUNCES;
	sig_drives(io->bank, SIG_R2PCIE_RXR_AK_BOUNCES, 1);
	for (unsigned i = 0; i < ep->num_links; i++)
		is_whole &= add_stop(ring, ep_link_stop(ep, i),
				     socket_bank(s, family, "r3qpi", i), r3qpi,
				     false);
	if (is_whole)
		return ring;
	ring_free(ring);
	return NULL;
}

void ring_free(struct ring *ring)
{
	free(ring);
}
