/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The way of a message from stop to stop, over the links where they are in
 * different sockets.
 */
#ifndef UNCORE_TRIP_H
#define UNCORE_TRIP_H

#include "model/sandy-bridge-ep/ring.h"

struct trip_stop {
	unsigned socket, stop;
};

struct trip {
	uint64_t injected; /* it has left its stop */
	uint64_t arrived;
	bool is_direct;	 /* it took the way to the core, not to `to` */
	uint64_t landed; /* it has left its last link; 0: it took none */
};

/* The ring that a class of packets rides on, and its slots. */
enum ring_kind trip_ring(enum packet_class cls);

/* A packet (cls, mc, opcode, state, line; the rest is filled in) is ready in a
 * cycle. core: it may go to that stop instead if the link can send it there
 * itself (Direct2Core); -1: it may not. */
struct trip trip_carry(struct ep *ep, struct trip_stop from,
		       struct trip_stop to, struct packet *packet,
		       uint64_t ready, int core);

/* The same while time stands: what is told of it. */
void trip_tell_far(struct ep *ep, struct trip_stop from, struct trip_stop to,
		   struct packet *packet);

static inline struct trip trip_pass(struct ep *ep, struct trip_stop from,
				    struct trip_stop to, struct packet *packet,
				    uint64_t ready)
{
	if (ep->tells_flits && from.socket != to.socket)
		trip_tell_far(ep, from, to, packet);
	return (struct trip){ ready, ready, false, 0 };
}

static inline struct trip trip_go(struct ep *ep, struct trip_stop from,
				  struct trip_stop to, struct packet *packet,
				  uint64_t ready, int core)
{
	return ep->engine.is_quick
		       ? trip_pass(ep, from, to, packet, ready)
		       : trip_carry(ep, from, to, packet, ready, core);
}

/* The answer to a non-coherent request (NCS, NCB) is ready at `from` in a
 * cycle: a line of data to what reads, else a completion. When it is there. */
uint64_t trip_answer(struct ep *ep, struct trip_stop from, struct trip_stop to,
		     const struct packet *request, uint64_t ready);

#endif
