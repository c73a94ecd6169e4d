/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The Xeon E5-2600 with a signal of its own for each event and unit mask, so
 * that a PMU can be tried without the model's boxes: a level for what is summed
 * over cycles, a pulse for the rest; spans and packets where a filter looks.
 */
#ifndef UNCORE_TESTS_PMU_E5_FAMILY_H
#define UNCORE_TESTS_PMU_E5_FAMILY_H

#include "table/table.h"

/* Made at the first call; lives as long as the program. Of a successor, too. */
const struct uc_family *e5_family(void);
const struct uc_family *e5_family_of(const char *name);

/* The signal of an event of a box, or of its unit mask (NULL: it has none);
 * -1: there is no such thing. */
int e5_signal(const char *box, const char *event, const char *umask);
int e5_signal_of(const struct uc_family *family, const char *box,
		 const char *event, const char *umask);

#endif
