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
 *  4. The L2's prefetchers leave a line alone that any of the three has: the
 *     L1D may have it changed, and what the uncore has would be old.
 *
 * Simpler than the processor: a prefetched line has its place at once, as the
 * latest of its set; nothing keeps a prefetcher from asking. Left out: the fill
 * buffers, and the effect of stores on the L1I.
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

/* Four ways at once, in C that any compiler with vector extensions knows. */
typedef uint32_t lanes __attribute__((vector_size(16), aligned(4), may_alias));
typedef int32_t signed_lanes
	__attribute__((vector_size(16), aligned(4), may_alias));

/* Bit n of the result: way n of four holds the word. */
static inline unsigned match_four(const uint32_t *set, uint32_t word)
{
	lanes equal = (lanes)((*(const lanes *)set & ~(uint32_t)DIRTY) == word);
#ifdef __SSE2__
	typedef short shorts __attribute__((vector_size(16)));
	typedef char bytes __attribute__((vector_size(16)));
	shorts packed = __builtin_ia32_packssdw128((signed_lanes)equal,
						   (signed_lanes)equal);

	return (unsigned)__builtin_ia32_pmovmskb128(
		       (bytes)__builtin_ia32_packsswb128(packed, packed)) &
	       0xf;
#else
	return (equal[0] & 1) | (equal[1] & 2) | (equal[2] & 4) |
	       (equal[3] & 8);
#endif
}

/* The way that holds the line, or `ways` (4 or 8). No two ways hold it, nor
 * does an empty one. */
static inline unsigned find(const uint32_t *set, unsigned ways, uint32_t word)
{
	unsigned matches;

	if ((set[0] & ~(uint32_t)DIRTY) == word)
		return 0;
	matches = match_four(set, word) | 1U << ways;
	if (ways > 4)
		matches |= match_four(set + 4, word) << 4;
	return (unsigned)__builtin_ctz(matches);
}

/* Of four ways that begin with number `first` those up to `way` become what
 * `moved` has, the others stay. */
static inline void put_four(uint32_t *set, int first, int way, lanes moved)
{
	signed_lanes numbers = { first, first + 1, first + 2, first + 3 };
	lanes mask = (lanes)(numbers <= way);
	lanes *four = (lanes *)set;

	*four = (moved & mask) | (*four & ~mask);
}

/* `word` becomes the latest, ways 0 to way-1 move back by one. */
static inline void put_first(uint32_t *set, unsigned ways, unsigned way,
			     uint32_t word)
{
	lanes low = *(const lanes *)set;
	lanes moved = { word, low[0], low[1], low[2] };

	if (!way) {
		set[0] = word;
		return;
	}
	if (ways > 4) {
		lanes high = *(const lanes *)(set + 4);
		lanes moved_high = { low[3], high[0], high[1], high[2] };

		put_four(set + 4, 4, (int)way, moved_high);
	}
	put_four(set, 0, (int)way, moved);
}

/* The same where the last of eight ways has to go: all others move back. */
static inline void push_first(uint32_t *set, uint32_t word)
{
	lanes low = *(const lanes *)set;
	lanes high = *(const lanes *)(set + 3);

	*(lanes *)(set + 1) = low;
	*(lanes *)(set + 4) = high;
	set[0] = word;
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

	push_first(set, word_of(line, PRIVCACHE_L2_SETS) | dirty);
	if (!(victim & DIRTY))
		return 0;
	*out = (struct privcache_request){
		.line = line_of(victim, index, PRIVCACHE_L2_SETS),
		.kind = UNCORE_ACCESS_WRITEBACK,
	};
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
	put_first(set, PRIVCACHE_L2_WAYS, way, word);
	return true;
}

static unsigned request(struct privcache_request *out, uint64_t line,
			uint8_t kind)
{
	*out = (struct privcache_request){ .line = line, .kind = kind };
	return 1;
}

/* Where an access found its line. */
enum found { IN_L1, IN_L2, OUTSIDE };

static unsigned fetch(struct privcache *cache, uint64_t line, enum found *found,
		      struct privcache_request *out)
{
	uint32_t *set = cache->l1i[line % PRIVCACHE_L1I_SETS];
	uint32_t word = word_of(line, PRIVCACHE_L1I_SETS);
	unsigned way = find(set, PRIVCACHE_L1I_WAYS, word);
	unsigned n = 0;

	*found = IN_L1;
	if (way < PRIVCACHE_L1I_WAYS) {
		put_first(set, PRIVCACHE_L1I_WAYS, way, word);
		return 0;
	}
	*found = IN_L2;
	if (!l2_use(cache, line, NULL)) {
		*found = OUTSIDE;
		n = request(out, line, UNCORE_ACCESS_CODE);
		n += l2_insert(cache, line, 0, out + n);
	}
	put_first(set, PRIVCACHE_L1I_WAYS, PRIVCACHE_L1I_WAYS - 1, word);
	return n;
}

/* A load or store that is not in the L1D: the line comes from the L2 or from
 * outside, and the L1D's oldest line makes room. */
static inline unsigned fill(struct privcache *cache, uint64_t line, bool store,
			    enum found *found, struct privcache_request *out)
{
	unsigned index = line % PRIVCACHE_L1D_SETS;
	uint32_t *set = cache->l1d[index];
	uint32_t victim = set[PRIVCACHE_L1D_WAYS - 1];
	uint32_t dirty = 0;
	unsigned n = 0;

	*found = IN_L2;
	if (!l2_use(cache, line, &dirty)) {
		*found = OUTSIDE;
		n = request(out, line,
			    store ? UNCORE_ACCESS_OWN : UNCORE_ACCESS_READ);
		n += l2_insert(cache, line, 0, out + n);
	} else if (store && !dirty) {
		n = request(out, line, UNCORE_ACCESS_OWN);
	}
	if (store)
		dirty = DIRTY;
	push_first(set, word_of(line, PRIVCACHE_L1D_SETS) | dirty);
	if (victim & DIRTY)
		n += l2_write_back(cache,
				   line_of(victim, index, PRIVCACHE_L1D_SETS),
				   out + n);
	return n;
}

static inline unsigned use_line(struct privcache *cache, uint64_t line,
				enum privcache_use use, enum found *found,
				struct privcache_request *out)
{
	uint32_t *set = cache->l1d[line % PRIVCACHE_L1D_SETS];
	unsigned way;
	uint32_t word;

	if (use == PRIVCACHE_FETCH)
		return fetch(cache, line, found, out);
	way = find(set, PRIVCACHE_L1D_WAYS, word_of(line, PRIVCACHE_L1D_SETS));
	if (way == PRIVCACHE_L1D_WAYS)
		return fill(cache, line, use == PRIVCACHE_STORE, found, out);
	*found = IN_L1;
	word = set[way];
	if (use != PRIVCACHE_STORE || (word & DIRTY)) {
		put_first(set, PRIVCACHE_L1D_WAYS, way, word);
		return 0;
	}
	put_first(set, PRIVCACHE_L1D_WAYS, way, word | DIRTY);
	return request(out, line, UNCORE_ACCESS_OWN);
}

/* Prefetchers */

static uint32_t *fresh_place(struct privcache *cache, uint64_t line)
{
	return &cache->fresh[line % PRIVCACHE_FRESH];
}

static uint32_t fresh_word(uint64_t line)
{
	return (uint32_t)(line / PRIVCACHE_FRESH) + 1;
}

/* A line is asked for that nobody waits for. */
static void mark_prefetch(struct privcache *cache,
			  struct privcache_request *asked)
{
	asked->prefetch = UNCORE_PREFETCH;
	*fresh_place(cache, asked->line) = fresh_word(asked->line);
}

/* The first use of a prefetched line, unless the line is asked for anyway. */
static unsigned use_fresh(struct privcache *cache, uint64_t line,
			  enum privcache_use use, unsigned n,
			  struct privcache_request *out)
{
	uint32_t *place = fresh_place(cache, line);

	if (*place != fresh_word(line))
		return n;
	*place = 0;
	if (n && out[0].kind != UNCORE_ACCESS_WRITEBACK)
		return n;
	for (unsigned i = n; i; i--)
		out[i] = out[i - 1];
	request(out, line,
		use == PRIVCACHE_FETCH ? UNCORE_ACCESS_CODE
				       : UNCORE_ACCESS_READ);
	out[0].prefetch = UNCORE_PREFETCH_USED;
	return n + 1;
}

/* The L2 has been looked up; `missed`: in vain. */
static unsigned prefetch_l2(struct privcache *cache, uint64_t line, bool missed,
			    uint8_t kind, struct privcache_request *out)
{
	uint64_t lines[PREFETCH_PER_LOOKUP + 1];
	unsigned num = 0, n = 0;

	if (missed && (cache->prefetchers & PREFETCH_ADJACENT))
		lines[num++] = prefetch_adjacent(line);
	if (cache->prefetchers & PREFETCH_STREAMER)
		num += prefetch_stream(&cache->prefetch, line, lines + num);
	for (unsigned i = 0; i < num; i++) {
		if (privcache_holds(cache, lines[i]))
			continue;
		n += request(out + n, lines[i], kind);
		mark_prefetch(cache, &out[n - 1]);
		n += l2_insert(cache, lines[i], 0, out + n);
	}
	return n;
}

/* A line is to come into the L1D (0: none). */
static unsigned prefetch_l1(struct privcache *cache, uint64_t line,
			    struct privcache_request *out)
{
	enum found found;
	unsigned n;

	if (!line || privcache_is_near(cache, line))
		return 0;
	n = fill(cache, line, false, &found, out);
	if (found == OUTSIDE)
		mark_prefetch(cache, &out[0]);
	return n + prefetch_l2(cache, line, found == OUTSIDE,
			       UNCORE_ACCESS_READ, out + n);
}

/* What the prefetchers make of an access. */
static unsigned prefetch(struct privcache *cache, uint64_t line,
			 enum privcache_use use, uint64_t code,
			 enum found found, struct privcache_request *out)
{
	unsigned n = 0;

	if (found != IN_L1)
		n = prefetch_l2(cache, line, found == OUTSIDE,
				use == PRIVCACHE_FETCH ? UNCORE_ACCESS_CODE
						       : UNCORE_ACCESS_READ,
				out);
	if (use != PRIVCACHE_LOAD)
		return n;
	if (cache->prefetchers & PREFETCH_NEXT_LINE)
		n += prefetch_l1(cache,
				 prefetch_next_line(&cache->prefetch, line),
				 out + n);
	if (cache->prefetchers & PREFETCH_STRIDE)
		n += prefetch_l1(cache,
				 prefetch_stride(&cache->prefetch, line, code),
				 out + n);
	return n;
}

unsigned privcache_access(struct privcache *cache, uint64_t line,
			  enum privcache_use use, uint64_t code,
			  struct privcache_request out[PRIVCACHE_MAX_REQUESTS])
{
	enum found found;
	unsigned n = use_line(cache, line, use, &found, out);

	cache->was_near = found == IN_L1;
	if (!cache->prefetchers)
		return n;
	n = use_fresh(cache, line, use, n, out);
	if (use == PRIVCACHE_WALK)
		return n;
	return n + prefetch(cache, line, use, code, found, out + n);
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

/* The dirt is the L1D's if it has the line, else the L2's; the L1I has none. */
enum privcache_state privcache_state(const struct privcache *cache,
				     uint64_t line)
{
	const uint32_t *l1d = cache->l1d[line % PRIVCACHE_L1D_SETS];
	const uint32_t *l2 = cache->l2[line % PRIVCACHE_L2_SETS];
	unsigned way = find(l1d, PRIVCACHE_L1D_WAYS,
			    word_of(line, PRIVCACHE_L1D_SETS));

	if (way < PRIVCACHE_L1D_WAYS)
		return l1d[way] & DIRTY ? PRIVCACHE_DIRTY : PRIVCACHE_CLEAN;
	way = find(l2, PRIVCACHE_L2_WAYS, word_of(line, PRIVCACHE_L2_SETS));
	if (way < PRIVCACHE_L2_WAYS)
		return l2[way] & DIRTY ? PRIVCACHE_DIRTY : PRIVCACHE_CLEAN;
	return privcache_holds(cache, line) ? PRIVCACHE_CLEAN : PRIVCACHE_NONE;
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
				lines[num++] = line_of(
					ways[set * num_ways + way], set, sets);
	}
	return num;
}

void privcache_reset(struct privcache *cache)
{
	uint32_t prefetchers = cache->prefetchers;

	memset(cache, 0, sizeof(*cache));
	cache->prefetchers = prefetchers;
}
