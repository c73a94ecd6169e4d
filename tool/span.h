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

struct uncore_target;

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
	const volatile int *stop; /* set by Ctrl-C */
	/* Called now and then: counters could wrap. */
	void (*tick)(void *context);
	void *context;
};

/* Whether this span and the target's clock fit; an exit code. */
int span_check(const struct span *span);

/* Returns when it is over; an exit code. */
int span_pass(const struct span *span);

#endif
