/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The producer's end of a core's ring of accesses. All functions want the core
 * to be held by the caller.
 */
#ifndef UNCORE_RECORDS_H
#define UNCORE_RECORDS_H

#include <stdbool.h>

#include "bridge/qemu/arena.h"

/* Makes everything written so far visible to the model. */
void records_publish(struct arena *arena, struct arena_core *core);

/* Instructions were executed. */
static inline void records_count(struct arena_core *core, uint64_t instructions)
{
	atomic_store_explicit(&core->instructions,
			      atomic_load_explicit(&core->instructions,
						   memory_order_relaxed) +
				      instructions,
			      memory_order_relaxed);
}

/* Whether the requests of one access fit in for certain. */
static inline bool records_have_room(const struct arena_core *core)
{
	return core->next - core->tail_seen <=
	       RING_RECORDS - PRIVCACHE_MAX_REQUESTS;
}

/* Waits until they fit. False when nobody reads any more. */
bool records_make_room(struct arena *arena, struct arena_core *core);

/* Writes the requests of an access of the code at `origin`. While the program
 * has one thread and a window is full, returns how many records the model must
 * have taken before the next access may happen; else 0. */
uint64_t records_put(struct arena *arena, struct arena_core *core,
		     const struct privcache_request *requests, unsigned num,
		     bool depends, const struct arena_origin *origin);

/* Waits until the model has taken that many. False when it will not, or when
 * there is no need any more. */
bool records_await(struct arena *arena, struct arena_core *core,
		   uint64_t taken);

#endif
