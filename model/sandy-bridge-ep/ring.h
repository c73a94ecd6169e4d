/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * A ring of a socket, of which there are one or two: four rings in one, AD
 * (requests), AK (acknowledgements), BL (data, 32 bytes a slot) in both
 * directions, and IV (snoops of cores). It publishes RING_*_USED at every stop
 * that a message passes or leaves it at; queues before it are the sender's.
 */
#ifndef UNCORE_RING_H
#define UNCORE_RING_H

#include "model/sandy-bridge-ep/ep.h"

/* NULL without memory. */
struct ring *ring_new(struct ep *ep, unsigned socket, unsigned number,
		      const struct uc_family *family);
void ring_free(struct ring *ring);

/* A message of so many slots in a row (1; 2 for a line on BL) is ready at stop
 * `from` in a cycle that is not before now, and gets on as soon as the ring has
 * room, the short way round; to the other ring it goes by a bridge. A stop
 * takes one message of a ring in a cycle; another one that is there bounces: it
 * goes round once more. */
struct ring_ride ring_carry(struct ep *ep, unsigned socket, enum ring_kind kind,
			    unsigned from, unsigned to, uint64_t ready,
			    unsigned slots);

/* Whether that goes against the order of the stops. */
bool ring_is_against(const struct ep *ep, unsigned from, unsigned to);

static inline struct ring_ride ring_send(struct ep *ep, unsigned socket,
					 enum ring_kind kind, unsigned from,
					 unsigned to, uint64_t ready,
					 unsigned slots)
{
	if (ep->engine.is_quick)
		return (struct ring_ride){ ready, ready, false };
	return ring_carry(ep, socket, kind, from, to, ready, slots);
}

#endif
