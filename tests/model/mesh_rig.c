/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * See mesh_rig.h.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "model/pmu/tap.h"
#include "tests/model/mesh_rig.h"

const struct mesh_stop_kind mesh_plain = {
	.in_use = { USE, USE + USES },
	.queues = { QUEUE_FACTS(0), QUEUE_FACTS(1) },
	.acquired = CREDIT_FACT(ACQUIRED),
	.held = CREDIT_FACT(HELD),
	.stalled = CREDIT_FACT(STALLED),
};

const struct mesh_config mesh_six_by_six = {
	.columns = 6,
	.rows = 6,
	.vertical_cycles = 1,
	.horizontal_cycles = 2,
	.turn_cycles = 3,
	.egress = 64,
	.transgress = 64,
	.starve_cycles = 20,
};

struct mesh_bench bench;

void set_up(const struct mesh_config *config, const struct mesh_stop_kind *kind)
{
	memset(&bench, 0, sizeof(bench));
	bench.random = 1;
	bench.config = *config;
	bench.engine.sim = sim_new();
	bench.num_stops = config->columns * config->rows;
	bench.mesh = mesh_new(&bench.engine, config);
	for (unsigned i = 0; i < bench.num_stops; i++) {
		bench.banks[i] = tap_bank_new(bench.engine.sim, NUM_SIGNALS);
		assert_true(
			mesh_add_owner(bench.mesh, i, bench.banks[i], kind));
		for (unsigned id = 0; id < NUM_SIGNALS; id++)
			assert_true(tap_sums_begin(
				bench.banks[i],
				&(struct tap_wish){ .signal = (uint16_t)id }));
	}
}

void tear_down(void)
{
	mesh_free(bench.mesh);
	for (unsigned i = 0; i < bench.num_stops; i++)
		tap_bank_free(bench.banks[i]);
	sim_free(bench.engine.sim);
}

unsigned any(unsigned num)
{
	bench.random = bench.random * UINT64_C(6364136223846793005) +
		       1442695040888963407;
	return (unsigned)((bench.random >> 33) % num);
}

/* What a stop has counted of a signal so far. */
uint64_t count(unsigned stop, unsigned id)
{
	tap_look(bench.banks[stop]);
	return tap_sums(bench.banks[stop],
			&(struct tap_wish){ .signal = (uint16_t)id })
		.total;
}

/* Of all signals of a fact, at all stops. */
uint64_t total(unsigned first, unsigned num)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < bench.num_stops; i++)
		for (unsigned id = first; id < first + num; id++)
			sum += count(i, id);
	return sum;
}

void go_to(uint64_t cycle)
{
	sim_run_until(bench.engine.sim, cycle);
}

struct mesh_ride send_one(enum mesh_ring ring, unsigned from, unsigned to,
			  uint64_t ready, unsigned slots)
{
	return mesh_carry(bench.mesh, &(struct mesh_message){ .ring = ring,
							      .from = from,
							      .to = to,
							      .slots = slots,
							      .ready = ready });
}

unsigned apart(unsigned a, unsigned b)
{
	return a < b ? b - a : a - b;
}

unsigned rows_apart(unsigned from, unsigned to)
{
	return apart(from % bench.config.rows, to % bench.config.rows);
}

unsigned columns_apart(unsigned from, unsigned to)
{
	return apart(from / bench.config.rows, to / bench.config.rows);
}

/* Of a message that meets nobody. */
uint64_t closed_form(unsigned from, unsigned to, unsigned slots)
{
	unsigned columns = columns_apart(from, to);

	return rows_apart(from, to) * bench.config.vertical_cycles +
	       (columns ? bench.config.turn_cycles : 0) +
	       columns * bench.config.horizontal_cycles + slots - 1;
}
