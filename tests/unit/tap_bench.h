/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * A counter on a bench: signals are moved by hand, the clock is turned by hand.
 */
#ifndef UNCORE_TESTS_TAP_BENCH_H
#define UNCORE_TESTS_TAP_BENCH_H

#include "model/pmu/counter.h"

#define NUM_SIGNALS 4
#define WRAP	    (UINT64_C(1) << 48)

struct bench {
	struct sim *sim;
	struct sigbank *bank;
	struct counter counter;
	struct term terms[NUM_SIGNALS];
	struct expression expression;
	unsigned num_overflows;
	uint64_t overflow_cycle;
	uint64_t settled; /* up to this cycle */
};

/* cmocka's set-up and tear-down: *state is a struct bench. */
int bench_set_up(void **state);
int bench_tear_down(void **state);

/* The counter counts bench->expression from now on, or nothing. */
void start(struct bench *bench);
void stop(struct bench *bench);

/* The clock goes on to the cycle. */
void at(struct bench *bench, uint64_t cycle);

/* What the counter shows. */
uint64_t count(struct bench *bench);

#endif
