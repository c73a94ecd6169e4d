/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The transmitter of a QPI link. A flit takes link_num / link_den cycles, so a
 * link has a finer clock (ticks), and when it is busy is a list of times in
 * order. A packet takes the first gap that is long enough; it is never sent in
 * pieces. A gap too short for any flit is closed at once, so that the list is
 * short when the link has much to do.
 *
 * Cycles in which a link sends are counted once, those that begin or end with
 * two packets as well: a new entry's neighbours in the list say what is new.
 */
#include <stdlib.h>
#include <string.h>

#include "model/nehalem-ex/router_parts.h"
#include "model/sim/bug.h"

/* The entry after the last one that begins by then. */
static unsigned after(const struct link *link, uint64_t ticks)
{
	unsigned first = 0, behind = link->num;

	if (link->busy[behind - 1].from <= ticks)
		return behind;
	while (first < behind) {
		unsigned middle = (first + behind) / 2;

		if (link->busy[middle].from > ticks)
			behind = middle;
		else
			first = middle + 1;
	}
	return first;
}

uint64_t link_find(const struct link *link, uint64_t from, uint64_t ticks)
{
	unsigned i = after(link, from);

	if (i && link->busy[i - 1].to > from)
		i--;
	for (; i < link->num && link->busy[i].from < from + ticks; i++)
		from = link->busy[i].to;
	return from;
}

uint64_t link_quiet_since(const struct link *link, uint64_t ticks)
{
	unsigned i = after(link, ticks);

	return i ? link->busy[i - 1].to : 0;
}

bool link_init(struct link *link)
{
	*link = (struct link){ .num = 1, .room = 64 };
	link->busy = calloc(link->room, sizeof(*link->busy));
	return link->busy;
}

/* Room for one more: all past ones but the last go. */
static void make_room(struct link *link, uint64_t now)
{
	struct busy *busy = link->busy;
	unsigned past = 0;

	while (past + 1 < link->num && busy[past + 1].to <= now)
		past++;
	link->num -= past;
	memmove(busy, busy + past, link->num * sizeof(*busy));
	if (past)
		return;
	link->room *= 2;
	link->busy = realloc(busy, link->room * sizeof(*busy));
	if (!link->busy)
		bug_no_memory();
}

/* Puts an entry at its place in the list, and closes small gaps. */
static inline void insert(struct link *link, unsigned i, struct busy busy,
			  uint64_t small)
{
	struct busy *list = link->busy;
	bool joins_last = i && busy.from - list[i - 1].to < small;
	bool joins_next = i < link->num && list[i].from - busy.to < small;

	if (joins_last && joins_next) {
		list[i - 1].to = list[i].to;
		memmove(list + i, list + i + 1,
			(link->num - i - 1) * sizeof(*list));
		link->num--;
	} else if (joins_last) {
		list[i - 1].to = busy.to;
	} else if (joins_next) {
		list[i].from = busy.from;
	} else {
		if (i < link->num)
			memmove(list + i + 1, list + i,
				(link->num - i) * sizeof(*list));
		list[i] = busy;
		link->num++;
	}
}

/* What is new in cycles from .. to - 1, between those in which the link was
 * quiet before and begins next. */
static void note(const struct rbox_config *config, uint64_t quiet,
		 uint64_t next, struct stretch *stretch)
{
	uint64_t from = stretch->from, to = stretch->to;
	uint64_t trip = 2ull * config->link_latency_cycles;

	stretch->from = sim_later(from, quiet);
	stretch->to = first_of(to, next);
	stretch->retry_from = quiet ? sim_later(from, quiet + trip) : from;
	stretch->retry_to = first_of(to + trip, next);
	if (!config->idle_cycles)
		return;
	stretch->asleep_from = stretch->from;
	stretch->asleep_to = first_of(quiet + config->idle_cycles, next);
	stretch->awake_to = first_of(stretch->to + config->idle_cycles, next);
}

static SIG_SLOW void take_slowly(struct link *link, const struct router *router,
				 uint64_t start, uint64_t end,
				 struct stretch *stretch)
{
	uint64_t next = UINT64_MAX, quiet;
	unsigned i;

	if (link->num == link->room)
		make_room(link, ticks_of(sim_now(router->sim)));
	i = after(link, start);
	quiet = i ? cycles_up(link->busy[i - 1].to) : 0;
	if (i < link->num)
		next = link->busy[i].from >> TICK_BITS;
	stretch->from = start >> TICK_BITS;
	stretch->to = cycles_up(end);
	note(&router->config, quiet, next, stretch);
	insert(link, i, (struct busy){ start, end }, router->flit_ticks);
}

/* Mostly it is behind all others with a gap, and does not sleep. */
void link_take(struct link *link, const struct router *router, uint64_t start,
	       uint64_t end, struct stretch *stretch)
{
	const struct busy *last = &link->busy[link->num - 1];
	uint64_t trip = 2ull * router->config.link_latency_cycles;

	if (start < last->to + router->flit_ticks || !last->to ||
	    link->num == link->room || router->config.idle_cycles) {
		take_slowly(link, router, start, end, stretch);
		return;
	}
	stretch->from = start >> TICK_BITS;
	stretch->to = cycles_up(end);
	stretch->retry_from =
		sim_later(stretch->from, cycles_up(last->to) + trip);
	stretch->retry_to = stretch->to + trip;
	link->busy[link->num++] = (struct busy){ start, end };
}
