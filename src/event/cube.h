/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What a match and a mask can say: the numbers that agree with `value` in the
 * bits of `care`. Which of them exactly, if any, is a wanted set of numbers?
 */
#ifndef UNCORE_EVENT_CUBE_H
#define UNCORE_EVENT_CUBE_H

#include <stdbool.h>
#include <stdint.h>

enum { CUBE_MAX_BITS = 8, CUBE_MAX_NUMBERS = 1 << CUBE_MAX_BITS };

enum cube_number {
	CUBE_NEVER, /* does not occur: may be in or out */
	CUBE_OTHER, /* must stay out */
	CUBE_WANTED,
};

struct cube_space {
	uint8_t numbers[CUBE_MAX_NUMBERS]; /* enum cube_number */
	uint8_t twins[CUBE_MAX_NUMBERS];   /* not 0: in and out with that one */
	unsigned bits;
	unsigned comparable; /* bits that may be compared */
};

struct cube {
	unsigned value, care;
};

static inline bool cube_has(const struct cube *cube, unsigned number)
{
	return !((number ^ cube->value) & cube->care);
}

/* The smallest cube with all wanted numbers. */
struct cube cube_around(const struct cube_space *space);

/* Whether a cube lets no other number in. */
bool cube_is_clean(const struct cube_space *space, const struct cube *cube);

/* The clean cube with most wanted numbers; false if there is none. */
bool cube_within(const struct cube_space *space, struct cube *cube);

#endif
