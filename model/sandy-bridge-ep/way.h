/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The way of a non-coherent message, and back: over the ring of one socket or,
 * by a link, over those of both.
 */
#ifndef UNCORE_WAY_H
#define UNCORE_WAY_H

#include "model/sandy-bridge-ep/trip.h"

/* The node of a socket's devices, as filters of packets see it. */
#define WAY_NODE_IIO(socket) NODE_SBOX(socket, 1)

struct way {
	struct trip_stop from, to;
};

/* A message (NCS, NCB: BL ring; NDR: AK) of so many slots is ready in the cycle
 * `at`, which is not before now; returns when it is there. */
uint64_t way_send(struct ep *ep, const struct way *way, struct packet *packet,
		  unsigned slots, uint64_t at);

/* Its answer, made in the cycle `at`, on the way back: data (of so many slots)
 * of what reads, else a completion. */
uint64_t way_answer(struct ep *ep, const struct way *way,
		    const struct packet *request, unsigned slots, uint64_t at);

#endif
