/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What accesses cost a core, learnt from those that went through the engine:
 * for each class of accesses (enum core_class) the cycles that one of them
 * holds up its core, the same for all cores, and for each core how much more or
 * less than that it was of late.
 *
 * The costs are the non-negative least squares of all that was looked at, the
 * older the less.
 */
#ifndef UNCORE_COSTS_H
#define UNCORE_COSTS_H

#include <stdbool.h>
#include <stdint.h>

#include "model/box/core.h"

/* Room for what else may cost something; who has nothing else leaves that 0. */
enum { COSTS_COLUMNS = CORE_NUM_CLASSES + 2 };

struct costs {
	/* Sums of products: classes with each other, and with cycles. */
	double products[COSTS_COLUMNS][COSTS_COLUMNS];
	double sums[COSTS_COLUMNS];
	double cycles[COSTS_COLUMNS]; /* of the uncore, << 16 */
};

/* So many accesses of each class, made by one core one after the other, took
 * `cycles` << 16 beside what its instructions take. */
void costs_learn(struct costs *costs, const uint64_t *classes, double cycles);

/* The same is weighted less from now on; the costs follow from what is known.
 */
void costs_fit(struct costs *costs);

/* What so many accesses of each class should take. */
double costs_of(const struct costs *costs, const uint64_t *classes);

#endif
