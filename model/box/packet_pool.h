/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Packets under way between two boxes of a socket, where an event or a ring
 * message carries only one number.
 */
#ifndef UNCORE_PACKET_POOL_H
#define UNCORE_PACKET_POOL_H

#include "model/box/packet.h"

struct packet_block;

struct packet_node {
	struct packet packet;
	void *owner; /* for whoever sent it */
	uint32_t order;
	struct packet_node *next;
};

struct packet_pool {
	struct packet_node *free_nodes;
	struct packet_block *blocks;
};

/* A copy of the packet; given back with packet_give(). Ends the program where
 * there is no memory for it, as sim_at() does. */
struct packet_node *packet_take(struct packet_pool *pool,
				const struct packet *packet, void *owner);
void packet_give(struct packet_pool *pool, struct packet_node *node);
void packet_pool_fini(struct packet_pool *pool);

#endif
