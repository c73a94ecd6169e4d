/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Pieces of memory of one size, taken and given back all the time: the last one
 * given back is taken first, since the host still has it in its caches.
 */
#ifndef UNCORE_POOL_H
#define UNCORE_POOL_H

#include <stddef.h>

struct pool_piece {
	struct pool_piece *next;
};

struct pool {
	size_t size; /* of a piece */
	struct pool_piece *free, *blocks;
};

/* All zero but for the size is an empty pool. */
void pool_fini(struct pool *pool);

/* Slow path (pool.c). */
void pool_more(struct pool *pool);

/* A piece, whatever is in it. */
static inline void *pool_take(struct pool *pool)
{
	struct pool_piece *piece = pool->free;

	if (!piece) {
		pool_more(pool);
		piece = pool->free;
	}
	pool->free = piece->next;
	return piece;
}

static inline void pool_put(struct pool *pool, void *piece)
{
	struct pool_piece *back = piece;

	back->next = pool->free;
	pool->free = back;
}

#endif
