/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Accesses that belong together, what they add up to, and the rows of reports
 * that this becomes.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "accesses.h"
#include "tool.h"
#include "uncore/uncore.h"

enum { SHARE_COLUMN, SAMPLES_COLUMN, EVENTS_COLUMN };

/* The busiest first, else in the order of the list. */
static int by_samples(const void *a, const void *b)
{
	const struct access_group *first = a, *second = b;

	if (first->samples != second->samples)
		return first->samples > second->samples ? -1 : 1;
	return (first->first > second->first) - (first->first < second->first);
}

/* In the list an event's accesses to a page of several lines are in pieces. */
static int by_page(const void *a, const void *b)
{
	const struct access *first = a, *second = b;

	if (first->event != second->event)
		return first->event < second->event ? -1 : 1;
	return (first->line > second->line) - (first->line < second->line);
}

struct access_group *accesses_group(const struct accesses *accesses,
				    unsigned bits, size_t *num)
{
	struct access *list = accesses->list;
	struct access_group *groups =
		calloc(accesses->num + 1, sizeof(*groups));
	size_t known = 0;

	*num = 0;
	while (known < accesses->num && list[known].is_known)
		known++;
	if (bits && known)
		qsort(list, known, sizeof(*list), by_page);
	for (size_t i = 0; groups && i < known; i++) {
		if (!i || list[i].event != list[i - 1].event ||
		    list[i].line >> bits != list[i - 1].line >> bits)
			groups[(*num)++].first = i;
		groups[*num - 1].end = i + 1;
		groups[*num - 1].samples += list[i].samples;
	}
	if (*num)
		qsort(groups, *num, sizeof(*groups), by_samples);
	return groups;
}

bool access_reads(const struct access *access)
{
	return access->use == UNCORE_SAMPLED_LOAD ||
	       access->use == UNCORE_SAMPLED_FETCH ||
	       access->use == UNCORE_SAMPLED_WALK;
}

bool access_writes(const struct access *access)
{
	return access->use == UNCORE_SAMPLED_STORE ||
	       access->use == UNCORE_SAMPLED_LOCK ||
	       access->use == UNCORE_SAMPLED_STREAM;
}

void access_sums_add(struct access_sums *sums, const struct access *access)
{
	sums->samples += access->samples;
	switch (access->use) {
	case UNCORE_SAMPLED_LOAD: sums->loads += access->samples; break;
	case UNCORE_SAMPLED_STORE:
	case UNCORE_SAMPLED_STREAM: sums->stores += access->samples; break;
	case UNCORE_SAMPLED_LOCK: sums->locks += access->samples; break;
	case UNCORE_SAMPLED_PREFETCH:
		sums->prefetches += access->samples;
		break;
	default: sums->others += access->samples; break;
	}
	if (access->home < 0 || access->socket < 0)
		return;
	sums->placed += access->samples;
	sums->remote += access->home != access->socket ? access->samples : 0;
}

static int by_number(const void *a, const void *b)
{
	const long *first = a, *second = b;

	return (*first > *second) - (*first < *second);
}

/* How many numbers there are, each counted once and -1 not at all. */
static size_t count_different(long *numbers, size_t num)
{
	size_t different = 0;

	qsort(numbers, num, sizeof(*numbers), by_number);
	for (size_t i = 0; i < num; i++)
		if (numbers[i] >= 0 && (!i || numbers[i] != numbers[i - 1]))
			different++;
	return different;
}

bool accesses_sum(const struct accesses *accesses,
		  const struct access_group *group, struct access_sums *sums)
{
	const struct access *list = &accesses->list[group->first];
	size_t num = group->end - group->first;
	long *numbers = calloc(num, sizeof(*numbers));

	*sums = (struct access_sums){ .home = -1 };
	if (!numbers)
		return false;
	for (size_t i = 0; i < num; i++) {
		access_sums_add(sums, &list[i]);
		if (sums->home < 0)
			sums->home = list[i].home;
		numbers[i] = list[i].core;
	}
	sums->cores = count_different(numbers, num);
	for (size_t i = 0; i < num; i++)
		numbers[i] = list[i].socket;
	sums->sockets = count_different(numbers, num);
	free(numbers);
	return true;
}

void accesses_datum(const struct accesses *accesses,
		    const struct access *access, bool offset, char *text,
		    size_t size)
{
	struct uncore_datum datum = { .kind = UNCORE_DATUM_ANONYMOUS };
	bool is_known = access->datum >= 0 &&
			uncore_recording_datum(accesses->history->recording,
					       (size_t)access->datum, &datum);

	if (!is_known)
		snprintf(text, size, "[not known]");
	else if (datum.kind == UNCORE_DATUM_SYMBOL && offset && access->offset)
		snprintf(text, size, "%s+0x%" PRIx64,
			 datum.symbol ? datum.symbol : "?", access->offset);
	else if (datum.kind == UNCORE_DATUM_SYMBOL)
		snprintf(text, size, "%s", datum.symbol ? datum.symbol : "?");
	else if (datum.kind == UNCORE_DATUM_FILE)
		snprintf(text, size, "file %s",
			 datum.object ? datum.object : "?");
	else
		snprintf(text, size, "%s",
			 datum.kind == UNCORE_DATUM_HEAP    ? "heap"
			 : datum.kind == UNCORE_DATUM_STACK ? "stack"
							    : "anonymous");
}

void accesses_set_samples(const struct history_event *event, uint64_t samples,
			  struct sheet *sheet, size_t row)
{
	sheet_set(sheet, row, SHARE_COLUMN,
		  (double)samples / (double)event->num_samples);
	sheet_set(sheet, row, SAMPLES_COLUMN, (double)samples);
	sheet_set(sheet, row, EVENTS_COLUMN,
		  (double)samples * (double)event->period);
}

void accesses_add_groups(const struct accesses *accesses, unsigned bits,
			 const struct history_limits *limits,
			 void (*add)(const struct accesses *accesses,
				     const struct access_group *group,
				     size_t limit, struct sheet *sheet),
			 struct sheet *sheet)
{
	size_t num;
	struct access_group *groups = accesses_group(accesses, bits, &num);

	sheet->failed |= !groups;
	if (limits->rows && num > limits->rows)
		num = limits->rows;
	for (size_t i = 0; i < num && !sheet->failed; i++) {
		add(accesses, &groups[i], limits->below, sheet);
		sheet_end_row(sheet);
	}
	free(groups);
}

static uint64_t unknown_samples(const struct accesses *accesses, size_t event)
{
	uint64_t samples = 0;

	for (size_t i = accesses->num; i && !accesses->list[i - 1].is_known;
	     i--)
		if (accesses->list[i - 1].event == event)
			samples += accesses->list[i - 1].samples;
	return samples;
}

void accesses_add_unknown(const struct accesses *accesses, struct sheet *sheet,
			  size_t address_column, size_t event_column)
{
	for (size_t i = 0; i < accesses->history->num_events; i++) {
		const struct history_event *event =
			&accesses->history->events[i];
		uint64_t samples = unknown_samples(accesses, i);
		size_t row;

		if (!samples || sheet->failed)
			continue;
		row = sheet_add_row(sheet);
		accesses_set_samples(event, samples, sheet, row);
		sheet_set_text(sheet, row, address_column, "[not known]");
		sheet_set_text(sheet, row, event_column, event->text);
		sheet_end_row(sheet);
	}
}

int accesses_report(struct history *history,
		    const struct history_limits *limits,
		    void (*fill)(const struct accesses *accesses,
				 struct sheet *sheet,
				 const struct history_limits *limits),
		    struct sheet *sheet)
{
	struct accesses accesses;
	int status;

	sheet->chart_column = SAMPLES_COLUMN;
	status = accesses_gather(history, &accesses);
	if (!status)
		fill(&accesses, sheet, limits);
	accesses_free(&accesses);
	if (!status && sheet->failed)
		status = tool_fail_with(UNCORE_ERR_NO_MEMORY, NULL);
	return status;
}
