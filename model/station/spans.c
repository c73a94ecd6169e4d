/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 */
#include "model/station/spans.h"

#include <string.h>

static void drop(struct spans *spans, unsigned first, unsigned num)
{
	struct span *gone = &spans->spans[first];

	spans->num -= num;
	memmove(gone, gone + num, (spans->num - first) * sizeof(*gone));
}

static void forget(struct spans *spans, uint64_t now)
{
	unsigned num = 0;

	while (num < spans->num && spans->spans[num].to <= now)
		num++;
	if (num)
		drop(spans, 0, num);
}

static void close_gap(struct spans *spans)
{
	struct span *span = spans->spans;
	unsigned best = 0;

	for (unsigned i = 1; i + 1 < spans->num; i++)
		if (span[i + 1].from - span[i].to <
		    span[best + 1].from - span[best].to)
			best = i;
	span[best].to = span[best + 1].to;
	drop(spans, best + 1, 1);
}

/* In front of span `place`, which lies behind it. */
static void insert(struct spans *spans, unsigned place, uint64_t from,
		   uint64_t to)
{
	struct span *span = &spans->spans[place];

	memmove(span + 1, span, (spans->num - place) * sizeof(*span));
	*span = (struct span){ from, to };
	if (++spans->num > SPANS_MAX)
		close_gap(spans);
}

void spans_add(struct spans *spans, uint64_t now, uint64_t from, uint64_t to)
{
	struct span *span = spans->spans;
	unsigned first = 0, behind;

	forget(spans, now);
	if (from >= to)
		return;
	while (first < spans->num && span[first].to < from)
		first++;
	for (behind = first; behind < spans->num && span[behind].from <= to;
	     behind++) {
		from = span[behind].from < from ? span[behind].from : from;
		to = span[behind].to > to ? span[behind].to : to;
	}
	if (behind == first) {
		insert(spans, first, from, to);
		return;
	}
	span[first] = (struct span){ from, to };
	drop(spans, first + 1, behind - first - 1);
}

uint64_t spans_take(struct spans *spans, uint64_t now, uint64_t from,
		    uint64_t num)
{
	forget(spans, now);
	for (unsigned i = 0; i < spans->num; i++) {
		const struct span *span = &spans->spans[i];

		if (span->to <= from)
			continue;
		if (span->from >= from + num)
			break;
		from = span->to;
	}
	spans_add(spans, now, from, from + num);
	return from;
}

bool spans_gap(const struct spans *spans, uint64_t *from, uint64_t to,
	       uint64_t *end)
{
	*end = to;
	for (unsigned i = 0; i < spans->num && *from < to; i++) {
		const struct span *span = &spans->spans[i];

		if (span->to <= *from)
			continue;
		if (span->from > *from) {
			*end = span->from < to ? span->from : to;
			return true;
		}
		*from = span->to;
	}
	return *from < to;
}
