/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * A mesh alone, with a bank of signals at each stop of which all are summed up.
 */
#ifndef UNCORE_TESTS_MESH_RIG_H
#define UNCORE_TESTS_MESH_RIG_H

#include "model/parts/fabric/mesh.h"

/* Signals of a bank, each fact as long as it can be. */
enum {
	USE = 0, /* by axis */
	USES = MESH_NUM_RINGS * 4,
	QUEUE = USE + MESH_AXES * USES, /* by axis: five facts */
	QUEUES = MESH_NUM_RINGS * MESH_AGENTS,
	INSERTS = 0,
	OCCUPANCY,
	FULL,
	NACK,
	STARVED,
	CREDIT = QUEUE + MESH_AXES * 5 * QUEUES, /* three facts */
	CREDITS = MESH_AGENTS * 2 * MESH_TRANSGRESSES,
	ACQUIRED = 0,
	HELD,
	STALLED,
	NUM_SIGNALS = CREDIT + 3 * CREDITS
};

#define QUEUE_FACT(axis, fact) (QUEUE + ((axis)*5 + (fact)) * QUEUES)
#define QUEUE_FACTS(axis)                                                      \
	{                                                                      \
		QUEUE_FACT(axis, INSERTS), QUEUE_FACT(axis, OCCUPANCY),        \
			QUEUE_FACT(axis, FULL), QUEUE_FACT(axis, NACK),        \
			QUEUE_FACT(axis, STARVED),                             \
	}
#define CREDIT_FACT(fact) (CREDIT + (fact)*CREDITS)

/* All facts are told, and no tile is the other way round. */
extern const struct mesh_stop_kind mesh_plain;

/* Hops of 1 and 2 cycles, a turn of 3, and more places than are needed. */
extern const struct mesh_config mesh_six_by_six;

struct mesh_bench {
	struct engine engine;
	struct mesh_config config;
	struct mesh *mesh;
	struct sigbank *banks[MESH_MAX_STOPS];
	unsigned num_stops;
	uint64_t random;
};

extern struct mesh_bench bench;

void set_up(const struct mesh_config *config,
	    const struct mesh_stop_kind *kind);
void tear_down(void);
void go_to(uint64_t cycle);

/* A number below num. */
unsigned any(unsigned num);

/* What a stop has counted of a signal so far; all stops, of all signals of a
 * fact. */
uint64_t count(unsigned stop, unsigned id);
uint64_t total(unsigned first, unsigned num);

/* Of agent 0. */
struct mesh_ride send_one(enum mesh_ring ring, unsigned from, unsigned to,
			  uint64_t ready, unsigned slots);

unsigned apart(unsigned a, unsigned b);
unsigned rows_apart(unsigned from, unsigned to);
unsigned columns_apart(unsigned from, unsigned to);

/* How long a message takes that meets nobody. */
uint64_t closed_form(unsigned from, unsigned to, unsigned slots);

#endif
