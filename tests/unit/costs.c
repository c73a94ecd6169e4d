/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Costs are found that were put in, also where some are nothing, and follow
 * when they change; what was never seen costs nothing.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "model/box/costs.h"

static uint64_t seed = 1;

static unsigned draw(unsigned below)
{
	seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407;
	return (unsigned)(seed >> 33) % below;
}

/* A look at some accesses of a few classes: class i costs `true_costs[i]`. */
static void look(struct costs *costs, const double *true_costs)
{
	uint64_t classes[COSTS_COLUMNS] = { 0 };
	double cycles = 0;

	for (unsigned i = 0; i < COSTS_COLUMNS; i += 3) {
		classes[i] = draw(200);
		cycles += (double)classes[i] * true_costs[i];
	}
	costs_learn(costs, classes, cycles);
}

static void learn(struct costs *costs, const double *true_costs, unsigned times)
{
	for (unsigned i = 0; i < times; i++) {
		look(costs, true_costs);
		costs_fit(costs);
	}
}

static void put_in_and_found(void **state)
{
	double true_costs[COSTS_COLUMNS] = { 0 };
	struct costs costs;

	(void)state;
	memset(&costs, 0, sizeof(costs));
	for (unsigned i = 0; i < COSTS_COLUMNS; i++)
		true_costs[i] = i % 2 ? 65536.0 * i : 0;
	learn(&costs, true_costs, 400);
	for (unsigned i = 0; i < COSTS_COLUMNS; i++)
		assert_true(fabs(costs.cycles[i] -
				 (i % 3 ? 0 : true_costs[i])) < 650);
}

static void change_is_followed(void **state)
{
	double true_costs[COSTS_COLUMNS] = { 0 };
	uint64_t one[COSTS_COLUMNS] = { 10 };
	struct costs costs;

	(void)state;
	memset(&costs, 0, sizeof(costs));
	true_costs[0] = 1e6;
	learn(&costs, true_costs, 200);
	true_costs[0] = 3e6;
	learn(&costs, true_costs, 400);
	assert_true(fabs(costs_of(&costs, one) - 3e7) < 3e5);
}

/* Two classes that always come together: what is not known of each is known of
 * both. */
static void twins_cost_what_both_cost(void **state)
{
	uint64_t classes[COSTS_COLUMNS] = { 0 };
	struct costs costs;

	(void)state;
	memset(&costs, 0, sizeof(costs));
	for (unsigned i = 0; i < 50; i++) {
		classes[2] = classes[7] = 1 + draw(100);
		costs_learn(&costs, classes, (double)classes[2] * 5e5);
		costs_fit(&costs);
	}
	classes[2] = classes[7] = 10;
	assert_true(fabs(costs_of(&costs, classes) - 5e6) < 5e4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(put_in_and_found),
		cmocka_unit_test(change_is_followed),
		cmocka_unit_test(twins_cost_what_both_cost),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
