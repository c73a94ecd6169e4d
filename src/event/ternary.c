/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Every ternary match that holds a set holds the smallest one around it, so a
 * set can be expressed if and only if that one is clean.
 */
#include "event/ternary.h"

static unsigned num_numbers(const struct ternary_space *space)
{
	return 1u << space->bits;
}

struct ternary ternary_around(const struct ternary_space *space)
{
	struct ternary ternary = { 0, space->comparable };
	bool any = false;

	for (unsigned n = 0; n < num_numbers(space); n++) {
		if (space->numbers[n] != TERNARY_WANTED)
			continue;
		if (!any)
			ternary.value = n;
		ternary.care &= ~(ternary.value ^ n);
		any = true;
	}
	ternary.value &= ternary.care;
	return ternary;
}

bool ternary_is_clean(const struct ternary_space *space,
		      const struct ternary *ternary)
{
	for (unsigned n = 0; n < num_numbers(space); n++) {
		bool has = ternary_has(ternary, n);

		if ((has && space->numbers[n] == TERNARY_OTHER) ||
		    (space->twins[n] &&
		     has != ternary_has(ternary, space->twins[n])))
			return false;
	}
	return true;
}

static unsigned num_wanted(const struct ternary_space *space,
			   const struct ternary *ternary)
{
	unsigned num = 0;

	for (unsigned n = 0; n < num_numbers(space); n++)
		num += space->numbers[n] == TERNARY_WANTED &&
		       ternary_has(ternary, n);
	return num;
}

bool ternary_within(const struct ternary_space *space, struct ternary *ternary)
{
	unsigned most = 0;

	for (unsigned care = 0; care < num_numbers(space); care++) {
		if (care & ~space->comparable)
			continue;
		/* All values within care, from the highest down to 0. */
		for (unsigned value = care;; value = (value - 1) & care) {
			struct ternary trial = { value, care };
			unsigned num = num_wanted(space, &trial);

			if (num > most && ternary_is_clean(space, &trial)) {
				most = num;
				*ternary = trial;
			}
			if (!value)
				break;
		}
	}
	return most;
}
