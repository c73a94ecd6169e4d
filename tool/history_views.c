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

/* By the place or thread of a sample: how many had which. */

struct tally {
	uint64_t *samples; /* [id + 1][event]; id -1: not known */
	size_t num_ids, num_events;
	bool of_threads, failed;
};

static void take_tally(void *context, const struct uncore_sample *sample,
		       const struct uncore_sample_count *counts,
		       size_t num_counts)
{
	struct tally *tally = context;
	long id = tally->of_threads ? sample->thread : sample->position;
	size_t row = (size_t)(id + 1), width = tally->num_events;

	(void)counts;
	(void)num_counts;
	if (sample->kind != UNCORE_SAMPLE_PERIOD || sample->event < 0 ||
	    (size_t)sample->event >= width)
		return;
	if (row >= tally->num_ids) {
		size_t num = 2 * row + 16;
		uint64_t *samples =
			realloc(tally->samples, num * width * sizeof(*samples));

		if (!samples) {
			tally->failed = true;
			return;
		}
		memset(samples + tally->num_ids * width, 0,
		       (num - tally->num_ids) * width * sizeof(*samples));
		tally->samples = samples;
		tally->num_ids = num;
	}
	tally->samples[row * width + (size_t)sample->event]++;
}

static size_t find_text_row(const struct sheet *sheet, const char *first,
			    const char *second, const char *third)
{
	for (size_t i = 0; i < sheet->num_rows; i++) {
		const struct sheet_cell *cells =
			&sheet->cells[i * sheet->num_columns];

		if (!strcmp(cells[3].text, first) &&
		    !strcmp(cells[4].text, second) &&
		    !strcmp(cells[5].text, third))
			return i;
	}
	return SIZE_MAX;
}

static void add_tally(struct sheet *sheet, const struct history_event *event,
		      uint64_t samples, const char *name, const char *where)
{
	size_t row = find_text_row(sheet, name, where, event->text);

	if (row == SIZE_MAX) {
		row = sheet_add_row(sheet);
		sheet_set_text(sheet, row, 3, name);
		sheet_set_text(sheet, row, 4, where);
		sheet_set_text(sheet, row, 5, event->text);
		sheet_set(sheet, row, 1, 0);
	}
	if (sheet->failed)
		return;
	samples += (uint64_t)sheet_get(sheet, row, 1);
	sheet_set(sheet, row, 0, (double)samples / (double)event->num_samples);
	sheet_set(sheet, row, 1, (double)samples);
	sheet_set(sheet, row, 2, (double)samples * (double)event->period);
}

static void add_position(struct history *history, struct sheet *sheet,
			 size_t id, const struct history_event *event,
			 uint64_t samples)
{
	struct uncore_position position = { 0 };
	char address[32];

	if (id)
		uncore_recording_position(history->recording, id - 1,
					  &position);
	snprintf(address, sizeof(address), "0x%llx",
		 (unsigned long long)(position.object ? position.offset
						      : position.address));
	add_tally(sheet, event, samples,
		  position.symbol ? position.symbol
		  : id		  ? address
				  : "[not known]",
		  position.object ? position.object : "");
}

static void add_thread(struct history *history, struct sheet *sheet, size_t id,
		       const struct history_event *event, uint64_t samples)
{
	const char *name = NULL;
	long process = 0, thread = 0;
	char text[64] = "[not known]";

	if (id && uncore_recording_thread(history->recording, id - 1, &process,
					  &thread, &name))
		snprintf(text, sizeof(text), "%ld/%ld", process, thread);
	add_tally(sheet, event, samples, text, name ? name : "");
}

static int tally_up(struct history *history, struct sheet *sheet,
		    bool of_threads)
{
	struct tally tally = {
		.num_events = history->num_events,
		.of_threads = of_threads,
	};
	int status = history_each(history, take_tally, &tally);

	sheet_add_column(sheet, "share", "", SHEET_SHARE);
	sheet_add_column(sheet, "samples", "", SHEET_COUNT);
	sheet_add_column(sheet, "events", "", SHEET_COUNT);
	sheet_add_column(sheet, of_threads ? "thread" : "symbol", "",
			 SHEET_TEXT);
	sheet_add_column(sheet, of_threads ? "name" : "object", "", SHEET_TEXT);
	sheet_add_column(sheet, "event", "", SHEET_TEXT);
	for (size_t i = 0; i < tally.num_ids * tally.num_events; i++) {
		const struct history_event *event =
			&history->events[i % tally.num_events];
		size_t id = i / tally.num_events;

		if (!tally.samples[i] || sheet->failed)
			continue;
		if (of_threads)
			add_thread(history, sheet, id, event, tally.samples[i]);
		else
			add_position(history, sheet, id, event,
				     tally.samples[i]);
	}
	sheet_sort(sheet, 1, 0);
	sheet->failed |= tally.failed;
	free(tally.samples);
	return status ? status : made(sheet);
}

int history_symbols(struct history *history, struct sheet *sheet)
{
	sheet_init(sheet, "symbols", "By symbol: whose access was on its way");
	return tally_up(history, sheet, false);
}

int history_threads(struct history *history, struct sheet *sheet)
{
	sheet_init(sheet, "threads", "By thread: whose access was on its way");
	return tally_up(history, sheet, true);
}
