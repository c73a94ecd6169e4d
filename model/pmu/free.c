/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Registers that add up a signal from the processor's reset on, such as the
 * cycles in which some core slept: no control stops them, no freeze and no
 * reset. Software may write them.
 */
#include <stdlib.h>
#include <string.h>

#include "model/pmu/inside.h"

static bool is_own(const struct unit *unit, const struct uc_register *reg)
{
	return reg->sums && reg->box == unit->box_index &&
	       reg->instance == unit->instance;
}

/* A carry out of it is lost. */
static void nothing_happens(void *context, struct counter *counter)
{
	(void)context;
	(void)counter;
}

static bool begin(struct free_counter *own, struct unit *unit,
		  const struct uc_register *reg)
{
	struct expression expression = { .num_terms = 1 };
	struct term term;

	own->reg = reg;
	if (!counter_init(&own->counter, unit->bank, 1))
		return false;
	own->counter.mask = reg->layout->writable;
	own->counter.overflow = nothing_happens;
	memset(&term, 0, sizeof(term));
	term.signal = reg->sums - 1u;
	expression.terms = &term;
	counter_configure(&own->counter, &expression, true);
	return true;
}

bool free_counters_init(struct unit *unit)
{
	const struct uc_family *family = unit->pmu->config.family;
	unsigned num = 0;

	for (unsigned i = 0; i < family->num_registers; i++)
		num += is_own(unit, &family->registers[i]);
	unit->free_counters = calloc(num + 1, sizeof(*unit->free_counters));
	if (!unit->free_counters)
		return false;
	for (unsigned i = 0; i < family->num_registers; i++) {
		const struct uc_register *reg = &family->registers[i];

		if (is_own(unit, reg) &&
		    !begin(&unit->free_counters[unit->num_free++], unit, reg))
			return false;
	}
	return true;
}

void free_counters_free(struct unit *unit)
{
	for (unsigned i = 0; i < unit->num_free; i++)
		counter_free(&unit->free_counters[i].counter);
	free(unit->free_counters);
}

struct counter *free_counter_of(const struct unit *unit,
				const struct uc_register *reg)
{
	unsigned i = 0;

	while (unit->free_counters[i].reg != reg)
		i++;
	return &unit->free_counters[i].counter;
}
