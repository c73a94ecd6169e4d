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

/* A level of a port that is published for cycles in which nobody has held it
 * up yet. */
struct level {
	struct router *router;
	struct lane *lane;
	unsigned kind; /* its word in the lane */
	unsigned signal;
	unsigned port;
	unsigned other; /* signal that goes the other way, or NONE */
	int n;		/* by that much */
};

enum { NONE = NUM_SIG_RBOX };

/* Cycles from `at` on, as bits. */
static void publish(const struct level *level, uint64_t at, uint64_t mask)
{
	while (mask) {
		uint64_t row = mask >> __builtin_ctzll(mask);
		uint64_t from = at + (unsigned)__builtin_ctzll(mask);
		unsigned num = ~row ? (unsigned)__builtin_ctzll(~row) : 64;

		mask &= ~(lane_mask(num) << (from - at));
		router_span(level->router, level->signal, level->port, from,
			    from + num, 1);
		if (level->other != NONE)
			router_span(level->router, level->other, level->port,
				    from, from + num, level->n);
	}
}

/* The cycles from .. to - 1 of the 64 from `at` on. */
static uint64_t within(uint64_t at, uint64_t from, uint64_t to)
{
	uint64_t mask = UINT64_MAX;

	if (to <= at || from >= at + 64 || from >= to)
		return 0;
	if (to < at + 64)
		mask = lane_mask((unsigned)(to - at));
	return from > at ? mask & UINT64_MAX << (from - at) : mask;
}

/* Some of the 64 cycles from `at` on. */
static void cover_some(const struct level *level, uint64_t at, uint64_t mask)
{
	uint64_t present = sim_now(level->router->sim) / 64;
	struct lane_slot *slot = lane_slot(level->lane, present, at / 64);
	uint64_t new = mask & ~slot->bits[level->kind];

	slot->bits[level->kind] |= new;
	publish(level, at, new);
}

static void cover(const struct level *level, uint64_t from, uint64_t to)
{
	for (uint64_t at = from & ~UINT64_C(63); at < to; at += 64)
		cover_some(level, at, within(at, from, to));
}

void router_cover(struct router *router, struct lane *lane, unsigned kind,
		  unsigned signal, unsigned port, uint64_t from, uint64_t to)
{
	struct level level = { router, lane, kind, signal, port, NONE, 0 };

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
		from = sim_later(from, passage->target + bit + 1);
		losses &= losses - 1;
	}
	if (from < passage->granted)
		cover(level, from, passage->granted);
}

/* The cycle in which it enters, if that is not past. */
void router_bid(struct router_port *port, uint64_t now, uint64_t entered,
		unsigned bid)
{
	unsigned cls = bid >> CREDITS_BID_CLASS;
	uint64_t bit = UINT64_C(1) << entered % 64;
	struct lane_slot *slot;

	if (entered < now)
		return;
	slot = lane_slot(&port->levels[cls], now / 64, entered / 64);
	slot->bits[BID_QUEUE] |= bit;
	slot->bits[BID_LOCAL] |= bit;
	if (bid & CREDITS_BID_VAIN)
		slot->bits[BID_FAIL] |= bit;
}

void router_settle_bids(struct router_port *port, uint64_t now)
{
	struct credits *credits = &port->credits;
	unsigned i = credits->num_told;

	for (; i < credits->num; i++) {
		const struct credits_stay *stay = &credits->stays[i];

		if (stay->bid)
			router_bid(port, now,
				   stay->from + stay->cycles - 1 -
					   port->back_cycles,
				   stay->bid);
	}
	credits->num_told = i;
}

void router_publish_bids(struct router *router, const struct passage *passage)
{
	unsigned cls = passage->cls, in = passage->in;
	struct router_port *input = &router->ports[in];
	struct lane *bids = &input->levels[cls];
	struct level queue = { router, bids,	      BID_QUEUE, que_bid[cls],
			       in,     que_fail[cls], 1 };
	struct level local = { router, bids,	      BID_LOCAL, local_bid[cls],
			       in,     que_fail[cls], -1 };
	struct level fail = { router, bids, BID_FAIL, local_fail[cls],
			      in,     NONE, 0 };

	router_settle_bids(input, sim_now(router->sim));
	input->bids_until = sim_later(input->bids_until, passage->granted);
	cover(&queue, passage->entered, passage->granted);
	cover(&local, passage->target, passage->granted);
	publish_fails(&fail, passage);
	if (passage->starving)
		router_cover(router, bids, LEVEL_STARVING, starving[cls], in,
			     passage->starving, passage->granted);
}

/* The box, or one before it, is late. What it takes at once is in nobody's way:
 * the crossbar brings one packet at a time. */
void router_publish_late(struct router *router, const struct passage *passage)
{
	struct router_port *output = &router->ports[passage->out];
	struct level level = {
		router,	      output->levels, LEVEL_HELD, SIG_RBOX_OUTPUTQ_NE,
		passage->out, NONE,	      0
	};
	uint64_t from = passage->granted, to = from + passage->flits;

	cover(&level, from, to);
	for (uint64_t at = to & ~UINT64_C(63); at < passage->taken; at += 64) {
		uint64_t free =
			~lane_word(&output->lane, LANE_CROSSBAR, at / 64);

		cover_some(&level, at, within(at, to, passage->taken) & free);
	}
}

/* The packet had a target, and the crossbar was given to another input port. */
void router_publish_losses(struct router *router, struct passage *passage)
{
	const struct lane *read = &router->ports[passage->in].lane;
	const struct lane *out = &router->ports[passage->out].lane;
	unsigned in = passage->in, cls = passage->cls;
	uint64_t at = sim_later(passage->target, passage->entered + 1);

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

void router_tell_bid(struct sigbank *bank, const struct router_visit *visit,
		     unsigned cls)
{
	unsigned in = visit->in;
	uint64_t at = visit->granted - visit->waits;

	tell_span(bank, router_id(que_bid[cls], in), at, at + 1, 1);
	tell_span(bank, router_id(local_bid[cls], in), at, at + 1, 1);
	if (visit->how & VISIT_IN_VAIN)
		tell_span(bank, router_id(local_fail[cls], in), at, at + 1, 1);
}
