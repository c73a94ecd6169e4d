/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What must hold for every counter at any time, whatever software has done.
 */
#include "model/pmu/inside.h"

/* The level that the counter keeps is that of the signals it listens to. */
static bool agrees(const struct counter *counter)
{
	const struct expression *expression = &counter->expression;
	int64_t level[TAP_NUM_INPUTS] = { 0 };

	for (unsigned i = 0; i < counter->num_taps; i++) {
		const struct term *term = &expression->terms[i];
		level[term->input] += tap_filtered_level(
			counter->bank, term->signal,
			term->filtered ? &term->filter : NULL);
	}
	if (counter->summed)
		return true;
	for (unsigned input = 0; input < TAP_NUM_INPUTS; input++)
		if (level[input] != counter->level[input] &&
		    !(expression->options.tally_bits && input == TAP_COUNTED))
			return false;
	return true;
}

static const char *check_unit(const struct unit *unit)
{
	tap_look(unit->bank);
	for (unsigned i = 0; i < unit->num_slots; i++) {
		const struct counter *counter = &unit->slots[i].counter;

		if (counter->count & ~counter->mask)
			return "a counter is beyond its width";
		if (counter->done > tap_now(unit->bank))
			return "a counter is ahead of the clock";
		if (!agrees(counter))
			return "a counter disagrees with its signals";
	}
	for (unsigned i = 0; i < unit->bank->num_signals; i++)
		if (tap_level(unit->bank, i) < 0)
			return "a queue holds less than nothing";
	return NULL;
}

const char *pmu_check(const struct pmu *pmu, const char **box)
{
	for (unsigned i = 0; i < pmu->num_units; i++) {
		const char *wrong = check_unit(&pmu->units[i]);

		*box = pmu->units[i].box->name;
		if (wrong)
			return wrong;
	}
	return NULL;
}
