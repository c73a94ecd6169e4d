/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * A recording as tables: by event, by box, by symbol, by thread, over time.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "history.h"
#include "tool.h"
#include "uncore/uncore.h"

static int made(const struct sheet *sheet)
{
	return sheet->failed ? tool_fail_with(UNCORE_ERR_NO_MEMORY, NULL)
			     : TOOL_OK;
}

int history_events(struct history *history, struct sheet *sheet)
{
	sheet_init(sheet, "events", "What was recorded");
	sheet_add_column(sheet, "total", history->is_estimate ? "estimate" : "",
			 SHEET_COUNT);
	sheet_add_column(sheet, "per_second", "", SHEET_REAL);
	sheet_add_column(sheet, "samples", "", SHEET_COUNT);
	sheet_add_column(sheet, "period", "", SHEET_COUNT);
	sheet_add_column(sheet, "event", "", SHEET_TEXT);
	for (size_t i = 0; i < history->num_events && !sheet->failed; i++) {
		const struct history_event *event = &history->events[i];
		size_t row = sheet_add_row(sheet);

		sheet_set(sheet, row, 0, round(event->total));
		if (history->seconds > 0)
			sheet_set(sheet, row, 1,
				  event->total / history->seconds);
		if (event->period) {
			sheet_set(sheet, row, 2, (double)event->num_samples);
			sheet_set(sheet, row, 3, (double)event->period);
		}
		sheet_set_text(sheet, row, 4, event->text);
	}
	return made(sheet);
}

static void add_spot(const struct history *history,
		     const struct history_spot *spot, struct sheet *sheet)
{
	const struct history_event *event = &history->events[spot->event];
	size_t row = sheet_add_row(sheet);
	char name[64];

	snprintf(name, sizeof(name), "S%u %s%u", spot->socket, event->box,
		 spot->instance);
	sheet_set_text(sheet, row, 0, name);
	sheet_set(sheet, row, 1, round(spot->total));
	if (event->total > 0)
		sheet_set(sheet, row, 2, spot->total / event->total);
	if (event->period)
		sheet_set(sheet, row, 3, (double)spot->num_samples);
	sheet_set_text(sheet, row, 4, event->text);
}

int history_boxes(struct history *history, struct sheet *sheet)
{
	sheet_init(sheet, "boxes", "By box");
	sheet_add_column(sheet, "box", "", SHEET_TEXT);
	sheet_add_column(sheet, "total", "", SHEET_COUNT);
	sheet_add_column(sheet, "share", "", SHEET_SHARE);
	sheet_add_column(sheet, "samples", "", SHEET_COUNT);
	sheet_add_column(sheet, "event", "", SHEET_TEXT);
	sheet->chart_column = 1;
	for (size_t i = 0; i < history->num_spots && !sheet->failed; i++)
		add_spot(history, &history->spots[i], sheet);
	return made(sheet);
}

/* Groups of samples */

struct groups {
	const struct history *history;
	struct sheet *sheet;
	enum uncore_sample_grouping grouping;
	size_t limit; /* 0: none */
};

static bool add_group(void *context, const struct uncore_sample_group *group)
{
	const struct groups *groups = context;
	struct sheet *sheet = groups->sheet;
	const struct history_event *event;
	size_t row;

	if (group->event >= groups->history->num_events)
		return true;
	event = &groups->history->events[group->event];
	row = sheet_add_row(sheet);
	sheet_set(sheet, row, 0,
		  (double)group->samples / (double)event->num_samples);
	sheet_set(sheet, row, 1, (double)group->samples);
	sheet_set(sheet, row, 2,
		  (double)group->samples * (double)event->period);
	if (groups->grouping == UNCORE_BY_STACK) {
		sheet_set_text(sheet, row, 3, event->text);
		sheet_set_text(sheet, row, 4, group->name);
	} else {
		sheet_set_text(sheet, row, 3, group->name);
		sheet_set_text(sheet, row, 4, group->where);
		sheet_set_text(sheet, row, 5, event->text);
	}
	return !sheet->failed &&
	       (!groups->limit || sheet->num_rows < groups->limit);
}

/* A sheet whose columns of texts are these, up to NULL. */
static int add_groups(struct history *history,
		      enum uncore_sample_grouping grouping, size_t limit,
		      const char *const *texts, struct sheet *sheet)
{
	struct groups groups = { history, sheet, grouping, limit };
	char *error = NULL;
	int code;

	sheet_add_column(sheet, "share", "", SHEET_SHARE);
	sheet_add_column(sheet, "samples", "", SHEET_COUNT);
	sheet_add_column(sheet, "events", "", SHEET_COUNT);
	while (*texts)
		sheet_add_column(sheet, *texts++, "", SHEET_TEXT);
	code = uncore_recording_groups(history->recording, grouping,
				       history->socket, add_group, &groups,
				       &error);
	return code ? tool_fail_with(code, error) : made(sheet);
}

int history_symbols(struct history *history, struct sheet *sheet)
{
	static const char *const texts[] = { "symbol", "object", "event",
					     NULL };

	sheet_init(sheet, "symbols", "By symbol: whose access was on its way");
	return add_groups(history, UNCORE_BY_SYMBOL, 0, texts, sheet);
}

int history_threads(struct history *history, struct sheet *sheet)
{
	static const char *const texts[] = { "thread", "name", "event", NULL };

	sheet_init(sheet, "threads", "By thread: whose access was on its way");
	return add_groups(history, UNCORE_BY_THREAD, 0, texts, sheet);
}

int history_stacks(struct history *history, const struct history_limits *limits,
		   struct sheet *sheet)
{
	static const char *const texts[] = { "event", "stack", NULL };

	sheet_init(sheet, "stacks",
		   "By stack: whose access was on its way, and who called");
	sheet->chart_column = 1;
	return add_groups(history, UNCORE_BY_STACK, limits->rows, texts, sheet);
}
