/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * L1I, L1D and L2 of one core.
 *
 * The L2 includes neither L1, as in the processor. Invariants:
 *  1. A line is dirty in at most one place: in the L1D if it is there, else in
 *     the L2. (A line that moves up takes its dirt along.)
 *  2. A dirty line that leaves the L1D goes to the L2; one that leaves the L2
 *     is in no cache of this core any more and is a WRITEBACK. So is a clean
 *     one that leaves the L2 and is in no L1, where the uncore is told of it.
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

/* A way is 0 when empty, else its tag and these two bits. */
enum {
	VALID = 1,
	DIRTY = 2,
	TAG_SHIFT = 2,
};

enum { L1D_SHIFT = 6 };

_Static_assert(1 << L1D_SHIFT == PRIVCACHE_L1D_SETS, "sets of the L1D");

static inline unsigned l1i_shift(const struct privcache *cache)
{
	return cache->shape.l1i_ways == 4 ? 7 : 6;
}

static inline unsigned l2_shift(const struct privcache *cache)
{
	return cache->shape.l2_set_shift;
}

/* In a cache of 1 << shift sets. */
static inline uint32_t word_of(uint64_t line, unsigned shift)
{
	return (uint32_t)(line >> shift) << TAG_SHIFT | VALID;
}

static inline uint64_t line_of(uint32_t word, uint64_t set, unsigned shift)
{
	return (uint64_t)(word >> TAG_SHIFT) << shift | set;
}

static inline unsigned set_of(uint64_t line, unsigned shift)
{
	return line & ((1u << shift) - 1);
}

/* A set of one of the three caches; the L2's order is the wide one. */
struct set {
	uint32_t *words, *order;
	lru_bytes *wide;
	unsigned ways;
};

static inline struct set l1d_set(struct privcache *cache, uint64_t line)
{
	unsigned set = set_of(line, L1D_SHIFT);

	return (struct set){ cache->l1d[set], &cache->l1d_order[set], NULL,
			     PRIVCACHE_L1D_WAYS };
}

static inline struct set l1i_set(struct privcache *cache, uint64_t line)
{
	unsigned set = set_of(line, l1i_shift(cache));
	unsigned ways = cache->shape.l1i_ways;

	return (struct set){ &cache->l1i[set * ways], &cache->l1i_order[set],
			     NULL, ways };
}

static inline struct set l2_set(struct privcache *cache, uint64_t line)
{
	unsigned set = set_of(line, l2_shift(cache));
	unsigned ways = cache->shape.l2_ways;

	return (struct set){ &cache->l2[set * ways], NULL,
			     &cache->l2_order[set], ways };
}

/* The way that holds the line, or the number of ways. No two ways hold it, nor
 * does an empty one. */
static inline unsigned find(struct set set, uint32_t word)
{
	unsigned match = lru_match(set.words, word, ~(uint32_t)DIRTY,
				   set.ways < 8 ? 4 : 8);

	if (set.ways > 8)
		match |= lru_match(set.words + 8, word, ~(uint32_t)DIRTY, 8)
			 << 8;
	return (unsigned)__builtin_ctz(match | 1u << set.ways);
}

static inline void use_way(struct set set, unsigned way)
{
	if (set.wide)
		lru_use_wide(set.wide, way);
	else
		lru_use(set.order, way);
}

static inline unsigned renew_oldest(struct set set)
{
	return set.wide ? lru_renew_oldest_wide(set.wide, set.ways)
			: lru_renew_oldest(set.order, set.ways);
}

/* `word` takes the place of the oldest line, which is returned. */
static inline uint32_t insert(struct set set, uint32_t word)
{
	unsigned way = renew_oldest(set);
	uint32_t victim = set.words[way];

	set.words[way] = word;
	return victim;
}

static inline void remove_way(struct set set, unsigned way)
{
	set.words[way] = 0;
	if (set.wide)
		lru_retire_wide(set.wide, way, set.ways);
	else
		lru_retire(set.order, way, set.ways);
}

/* What the L1D, the L1I and the L2 have of a line, 0: nothing. */
static uint32_t in_l1d(const struct privcache *cache, uint64_t line)
{
	struct set set = l1d_set((struct privcache *)cache, line);
	unsigned way = find(set, word_of(line, L1D_SHIFT));

	return way < set.ways ? set.words[way] : 0;
}

static uint32_t in_l1i(const struct privcache *cache, uint64_t line)
{
	struct set set = l1i_set((struct privcache *)cache, line);
	unsigned way = find(set, word_of(line, l1i_shift(cache)));

	return way < set.ways ? set.words[way] : 0;
}

static uint32_t in_l2(const struct privcache *cache, uint64_t line)
{
	struct set set = l2_set((struct privcache *)cache, line);
	unsigned way = find(set, word_of(line, l2_shift(cache)));

	return way < set.ways ? set.words[way] : 0;
}

/* A line that was fetched, too, leaves the L1I when it is written back. */
static void forget_code(struct privcache *cache, uint64_t line)
{
	struct set set = l1i_set(cache, line);
	unsigned way = find(set, word_of(line, l1i_shift(cache)));

	if (way == set.ways)
		return;
	remove_way(set, way);
	cache->changes++;
}

/* A clean line, the victim of another one of its set, has left a cache of
 * 1 << shift sets: a request, unless one of the others has it. */
static __attribute__((noinline)) unsigned
tell_clean(const struct privcache *cache, uint32_t victim, uint64_t other,
	   unsigned shift, struct privcache_request *out)
{
	uint64_t line = line_of(victim, set_of(other, shift), shift);

	if (in_l1d(cache, line) || in_l1i(cache, line) || in_l2(cache, line))
		return 0;
	*out = (struct privcache_request){
		.line = line,
		.kind = UNCORE_ACCESS_WRITEBACK,
		.is_clean = true,
	};
	return 1;
}

/* Puts a line that is not there into the L2; a dirty victim is a request, and a
 * clean one where the uncore is told of it. `count` is where clean victims are
 * counted; dirty ones are behind it. */
static __attribute__((noinline)) unsigned
l2_insert(struct privcache *cache, uint64_t line, uint32_t dirty,
	  enum uncore_core_count count, struct privcache_request *out)
{
	uint32_t victim = insert(l2_set(cache, line),
				 word_of(line, l2_shift(cache)) | dirty);

	if (!(victim & DIRTY)) {
		cache->counts[count] += victim != 0;
		if (!cache->shape.tells_clean || !victim)
			return 0;
		return tell_clean(cache, victim, line, l2_shift(cache), out);
	}
	cache->counts[count + 1]++;
	*out = (struct privcache_request){
		.line = line_of(victim, set_of(line, l2_shift(cache)),
				l2_shift(cache)),
		.kind = UNCORE_ACCESS_WRITEBACK,
	};
	forget_code(cache, out->line);
	return 1;
}

/* A dirty line comes down from the L1D. */
static unsigned l2_write_back(struct privcache *cache, uint64_t line,
			      struct privcache_request *out)
{
	struct set set = l2_set(cache, line);
	unsigned way = find(set, word_of(line, l2_shift(cache)));

	if (way == set.ways)
		return l2_insert(cache, line, DIRTY, UNCORE_CORE_L2_OUT_CLEAN,
				 out);
	set.words[way] |= DIRTY;
	return 0;
}

/* Looks a line up for an L1. True when it was there; the dirt moves up into
 * *dirty if the caller takes it. */
static inline bool l2_use(struct privcache *cache, uint64_t line,
			  uint32_t *dirty)
{
	struct set set = l2_set(cache, line);
	unsigned way = find(set, word_of(line, l2_shift(cache)));

	if (way == set.ways)
		return false;
	if (dirty) {
		*dirty = set.words[way] & DIRTY;
		set.words[way] &= ~(uint32_t)DIRTY;
	}
	use_way(set, way);
	return true;
}

static unsigned request(struct privcache_request *out, uint64_t line,
			uint8_t kind)
{
	*out = (struct privcache_request){ .line = line, .kind = kind };
	return 1;
}

/* The line that was used last lies there. */
static inline void note(struct privcache *cache, uint64_t line, unsigned shift,
			unsigned way, uint32_t word)
{
	cache->latest.set = (uint16_t)set_of(line, shift);
	cache->latest.way = (uint8_t)way;
	cache->latest.is_dirty = word & DIRTY;
}

static __attribute__((noinline)) unsigned
fetch(struct privcache *cache, uint64_t line, struct privcache_request *out)
{
	struct set set = l1i_set(cache, line);
	uint32_t word = word_of(line, l1i_shift(cache)), victim;
	unsigned way = find(set, word);
	unsigned n = 0;

	cache->found = PRIVCACHE_IN_L1;
	if (way < set.ways) {
		use_way(set, way);
		note(cache, line, l1i_shift(cache), way, word);
		return 0;
	}
	if (l2_use(cache, line, NULL)) {
		cache->found = PRIVCACHE_IN_L2;
		cache->counts[UNCORE_CORE_L2_CODE_HITS]++;
	} else {
		cache->found = PRIVCACHE_OUTSIDE;
		cache->counts[UNCORE_CORE_L2_CODE_MISSES]++;
		n = request(out, line, UNCORE_ACCESS_CODE);
		n += l2_insert(cache, line, 0, UNCORE_CORE_L2_OUT_CLEAN,
			       out + n);
	}
	cache->moves++;
	way = renew_oldest(set);
	victim = set.words[way];
	set.words[way] = word;
	note(cache, line, l1i_shift(cache), way, word);
	if (cache->shape.tells_clean && victim)
		n += tell_clean(cache, victim, line, l1i_shift(cache), out + n);
	return n;
}

/* Whether two of the four latest sets are this one: of a byte that is equal the
 * highest bit stays 0. */
static inline void count_fill(struct privcache *cache, uint32_t set)
{
	uint32_t differ = cache->latest_sets ^ set * 0x01010101;
	uint32_t same = ~(differ + 0x7f7f7f7f) & 0x80808080;

	cache->counts[UNCORE_CORE_L1D_FILLS]++;
	cache->counts[UNCORE_CORE_L1D_CROWDED_FILLS] +=
		(same & (same - 1)) != 0;
	cache->latest_sets = cache->latest_sets << 8 | set;
}

/* The line comes into the L1D, whose oldest line makes room. */
static inline unsigned put_near(struct privcache *cache, uint64_t line,
				uint32_t dirty, struct privcache_request *out)
{
	struct set set = l1d_set(cache, line);
	unsigned way = renew_oldest(set);
	uint32_t victim = set.words[way];

	count_fill(cache, set_of(line, L1D_SHIFT));
	set.words[way] = word_of(line, L1D_SHIFT) | dirty;
	note(cache, line, L1D_SHIFT, way, set.words[way]);
	cache->moves++;
	if (!(victim & DIRTY)) {
		if (!cache->shape.tells_clean || !victim)
			return 0;
		return tell_clean(cache, victim, line, L1D_SHIFT, out);
	}
	cache->moves++;
	cache->counts[UNCORE_CORE_L1D_DIRTY_VICTIMS]++;
	return l2_write_back(
		cache, line_of(victim, set_of(line, L1D_SHIFT), L1D_SHIFT),
		out);
}

static __attribute__((noinline)) unsigned
fill_from_outside(struct privcache *cache, uint64_t line, bool store,
		  struct privcache_request *out)
{
	unsigned n = request(out, line,
			     store ? UNCORE_ACCESS_OWN : UNCORE_ACCESS_READ);

	cache->found = PRIVCACHE_OUTSIDE;
	cache->counts[store ? UNCORE_CORE_L2_RFO_MISSES
			    : UNCORE_CORE_L2_LOAD_MISSES]++;
	n += l2_insert(cache, line, 0, UNCORE_CORE_L2_OUT_CLEAN, out + n);
	return n + put_near(cache, line, store ? DIRTY : 0, out + n);
}

/* `dirty`: what the L2 had of it. */
static inline unsigned fill_from_l2(struct privcache *cache, uint64_t line,
				    bool store, uint32_t dirty,
				    struct privcache_request *out)
{
	unsigned n = 0;

	cache->found = PRIVCACHE_IN_L2;
	cache->counts[store ? UNCORE_CORE_L2_RFO_HITS
			    : UNCORE_CORE_L2_LOAD_HITS]++;
	if (dirty)
		cache->counts[UNCORE_CORE_L1D_DIRTY_FILLS]++;
	if (store && !dirty)
		n = request(out, line, UNCORE_ACCESS_OWN);
	return n + put_near(cache, line, store ? DIRTY : dirty, out + n);
}

/* A load or store that is not in the L1D. */
static inline unsigned fill(struct privcache *cache, uint64_t line, bool store,
			    struct privcache_request *out)
{
	uint32_t dirty = 0;

	return l2_use(cache, line, &dirty)
		       ? fill_from_l2(cache, line, store, dirty, out)
		       : fill_from_outside(cache, line, store, out);
}

static inline unsigned use_line(struct privcache *cache, uint64_t line,
				enum privcache_use use,
				struct privcache_request *out)
{
	struct set set = l1d_set(cache, line);
	uint32_t word;
	unsigned way;

	if (use == PRIVCACHE_FETCH)
		return fetch(cache, line, out);
	way = find(set, word_of(line, L1D_SHIFT));
	if (way == set.ways)
		return fill(cache, line, use == PRIVCACHE_STORE, out);
	cache->found = PRIVCACHE_IN_L1;
	use_way(set, way);
	word = set.words[way];
	if (use == PRIVCACHE_STORE)
		set.words[way] |= DIRTY;
	note(cache, line, L1D_SHIFT, way, set.words[way]);
	if (use != PRIVCACHE_STORE || (word & DIRTY))
		return 0;
	request(out, line, UNCORE_ACCESS_OWN);
	out->is_near = true;
	return 1;
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
	superqueue_use(&cache->queue, line);
	for (unsigned i = n; i; i--)
		out[i] = out[i - 1];
	request(out, line,
		use == PRIVCACHE_FETCH ? UNCORE_ACCESS_CODE
				       : UNCORE_ACCESS_READ);
	out[0].prefetch = UNCORE_PREFETCH_USED;
	out[0].is_near = cache->found == PRIVCACHE_IN_L1;
	return n + 1;
}

/* Whether a line is for the LLC alone, as it is far from the one looked up. */
static bool is_far(const struct privcache *cache, uint64_t line, uint64_t other)
{
	uint64_t lines = line > other ? line - other : other - line;

	return cache->shape.llc_ahead && lines > cache->shape.llc_ahead;
}

/* Prefetchers of the L2 want these lines, behind a look-up of one. Of a store's
 * stream the L2 gets lines to read, the LLC those to write to. */
static __attribute__((noinline)) unsigned
ask_ahead(struct privcache *cache, uint64_t line, const uint64_t *lines,
	  unsigned num, uint8_t kind, struct privcache_request *out)
{
	uint8_t near_kind =
		kind == UNCORE_ACCESS_OWN ? UNCORE_ACCESS_READ : kind;
	unsigned n = 0;

	for (unsigned i = 0; i < num; i++) {
		if (privcache_holds(cache, lines[i])) {
			cache->counts[UNCORE_CORE_L2_PREFETCH_HITS]++;
			continue;
		}
		if (!superqueue_prefetch(&cache->queue, lines[i]))
			continue;
		cache->counts[UNCORE_CORE_L2_PREFETCH_MISSES]++;
		if (is_far(cache, lines[i], line)) {
			n += request(out + n, lines[i], kind);
			out[n - 1].prefetch = UNCORE_PREFETCH;
			out[n - 1].to_llc = true;
			continue;
		}
		n += request(out + n, lines[i], near_kind);
		mark_prefetch(cache, &out[n - 1]);
		n += l2_insert(cache, lines[i], 0,
			       UNCORE_CORE_L2_OUT_PREFETCH_CLEAN, out + n);
	}
	return n;
}

/* Whether there is a line that the stream was far from and is near to now. */
static bool comes_near(const struct privcache *cache, uint64_t line,
		       uint64_t *other)
{
	if (!cache->shape.llc_ahead)
		return false;
	*other = prefetch_near(&cache->prefetch, line, cache->shape.llc_ahead);
	return *other;
}

/* The L2 has been looked up; `missed`: in vain. */
static inline unsigned prefetch_l2(struct privcache *cache, uint64_t line,
				   bool missed, uint8_t kind,
				   struct privcache_request *out)
{
	uint64_t lines[PREFETCH_PER_LOOKUP + 2];
	unsigned num = 0;

	if (missed && (cache->prefetchers & PREFETCH_ADJACENT))
		lines[num++] = prefetch_adjacent(line);
	if (cache->prefetchers & PREFETCH_STREAMER) {
		num += comes_near(cache, line, lines + num);
		num += prefetch_stream(&cache->prefetch, line, lines + num);
	}
	return num ? ask_ahead(cache, line, lines, num, kind, out) : 0;
}

/* A line is to come into the L1D. */
static __attribute__((noinline)) unsigned
prefetch_l1(struct privcache *cache, uint64_t line,
	    struct privcache_request *out)
{
	uint32_t dirty = 0;
	unsigned n;

	if (privcache_is_near(cache, line))
		return 0;
	if (l2_use(cache, line, &dirty))
		n = fill_from_l2(cache, line, false, dirty, out);
	else if (superqueue_prefetch(&cache->queue, line))
		n = fill_from_outside(cache, line, false, out);
	else
		return 0;
	cache->ahead[cache->num_ahead++] = cache->latest;
	if (cache->found == PRIVCACHE_OUTSIDE) {
		mark_prefetch(cache, &out[0]);
		out[0].is_near = true;
	}
	return n + prefetch_l2(cache, line, cache->found == PRIVCACHE_OUTSIDE,
			       UNCORE_ACCESS_READ, out + n);
}

/* What the L1D's prefetchers make of a load. */
static inline unsigned prefetch_for_load(struct privcache *cache, uint64_t line,
					 uint64_t code,
					 struct privcache_request *out)
{
	uint64_t next = 0, other = 0;
	unsigned n = 0;

	if (cache->prefetchers & PREFETCH_NEXT_LINE)
		next = prefetch_next_line(&cache->prefetch, line);
	if (next)
		n = prefetch_l1(cache, next, out);
	if (cache->prefetchers & PREFETCH_STRIDE)
		other = prefetch_stride(&cache->prefetch, line, code);
	if (other && other != next)
		n += prefetch_l1(cache, other, out + n);
	return n;
}

/* What the prefetchers make of an access. */
static inline unsigned prefetch(struct privcache *cache, uint64_t line,
				enum privcache_use use, uint64_t code,
				struct privcache_request *out)
{
	unsigned n = 0;

	if (cache->found != PRIVCACHE_IN_L1)
		n = prefetch_l2(cache, line, cache->found == PRIVCACHE_OUTSIDE,
				use == PRIVCACHE_FETCH	 ? UNCORE_ACCESS_CODE
				: use == PRIVCACHE_STORE ? UNCORE_ACCESS_OWN
							 : UNCORE_ACCESS_READ,
				out);
	if (use == PRIVCACHE_LOAD)
		n += prefetch_for_load(cache, line, code, out + n);
	return n;
}

static __attribute__((noinline)) unsigned
access_alone(struct privcache *cache, uint64_t line, enum privcache_use use,
	     struct privcache_request *out)
{
	return use_line(cache, line, use, out);
}

unsigned privcache_access(struct privcache *cache, uint64_t line,
			  enum privcache_use use, uint64_t code,
			  struct privcache_request out[PRIVCACHE_MAX_REQUESTS])
{
	struct privcache_place place;
	enum privcache_found found;
	unsigned n;

	if (!cache->prefetchers)
		return access_alone(cache, line, use, out);
	superqueue_begin(&cache->queue);
	n = use_line(cache, line, use, out);
	place = cache->latest;
	found = cache->found;
	cache->num_ahead = 0;
	if (n && out[0].kind != UNCORE_ACCESS_WRITEBACK)
		superqueue_demand(&cache->queue, line, use != PRIVCACHE_STORE);
	n = use_fresh(cache, line, use, n, out);
	if (use != PRIVCACHE_WALK)
		n += prefetch(cache, line, use, code, out + n);
	cache->latest = place;
	cache->found = found;
	return n;
}

/* Takes a line or its dirt out of one set; returns what was there, or 0. */
static uint32_t take(struct set set, uint32_t word, bool downgrade)
{
	unsigned way = find(set, word);

	if (way == set.ways)
		return 0;
	word = set.words[way];
	if (downgrade)
		set.words[way] &= ~(uint32_t)DIRTY;
	else
		remove_way(set, way);
	return word;
}

bool privcache_invalidate(struct privcache *cache, uint64_t line,
			  bool downgrade)
{
	uint32_t l1d =
		take(l1d_set(cache, line), word_of(line, L1D_SHIFT), downgrade);
	uint32_t l2 = take(l2_set(cache, line), word_of(line, l2_shift(cache)),
			   downgrade);
	uint32_t l1i = take(l1i_set(cache, line),
			    word_of(line, l1i_shift(cache)), downgrade);

	cache->changes += l1d || l1i;
	if (l1d & DIRTY)
		cache->counts[UNCORE_CORE_L1D_DIRTY_SNOOPS]++;
	return (l1d | l2) & DIRTY;
}

bool privcache_holds(const struct privcache *cache, uint64_t line)
{
	return in_l2(cache, line) || in_l1d(cache, line) || in_l1i(cache, line);
}

/* The dirt is the L1D's if it has the line, else the L2's; the L1I has none. */
enum privcache_state privcache_state(const struct privcache *cache,
				     uint64_t line)
{
	uint32_t word = in_l1d(cache, line);

	if (!word)
		word = in_l2(cache, line);
	if (word)
		return word & DIRTY ? PRIVCACHE_DIRTY : PRIVCACHE_CLEAN;
	return in_l1i(cache, line) ? PRIVCACHE_CLEAN : PRIVCACHE_NONE;
}

bool privcache_is_near(const struct privcache *cache, uint64_t line)
{
	return in_l1d(cache, line);
}

/* Of one set. */
static unsigned lines_of(const uint32_t *ways, unsigned num_ways, unsigned set,
			 unsigned shift, uint64_t *lines)
{
	unsigned num = 0;

	for (unsigned way = 0; way < num_ways; way++)
		if (ways[set * num_ways + way])
			lines[num++] =
				line_of(ways[set * num_ways + way], set, shift);
	return num;
}

unsigned privcache_lines(const struct privcache *cache, unsigned *at,
			 uint64_t lines[PRIVCACHE_MAX_WAYS])
{
	const struct privcache_shape *shape = &cache->shape;
	unsigned first_l1i = PRIVCACHE_L1D_SETS;
	unsigned first_l2 = first_l1i + privcache_l1i_sets(shape);
	unsigned num = 0;

	while (!num && *at < first_l2 + privcache_l2_sets(shape)) {
		unsigned set = (*at)++;

		if (set >= first_l2)
			num = lines_of(cache->l2, shape->l2_ways,
				       set - first_l2, l2_shift(cache), lines);
		else if (set >= first_l1i)
			num = lines_of(cache->l1i, shape->l1i_ways,
				       set - first_l1i, l1i_shift(cache),
				       lines);
		else
			num = lines_of(cache->l1d[0], PRIVCACHE_L1D_WAYS, set,
				       L1D_SHIFT, lines);
	}
	return num;
}

void privcache_reset(struct privcache *cache)
{
	uint32_t prefetchers = cache->prefetchers;
	struct superqueue queue = cache->queue;
	struct privcache_shape shape = cache->shape;
	uint64_t counts[UNCORE_NUM_CORE_COUNTS];

	memcpy(counts, cache->counts, sizeof(counts));
	memset(cache, 0, sizeof(*cache));
	memcpy(cache->counts, counts, sizeof(counts));
	cache->prefetchers = prefetchers;
	cache->queue = queue;
	cache->shape = shape;
}
