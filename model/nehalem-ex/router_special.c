/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Idle flits with credits. A credit goes back with a packet that is being sent
 * that way, or by itself in an idle flit, which counts as a special flit where
 * it comes in. A packet that is sent in that cycle may be looked at later than
 * the credit: then the flit is taken back before its cycle has come.
 *
 * Special flits take no time from packets. All credits of a cycle share one.
 */
#include "model/nehalem-ex/router_parts.h"
#include "signals.h"

void special_publish(struct router *router, const struct router_port *port,
		     uint64_t at)
{
	/* as a level, since that is what may take it back */
	router_span(router, SIG_RBOX_FLITS_RECV_SPEC,
		    router_index(router, port), at, at + 1, 1);
}

void special_revoke_slowly(struct router *router, struct router_port *port,
			   uint64_t now, uint64_t from, uint64_t to)
{
	struct lane *lane = &port->lane;

	for (; from < to; from += 64) {
		uint64_t left = lane_look(lane, LANE_SPECIALS, from);

		if (to - from < 64)
			left &= lane_mask((unsigned)(to - from));
		for (; left; left &= left - 1) {
			uint64_t at = from + (unsigned)__builtin_ctzll(left);

			lane_slot(lane, now / 64, at / 64)
				->bits[LANE_SPECIALS] &=
				~(UINT64_C(1) << at % 64);
			if (router->is_watched)
				router_span(router, SIG_RBOX_FLITS_RECV_SPEC,
					    router_index(router, port), at,
					    at + 1, -1);
		}
	}
}

/* Somebody begins to listen. */
void special_catch_up(struct router *router)
{
	for (unsigned port = 0; port < RBOX_NUM_PORTS; port++) {
		struct router_port *output = &router->ports[port];
		uint64_t at = sim_now(router->sim);

		for (; at < output->specials_end; at++)
			if (lane_look(&output->lane, LANE_SPECIALS, at) & 1)
				router_span(router, SIG_RBOX_FLITS_RECV_SPEC,
					    port, at, at + 1, 1);
	}
}
