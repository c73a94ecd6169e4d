/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * By stack: the function whose access was on its way, who called it, and so on.
 * Calls from several places of a function are one.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "accesses.h"
#include "uncore/uncore.h"

/* Of a recorder there are 16 at most. */
enum { MOST_CALLERS = 64 };

static const char between[] = " < ";

struct chain {
	size_t event;
	char *text; /* functions, the innermost first */
	uint64_t samples;
};

/* " < CALLER" for each of them, at the end of a growing text. */
static void add_callers(struct history *history, long stack, FILE *text)
{
	struct uncore_position found;
	long position;

	for (unsigned i = 0;
	     i < MOST_CALLERS && stack >= 0 &&
	     uncore_recording_stack(history->recording, (size_t)stack,
				    &position, &stack);
	     i++) {
		fputs(between, text);
		if (!uncore_recording_position(history->recording,
					       (size_t)position, &found))
			fputs("[not known]", text);
		else if (found.symbol)
			fputs(found.symbol, text);
		else
			fprintf(text, "0x%llx",
				(unsigned long long)(found.object
							     ? found.offset
							     : found.address));
	}
}

static char *text_of(const struct accesses *accesses,
		     const struct access *access)
{
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	if (!file)
		return NULL;
	fputs(accesses_place(accesses, access->place)->symbol, file);
	add_callers(accesses->history, access->stack, file);
	if (!fclose(file))
		return text;
	free(text);
	return NULL;
}

/* What chains are made of. */
static int by_parts(const void *a, const void *b)
{
	const struct access *first = a, *second = b;

	if (first->event != second->event)
		return first->event < second->event ? -1 : 1;
	if (first->place != second->place)
		return first->place < second->place ? -1 : 1;
	return (first->stack > second->stack) - (first->stack < second->stack);
}

static int by_text(const void *a, const void *b)
{
	const struct chain *first = a, *second = b;

	if (first->event != second->event)
		return first->event < second->event ? -1 : 1;
	return strcmp(first->text, second->text);
}

static int by_samples(const void *a, const void *b)
{
	const struct chain *first = a, *second = b;

	if (first->samples != second->samples)
		return first->samples > second->samples ? -1 : 1;
	return by_text(a, b);
}

/* One chain for each event, place and stack; false without memory. */
static bool make_chains(const struct accesses *accesses, struct chain *chains,
			size_t *num)
{
	struct access *list = accesses->list;

	if (accesses->num)
		qsort(list, accesses->num, sizeof(*list), by_parts);
	for (size_t i = 0; i < accesses->num; i++) {
		if (i && !by_parts(&list[i - 1], &list[i])) {
			chains[*num - 1].samples += list[i].samples;
			continue;
		}
		chains[*num] = (struct chain){
			.event = list[i].event,
			.text = text_of(accesses, &list[i]),
			.samples = list[i].samples,
		};
		if (!chains[*num].text)
			return false;
		++*num;
	}
	return true;
}

/* Those with the same text become one. */
static size_t merge(struct chain *chains, size_t num)
{
	size_t kept = 0;

	if (num)
		qsort(chains, num, sizeof(*chains), by_text);
	for (size_t i = 0; i < num; i++) {
		if (kept && !by_text(&chains[kept - 1], &chains[i])) {
			chains[kept - 1].samples += chains[i].samples;
			free(chains[i].text);
		} else {
			chains[kept++] = chains[i];
		}
	}
	if (kept)
		qsort(chains, kept, sizeof(*chains), by_samples);
	return kept;
}

static void add_chain(const struct history *history, struct sheet *sheet,
		      const struct chain *chain)
{
	const struct history_event *event = &history->events[chain->event];
	size_t row = sheet_add_row(sheet);

	accesses_set_samples(event, chain->samples, sheet, row);
	sheet_set_text(sheet, row, 3, event->text);
	sheet_set_text(sheet, row, 4, chain->text);
}

static void fill(const struct accesses *accesses, struct sheet *sheet,
		 const struct history_limits *limits)
{
	struct chain *chains = calloc(accesses->num + 1, sizeof(*chains));
	size_t num = 0;

	sheet_add_column(sheet, "share", "", SHEET_SHARE);
	sheet_add_column(sheet, "samples", "", SHEET_COUNT);
	sheet_add_column(sheet, "events", "", SHEET_COUNT);
	sheet_add_column(sheet, "event", "", SHEET_TEXT);
	sheet_add_column(sheet, "stack", "", SHEET_TEXT);
	sheet->failed |= !chains || !make_chains(accesses, chains, &num);
	if (chains)
		num = merge(chains, num);
	for (size_t i = 0; i < num; i++) {
		if (!limits->rows || i < limits->rows)
			add_chain(accesses->history, sheet, &chains[i]);
		free(chains[i].text);
	}
	free(chains);
}

int history_stacks(struct history *history, const struct history_limits *limits,
		   struct sheet *sheet)
{
	sheet_init(sheet, "stacks",
		   "By stack: whose access was on its way, and who called");
	return accesses_report(history, limits, fill, sheet);
}
