/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What a signal has added up to, for tests of single boxes: cycles before the
 * present one, from sums_keep() on.
 */
#ifndef TESTS_SUMS_H
#define TESTS_SUMS_H

#include "model/pmu/tap.h"

static inline struct tap_wish sums_wish(unsigned signal, bool busy)
{
	return (struct tap_wish){ .signal = (uint16_t)signal, .busy = busy };
}

static inline bool sums_keep(struct sigbank *bank, unsigned signal)
{
	struct tap_wish total = sums_wish(signal, false);
	struct tap_wish busy = sums_wish(signal, true);

	return tap_sums_begin(bank, &total) && tap_sums_begin(bank, &busy);
}

static inline uint64_t sums_total(struct sigbank *bank, unsigned signal)
{
	struct tap_wish wish = sums_wish(signal, false);

	tap_look(bank);
	return tap_sums(bank, &wish).total;
}

/* Cycles in which there was any. */
static inline uint64_t sums_busy(struct sigbank *bank, unsigned signal)
{
	struct tap_wish wish = sums_wish(signal, true);

	tap_look(bank);
	return tap_sums(bank, &wish).busy;
}

#endif
