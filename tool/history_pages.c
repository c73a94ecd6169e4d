/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * By page: the pages of 4 KiB that samples hit most, the socket whose memory
 * each is in, and the sockets that use it. A page that is used from another one
 * lies in the wrong place.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "accesses.h"
#include "uncore/uncore.h"

enum { LINES_BITS = 6, PAGE_BYTES = 4096, TEXT_ROOM = 1024 };

/* The first three are those of accesses_set_samples(). */
enum page_column {
	PAGE_REMOTE = 3,
	PAGE_HOME,
	PAGE_SOCKETS,
	PAGE_CORES,
	PAGE_ADDRESS,
	PAGE_DATA,
	PAGE_EVENT,
};

enum user_column {
	USER_SHARE,
	USER_SAMPLES,
	USER_SOCKET,
	USER_CORES,
	USER_LOADS,
	USER_STORES,
	USER_LOCKS,
	USER_REMOTE,
};

static int by_socket(const void *a, const void *b)
{
	const struct access *first = a, *second = b;

	return (first->socket > second->socket) -
	       (first->socket < second->socket);
}

static int by_datum(const void *a, const void *b)
{
	const struct access *first = a, *second = b;

	return (first->datum > second->datum) - (first->datum < second->datum);
}

/* The access whose datum has most samples of the page. */
static const struct access *main_datum(const struct access_group *group,
				       struct access *list)
{
	uint64_t most = 0, samples = 0;
	const struct access *main = &list[group->first];

	qsort(&list[group->first], group->end - group->first, sizeof(*list),
	      by_datum);
	for (size_t i = group->first; i < group->end; i++) {
		if (i > group->first && list[i].datum != list[i - 1].datum)
			samples = 0;
		samples += list[i].samples;
		if (samples > most) {
			most = samples;
			main = &list[i];
		}
	}
	return main;
}

static void set_remote(struct sheet *sheet, size_t row, size_t column,
		       const struct access_sums *sums)
{
	if (sums->placed)
		sheet_set(sheet, row, column,
			  (double)sums->remote / (double)sums->placed);
}

static void add_socket(const struct accesses *accesses, struct sheet *below,
		       const struct access_group *part, uint64_t all)
{
	struct access_sums sums;
	size_t row = sheet_add_row(below);

	if (below->failed || !accesses_sum(accesses, part, &sums)) {
		below->failed = true;
		return;
	}
	sheet_set(below, row, USER_SHARE, (double)sums.samples / (double)all);
	sheet_set(below, row, USER_SAMPLES, (double)sums.samples);
	sheet_set_known(below, row, USER_SOCKET,
			accesses->list[part->first].socket);
	sheet_set(below, row, USER_CORES, (double)sums.cores);
	sheet_set(below, row, USER_LOADS, (double)sums.loads);
	sheet_set(below, row, USER_STORES, (double)sums.stores);
	sheet_set(below, row, USER_LOCKS, (double)sums.locks);
	set_remote(below, row, USER_REMOTE, &sums);
}

/* Sockets are few: in their order, not by samples. */
static void add_sockets(const struct accesses *accesses, struct sheet *below,
			const struct access_group *group)
{
	struct access *list = accesses->list;
	struct access_group part = { .first = group->first };

	qsort(&list[group->first], group->end - group->first, sizeof(*list),
	      by_socket);
	for (size_t i = group->first; i < group->end && !below->failed; i++) {
		if (i + 1 < group->end && list[i + 1].socket == list[i].socket)
			continue;
		part.end = i + 1;
		add_socket(accesses, below, &part, group->samples);
		part.first = i + 1;
	}
}

static void add_page(const struct accesses *accesses, struct sheet *sheet,
		     const struct access_group *group)
{
	const struct access *access = main_datum(group, accesses->list);
	const struct history_event *event =
		&accesses->history->events[access->event];
	size_t row = sheet_add_row(sheet);
	struct access_sums sums;
	char text[TEXT_ROOM];

	if (sheet->failed || !accesses_sum(accesses, group, &sums)) {
		sheet->failed = true;
		return;
	}
	accesses_set_samples(event, sums.samples, sheet, row);
	set_remote(sheet, row, PAGE_REMOTE, &sums);
	sheet_set_known(sheet, row, PAGE_HOME, sums.home);
	sheet_set(sheet, row, PAGE_SOCKETS, (double)sums.sockets);
	sheet_set(sheet, row, PAGE_CORES, (double)sums.cores);
	snprintf(text, sizeof(text), "0x%" PRIx64,
		 access->address & ~(uint64_t)(PAGE_BYTES - 1));
	sheet_set_text(sheet, row, PAGE_ADDRESS, text);
	accesses_datum(accesses, access, false, text, sizeof(text));
	sheet_set_text(sheet, row, PAGE_DATA, text);
	sheet_set_text(sheet, row, PAGE_EVENT, event->text);
}

static void add_columns(struct sheet *sheet, struct sheet *below)
{
	sheet_add_column(sheet, "share", "", SHEET_SHARE);
	sheet_add_column(sheet, "samples", "", SHEET_COUNT);
	sheet_add_column(sheet, "events", "", SHEET_COUNT);
	sheet_add_column(sheet, "remote", "", SHEET_SHARE);
	sheet_add_column(sheet, "home", "", SHEET_COUNT);
	sheet_add_column(sheet, "sockets", "", SHEET_COUNT);
	sheet_add_column(sheet, "cores", "", SHEET_COUNT);
	sheet_add_column(sheet, "address", "", SHEET_TEXT);
	sheet_add_column(sheet, "data", "", SHEET_TEXT);
	sheet_add_column(sheet, "event", "", SHEET_TEXT);
	sheet_add_column(below, "share", "", SHEET_SHARE);
	sheet_add_column(below, "samples", "", SHEET_COUNT);
	sheet_add_column(below, "socket", "", SHEET_COUNT);
	sheet_add_column(below, "cores", "", SHEET_COUNT);
	sheet_add_column(below, "loads", "", SHEET_COUNT);
	sheet_add_column(below, "stores", "", SHEET_COUNT);
	sheet_add_column(below, "locks", "", SHEET_COUNT);
	sheet_add_column(below, "remote", "", SHEET_SHARE);
}

static void add_group(const struct accesses *accesses,
		      const struct access_group *group, size_t limit,
		      struct sheet *sheet)
{
	(void)limit; /* there are no more than sockets */
	add_page(accesses, sheet, group);
	add_sockets(accesses, sheet->below, group);
}

static void fill(const struct accesses *accesses, struct sheet *sheet,
		 const struct history_limits *limits)
{
	struct sheet *below = sheet_below(sheet, "users");

	if (!below)
		return;
	add_columns(sheet, below);
	accesses_add_groups(accesses, LINES_BITS, limits, add_group, sheet);
	accesses_add_unknown(accesses, sheet, PAGE_ADDRESS, PAGE_EVENT);
}

int history_pages(struct history *history, const struct history_limits *limits,
		  struct sheet *sheet)
{
	sheet_init(sheet, "pages",
		   "By page of 4 KiB: whose access was on its way");
	return accesses_report(history, limits, fill, sheet);
}
