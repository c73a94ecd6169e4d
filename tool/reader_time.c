/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * A recording over time. A sample tells what happened since the one before; it
 * is spread evenly over that time, so columns add up to the totals whatever the
 * steps.
 */
#include <math.h>
#include <stdlib.h>

#include "reader.h"
#include "tool.h"
#include "uncore/uncore.h"

static void add_columns(const struct reader_tally *tally, struct table *table)
{
	size_t num_events = tally->reader->num_events;

	table_add_column(table, "from", "s", TABLE_REAL);
	table_add_column(table, "until", "s", TABLE_REAL);
	for (size_t i = 0; i < tally->num_columns; i++) {
		const char *event = tally->reader->events[i % num_events].text;
		char *name =
			tally->of == READER_SOCKETS
				? tool_print("S%zu %s", i / num_events, event)
				: tool_print("%s", event);

		table_add_column(table, name, "", TABLE_COUNT);
		free(name);
	}
}

/* Whole numbers whose sum is the rounded sum: what rounding takes from one step
 * the next one gets. */
static void fill_column(const struct reader_tally *tally, size_t column,
			struct table *table)
{
	const struct reader *reader = tally->reader;
	bool has_gaps = reader->events[column % reader->num_events].has_gaps;
	double sum = 0, said = 0;

	for (unsigned step = 0; step < tally->num_steps; step++) {
		size_t at = step * tally->num_columns + column;

		if (has_gaps && tally->seconds[at] <= 0)
			continue;
		sum += tally->values[at];
		table_set(table, step, 2 + column, round(sum) - said);
		said = round(sum);
	}
}

int reader_time(struct reader *reader, unsigned num_steps, bool per_socket,
		struct table *table)
{
	struct reader_tally tally;
	int status = reader_tally(reader,
				  per_socket ? READER_SOCKETS : READER_EVENTS,
				  num_steps, &tally);

	table_init(table, "time", "Over time");
	table->bar_column = 2;
	if (!status && tally.num_columns + 2 > TABLE_MAX_COLUMNS)
		status = tool_fail(TOOL_FAILED, "too many columns");
	if (!status)
		add_columns(&tally, table);
	for (unsigned i = 0; i < num_steps && !status; i++) {
		size_t row = table_add_row(table);

		table_set(table, row, 0, i * tally.step_seconds);
		table_set(table, row, 1, (i + 1) * tally.step_seconds);
	}
	for (size_t i = 0; i < tally.num_columns && !status; i++)
		fill_column(&tally, i, table);
	reader_tally_free(&tally);
	return status;
}
