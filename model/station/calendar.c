/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * A calendar where more than a look at some bits is to be done: the first
 * cycles are not free, or they lie behind the bits.
 */
#include "model/station/calendar.h"

#include <string.h>

/* Sets the bits of from .. to - 1, as far as they are in view. */
static void paint(struct calendar *calendar, uint64_t from, uint64_t to)
{
	if (from < calendar->base)
		from = calendar->base;
	if (to > calendar->base + CALENDAR_CYCLES)
		to = calendar->base + CALENDAR_CYCLES;
	while (from < to) {
		uint64_t num = 64 - from % 64;

		if (num > to - from)
			num = to - from;
		calendar_set(calendar, from,
			     calendar_mask((unsigned)num) << from % 64);
		from += num;
	}
}

static void remove_spans(struct calendar *calendar, unsigned first,
			 unsigned num)
{
	unsigned behind = first + num;

	memmove(&calendar->spans[first], &calendar->spans[behind],
		(calendar->num_spans - behind) * sizeof(calendar->spans[0]));
	calendar->num_spans -= num;
}

/* Two spans become one: those with the least between them. */
static void close_gap(struct calendar *calendar)
{
	struct calendar_span *spans = calendar->spans;
	unsigned best = 0;

	for (unsigned i = 1; i + 1 < calendar->num_spans; i++)
		if (spans[i + 1].from - spans[i].to <
		    spans[best + 1].from - spans[best].to)
			best = i;
	spans[best + 1].from = spans[best].from;
	remove_spans(calendar, best, 1);
}

/* All that it overlaps or touches become one span with it. */
static void add_span(struct calendar *calendar, struct calendar_span span)
{
	struct calendar_span *spans = calendar->spans;
	unsigned num = (unsigned)calendar->num_spans, first = 0, behind;

	while (first < num && spans[first].to < span.from)
		first++;
	for (behind = first; behind < num && spans[behind].from <= span.to;
	     behind++) {
		if (spans[behind].from < span.from)
			span.from = spans[behind].from;
		if (spans[behind].to > span.to)
			span.to = spans[behind].to;
	}
	memmove(&spans[first + 1], &spans[behind],
		(num - behind) * sizeof(*spans));
	spans[first] = span;
	calendar->num_spans = num - (behind - first) + 1;
	if (calendar->num_spans == CALENDAR_SPANS)
		close_gap(calendar);
}

void calendar_mark_far(struct calendar *calendar, uint64_t from, uint64_t to)
{
	uint64_t end = calendar_end(calendar);

	paint(calendar, from, to);
	add_span(calendar,
		 (struct calendar_span){ from < end ? end : from, to });
}

/* The first `num` free cycles in a row from `from` on, as spans say. */
static uint64_t find_far(const struct calendar *calendar, uint64_t from,
			 unsigned num)
{
	for (unsigned i = 0; i < calendar->num_spans; i++) {
		if (from + num <= calendar->spans[i].from)
			break;
		if (from < calendar->spans[i].to)
			from = calendar->spans[i].to;
	}
	return from;
}

bool calendar_is_far_free(const struct calendar *calendar, uint64_t from,
			  unsigned num)
{
	return find_far(calendar, from, num) == from;
}

/* What has come into view goes from spans to bits. */
void calendar_see_spans(struct calendar *calendar)
{
	uint64_t end = calendar_end(calendar);
	unsigned past = 0;

	for (unsigned i = 0; i < calendar->num_spans; i++) {
		struct calendar_span *span = &calendar->spans[i];

		paint(calendar, span->from, span->to);
		if (span->from < end)
			span->from = end;
		past += span->to <= end;
	}
	remove_spans(calendar, 0, past);
}

/* Bit n: `num` free bits begin there, of those that are seen. */
static uint64_t find_rows(uint64_t free, unsigned num)
{
	unsigned step;

	for (unsigned length = 1; length < num; length += step) {
		step = num - length < length ? num - length : length;
		free &= free >> step;
	}
	return free;
}

/* No row begins in the 64 bits that are seen, some of them free: how far to go
 * on. At least behind those in which a row would have been seen, and behind all
 * that are taken from the latest one on that a row from here would meet. */
static unsigned skip(uint64_t taken, unsigned num)
{
	uint64_t met = taken & calendar_mask(num);
	unsigned latest = 63 - (unsigned)__builtin_clzll(met);
	unsigned end = latest + (unsigned)__builtin_ctzll(~(taken >> latest));

	return end > 65 - num ? end : 65 - num;
}

uint64_t calendar_free_from(const struct calendar *calendar, uint64_t from,
			    unsigned num)
{
	while (from < calendar_end(calendar)) {
		uint64_t taken = calendar_look(calendar, from), rows;

		if (taken == UINT64_MAX) {
			from += 64;
			continue;
		}
		rows = find_rows(~taken, num);
		if (!rows) {
			from += skip(taken, num);
			continue;
		}
		from += (unsigned)__builtin_ctzll(rows);
		if (from < calendar_end(calendar))
			return from;
	}
	return find_far(calendar, from, num);
}

uint64_t calendar_take_slowly(struct calendar *calendar, uint64_t now,
			      uint64_t from, unsigned num)
{
	calendar_forget(calendar, now);
	from = calendar_free_from(calendar, from, num);
	calendar_mark(calendar, from, num);
	return from;
}
