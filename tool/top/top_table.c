/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * One table of all figures, for files and pipes.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tool/sheet.h"
#include "tool/tool.h"
#include "top.h"

char *top_title(const char *machine, const char *origin, const char *what)
{
	/* a family that was made from a tree is called by its place */
	if (!strcmp(machine, origin))
		return tool_print("uncore top   %s: %s", machine, what);
	return tool_print("uncore top   %s, %s: %s", machine, origin, what);
}

static void add_row(const struct top *top, struct sheet *sheet, size_t figure)
{
	const struct top_past *past = &top->past;
	const struct top_figure *of = &past->figures[figure];
	size_t row = sheet_add_row(sheet), column = 2;
	char text[256];

	sheet_set_text(sheet, row, 0, of->name);
	sheet_set_text(sheet, row, 1, of->unit);
	for (size_t c = 0; c < past->num_columns; c++)
		sheet_set(sheet, row, column++,
			  top_past_get(past, past->num_steps - 1, figure, c));
	sheet_set(sheet, row, column++, of->most[0]);
	snprintf(text, sizeof(text), "%s%s",
		 of->takes_turns && !*of->reason
			 ? "an estimate (its events took turns): "
			 : "",
		 *of->reason ? of->reason : of->brief);
	sheet_set_text(sheet, row, column, text);
}

static void add_columns(const struct top_past *past, struct sheet *sheet)
{
	char name[32];

	sheet_add_columns(sheet, "figure:t unit:t machine:v");
	for (size_t c = 1; c < past->num_columns; c++) {
		snprintf(name, sizeof(name), "socket%zu", c - 1);
		sheet_add_column(sheet, name, "", SHEET_NUMBER);
	}
	sheet_add_columns(sheet, "most:v what:t");
}

int top_table(const struct top *top, FILE *file)
{
	const struct top_past *past = &top->past;
	struct sheet sheet;
	int status;

	if (!past->num_steps)
		return tool_fail(TOOL_FAILED,
				 "it was over before anything was counted");
	sheet_init(&sheet, "top", top->title);
	add_columns(past, &sheet);
	for (size_t i = 0; i < past->num_figures; i++)
		add_row(top, &sheet, i);
	status = sheet_made(&sheet);
	if (!status) {
		sheet_print_text(&sheet, file);
		fprintf(file, "\n %.6g s; %s\n\n",
			past->steps[past->num_steps - 1].length,
			tool_shown(top->line));
	}
	sheet_free(&sheet);
	return status ? status : tool_finish(TOOL_OK, file, NULL);
}
