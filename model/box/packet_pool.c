/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * A free list over blocks: the number of packets under way is bounded by the
 * queues of the machine, so the pool stops growing after a while.
 */
#include "model/box/packet_pool.h"

#include <stdlib.h>

#include "model/sim/bug.h"

enum { NODES_PER_BLOCK = 64 };

struct packet_block {
	struct packet_block *next;
	struct packet_node nodes[NODES_PER_BLOCK];
};

static void grow(struct packet_pool *pool)
{
	struct packet_block *block = malloc(sizeof(*block));

	if (!block)
		bug_no_memory();
	block->next = pool->blocks;
	pool->blocks = block;
	for (unsigned i = 0; i < NODES_PER_BLOCK; i++)
		packet_give(pool, &block->nodes[i]);
}

struct packet_node *packet_take(struct packet_pool *pool,
				const struct packet *packet, void *owner)
{
	struct packet_node *node;

	if (!pool->free_nodes)
		grow(pool);
	node = pool->free_nodes;
	pool->free_nodes = node->next;
	node->packet = *packet;
	node->owner = owner;
	return node;
}

void packet_give(struct packet_pool *pool, struct packet_node *node)
{
	node->next = pool->free_nodes;
	pool->free_nodes = node;
}

void packet_pool_fini(struct packet_pool *pool)
{
	while (pool->blocks) {
		struct packet_block *block = pool->blocks;

		pool->blocks = block->next;
		free(block);
	}
}
