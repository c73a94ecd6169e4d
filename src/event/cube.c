/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Every cube that holds a set holds the smallest one around it, so a set can
 * be expressed if and only if that one is clean.
 */
#include "event/cube.h"

static unsigned num_numbers(const struct cube_space *space)
{
	return 1u << space->bits;
}

struct cube cube_around(const struct cube_space *space)
{
	struct cube cube = { 0, space->comparable };
	bool any = false;

	for (unsigned n = 0; n < num_numbers(space); n++) {
		if (space->numbers[n] != CUBE_WANTED)
			continue;
		if (!any)
			cube.value = n;
		cube.care &= ~(cube.value ^ n);
		any = true;
	}
	cube.value &= cube.care;
	return cube;
}

bool cube_is_clean(const struct cube_space *space, const struct cube *cube)
{
	for (unsigned n = 0; n < num_numbers(space); n++) {
		bool has = cube_has(cube, n);

		if ((has && space->numbers[n] == CUBE_OTHER) ||
		    (space->twins[n] && has != cube_has(cube, space->twins[n])))
			return false;
	}
	return true;
}

static unsigned num_wanted(const struct cube_space *space,
			   const struct cube *cube)
{
	unsigned num = 0;

	for (unsigned n = 0; n < num_numbers(space); n++)
		num += space->numbers[n] == CUBE_WANTED && cube_has(cube, n);
	return num;
}

bool cube_within(const struct cube_space *space, struct cube *cube)
{
	unsigned most = 0;

	for (unsigned care = 0; care < num_numbers(space); care++) {
		if (care & ~space->comparable)
			continue;
		/* All values within care, from the highest down to 0. */
		for (unsigned value = care;; value = (value - 1) & care) {
			struct cube trial = { value, care };
			unsigned num = num_wanted(space, &trial);

			if (num > most && cube_is_clean(space, &trial)) {
				most = num;
				*cube = trial;
			}
			if (!value)
				break;
		}
	}
	return most;
}
