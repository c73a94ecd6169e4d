/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Which requests of a core are under way, as far as its prefetchers have to
 * know: they ask for nothing while much is. How much is worked out beside the
 * caches, from the order of accesses and with one latency for all lines, and
 * not asked of the uncore: so what the caches hold does not depend on how long
 * anything takes there.
 *
 * The list of what is under way is an estimate that nothing else uses. All take
 * as long, so what was asked for first ends first, and need not be looked for.
 *
 * A demand has a fill buffer and an entry, and where there is none the core
 * stands until there is. A load stops the core a window of instructions later.
 *
 * Freestanding, no pointers inside. Not thread safe.
 */
#ifndef UNCORE_SUPERQUEUE_H
#define UNCORE_SUPERQUEUE_H

#include <stdbool.h>
#include <stdint.h>

enum { SUPERQUEUE_MAX = 64 };

struct superqueue_entry {
	uint64_t line;
	uint64_t ends;	      /* core cycles */
	uint64_t instruction; /* of a load */
	bool has_buffer;
	bool is_load;
};

struct superqueue {
	/* Of the processor: entries, fill buffers, entries in use from which on
	 * prefetches are dropped; instructions; core cycles. Size 0: nothing is
	 * ever full. */
	uint32_t size, buffers, limit, window, latency;
	/* Of the access that comes, set by the owner: what the core has done
	 * before, in core cycles without those in which it stood for lines from
	 * outside; and whether it needs the latest that was chained. */
	uint64_t cycles, instructions;
	bool is_chained;
	uint64_t stood;
	uint64_t chain_ends;
	uint64_t all_end; /* none is under way from then on */
	/* No load of those in use is older, in instructions. */
	uint64_t oldest;
	/* Those in use: from `first` on, before `end`, in the order in which
	 * they end, round and round. */
	uint32_t first, end;
	uint32_t num_buffers; /* in use */
	struct superqueue_entry entries[SUPERQUEUE_MAX];
};

/* An access comes: the core stands until it can be executed. What follows is at
 * its time, until the next one comes. */
void superqueue_begin(struct superqueue *queue);

/* It asks for a line. */
void superqueue_demand(struct superqueue *queue, uint64_t line, bool is_load);

/* It is the first to use a line that was prefetched. */
void superqueue_use(struct superqueue *queue, uint64_t line);

/* A prefetcher asks for a line: false where that is dropped. */
bool superqueue_prefetch(struct superqueue *queue, uint64_t line);

#endif
