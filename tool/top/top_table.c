/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * One table of all figures, for files and pipes.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tool/table.h"
#include "tool/tool.h"
#include "top.h"

char *top_title(const char *machine, const char *origin, const char *what)
{
	/* a family that was made from a tree is called by its place */
	if (!strcmp(machine, origin))
		return tool_print("uncore top   %s: %s", machine, what);
	return tool_print("uncore top   %s, %s: %s", machine, origin, what);
}

static void add_row(const struct top *top, struct table *table, size_t figure)
{
	const struct top_past *past = &top->past;
	const struct top_figure *of = &past->figures[figure];
	size_t row = table_add_row(table), column = 2;
	char text[256];

	table_set_text(table, row, 0, of->name);
	table_set_text(table, row, 1, of->unit);
	for (size_t c = 0; c < past->num_columns; c++)
		table_set(table, row, column++,
			  top_past_get(past, past->num_steps - 1, figure, c));
	table_set(table, row, column++, of->most[0]);
	snprintf(text, sizeof(text), "%s%s",
		 of->takes_turns && !*of->reason
			 ? "an estimate (its events took turns): "
			 : "",
		 *of->reason ? of->reason : of->brief);
	table_set_text(table, row, column, text);
}

static void add_columns(const struct top_past *past, struct table *table)
{
	char name[32];

	table_add_columns(table, "figure:t unit:t machine:v");
	for (size_t c = 1; c < past->num_columns; c++) {
		snprintf(name, sizeof(name), "socket%zu", c - 1);
		table_add_column(table, name, "", TABLE_NUMBER);
	}
	table_add_columns(table, "most:v what:t");
}

int top_table(const struct top *top, FILE *file)
{
	const struct top_past *past = &top->past;
	struct table table;

	if (!past->num_steps)
		return tool_fail(TOOL_FAILED,
				 "it was over before anything was counted");
	table_init(&table, "top", top->title);
	add_columns(past, &table);
	for (size_t i = 0; i < past->num_figures; i++)
		add_row(top, &table, i);
	table_print_text(&table, file);
	fprintf(file, "\n %.6g s; %s\n\n",
		past->steps[past->num_steps - 1].length, tool_shown(top->line));
	table_free(&table);
	return tool_finish(TOOL_OK, file, NULL);
}
