/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What a match and a mask can say: the numbers that agree with `value` in the
 * bits of `care`. Which of them exactly, if any, is a wanted set of numbers?
 */
#ifndef UNCORE_EVENT_TERNARY_H
#define UNCORE_EVENT_TERNARY_H

#include <stdbool.h>
#include <stdint.h>

enum { TERNARY_MAX_BITS = 8, TERNARY_MAX_NUMBERS = 1 << TERNARY_MAX_BITS };

enum ternary_number {
	TERNARY_NEVER, /* does not occur: may be in or out */
	TERNARY_OTHER, /* must stay out */
	TERNARY_WANTED,
};

struct ternary_space {
	uint8_t numbers[TERNARY_MAX_NUMBERS]; /* enum ternary_number */
	uint8_t twins
		[TERNARY_MAX_NUMBERS]; /* not 0: in and out with that one */
	unsigned bits;
	unsigned comparable; /* bits that may be compared */
};

struct ternary {
	unsigned value, care;
};

static inline bool ternary_has(const struct ternary *ternary, unsigned number)
{
	return !((number ^ ternary->value) & ternary->care);
}

/* The smallest ternary match with all wanted numbers. */
struct ternary ternary_around(const struct ternary_space *space);

/* Whether a ternary match lets no other number in. */
bool ternary_is_clean(const struct ternary_space *space,
		      const struct ternary *ternary);

/* The clean ternary match with most wanted numbers; false if there is none. */
bool ternary_within(const struct ternary_space *space, struct ternary *ternary);

#endif
