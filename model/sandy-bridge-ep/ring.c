/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Each ring and direction has as many slots as there are stops, which move on
 * by a stop a cycle. A message takes a slot for as long as it rides.
 */
#include "model/sandy-bridge-ep/ring.h"

#include <stdlib.h>

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
};

struct ring {
	struct ep *ep;
	struct visits *visits;
	struct stop stops[EP_NUM_STOPS];
	struct calendar slots[RING_NUM_KINDS][DIRECTIONS][EP_NUM_STOPS];
};

/* A message that has passed some stops. */
struct passage {
	struct visit visit; /* stands first */
	const struct ring *ring;
	uint64_t injected; /* its first slot */
	uint16_t hops;
	uint8_t from, slots, kind, direction;
};

static unsigned stop_behind(unsigned from, unsigned hops, unsigned direction)
{
	hops %= EP_NUM_STOPS;
	return (direction ? from + EP_NUM_STOPS - hops : from + hops) %
	       EP_NUM_STOPS;
}

/* The slot that is at a stop in a cycle. */
static unsigned slot_at(unsigned stop, unsigned direction, uint64_t cycle)
{
	unsigned turned = (unsigned)(cycle % EP_NUM_STOPS);

	return (direction ? stop + turned : stop + EP_NUM_STOPS - turned) %
	       EP_NUM_STOPS;
}

static void tell(struct sigbank *bank, const void *visit)
{
	const struct passage *passage = visit;

	(void)bank;
	for (unsigned s = 0; s < passage->slots; s++) {
		uint64_t at = passage->injected + s;
		unsigned slot = slot_at(passage->from, passage->direction, at);

		for (unsigned hop = 1; hop <= passage->hops; hop++) {
			const struct stop *stop =
				&passage->ring->stops[stop_behind(
					passage->from, hop,
					passage->direction)];
			unsigned way = passage->direction != stop->is_down;
			unsigned id = stop->used[passage->kind];

			if (!stop->bank || !id)
				continue;
			if (passage->kind != RING_IV)
				id += way * 2 + slot % 2;
			tell_later(stop->bank, id, at + hop, 1);
		}
	}
}

struct ring_ride ring_send(struct ep *ep, unsigned socket, enum ring_kind kind,
			   unsigned from, unsigned to, uint64_t ready,
			   unsigned slots, uint64_t room_from,
			   unsigned *bounces)
{
	struct ring *ring = ep->sockets[socket].ring;
	unsigned clockwise = (to + EP_NUM_STOPS - from) % EP_NUM_STOPS;
	unsigned direction = clockwise > EP_NUM_STOPS / 2;
	unsigned hops = direction ? EP_NUM_STOPS - clockwise : clockwise;
	struct calendar *way = ring->slots[kind][direction];
	uint64_t at = ready, last = 0, first = 0;

	if (!hops)
		return (struct ring_ride){ ready, ready + slots - 1, false };
	for (unsigned s = 0; s < slots; s++, at++) {
		while (!calendar_try(&way[slot_at(from, direction, at)], at,
				     hops) &&
		       !calendar_is_free(&way[slot_at(from, direction, at)], at,
					 hops))
			at++;
		first = s ? first : at;
		last = at;
	}
	(void)room_from, (void)bounces;
	{
		struct passage *passage = visits_next(ring->visits);

		*passage = (struct passage){
			.visit = { tell, last + hops },
			.ring = ring,
			.injected = first,
			.hops = (uint16_t)hops,
			.from = (uint8_t)from,
			.slots = (uint8_t)slots,
			.kind = (uint8_t)kind,
			.direction = (uint8_t)direction,
		};
		visits_keep(ring->visits);
	}
	return (struct ring_ride){ first, last + hops, direction };
}

static bool add_stop(struct ring *ring, unsigned number, struct sigbank *bank,
		     const uint16_t used[RING_NUM_KINDS], bool is_down)
{
	struct stop *stop = &ring->stops[number];

	stop->bank = bank;
	stop->is_down = is_down;
	for (unsigned i = 0; i < RING_NUM_KINDS; i++)
		stop->used[i] = used[i];
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
	const struct socket *s = ep->sockets[socket].socket;
	struct ring *ring = calloc(1, sizeof(*ring));
	bool is_whole = ring;

	if (!ring)
		return NULL;
	ring->ep = ep;
	for (unsigned i = 0; i < EP_CORES; i++)
		is_whole &= add_stop(ring, ep_cbo_stop(i),
				     socket_bank(s, family, "cbo", i), cbo,
				     i >= EP_CORES / 2);
	is_whole &= add_stop(ring, EP_STOP_HA, socket_bank(s, family, "ha", 0),
			     ha, false);
	is_whole &= add_stop(ring, EP_STOP_R2PCIE,
			     socket_bank(s, family, "r2pcie", 0), r2pcie,
			     false);
	for (unsigned i = 0; i < EP_LINKS; i++)
		is_whole &= add_stop(ring, EP_STOP_R3QPI_0 + i,
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
