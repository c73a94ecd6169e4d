/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 */
#include "model/box/costs.h"

enum { SWEEPS = 20 };

/* What was learnt is worth so much after the next fit; a class of which little
 * is known costs little. */
static const double memory = 0.98, doubt = 1;

void costs_learn(struct costs *costs, const uint64_t *classes, double cycles)
{
	for (unsigned i = 0; i < COSTS_COLUMNS; i++) {
		if (!classes[i])
			continue;
		costs->sums[i] += (double)classes[i] * cycles;
		for (unsigned j = 0; j < COSTS_COLUMNS; j++)
			costs->products[i][j] +=
				(double)classes[i] * (double)classes[j];
	}
}

/* The cost of a class that fits best with those of the others as they are. */
static double best(const struct costs *costs, unsigned class)
{
	double rest = costs->sums[class];

	for (unsigned i = 0; i < COSTS_COLUMNS; i++)
		if (i != class)
			rest -= costs->products[class][i] * costs->cycles[i];
	if (rest <= 0)
		return 0;
	return rest / (costs->products[class][class] + doubt);
}

void costs_fit(struct costs *costs)
{
	for (unsigned sweep = 0; sweep < SWEEPS; sweep++)
		for (unsigned i = 0; i < COSTS_COLUMNS; i++)
			if (costs->products[i][i] > 0) /* there were some */
				costs->cycles[i] = best(costs, i);
	for (unsigned i = 0; i < COSTS_COLUMNS; i++) {
		costs->sums[i] *= memory;
		for (unsigned j = 0; j < COSTS_COLUMNS; j++)
			costs->products[i][j] *= memory;
	}
}

double costs_of(const struct costs *costs, const uint64_t *classes)
{
	double sum = 0;

	for (unsigned i = 0; i < COSTS_COLUMNS; i++)
		sum += costs->cycles[i] * (double)classes[i];
	return sum;
}
