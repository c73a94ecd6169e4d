/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * How long `uncore stat` counts on registers that are not in this process,
 * where no program says so.
 */
#ifndef UNCORE_TOOL_SPAN_H
#define UNCORE_TOOL_SPAN_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

struct uncore_target;
struct uncore_target_event;

enum span_kind {
	SPAN_TRAFFIC, /* until it ends, or the user has enough */
	SPAN_CYCLES,  /* so many, of a stepped clock */
	SPAN_SECONDS, /* of wall time */
};

struct span {
	enum span_kind kind;
	uint64_t cycles;
	double seconds;
	struct uncore_target *target;
	const volatile int *stop;      /* set by Ctrl-C */
	double (*turn)(void *context); /* as in struct run */
	/* Told of PMIs, unless the clock is stepped; NULL: nobody. */
	void (*pmi)(void *context, const struct uncore_target_event *event);
	void *context;
	uint64_t end_ns; /* of seconds, once it goes step by step */
};

/* Between two looks for the end of traffic. */
enum { SPAN_END_CYCLES = 1024 };

/* Whether this span and the target's clock fit; an exit code. */
int span_check(const struct span *span);

/* Whether PMIs are told while it passes. */
bool span_tells_pmis(const struct span *span);

/* Returns when it is over; an exit code. */
int span_pass(const struct span *span);

/* The same step by step, for who has other things to do meanwhile: it begins;
 * it goes on for about so many seconds of wall time if its clock is to be
 * stepped, and else returns at once. No turns, and nobody is told of PMIs. */
void span_begin(struct span *span);
int span_go_on(struct span *span, double seconds, bool *is_over);

/* The seconds that a turn asked for, in cycles of a clock: at least one, and
 * not more than can be added to a time. */
uint64_t span_turn_cycles(double seconds, double clock_hz);

/* Calls a turn (NULL: none) and says how long it is to last. */
uint64_t span_turn_ns(double (*turn)(void *context), void *context);

uint64_t span_now_ns(void);
double span_now_seconds(void);
struct timespec span_timespec(uint64_t ns);

#endif
