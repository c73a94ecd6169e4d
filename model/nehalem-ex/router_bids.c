/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Bids are levels of a class that its packets hold up together, so what several
 * of them hold up in a cycle is published once: rows of the board say what is.
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

static const uint16_t que_bid[] = ROUTER_PER_CLASS(SIG_RBOX_QUE_ARB_BID);
static const uint16_t que_fail[] = ROUTER_PER_CLASS(SIG_RBOX_QUE_ARB_BID_FAIL);
static const uint16_t local_bid[] = ROUTER_PER_CLASS(SIG_RBOX_LOCAL_ARB_BID);
static const uint16_t local_fail[] =
	ROUTER_PER_CLASS(SIG_RBOX_LOCAL_ARB_BID_FAIL);
static const uint16_t starving[] = ROUTER_PER_CLASS(SIG_RBOX_STARVING);
static const uint16_t global_bid[] = ROUTER_PER_CLASS(SIG_RBOX_GLOBAL_ARB_BID);
static const uint16_t global_fail[][PACKET_NUM_CLASSES] = {
	ROUTER_PER_CLASS(SIG_RBOX_GLOBAL_ARB_BID_FAIL_VN0),
	ROUTER_PER_CLASS(SIG_RBOX_GLOBAL_ARB_BID_FAIL_VN1),
};

void router_cover(struct router *router, enum late_row row, unsigned signal,
		  unsigned port, uint64_t from, uint64_t to)
{
	board_forget(&router->late, sim_now(router->sim));
	overlap_add(&router->late, port * NUM_LATE + row, 1, router->bank,
		    router_id(signal, port), from, to);
}

/* Cycles from .. to - 1 of the 64 from `at` on. */
static uint64_t within(uint64_t at, uint64_t from, uint64_t to)
{
	if (from >= at + 64)
		return 0;
	return board_mask(to - at < 64 ? to - at : 64) &
	       UINT64_MAX << (from > at ? from - at : 0);
}

/* The first 64 cycles, or some later ones, of a packet that is not granted at
 * once. It fails in the local arbitration while it has a target, but for the
 * cycles in which it loses the global one, since the crossbar is given to
 * another input port. In that it takes part from the cycle after its entry on;
 * the cycle of its entry is a failure only if it would not have come that far:
 * the port was read. */
static void publish_some(struct router *router, const struct passage *passage,
			 uint64_t at)
{
	unsigned in = passage->in, cls = passage->cls;
	unsigned fail = router_id(que_fail[cls], in);
	struct board_view view = board_view(&router->board, at);
	uint64_t waits = within(at, at, passage->granted);
	uint64_t ready = within(at, passage->target, passage->granted);
	uint64_t read = board_look(&view, row_of(in, ROW_READ));
	uint64_t given =
		~read & board_look(&view, row_of(passage->out, ROW_GRANTS));
	uint64_t lost = given & ready, fails = ready & ~given;

	if (at == passage->entered && ready & 1) {
		lost &= ~UINT64_C(1);
		fails |= 1;
		if (!(read & 1) && (passage->granted == at + 1 || lost & 2))
			fails &= ~UINT64_C(1);
	}
	for (uint64_t left = lost; left; left &= left - 1) {
		uint64_t cycle = at + (unsigned)__builtin_ctzll(left);

		router_pulse(router, global_bid[cls], in, cycle);
		router_pulse(router, global_fail[passage->next_network][cls],
			     in, cycle);
	}
	waits = board_fill(&view, bid_row(in, cls, BID_QUEUE), waits);
	ready = board_fill(&view, bid_row(in, cls, BID_LOCAL), ready);
	fails = board_fill(&view, bid_row(in, cls, BID_FAIL), fails);
	sig_bits(router->bank, router_id(que_bid[cls], in), at, waits, 1);
	sig_bits(router->bank, router_id(local_bid[cls], in), at, ready, 1);
	sig_bits(router->bank, router_id(local_fail[cls], in), at, fails, 1);
	sig_bits(router->bank, fail, at, waits & ~ready, 1);
	sig_bits(router->bank, fail, at, ready & ~waits, -1);
}

void router_publish_bids(struct router *router, const struct passage *passage)
{
	unsigned limit = router->config.starvation_cycles;

	for (uint64_t at = passage->entered; at < passage->granted; at += 64)
		publish_some(router, passage, at);
	if (passage->granted - passage->entered > limit)
		router_cover(router, LATE_STARVING + passage->cls,
			     starving[passage->cls], passage->in,
			     queue_since(router, passage) + limit,
			     passage->granted);
}

void router_tell_bids(struct sigbank *bank, const struct router_visit *visit)
{
	unsigned in = visit->in, cls = visit->packet.cls;
	uint64_t at = visit->granted - visit->waits;

	if (!(visit->how & VISIT_BID))
		return;
	tell_span(bank, router_id(que_bid[cls], in), at, at + 1, 1);
	tell_span(bank, router_id(local_bid[cls], in), at, at + 1, 1);
	if (visit->how & VISIT_FAIL)
		tell_span(bank, router_id(local_fail[cls], in), at, at + 1, 1);
}

/* The box, or one before it, is late. What it takes at once is in nobody's way:
 * the crossbar brings one packet at a time. */
void router_publish_late(struct router *router, const struct passage *passage)
{
	unsigned out = passage->out;
	unsigned crossbar = row_of(out, ROW_CROSSBAR);
	uint64_t from = passage->granted, to = from + passage->flits;

	for (; to < passage->taken; to++) {
		if (board_is_free(&router->board, crossbar, to, 1))
			continue;
		router_cover(router, LATE_HELD, SIG_RBOX_OUTPUTQ_NE, out, from,
			     to);
		from = to + 1;
	}
	router_cover(router, LATE_HELD, SIG_RBOX_OUTPUTQ_NE, out, from, to);
}
