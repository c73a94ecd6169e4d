/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * By line: the lines of 64 bytes that samples hit most, and who used what of
 * them.
 *
 * Cores take a line away from each other when one writes it. Where they use
 * the same bytes of it, it is shared; where the bytes that one writes are used
 * by nobody else while others use the rest, it is falsely shared, and would be
 * left in peace if the data lay on lines of their own. A sample tells where an
 * access begins and not how long it is, and some samples may miss that bytes
 * are used by others: of the two kinds, one with less than a tenth of the
 * samples is left out.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "accesses.h"
#include "uncore/uncore.h"

enum { LINE_BYTES = 64, LITTLE = 10, TEXT_ROOM = 1024 };

/* How the bytes from one offset on are used. */
struct bytes {
	long user; /* a core that uses them */
	bool is_used, has_others, is_written;
	uint64_t samples;
};

/* Whether several cores use the line at all. */
static bool look_at_bytes(const struct access *list, size_t num,
			  struct bytes *bytes)
{
	long user = -1;
	bool has_others = false;

	for (size_t i = 0; i < num; i++) {
		const struct access *access = &list[i];
		struct bytes *these = &bytes[access->address % LINE_BYTES];

		if (access->core < 0 ||
		    (!access_reads(access) && !access_writes(access)))
			continue;
		these->has_others |=
			these->is_used && these->user != access->core;
		has_others |= user >= 0 && user != access->core;
		these->is_used = true;
		these->user = user = access->core;
		these->is_written |= access_writes(access);
		these->samples += access->samples;
	}
	return has_others;
}

/* Of all events together: one may count reads and the other one writes. */
static const char *sharing_of(const struct accesses *accesses,
			      const struct access_group *group)
{
	struct bytes bytes[LINE_BYTES] = { 0 };
	uint64_t line = accesses->list[group->first].line;
	uint64_t shared = 0, falsely = 0;
	size_t first = group->first, end = group->end;

	while (first && accesses->list[first - 1].is_known &&
	       accesses->list[first - 1].line == line)
		first--;
	while (end < accesses->num && accesses->list[end].is_known &&
	       accesses->list[end].line == line)
		end++;
	if (!look_at_bytes(&accesses->list[first], end - first, bytes))
		return "";
	for (unsigned i = 0; i < LINE_BYTES; i++) {
		shared += bytes[i].is_written && bytes[i].has_others
				  ? bytes[i].samples
				  : 0;
		falsely += bytes[i].is_written && !bytes[i].has_others
				   ? bytes[i].samples
				   : 0;
	}
	if (shared && falsely && LITTLE * shared >= falsely &&
	    LITTLE * falsely >= shared)
		return "shared, false sharing";
	return shared > falsely ? "shared" : falsely ? "false sharing" : "";
}

/* Users of a line: accesses that differ in nothing that is shown. */
struct user {
	const struct access *access; /* one of them */
	struct access_sums sums;
};

static bool is_same_user(const struct access *a, const struct access *b)
{
	return a->address == b->address && a->place == b->place &&
	       a->core == b->core && a->thread == b->thread;
}

static int by_user_samples(const void *a, const void *b)
{
	const struct user *first = a, *second = b;

	if (first->sums.samples != second->sums.samples)
		return first->sums.samples > second->sums.samples ? -1 : 1;
	return (first->access > second->access) -
	       (first->access < second->access);
}

static struct user *find_users(const struct accesses *accesses,
			       const struct access_group *group, size_t *num)
{
	struct user *users = calloc(group->end - group->first, sizeof(*users));

	*num = 0;
	for (size_t i = group->first; users && i < group->end; i++) {
		const struct access *access = &accesses->list[i];

		if (!*num || !is_same_user(users[*num - 1].access, access))
			users[(*num)++].access = access;
		access_sums_add(&users[*num - 1].sums, access);
	}
	if (users)
		qsort(users, *num, sizeof(*users), by_user_samples);
	return users;
}

enum user_column {
	USER_SHARE,
	USER_SAMPLES,
	USER_LOADS,
	USER_STORES,
	USER_LOCKS,
	USER_OFFSET,
	USER_CORE,
	USER_SOCKET,
	USER_THREAD,
	USER_SYMBOL,
	USER_SOURCE,
	USER_DATA,
	USER_OBJECT,
};

static void add_user_columns(struct sheet *below)
{
	sheet_add_column(below, "share", "", SHEET_SHARE);
	sheet_add_column(below, "samples", "", SHEET_COUNT);
	sheet_add_column(below, "loads", "", SHEET_COUNT);
	sheet_add_column(below, "stores", "", SHEET_COUNT);
	sheet_add_column(below, "locks", "", SHEET_COUNT);
	sheet_add_column(below, "offset", "", SHEET_TEXT);
	sheet_add_column(below, "core", "", SHEET_COUNT);
	sheet_add_column(below, "socket", "", SHEET_COUNT);
	sheet_add_column(below, "thread", "", SHEET_TEXT);
	sheet_add_column(below, "symbol", "", SHEET_TEXT);
	sheet_add_column(below, "source", "", SHEET_TEXT);
	sheet_add_column(below, "data", "", SHEET_TEXT);
	sheet_add_column(below, "object", "", SHEET_TEXT);
}

static void add_user_sums(struct sheet *below, const struct access_sums *sums,
			  uint64_t all)
{
	size_t row = sheet_add_row(below);

	sheet_set(below, row, USER_SHARE, (double)sums->samples / (double)all);
	sheet_set(below, row, USER_SAMPLES, (double)sums->samples);
	sheet_set(below, row, USER_LOADS, (double)sums->loads);
	sheet_set(below, row, USER_STORES, (double)sums->stores);
	sheet_set(below, row, USER_LOCKS, (double)sums->locks);
}

static void add_user(const struct accesses *accesses, struct sheet *below,
		     const struct user *user, uint64_t all)
{
	const struct access *access = user->access;
	const struct place *place = accesses_place(accesses, access->place);
	long process, thread;
	const char *name;
	char text[TEXT_ROOM];
	size_t row;

	add_user_sums(below, &user->sums, all);
	if (below->failed)
		return;
	row = below->num_rows - 1;
	snprintf(text, sizeof(text), "0x%x",
		 (unsigned)(access->address % LINE_BYTES));
	sheet_set_text(below, row, USER_OFFSET, text);
	sheet_set_known(below, row, USER_CORE, access->core);
	sheet_set_known(below, row, USER_SOCKET, access->socket);
	if (access->thread >= 0 &&
	    uncore_recording_thread(accesses->history->recording,
				    (size_t)access->thread, &process, &thread,
				    &name)) {
		snprintf(text, sizeof(text), "%ld/%ld", process, thread);
		sheet_set_text(below, row, USER_THREAD, text);
	}
	sheet_set_text(below, row, USER_SYMBOL, place->symbol);
	sheet_set_text(below, row, USER_SOURCE, place->source);
	accesses_datum(accesses, access, true, text, sizeof(text));
	sheet_set_text(below, row, USER_DATA, text);
	sheet_set_text(below, row, USER_OBJECT, place->object);
}

/* The rest, of which there are too many to be told one by one. */
static void add_more(struct sheet *below, const struct user *users, size_t num,
		     uint64_t all)
{
	struct access_sums sums = { 0 };
	char text[64];

	for (size_t i = 0; i < num; i++) {
		sums.samples += users[i].sums.samples;
		sums.loads += users[i].sums.loads;
		sums.stores += users[i].sums.stores;
		sums.locks += users[i].sums.locks;
	}
	add_user_sums(below, &sums, all);
	snprintf(text, sizeof(text), "[%zu more]", num);
	if (!below->failed)
		sheet_set_text(below, below->num_rows - 1, USER_SYMBOL, text);
}

static void add_users(const struct accesses *accesses, struct sheet *below,
		      const struct access_group *group, size_t limit)
{
	size_t num, shown;
	struct user *users = find_users(accesses, group, &num);

	if (!users) {
		below->failed = true;
		return;
	}
	shown = limit && num > limit ? limit : num;
	for (size_t i = 0; i < shown && !below->failed; i++)
		add_user(accesses, below, &users[i], group->samples);
	if (shown < num)
		add_more(below, users + shown, num - shown, group->samples);
	free(users);
}

/* The first three are those of accesses_set_samples(). */
enum line_column {
	LINE_LOADS = 3,
	LINE_STORES,
	LINE_LOCKS,
	LINE_PREFETCHES,
	LINE_OTHERS,
	LINE_CORES,
	LINE_SOCKETS,
	LINE_HOME,
	LINE_ADDRESS,
	LINE_DATA,
	LINE_SHARING,
	LINE_EVENT,
};

static void add_line_columns(struct sheet *sheet)
{
	static const char *const numbers[] = {
		"samples",    "events", "loads", "stores",  "locks",
		"prefetches", "others", "cores", "sockets", "home",
	};

	sheet_add_column(sheet, "share", "", SHEET_SHARE);
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		sheet_add_column(sheet, numbers[i], "", SHEET_COUNT);
	sheet_add_column(sheet, "address", "", SHEET_TEXT);
	sheet_add_column(sheet, "data", "", SHEET_TEXT);
	sheet_add_column(sheet, "sharing", "", SHEET_TEXT);
	sheet_add_column(sheet, "event", "", SHEET_TEXT);
}

static void add_line(const struct accesses *accesses, struct sheet *sheet,
		     const struct access_group *group)
{
	const struct access *access = &accesses->list[group->first];
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
	sheet_set(sheet, row, LINE_LOADS, (double)sums.loads);
	sheet_set(sheet, row, LINE_STORES, (double)sums.stores);
	sheet_set(sheet, row, LINE_LOCKS, (double)sums.locks);
	sheet_set(sheet, row, LINE_PREFETCHES, (double)sums.prefetches);
	sheet_set(sheet, row, LINE_OTHERS, (double)sums.others);
	sheet_set(sheet, row, LINE_CORES, (double)sums.cores);
	sheet_set(sheet, row, LINE_SOCKETS, (double)sums.sockets);
	sheet_set_known(sheet, row, LINE_HOME, sums.home);
	snprintf(text, sizeof(text), "0x%" PRIx64,
		 access->address & ~(uint64_t)(LINE_BYTES - 1));
	sheet_set_text(sheet, row, LINE_ADDRESS, text);
	accesses_datum(accesses, access, true, text, sizeof(text));
	sheet_set_text(sheet, row, LINE_DATA, text);
	sheet_set_text(sheet, row, LINE_SHARING, sharing_of(accesses, group));
	sheet_set_text(sheet, row, LINE_EVENT, event->text);
}

static void add_group(const struct accesses *accesses,
		      const struct access_group *group, size_t limit,
		      struct sheet *sheet)
{
	add_line(accesses, sheet, group);
	add_users(accesses, sheet->below, group, limit);
}

static void fill(const struct accesses *accesses, struct sheet *sheet,
		 const struct history_limits *limits)
{
	struct sheet *below = sheet_below(sheet, "users");

	if (!below)
		return;
	add_line_columns(sheet);
	add_user_columns(below);
	accesses_add_groups(accesses, 0, limits, add_group, sheet);
	accesses_add_unknown(accesses, sheet, LINE_ADDRESS, LINE_EVENT);
}

int history_lines(struct history *history, const struct history_limits *limits,
		  struct sheet *sheet)
{
	sheet_init(sheet, "lines",
		   "By line of 64 bytes: whose access was on its way");
	return accesses_report(history, limits, fill, sheet);
}
