/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * L1I, L1D and L2 of one core.
 *
 * The L2 includes neither L1, as in the processor. Invariants:
 *  1. A line is dirty in at most one place: in the L1D if it is there, else in
 *     the L2. (A line that moves up takes its dirt along.)
 *  2. A dirty line that leaves the L1D goes to the L2; one that leaves the L2
 * is in no cache of this core any more and is a WRITEBACK.
 *  3. A core may write to a line without asking while the line is dirty. The
 *     first store to a clean line therefore asks (OWN), even where the uncore
 *     has granted it exclusively: the uncore knows, this file does not.
 *
 * Left out: prefetchers, the fill buffers, and the effect of stores on the L1I.
 */
#include "model/box/privcache.h"

#include <string.h>

#include "uncore/model.h"

/* A way is 0 when empty, else its tag and these two bits. */
enum {
	VALID = 1,
	DIRTY = 2,
	TAG_SHIFT = 2,
};

static inline uint32_t word_of(uint64_t line, unsigned sets)
{
	return (uint32_t)(line / sets) << TAG_SHIFT | VALID;
}

static inline uint64_t line_of(uint32_t word, unsigned set, unsigned sets)
{
	return (uint64_t)(word >> TAG_SHIFT) * sets + set;
}

/* The way that holds the line, or `ways`. */
static inline unsigned find(const uint32_t *set, unsigned ways, uint32_t word)
{
	unsigned way;

	for (way = 0; way < ways; way++)
		if ((set[way] & ~(uint32_t)DIRTY) == word)
			break;
	return way;
}

/* `word` becomes the latest, ways 0 to way-1 move back by one. Carried along
 * one by one: of a copying loop compilers make a library call, which costs
 * more. */
static inline void put_first(uint32_t *set, unsigned way, uint32_t word)
{
	for (unsigned i = 0; i <= way; i++) {
		uint32_t moved = set[i];

		set[i] = word;
		word = moved;
	}
}

static inline void remove_way(uint32_t *set, unsigned ways, unsigned way)
{
	for (; way + 1 < ways; way++)
		set[way] = set[way + 1];
	set[ways - 1] = 0;
}

/* A line that was fetched, too, leaves the L1I when it is written back. */
static void forget_code(struct privcache *cache, uint64_t line)
{
	uint32_t *set = cache->l1i[line % PRIVCACHE_L1I_SETS];
	unsigned way = find(set, PRIVCACHE_L1I_WAYS,
			    word_of(line, PRIVCACHE_L1I_SETS));

	if (way < PRIVCACHE_L1I_WAYS)
		remove_way(set, PRIVCACHE_L1I_WAYS, way);
}

/* Puts a line that is not there into the L2; a dirty victim is a request. */
static unsigned l2_insert(struct privcache *cache, uint64_t line,
			  uint32_t dirty, struct privcache_request *out)
{
	unsigned index = line % PRIVCACHE_L2_SETS;
	uint32_t *set = cache->l2[index];
	uint32_t victim = set[PRIVCACHE_L2_WAYS - 1];

	put_first(set, PRIVCACHE_L2_WAYS - 1,
		  word_of(line, PRIVCACHE_L2_SETS) | dirty);
	if (!(victim & DIRTY))
		return 0;
	out->line = line_of(victim, index, PRIVCACHE_L2_SETS);
	out->kind = UNCORE_ACCESS_WRITEBACK;
	forget_code(cache, out->line);
	return 1;
}

/* A dirty line comes down from the L1D. */
static unsigned l2_write_back(struct privcache *cache, uint64_t line,
			      struct privcache_request *out)
{
	uint32_t *set = cache->l2[line % PRIVCACHE_L2_SETS];
	unsigned way =
		find(set, PRIVCACHE_L2_WAYS, word_of(line, PRIVCACHE_L2_SETS));

	if (way == PRIVCACHE_L2_WAYS)
		return l2_insert(cache, line, DIRTY, out);
	set[way] |= DIRTY;
	return 0;
}

/* Looks a line up for an L1. True when it was there; the dirt moves up into
 * *dirty if the caller takes it. */
static bool l2_use(struct privcache *cache, uint64_t line, uint32_t *dirty)
{
	uint32_t *set = cache->l2[line % PRIVCACHE_L2_SETS];
	unsigned way =
		find(set, PRIVCACHE_L2_WAYS, word_of(line, PRIVCACHE_L2_SETS));
	uint32_t word;

	if (way == PRIVCACHE_L2_WAYS)
		return false;
	word = set[way];
	if (dirty) {
		*dirty = word & DIRTY;
		word &= ~(uint32_t)DIRTY;
	}
	put_first(set, way, word);
	return true;
}

static unsigned request(struct privcache_request *out, uint64_t line,
			uint8_t kind)
{
	out->line = line;
	out->kind = kind;
	return 1;
}

static unsigned fetch(struct privcache *cache, uint64_t line,
		      struct privcache_request *out)
{
	uint32_t *set = cache->l1i[line % PRIVCACHE_L1I_SETS];
	uint32_t word = word_of(line, PRIVCACHE_L1I_SETS);
	unsigned way = find(set, PRIVCACHE_L1I_WAYS, word);
	unsigned n = 0;

	if (way < PRIVCACHE_L1I_WAYS) {
		put_first(set, way, word);
		return 0;
	}
	if (!l2_use(cache, line, NULL)) {
		n = request(out, line, UNCORE_ACCESS_CODE);
		n += l2_insert(cache, line, 0, out + n);
	}
	put_first(set, PRIVCACHE_L1I_WAYS - 1, word);
	return n;
}

/* A load or store that is not in the L1D: the line comes from the L2 or from
 * outside, and the L1D's oldest line makes room. */
static unsigned fill(struct privcache *cache, uint64_t line, bool store,
		     struct privcache_request *out)
{
	unsigned index = line % PRIVCACHE_L1D_SETS;
	uint32_t *set = cache->l1d[index];
	uint32_t victim = set[PRIVCACHE_L1D_WAYS - 1];
	uint32_t dirty = 0;
	unsigned n = 0;

	if (!l2_use(cache, line, &dirty)) {
		n = request(out, line,
			    store ? UNCORE_ACCESS_OWN : UNCORE_ACCESS_READ);
		n += l2_insert(cache, line, 0, out + n);
	} else if (store && !dirty) {
		n = request(out, line, UNCORE_ACCESS_OWN);
	}
	if (store)
		dirty = DIRTY;
	put_first(set, PRIVCACHE_L1D_WAYS - 1,
		  word_of(line, PRIVCACHE_L1D_SETS) | dirty);
	if (victim & DIRTY)
		n += l2_write_back(cache,
				   line_of(victim, index, PRIVCACHE_L1D_SETS),
				   out + n);
	return n;
}

unsigned privcache_access(struct privcache *cache, uint64_t line,
			  enum privcache_use use,
			  struct privcache_request out[PRIVCACHE_MAX_REQUESTS])
{
	uint32_t *set = cache->l1d[line % PRIVCACHE_L1D_SETS];
	unsigned way;
	uint32_t word;

	if (use == PRIVCACHE_FETCH)
		return fetch(cache, line, out);
	way = find(set, PRIVCACHE_L1D_WAYS, word_of(line, PRIVCACHE_L1D_SETS));
	if (way == PRIVCACHE_L1D_WAYS)
		return fill(cache, line, use == PRIVCACHE_STORE, out);
	word = set[way];
	if (use == PRIVCACHE_LOAD || (word & DIRTY)) {
		put_first(set, way, word);
		return 0;
	}
	put_first(set, way, word | DIRTY);
	return request(out, line, UNCORE_ACCESS_OWN);
}

/* Takes a line or its dirt out of one set; returns whether it was dirty. */
static bool take(uint32_t *set, unsigned ways, uint32_t word, bool downgrade)
{
	unsigned way = find(set, ways, word);
	bool dirty;

	if (way == ways)
		return false;
	dirty = set[way] & DIRTY;
	if (downgrade)
		set[way] &= ~(uint32_t)DIRTY;
	else
		remove_way(set, ways, way);
	return dirty;
}

bool privcache_invalidate(struct privcache *cache, uint64_t line,
			  bool downgrade)
{
	bool dirty =
		take(cache->l1d[line % PRIVCACHE_L1D_SETS], PRIVCACHE_L1D_WAYS,
		     word_of(line, PRIVCACHE_L1D_SETS), downgrade);

	dirty |= take(cache->l2[line % PRIVCACHE_L2_SETS], PRIVCACHE_L2_WAYS,
		      word_of(line, PRIVCACHE_L2_SETS), downgrade);
	take(cache->l1i[line % PRIVCACHE_L1I_SETS], PRIVCACHE_L1I_WAYS,
	     word_of(line, PRIVCACHE_L1I_SETS), downgrade);
	return dirty;
}

bool privcache_holds(const struct privcache *cache, uint64_t line)
{
	return find(cache->l1d[line % PRIVCACHE_L1D_SETS], PRIVCACHE_L1D_WAYS,
		    word_of(line, PRIVCACHE_L1D_SETS)) < PRIVCACHE_L1D_WAYS ||
	       find(cache->l1i[line % PRIVCACHE_L1I_SETS], PRIVCACHE_L1I_WAYS,
		    word_of(line, PRIVCACHE_L1I_SETS)) < PRIVCACHE_L1I_WAYS ||
	       find(cache->l2[line % PRIVCACHE_L2_SETS], PRIVCACHE_L2_WAYS,
		    word_of(line, PRIVCACHE_L2_SETS)) < PRIVCACHE_L2_WAYS;
}

bool privcache_is_near(const struct privcache *cache, uint64_t line)
{
	return find(cache->l1d[line % PRIVCACHE_L1D_SETS], PRIVCACHE_L1D_WAYS,
		    word_of(line, PRIVCACHE_L1D_SETS)) < PRIVCACHE_L1D_WAYS;
}

bool privcache_is_recent_dirty(const struct privcache *cache, uint64_t line)
{
	return cache->l1d[line % PRIVCACHE_L1D_SETS][0] ==
	       (word_of(line, PRIVCACHE_L1D_SETS) | DIRTY);
}

unsigned privcache_lines(const struct privcache *cache, unsigned *at,
			 uint64_t lines[8])
{
	unsigned num = 0;

	while (!num && *at < PRIVCACHE_L1D_SETS + PRIVCACHE_L1I_SETS +
				     PRIVCACHE_L2_SETS) {
		const uint32_t *ways = cache->l1d[0];
		unsigned sets = PRIVCACHE_L1D_SETS;
		unsigned num_ways = PRIVCACHE_L1D_WAYS;
		unsigned set = (*at)++;

		if (set >= PRIVCACHE_L1D_SETS + PRIVCACHE_L1I_SETS) {
			set -= PRIVCACHE_L1D_SETS + PRIVCACHE_L1I_SETS;
			ways = cache->l2[0];
			sets = PRIVCACHE_L2_SETS;
			num_ways = PRIVCACHE_L2_WAYS;
		} else if (set >= PRIVCACHE_L1D_SETS) {
			set -= PRIVCACHE_L1D_SETS;
			ways = cache->l1i[0];
			sets = PRIVCACHE_L1I_SETS;
			num_ways = PRIVCACHE_L1I_WAYS;
		}
		for (unsigned way = 0; way < num_ways; way++)
			if (ways[set * num_ways + way])
				lines[num++] =
					line_of(ways[set * num_ways + way], set,
						sets);
	}
	return num;
}

void privcache_reset(struct privcache *cache)
{
	memset(cache, 0, sizeof(*cache));
}
