/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What the files of the ring share with each other and with nobody else.
 */
#ifndef UNCORE_RING_PARTS_H
#define UNCORE_RING_PARTS_H

#include "model/sandy-bridge-ep/ring.h"
#include "model/station/board.h"
#include "model/station/places.h"

enum { RING_DIRECTIONS = 2, RING_ROWS = RING_DIRECTIONS + 1 };

/* Who has a stop, and what is published there: the first signal of a fact
 * (data/xeon-e5-2600/facts.txt), or NOT_TOLD. */
enum { NOT_TOLD = -1 };

struct stop_kind {
	const char *box;
	int used;    /* RING_*_USED, by ring, way and parity of the slot */
	int bounced; /* a message is not taken, by ring and way */
	int starved; /* a level until it is, by ring */
	/* Credits: one pool for all bridges, or one for each (or none). They
	 * are taken, a pulse; held, and waited for, levels: by pool and ring.
	 */
	unsigned num_pools;
	int acquired, held, stalled;
};

static inline unsigned stop_pool(const struct stop_kind *kind, unsigned bridge)
{
	return bridge % kind->num_pools;
}

struct stop {
	struct sigbank *bank; /* NULL: nobody counts there */
	const struct stop_kind *kind;
	bool is_off; /* with its core: it is passed, and its CBo is not there */
	bool is_down; /* clockwise is down: the pairs are the other way round */
	struct places credits[EP_BRIDGES][RING_NUM_KINDS];
};

/* The shorter way from a stop of the ring to another one; to one of the other
 * ring it leads to a bridge. */
struct ring_way {
	uint8_t from, to, hops, direction; /* from, to: of the ring's stops */
	uint8_t row, sink; /* of the board, from the first one of a kind on */
	uint8_t bridge, over; /* its stop on the other ring; 0: no bridge */
};

struct ring {
	const struct engine *engine;
	struct visits *visits;
	unsigned first, num_stops; /* of the machine's stops */
	unsigned num_rows;	   /* of the board, of each kind of ring */
	struct sbo *bridges[EP_BRIDGES];
	struct stop stops[EP_MAX_STOPS];
	struct ring_way ways[EP_MAX_STOPS]
			    [EP_MAX_STOPS]; /* to: the machine's */
	/* Of each kind RING_ROWS times num_stops: the slots of each direction,
	 * what takes off at each stop. */
	struct board board;
};

static inline const struct ring_way *ring_way(const struct ring *ring,
					      unsigned from, unsigned to)
{
	return &ring->ways[from - ring->first][to];
}

/* As ring_carry(), by a way of one ring, of hops or none; over its bridge, too,
 * to a stop of the other ring. */
struct ring_ride ring_ride(struct ring *ring, enum ring_kind kind,
			   const struct ring_way *way, uint64_t ready,
			   unsigned slots);
struct ring_ride sbo_carry(struct ring *ring, struct ring *other,
			   enum ring_kind kind, const struct ring_way *way,
			   unsigned to, uint64_t ready, unsigned slots);

/* A bridge's stop on a ring; NULL without memory. */
struct sbo *sbo_new(const struct socket *socket, struct sigbank *bank);
void sbo_free(struct sbo *sbo);

#endif
