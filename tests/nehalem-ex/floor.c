/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Messages on the rings against a map that has a byte for each slot, and for
 * each port of a stop, in each cycle: a message gets the first cycle in which
 * its slots are free as far as its receiver, and is taken off when that has
 * time for it, else a round later. Only to a core it may be on the way before
 * that is known. Here a slot is followed from stop to stop.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "model/model.h"
#include "model/nehalem-ex/floor.h"
#include "tests/truth/lab.h"

/* The bits of a board reach so far; what lies behind is its own test's. */
enum { CYCLES = 1200, MAP_CYCLES = 1900, MESSAGES = 4000, ROUNDS = 6 };

static uint8_t slots[FLOOR_DATA_RINGS][NUM_RING_DIRECTIONS][RING_MAX_STOPS]
		    [MAP_CYCLES];
static uint8_t taken_off[1024][MAP_CYCLES];
static struct floor *laid;
static uint64_t seed;

static uint32_t any(uint32_t num)
{
	seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407;
	return (uint32_t)((seed >> 32) * num >> 32);
}

/* The slot that passes a stop in a cycle: the one that was at stop 0, 1, ... in
 * cycle 0, a stop further in each. */
static uint8_t *slot_at(const struct floor_end *end, uint64_t cycle)
{
	unsigned n = laid->num_stops, moved = cycle % n;
	unsigned slot = (end->direction == RING_CW ? end->stop + n - moved
						   : end->stop + moved) %
			n;

	return slots[end->ring][end->direction][slot];
}

static bool are_free(const uint8_t *map, uint64_t from, uint64_t num)
{
	for (uint64_t i = 0; i < num; i++)
		if (map[from + i])
			return false;
	return true;
}

/* All halves of a message that begins in a cycle find their slots free. */
static bool may_begin(const struct floor_route *route, uint64_t at)
{
	for (unsigned half = 0; half < route->slots; half++)
		if (!are_free(slot_at(route->end, at + half), at + half,
			      route->hops))
			return false;
	return true;
}

static bool is_taken_off(const struct floor_route *route, uint64_t at)
{
	return are_free(taken_off[route->port], at, route->slots);
}

/* What is expected of a message, which is put into the map. */
static struct floor_ride expect(const struct floor_route *route, uint64_t ready)
{
	uint64_t at = ready, off;

	while (!may_begin(route, at) ||
	       (!route->goes_round && !is_taken_off(route, at + route->hops)))
		at++;
	off = at + route->hops;
	while (!is_taken_off(route, off))
		off += laid->num_stops;
	assert_true(off + route->slots < MAP_CYCLES);
	for (unsigned half = 0; half < route->slots; half++) {
		if (route->port != FLOOR_NO_PORT)
			taken_off[route->port][off + half] = 1;
		memset(slot_at(route->end, at + half) + at + half, 1, off - at);
	}
	return (struct floor_ride){ at, off + route->slots - 1 };
}

/* From a core, a slice or an S-Box to another of these. */
static const struct floor_route *any_route(void)
{
	unsigned from = any(laid->num_cores), to = any(laid->num_cores);
	const struct floor_routes *routes = &laid->from_sbox[any(EX_SIDES)][to];

	switch (any(5)) {
	case 0: return &laid->to_sbox[from][any(FLOOR_DATA_RINGS)];
	case 1: return &routes->to_slice[any(FLOOR_DATA_RINGS)];
	case 2: return &routes->to_core[any(FLOOR_DATA_RINGS)];
	default: return &laid->cargos[from][to][any(NUM_CARGOS)];
	}
}

static void a_message_gets_the_first_slots(void **state)
{
	const struct lab lab = { .sockets = 1 };
	unsigned late = 0;

	(void)state;
	for (unsigned round = 1; round <= ROUNDS; round++) {
		struct uncore_model *model = lab_model(&lab);

		seed = round;
		laid = model->sockets[0]->ex->sockets[0].floor;
		memset(slots, 0, sizeof(slots));
		memset(taken_off, 0, sizeof(taken_off));
		for (unsigned i = 0; i < MESSAGES; i++) {
			const struct floor_route *route = any_route();
			uint64_t ready = any(CYCLES);
			struct floor_ride wanted = expect(route, ready);
			struct floor_ride got = floor_ride(laid, route, ready);

			assert_int_equal(got.injected, wanted.injected);
			assert_int_equal(got.arrived, wanted.arrived);
			late += got.injected > ready;
		}
		uncore_model_free(model);
	}
	assert_true(late > MESSAGES / 10); /* there were occupancies */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_message_gets_the_first_slots),
	};

	return LAB_RUN(tests);
}
