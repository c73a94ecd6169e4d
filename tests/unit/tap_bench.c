/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * See tap_bench.h.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tap_bench.h"

static void note_overflow(void *context, struct counter *counter)
{
	struct bench *bench = context;

	bench->num_overflows++;
	bench->overflow_cycle = sim_now(counter->sim);
}

int bench_set_up(void **state)
{
	static struct bench bench;

	memset(&bench, 0, sizeof(bench));
	bench.sim = sim_new();
	bench.bank = tap_bank_new(bench.sim, NUM_SIGNALS);
	bench.expression.terms = bench.terms;
	bench.expression.num_terms = 1;
	assert_true(counter_init(&bench.counter, bench.bank, NUM_SIGNALS));
	bench.counter.overflow = note_overflow;
	bench.counter.context = &bench;
	*state = &bench;
	return 0;
}

int bench_tear_down(void **state)
{
	struct bench *bench = *state;

	counter_free(&bench->counter);
	tap_bank_free(bench->bank);
	sim_free(bench->sim);
	return 0;
}

void start(struct bench *bench)
{
	counter_configure(&bench->counter, &bench->expression, true);
}

void stop(struct bench *bench)
{
	counter_configure(&bench->counter, &bench->expression, false);
}

void at(struct bench *bench, uint64_t cycle)
{
	sim_run_until(bench->sim, cycle);
}

uint64_t count(struct bench *bench)
{
	return counter_read(&bench->counter);
}
