/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What the files of the ring share with each other and with nobody else.
 */
#ifndef UNCORE_RING_PARTS_H
#define UNCORE_RING_PARTS_H

#include "model/sandy-bridge-ep/ring.h"
#include "model/station/calendar.h"
#include "model/station/places.h"

enum { RING_DIRECTIONS = 2 };

/* Of a bridge's credits, by ring (AD, BL): taken, a pulse; held, and waited
 * for, levels. */
struct stop_credits {
	uint16_t acquired[2], held[2], stalled[2];
};

/* Who has a stop, and what is published there. */
struct stop_kind {
	const char *box;
	/* The signal of RING_AD_USED clockwise in even slots; those of odd
	 * slots and the other way stand behind it. */
	uint16_t used[RING_NUM_KINDS];
	/* Of a message that is not taken: a pulse; a level until it is. */
	uint16_t bounced[RING_NUM_KINDS], starved[RING_NUM_KINDS];
	bool has_iv_ways;   /* IV counts by way, too */
	unsigned num_pools; /* of credits: for all bridges, or each */
	struct stop_credits credits[EP_BRIDGES];
};

struct stop {
	struct sigbank *bank; /* NULL: nobody counts there */
	const struct stop_kind *kind;
	bool is_down; /* clockwise is down: the pairs are the other way round */
	struct calendar
		sinks[RING_NUM_KINDS]; /* cycles in which it takes one */
	struct places credits[EP_BRIDGES][2];
};

struct ring {
	struct visits *visits;
	unsigned first, num_stops; /* of the machine's stops */
	struct sbo *bridges[EP_BRIDGES];
	struct stop stops[EP_MAX_STOPS];
	struct calendar slots[RING_NUM_KINDS][RING_DIRECTIONS][EP_MAX_STOPS];
};

/* As ring_carry(), along one ring. */
struct ring_ride ring_ride(const struct ep *ep, unsigned socket,
			   enum ring_kind kind, unsigned from, unsigned to,
			   uint64_t ready, unsigned slots);

/* As ring_carry(), from one ring to the other by a bridge. */
struct ring_ride sbo_carry(const struct ep *ep, unsigned socket,
			   enum ring_kind kind, unsigned from, unsigned to,
			   unsigned bridge, uint64_t ready, unsigned slots);

/* A bridge's stop on a ring; NULL without memory. */
struct sbo *sbo_new(const struct socket *socket, struct sigbank *bank);
void sbo_free(struct sbo *sbo);

#endif
