/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * See prefetch.h.
 */
#include "model/box/prefetch.h"

#include <stdbool.h>

enum { PAGE_LINES = 64 };

static bool same_page(uint64_t a, uint64_t b)
{
	return a / PAGE_LINES == b / PAGE_LINES;
}

/* The L1D's */

/* Lines of a page have places of their own; so several arrays do not push each
 * other out, however they lie. */
static uint64_t *place_of(struct prefetch *prefetch, uint64_t line)
{
	return &prefetch->loads[(line + line / PAGE_LINES * 5) %
				PREFETCH_LOADS];
}

uint64_t prefetch_next_line(struct prefetch *prefetch, uint64_t line)
{
	uint64_t *place = place_of(prefetch, line);

	if (*place == line + 1)
		return 0;
	*place = line + 1;
	if (!same_page(line, line + 1) || !same_page(line, line - 1) ||
	    *place_of(prefetch, line - 1) != line)
		return 0;
	return line + 1;
}

uint64_t prefetch_stride(struct prefetch *prefetch, uint64_t line,
			 uint64_t code)
{
	struct prefetch_code *c = &prefetch->codes[code % PREFETCH_CODES];
	uint32_t tag = (uint32_t)(code / PREFETCH_CODES) + 1;
	int32_t stride = (int32_t)((uint32_t)line - c->line);

	if (!code || (c->tag == tag && !stride))
		return 0;
	if (c->tag != tag || stride > PREFETCH_MAX_STRIDE ||
	    stride < -PREFETCH_MAX_STRIDE) {
		*c = (struct prefetch_code){ .tag = tag,
					     .line = (uint32_t)line };
		return 0;
	}
	c->line = (uint32_t)line;
	if (stride != c->stride) {
		c->stride = (int8_t)stride;
		c->steps = 1;
		return 0;
	}
	if (c->steps < PREFETCH_STEPS)
		c->steps++;
	line += (uint64_t)(int64_t)stride;
	return c->steps == PREFETCH_STEPS &&
			       same_page(line, line - (uint64_t)(int64_t)stride)
		       ? line
		       : 0;
}

/* The streamer */

/* The stream of a page, plus 1; 0: it has none. */
static unsigned find_stream(const struct prefetch *prefetch, uint32_t page)
{
	unsigned at = prefetch->heads[page % PREFETCH_HEADS];

	while (at && prefetch->pages[at - 1] != page)
		at = prefetch->next[at - 1];
	return at;
}

/* The stream goes on in another page. */
static void move_stream(struct prefetch *prefetch, unsigned at, uint32_t page)
{
	uint8_t *link = &prefetch->heads[prefetch->pages[at] % PREFETCH_HEADS];

	while (*link && *link != at + 1)
		link = &prefetch->next[*link - 1];
	if (*link)
		*link = prefetch->next[at];
	link = &prefetch->heads[page % PREFETCH_HEADS];
	prefetch->next[at] = *link;
	*link = (uint8_t)(at + 1);
	prefetch->pages[at] = page;
}

/* The stream that makes room: the next one that has not been looked up since
 * the last one did. All that are passed over have that once. */
static unsigned stream_to_replace(struct prefetch *prefetch)
{
	unsigned at = prefetch->hand;

	while (prefetch->used & UINT32_C(1) << at) {
		prefetch->used &= ~(UINT32_C(1) << at);
		at = (at + 1) % PREFETCH_STREAMS;
	}
	prefetch->hand = (at + 1) % PREFETCH_STREAMS;
	return at;
}

static struct prefetch_stream *stream_of(struct prefetch *prefetch,
					 uint64_t line)
{
	uint32_t page = (uint32_t)(line / PAGE_LINES) + 1;
	unsigned at = find_stream(prefetch, page);

	if (at) {
		prefetch->used |= UINT32_C(1) << (at - 1);
		return &prefetch->streams[at - 1];
	}
	at = stream_to_replace(prefetch);
	move_stream(prefetch, at, page);
	prefetch->streams[at] =
		(struct prefetch_stream){ .latest = line % PAGE_LINES };
	return &prefetch->streams[at];
}

/* A step in the stream's direction, or the first one in the other. */
static void make_step(struct prefetch_stream *stream, int at)
{
	int direction = at > stream->latest ? 1 : -1;

	if (direction != stream->direction) {
		stream->direction = (int8_t)direction;
		stream->steps = 0;
		stream->reached = (uint8_t)at;
	}
	if (stream->steps < PREFETCH_STEPS)
		stream->steps++;
	stream->latest = (uint8_t)at;
	if ((at - stream->reached) * direction > 0)
		stream->reached = (uint8_t)at;
}

uint64_t prefetch_near(const struct prefetch *prefetch, uint64_t line,
		       unsigned near)
{
	unsigned found =
		find_stream(prefetch, (uint32_t)(line / PAGE_LINES) + 1);
	const struct prefetch_stream *stream =
		&prefetch->streams[found - !!found];
	int at = line % PAGE_LINES, next = at + (int)near * stream->direction;

	if (!found || next < 0 || next >= PAGE_LINES ||
	    (at - stream->latest) * stream->direction <= 0 ||
	    (stream->reached - next) * stream->direction < 0)
		return 0;
	return line - (uint64_t)at + (uint64_t)next;
}

unsigned prefetch_stream(struct prefetch *prefetch, uint64_t line,
			 uint64_t lines[PREFETCH_PER_LOOKUP])
{
	struct prefetch_stream *stream = stream_of(prefetch, line);
	int at = line % PAGE_LINES;
	unsigned num = 0;

	if (at == stream->latest)
		return 0;
	make_step(stream, at);
	if (stream->steps < PREFETCH_STEPS)
		return 0;
	while (num < PREFETCH_PER_LOOKUP) {
		int next = stream->reached + stream->direction;

		if (next < 0 || next >= PAGE_LINES ||
		    (next - at) * stream->direction > PREFETCH_AHEAD)
			break;
		stream->reached = (uint8_t)next;
		lines[num++] = line - (uint64_t)at + (uint64_t)next;
	}
	return num;
}
