/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 */
#include "server/portion.h"

#include <string.h>

/* Others may want the model in between; what a portion counts does not depend
 * on it. */
enum { SLICE_CYCLES = 50000 };

void portion_init(struct portion *portion, const struct uncore_model *model)
{
	memset(portion, 0, sizeof(*portion));
	portion->num_cpus =
		uncore_model_sockets(model) * uncore_model_cores(model);
	for (unsigned i = 0; i < uncore_model_sockets(model); i++)
		portion->num_lines += uncore_model_memory_lines(model, i);
}

/* The records may lie in memory that another process writes to. What is of no
 * use to a guest's traffic is not handed on, whatever stands there. */
static int next(void *context, unsigned cpu, struct uncore_access *access)
{
	struct portion *portion = context;
	struct portion_turn *turn = &portion->turns[cpu];
	const volatile struct uncore_access *record;

	if (turn->next == turn->num_records)
		return -1;
	record = &turn->records[turn->next++];
	*access = (struct uncore_access){ .line = record->line,
					  .gap = record->gap,
					  .kind = record->kind,
					  .depends = record->depends & 1,
					  .is_clean = record->is_clean };
	if (portion_has(access->kind) && access->line < portion->num_lines) {
		portion->accesses++;
		return 1;
	}
	portion->bad += access->kind != UNCORE_ACCESS_NONE;
	access->kind = UNCORE_ACCESS_NONE;
	return 1;
}

static bool invalidate(void *context, unsigned cpu, uint64_t line,
		       bool downgrade)
{
	struct portion *portion = context;

	if (portion->invalidate)
		portion->invalidate(portion->context, cpu, line, downgrade);
	return false;
}

static const uint64_t *counts(void *context, unsigned cpu)
{
	struct portion *portion = context;

	return portion->turns[cpu].counts;
}

void portion_attach(struct portion *portion, struct uncore_model *model)
{
	const struct uncore_traffic traffic = {
		.context = portion,
		.next = next,
		.invalidate = invalidate,
		.counts = counts,
		.tells = portion->tells,
	};

	uncore_model_set_traffic(model, &traffic);
	/* Every core asks once, and is told to wait. */
	uncore_model_run_dry(model, 0);
}

void portion_add(struct portion *portion, unsigned cpu,
		 const struct uncore_access *records, uint32_t num_records)
{
	struct portion_turn *turn = &portion->turns[cpu];

	turn->records = records;
	turn->num_records = num_records;
	turn->next = 0;
}

void portion_add_time(struct portion *portion, unsigned cpu,
		      uint64_t instructions)
{
	struct uncore_access *time = &portion->turns[cpu].time;

	*time = (struct uncore_access){
		.gap = instructions < UINT32_MAX ? (uint32_t)instructions
						 : UINT32_MAX,
		.kind = UNCORE_ACCESS_NONE,
	};
	portion_add(portion, cpu, time, 1);
}

void portion_begin(struct portion *portion, struct uncore_model *model)
{
	for (unsigned i = 0; i < portion->num_cpus; i++)
		if (portion->turns[i].next < portion->turns[i].num_records)
			uncore_model_wake(model, i);
}

bool portion_work(struct portion *portion, struct uncore_model *model)
{
	(void)portion;
	return uncore_model_run_dry(model, SLICE_CYCLES);
}
