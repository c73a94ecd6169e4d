/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 */
#include "model/station/pool.h"

#include <stdlib.h>

#include "model/sim/bug.h"

enum { PIECES = 32, HEAD = 64 };

void pool_more(struct pool *pool)
{
	char *block = malloc(HEAD + PIECES * pool->size);
	struct pool_piece *head = (struct pool_piece *)block;

	if (!block)
		bug_no_memory();
	head->next = pool->blocks;
	pool->blocks = head;
	for (unsigned i = PIECES; i--;)
		pool_put(pool, block + HEAD + i * pool->size);
}

void pool_fini(struct pool *pool)
{
	while (pool->blocks) {
		struct pool_piece *block = pool->blocks;

		pool->blocks = block->next;
		free(block);
	}
}
