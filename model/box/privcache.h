/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The private caches of one core as a filter: loads, stores and fetches go in,
 * what the uncore sees of them comes out. The same code runs beside a program
 * (in the front end and the guest's plugin) and behind the built-in workloads.
 *
 * L1D and L1I have 32 KB, as in all these processors, the L1D 8 ways; what else
 * differs is the machine's (struct privcache_shape). Lines of 64 bytes, true
 * LRU, write-back. No pointers inside, so the struct may lie in shared memory;
 * all zero but for the shape means empty, all prefetchers off. Not thread safe.
 * Freestanding: it needs memset() and memcpy() only.
 */
#ifndef UNCORE_PRIVCACHE_H
#define UNCORE_PRIVCACHE_H

#include <stdbool.h>
#include <stdint.h>

#include "model/box/lru.h"
#include "model/box/prefetch.h"
#include "model/box/superqueue.h"
#include "uncore/model.h"

enum {
	PRIVCACHE_L1D_SETS = 64,
	PRIVCACHE_L1D_WAYS = 8,
	PRIVCACHE_L1I_LINES = 512,
	PRIVCACHE_L1I_MAX_SETS = 128,
	PRIVCACHE_L2_MAX_LINES = 32768, /* 2 MB */
	PRIVCACHE_L2_MAX_SETS = 4096,
	PRIVCACHE_MAX_WAYS = 16,
	/* One access makes at most so many requests: the line and two victims;
	 * as many for each of the L1D's two prefetchers; and each of these
	 * three looks the L2 up, for which it asks for lines with a victim
	 * each. */
	PRIVCACHE_MAX_REQUESTS = 3 * (3 + 2 * (PREFETCH_PER_LOOKUP + 1)),
	PRIVCACHE_FRESH = 1024,
	/* A look-up in the L1I gets 16 bytes of a line. */
	PRIVCACHE_LINE_READS = 64 / 16,
};

/* Lines at and above this number (4 TB) cannot be told from lower ones. */
#define PRIVCACHE_MAX_LINES (UINT64_C(1) << 36)

struct privcache_shape {
	uint8_t l1i_ways;     /* 4 or 8 */
	uint8_t l2_ways;      /* 8 or 16 */
	uint8_t l2_set_shift; /* it has 1 << so many sets, 6 to 12 */
	bool tells_clean;     /* clean victims of the L2 are requests, too */
	/* The streamer asks for what is more lines ahead than these into the
	 * LLC alone; 0: for nothing. */
	uint8_t llc_ahead;
};

/* Where a line is in the L1D or L1I. */
struct privcache_place {
	uint16_t set;
	uint8_t way;
	bool is_dirty;
};

/* In the order of UNCORE_CORE_LOADS_L1D and what follows it. */
enum privcache_found { PRIVCACHE_IN_L1, PRIVCACHE_IN_L2, PRIVCACHE_OUTSIDE };

struct privcache {
	uint32_t l1d[PRIVCACHE_L1D_SETS][PRIVCACHE_L1D_WAYS];
	uint32_t l1i[PRIVCACHE_L1I_LINES]; /* set by set */
	/* In which order the ways of a set were used (lru.h). */
	uint32_t l1d_order[PRIVCACHE_L1D_SETS];
	uint32_t l1i_order[PRIVCACHE_L1I_MAX_SETS];
	struct privcache_shape shape; /* to be set by the owner at first */
	/* PREFETCH_* that are on; to be set by the owner at any time. */
	uint32_t prefetchers;
	/* How often the L1D or L1I lost a line or its dirt, and not to another
	 * line in its place. */
	uint32_t changes;
	/* Of the latest access: where its line is now, and where it was. */
	struct privcache_place latest;
	enum privcache_found found;
	/* Sets of the four latest lines that came into the L1D, a byte each. */
	uint32_t latest_sets;
	/* Lines that went from the L2 to an L1, or from the L1D to the L2; the
	 * owner takes them off. */
	uint32_t moves;
	/* Where the L1D's prefetchers have put lines with it; whatever was
	 * there before is not any more. */
	uint32_t num_ahead;
	struct privcache_place ahead[2];
	/* Prefetched from outside and not used since: 0, or the part of a
	 * line's number that its place does not tell, plus 1. */
	uint32_t fresh[PRIVCACHE_FRESH];
	struct prefetch prefetch;
	/* Whether prefetches are dropped; to be set up by the owner. */
	struct superqueue queue;
	/* By enum uncore_core_count; instructions are the owner's to count
	 * (privcache_retire()). */
	uint64_t counts[UNCORE_NUM_CORE_COUNTS];
	lru_bytes l2_order[PRIVCACHE_L2_MAX_SETS];
	uint32_t l2[PRIVCACHE_L2_MAX_LINES]; /* set by set */
};

enum privcache_use {
	PRIVCACHE_LOAD,
	PRIVCACHE_STORE,
	PRIVCACHE_FETCH,
	PRIVCACHE_WALK, /* a load of the page walker: no prefetcher sees it */
};

struct privcache_request {
	uint64_t line;	  /* physical address / 64 */
	uint8_t kind;	  /* enum uncore_access_kind */
	uint8_t prefetch; /* as in struct uncore_access */
	bool is_near;	  /* the same */
	bool is_walk;	  /* the same; for the owner to set */
	bool is_clean;	  /* the same */
	bool to_llc;	  /* the same */
};

/* Uses a line (physical address / 64) and returns how many requests leave the
 * core for it, stored in out[] in their order: if the line itself is asked for,
 * it comes first (READ, CODE, or OWN for a store that misses or that finds a
 * clean line), then victims (WRITEBACK). Clean lines leave silently, unless the
 * shape says otherwise: then one does not that is in none of the three any
 * more.
 * `code` is the address of the instruction, 0 where it is not known.
 *
 * Prefetchers that are on add requests behind these (READ, or CODE after a
 * fetch, with UNCORE_PREFETCH, and their victims), also where the line itself
 * was a hit; the lines are in the caches at once. The first use of such a line
 * comes first, with UNCORE_PREFETCH_USED: it asks for nothing, but the line may
 * still be under way. A front end may leave these out if it does not care about
 * time. Prefetches into the LLC (to_llc: READ, CODE, or OWN after a store)
 * leave the caches as they are. */
unsigned privcache_access(struct privcache *cache, uint64_t line,
			  enum privcache_use use, uint64_t code,
			  struct privcache_request out[PRIVCACHE_MAX_REQUESTS]);

/* The uncore takes a line away, or with `downgrade` only the right to write to
 * it. Returns whether the line was dirty; it is not any more. */
bool privcache_invalidate(struct privcache *cache, uint64_t line,
			  bool downgrade);

/* Whether the line is in the L1D, L1I or L2. */
bool privcache_holds(const struct privcache *cache, uint64_t line);

enum privcache_state { PRIVCACHE_NONE, PRIVCACHE_CLEAN, PRIVCACHE_DIRTY };

/* Whether any of the three holds the line, and whether it is dirty there. */
enum privcache_state privcache_state(const struct privcache *cache,
				     uint64_t line);

/* Whether a load finds the line in the L1D; if not, and if privcache_access()
 * then asks for nothing, it is the L2 that has it. */
bool privcache_is_near(const struct privcache *cache, uint64_t line);

/* Uses a line that is at this place (and dirty, if it is stored to) again, as
 * privcache_access() would, but with no eye of a prefetcher on it. */
static inline void privcache_use_again(struct privcache *cache, unsigned set,
				       unsigned way, enum privcache_use use)
{
	lru_use(use == PRIVCACHE_FETCH ? &cache->l1i_order[set]
				       : &cache->l1d_order[set],
		way);
}

/* An instruction has made the latest access, or a line of code was executed
 * from its begin to its end: counts it. */
static inline void privcache_retire(struct privcache *cache,
				    enum privcache_use use)
{
	if (use == PRIVCACHE_FETCH)
		cache->counts[UNCORE_CORE_L1I_READS] += PRIVCACHE_LINE_READS;
	else if (use == PRIVCACHE_LOAD)
		cache->counts[UNCORE_CORE_LOADS_L1D + cache->found]++;
	else if (use == PRIVCACHE_STORE)
		cache->counts[UNCORE_CORE_STORES]++;
}

/* All lines, set by set: returns how many of them stand in lines[], 0 when
 * there are no more. *at is 0 at first. Some come more than once. */
unsigned privcache_lines(const struct privcache *cache, unsigned *at,
			 uint64_t lines[PRIVCACHE_MAX_WAYS]);

/* The sets of the L1I and the L2. */
static inline unsigned privcache_l1i_sets(const struct privcache_shape *shape)
{
	return PRIVCACHE_L1I_LINES >> (shape->l1i_ways == 4 ? 2 : 3);
}

static inline unsigned privcache_l2_sets(const struct privcache_shape *shape)
{
	return 1u << shape->l2_set_shift;
}

/* Forgets all lines, dirty ones too, but not the shape, which prefetchers are
 * on, nor what was counted. */
void privcache_reset(struct privcache *cache);

#endif
