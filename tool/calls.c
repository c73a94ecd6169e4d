/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Stacks of a recording for others: as flame graphs are made of ("folded": one
 * line for each stack, the outermost function first), and in callgrind's
 * format.
 *
 * Names are foreign. A ';' would part a function in two, and what begins with a
 * bracket and a number is a reference in callgrind's format.
 */
#include "calls.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "reader.h"
#include "table.h"
#include "tool.h"

/* Columns of the views. */
enum { STACK_SAMPLES = 1, STACK_EVENT = 5, STACK_NAMES };
enum {
	CALL_SAMPLES,
	CALL_EVENTS,
	CALL_EVENT,
	CALL_LINE,
	CALL_OBJECT,
	CALL_FILE,
	CALL_FUNCTION,
	CALL_OF_OBJECT,
	CALL_OF_FILE,
	CALL_OF_FUNCTION
};

static const char *text_of(const struct table *table, size_t row, size_t column)
{
	const char *text = table->cells[row * table->num_columns + column].text;

	return text ? text : "";
}

static void put_frame(const char *name, size_t length, FILE *file)
{
	for (size_t i = 0; i < length; i++)
		fputc(name[i] == ';' ? ':' : name[i], file);
}

/* "inner < outer" as "outer;inner". */
static void put_folded(const char *names, FILE *file)
{
	static const char between[] = " < ";
	const char *end = names + strlen(names), *at = end;

	while (at > names) {
		if (strncmp(--at, between, strlen(between)) != 0)
			continue;
		put_frame(at + strlen(between),
			  (size_t)(end - at) - strlen(between), file);
		fputc(';', file);
		end = at;
	}
	put_frame(names, (size_t)(end - names), file);
}

int calls_print_folded(struct reader *reader, FILE *file)
{
	const struct reader_limits all = { 0 };
	struct table table = { 0 };
	int status = reader_view(reader, "stacks", &all, &table);

	for (size_t row = 0; !status && row < table.num_rows; row++) {
		if (reader->num_events > 1) {
			const char *event =
				tool_shown(text_of(&table, row, STACK_EVENT));

			put_frame(event, strlen(event), file);
			fputc(';', file);
		}
		put_folded(tool_shown(text_of(&table, row, STACK_NAMES)), file);
		fprintf(file, " %.0f\n", table_get(&table, row, STACK_SAMPLES));
	}
	table_free(&table);
	return status;
}

static void put_name(const char *key, const char *name, FILE *file)
{
	bool is_like_reference =
		name[0] == '(' && isdigit((unsigned char)name[1]);

	fprintf(file, "%s=%s%s\n", key, is_like_reference ? "_" : "",
		tool_shown(name));
}

/* Letters, digits and '_': other characters are not understood. */
static void put_event(const char *text, FILE *file)
{
	size_t length = strlen(text);

	fputc(' ', file);
	while (length && text[length - 1] == '/')
		length--;
	for (size_t i = 0; i < length; i++)
		fputc(isalnum((unsigned char)text[i]) ? text[i] : '_', file);
}

static void put_costs(const double *costs, size_t num, FILE *file)
{
	for (size_t i = 0; i < num; i++)
		fprintf(file, " %.0f", costs[i]);
	fputc('\n', file);
}

/* Whether two rows are alike in some columns. */
static bool is_same(const struct table *table, size_t one, size_t other,
		    size_t from, size_t to)
{
	for (size_t i = from; i <= to; i++)
		if (strcmp(text_of(table, one, i), text_of(table, other, i)))
			return false;
	return true;
}

static void put_place(const struct table *table, size_t row, FILE *file)
{
	if (!row || !is_same(table, row, row - 1, CALL_OBJECT, CALL_FUNCTION)) {
		put_name("\nob", text_of(table, row, CALL_OBJECT), file);
		put_name("fl", text_of(table, row, CALL_FILE), file);
		put_name("fn", text_of(table, row, CALL_FUNCTION), file);
	}
	if (!*text_of(table, row, CALL_OF_FUNCTION))
		return;
	put_name("cob", text_of(table, row, CALL_OF_OBJECT), file);
	put_name("cfl", text_of(table, row, CALL_OF_FILE), file);
	put_name("cfn", text_of(table, row, CALL_OF_FUNCTION), file);
}

/* Rows that differ in their event alone are one line of costs. */
static size_t put_row(const struct table *table, size_t row, double *costs,
		      double *totals, size_t num, FILE *file)
{
	double line = table_get(table, row, CALL_LINE), samples = 0;
	bool is_call = *text_of(table, row, CALL_OF_FUNCTION);
	size_t first = row;

	memset(costs, 0, num * sizeof(*costs));
	do {
		double event = table_get(table, row, CALL_EVENT);

		samples += table_get(table, row, CALL_SAMPLES);
		if (event < 0 || event >= (double)num)
			continue;
		costs[(size_t)event] += table_get(table, row, CALL_EVENTS);
		if (!is_call)
			totals[(size_t)event] +=
				table_get(table, row, CALL_EVENTS);
	} while (++row < table->num_rows &&
		 table_get(table, row, CALL_LINE) == line &&
		 is_same(table, row, first, CALL_OBJECT, CALL_OF_FUNCTION));
	put_place(table, first, file);
	if (is_call)
		fprintf(file, "calls=%.0f 0\n", samples);
	fprintf(file, "%.0f", line);
	put_costs(costs, num, file);
	return row;
}

int calls_print_callgrind(struct reader *reader, const char *what, FILE *file)
{
	const struct reader_limits all = { 0 };
	size_t num = reader->num_events;
	double *costs = tool_new(2 * num, sizeof(*costs));
	struct table table = { 0 };
	int status = reader_view(reader, "calls", &all, &table);

	if (!status) {
		fprintf(file, "# callgrind format\nversion: 1\n"
			      "creator: uncore " UNCORE_VERSION "\n");
		fprintf(file,
			"cmd: %s\npositions: line\nevents:", tool_shown(what));
		for (size_t i = 0; i < num; i++)
			put_event(reader->events[i].text, file);
		fputc('\n', file);
	}
	for (size_t row = 0; !status && row < table.num_rows;)
		row = put_row(&table, row, costs, costs + num, num, file);
	if (!status) {
		fputs("\ntotals:", file);
		put_costs(costs + num, num, file);
	}
	table_free(&table);
	free(costs);
	return status;
}
