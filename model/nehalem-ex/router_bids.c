/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Bids are levels of a class that its packets hold up together, so what several
 * of them hold up in a cycle is published once: calendars say what is.
 *
 *	QUE_ARB_BID	    the class has packets
 *	LOCAL_ARB_BID	    one in the entry table has a target with room
 *	QUE_ARB_BID_FAIL    the first without the second
 *	LOCAL_ARB_BID_FAIL  the crossbar is not free for one, which would be its
 *			    own in the next cycle otherwise
 *
 * A packet that takes part in the global arbitration has not failed in the
 * local one.
 */
#include "model/nehalem-ex/router_parts.h"
#include "signals.h"

/* A column for each enum packet_class. */
#define PER_CLASS(prefix)                                                      \
	{                                                                      \
		prefix##_HOM, prefix##_SNP, prefix##_NDR, prefix##_DRS,        \
			prefix##_NCS, prefix##_NCB                             \
	}

static const uint16_t que_bid[] = PER_CLASS(SIG_RBOX_QUE_ARB_BID);
static const uint16_t que_fail[] = PER_CLASS(SIG_RBOX_QUE_ARB_BID_FAIL);
static const uint16_t local_bid[] = PER_CLASS(SIG_RBOX_LOCAL_ARB_BID);
static const uint16_t local_fail[] = PER_CLASS(SIG_RBOX_LOCAL_ARB_BID_FAIL);
static const uint16_t starving[] = PER_CLASS(SIG_RBOX_STARVING);
static const uint16_t global_bid[] = PER_CLASS(SIG_RBOX_GLOBAL_ARB_BID);
static const uint16_t global_fail[][PACKET_NUM_CLASSES] = {
	PER_CLASS(SIG_RBOX_GLOBAL_ARB_BID_FAIL_VN0),
	PER_CLASS(SIG_RBOX_GLOBAL_ARB_BID_FAIL_VN1),
};

/* A level that is published for the cycles that are new to a calendar. */
struct level {
	struct router *router;
	struct calendar *calendar; /* NULL: all are new */
	unsigned port;
	unsigned signal;
	unsigned other; /* signal that goes the other way, or NONE */
	int n;		/* by that much */
};

enum { NONE = NUM_SIG_RBOX };

static void publish(const struct level *level, uint64_t from, uint64_t to)
{
	router_span(level->router, level->signal, level->port, from, to, 1);
	if (level->other != NONE)
		router_span(level->router, level->other, level->port, from, to,
			    level->n);
}

/* The lowest row of bits of a mask; takes it out. */
static uint64_t next_run(uint64_t *mask, unsigned *first)
{
	uint64_t row = *mask >> (*first = (unsigned)__builtin_ctzll(*mask));
	unsigned length = ~row ? (unsigned)__builtin_ctzll(~row) : 64;

	*mask &= ~(calendar_mask(length) << *first);
	return length;
}

/* The cycles from .. to - 1 of the 64 from `at` on. */
static uint64_t within(uint64_t at, uint64_t from, uint64_t to)
{
	uint64_t mask = UINT64_MAX;

	if (to <= at || from >= at + 64 || from >= to)
		return 0;
	if (to < at + 64)
		mask = calendar_mask((unsigned)(to - at));
	return from > at ? mask & UINT64_MAX << (from - at) : mask;
}

/* Cycles within the bits of the calendar. */
static void cover_bits(const struct level *level, uint64_t at, uint64_t mask)
{
	unsigned first;

	mask &= ~calendar_look(level->calendar, at);
	while (mask) {
		uint64_t length = next_run(&mask, &first);

		calendar_mark(level->calendar, at + first, (unsigned)length);
		publish(level, at + first, at + first + length);
	}
}

/* Cycles behind them. */
static void cover_spans(const struct level *level, uint64_t from, uint64_t to)
{
	struct calendar *calendar = level->calendar;
	uint64_t at = from;

	for (unsigned i = 0; i < calendar->num_spans && at < to; i++) {
		const struct calendar_span *span = &calendar->spans[i];

		if (span->from > at)
			publish(level, at, span->from < to ? span->from : to);
		at = ex_later(at, span->to);
	}
	publish(level, at, to);
	if (from < to)
		calendar_mark_far(calendar, from, to);
}

static void cover(const struct level *level, uint64_t from, uint64_t to)
{
	uint64_t now = sim_now(level->router->sim), end;

	calendar_forget(level->calendar, now);
	end = calendar_end(level->calendar);
	from = ex_later(from, now);
	for (uint64_t at = from; at < to && at < end; at += 64)
		cover_bits(level, at, within(at, from, to < end ? to : end));
	cover_spans(level, ex_later(from, end), to);
}

void router_cover(struct router *router, struct calendar *calendar,
		  unsigned signal, unsigned port, uint64_t from, uint64_t to)
{
	struct level level = { router, calendar, port, signal, NONE, 0 };

	cover(&level, from, to);
}

/* A local bid fails until the packet is granted its port, but for the cycles
 * in which it took part in the global arbitration. */
static void publish_fails(const struct level *level,
			  const struct passage *passage)
{
	uint64_t from = passage->target, losses = passage->losses;
	uint64_t first = passage->entered + 1;
	bool was_next = passage->granted == first ||
			(from < first && losses >> (first - from) & 1);

	if (from < first && was_next && !passage->is_in_vain)
		from = first;
	while (losses) {
		unsigned bit = (unsigned)__builtin_ctzll(losses);

		if (passage->target + bit > from)
			cover(level, from, passage->target + bit);
		from = ex_later(from, passage->target + bit + 1);
		losses &= losses - 1;
	}
	if (from < passage->granted)
		cover(level, from, passage->granted);
}

/* Bids of a single cycle, which are most. False: others hold them up too, or
 * they are too far ahead. */
static bool publish_plainly(struct router *router,
			    const struct passage *passage)
{
	unsigned cls = passage->cls, in = passage->in;
	struct port_covers *port = &router->covers->ports[in];
	uint64_t from = passage->entered, now = sim_now(router->sim);

	calendar_forget(&port->queue[cls], now);
	calendar_forget(&port->local[cls], now);
	if (passage->is_in_vain || from < now ||
	    !calendar_is_free(&port->queue[cls], from, 1))
		return false;
	calendar_mark(&port->queue[cls], from, 1);
	calendar_mark(&port->local[cls], from, 1);
	router_span(router, que_bid[cls], in, from, from + 1, 1);
	router_span(router, local_bid[cls], in, from, from + 1, 1);
	return true;
}

/* A packet that is plain has its target when it enters, and is granted in the
 * next cycle. */
static struct passage complete(const struct passage *passage)
{
	struct passage whole = *passage;

	if (!passage->is_plain)
		return whole;
	whole.table = whole.target = whole.entered;
	whole.starving = whole.losses = 0;
	return whole;
}

static void publish_all(struct router *router, const struct passage *passage)
{
	unsigned cls = passage->cls, in = passage->in;
	struct port_covers *port = &router->covers->ports[in];
	struct level queue = { router,	     &port->queue[cls], in,
			       que_bid[cls], que_fail[cls],	1 };
	struct level local = { router,	       &port->local[cls], in,
			       local_bid[cls], que_fail[cls],	  -1 };
	struct level fail = { router, &port->fail[cls],
			      in,     local_fail[cls],
			      NONE,   0 };

	cover(&queue, passage->entered, passage->granted);
	cover(&local, passage->target, passage->granted);
	publish_fails(&fail, passage);
	if (passage->starving)
		router_cover(router, &port->starving[cls], starving[cls], in,
			     passage->starving, passage->granted);
}

void router_publish_bids(struct router *router, const struct passage *passage)
{
	struct passage whole;

	if (passage->is_plain && publish_plainly(router, passage))
		return;
	whole = complete(passage);
	publish_all(router, &whole);
}

/* The packet had a target, and the crossbar was given to another input port. */
void router_publish_losses(struct router *router, struct passage *passage)
{
	const struct lane *read = &router->inputs[passage->in].lane;
	const struct lane *out = &router->outputs[passage->out].lane;
	unsigned in = passage->in, cls = passage->cls;
	uint64_t at = ex_later(passage->target, passage->entered + 1);

	for (; at < passage->granted; at += 64) {
		uint64_t lost = lane_look(out, LANE_GRANTS, at) &
				~lane_look(read, LANE_READ, at) &
				within(at, at, passage->granted);

		for (; lost; lost &= lost - 1) {
			uint64_t cycle = at + (unsigned)__builtin_ctzll(lost);

			router_pulse(router, global_bid[cls], in, cycle);
			router_pulse(router,
				     global_fail[passage->next_network][cls],
				     in, cycle);
			if (cycle - passage->target < 64)
				passage->losses |= UINT64_C(1)
						   << (cycle - passage->target);
		}
	}
}
