/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The private caches: what leaves the core, and that it matches a model of them
 * that is too simple to be wrong.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "model/box/privcache.h"
#include "uncore/model.h"

static struct privcache cache;

#define L1I_SETS privcache_l1i_sets(&cache.shape)
#define L1I_WAYS cache.shape.l1i_ways
#define L2_SETS	 privcache_l2_sets(&cache.shape)
#define L2_WAYS	 cache.shape.l2_ways

/* Westmere, Sandy Bridge, Skylake-SP (whose LLC is told of clean victims), and
 * the smallest and largest that are. */
static const struct privcache_shape shapes_of_caches[] = {
	{ 4, 8, 9, false, 0 },	{ 8, 8, 9, false, 0 }, { 8, 16, 10, false, 0 },
	{ 8, 16, 10, true, 0 }, { 4, 16, 7, true, 0 }, { 4, 16, 7, false, 0 },
	{ 8, 8, 12, false, 0 },
};

static void begin(struct privcache_shape shape)
{
	memset(&cache, 0, sizeof(cache));
	cache.shape = shape;
}

static struct privcache_request out[PRIVCACHE_MAX_REQUESTS];

static void expect(uint64_t line, enum privcache_use use, unsigned num)
{
	assert_int_equal(privcache_access(&cache, line, use, 0, out), num);
}

static void second_use_stays_inside(void **state)
{
	(void)state;
	begin(shapes_of_caches[0]);
	expect(77, PRIVCACHE_LOAD, 1);
	assert_int_equal(out[0].line, 77);
	assert_int_equal(out[0].kind, UNCORE_ACCESS_READ);
	expect(77, PRIVCACHE_LOAD, 0);
	expect(78, PRIVCACHE_FETCH, 1);
	assert_int_equal(out[0].kind, UNCORE_ACCESS_CODE);
	expect(78, PRIVCACHE_FETCH, 0);
	/* The L2 has it for data, too. */
	expect(78, PRIVCACHE_LOAD, 0);
}

static void first_store_asks(void **state)
{
	(void)state;
	begin(shapes_of_caches[0]);
	expect(5, PRIVCACHE_LOAD, 1);
	expect(5, PRIVCACHE_STORE, 1);
	assert_int_equal(out[0].kind, UNCORE_ACCESS_OWN);
	expect(5, PRIVCACHE_STORE, 0);
	assert_true(cache.latest.is_dirty);
	assert_true(privcache_invalidate(&cache, 5, true));
	expect(5, PRIVCACHE_LOAD, 0);
	expect(5, PRIVCACHE_STORE, 1);
	assert_true(privcache_invalidate(&cache, 5, false));
	assert_false(privcache_holds(&cache, 5));
	assert_false(privcache_invalidate(&cache, 5, false));
}

/* Lines of one set of the L2 are lines of one set of the L1D, too. The L1D
 * keeps the latest 8 of them, the L2 8 more or fewer. */
static void ninth_line_of_a_set_pushes_the_first_out(void **state)
{
	unsigned i;

	(void)state;
	begin(shapes_of_caches[0]);
	for (i = 0; i < 8; i++)
		expect(i * L2_SETS, PRIVCACHE_STORE, 1);
	/* Out of the L2, but still dirty in the L1D; then down into the L2,
	 * where it pushes a clean copy of the second one out. */
	expect(8 * L2_SETS, PRIVCACHE_LOAD, 1);
	assert_true(privcache_holds(&cache, 0));
	for (i = 9; i < 40; i++)
		privcache_access(&cache, i * L2_SETS, PRIVCACHE_LOAD, 0, out);
	for (i = 0; i < 8; i++)
		assert_false(privcache_holds(&cache, i * L2_SETS));
}

static uint64_t random_number(uint64_t *seed)
{
	*seed = *seed * UINT64_C(6364136223846793005) +
		UINT64_C(1442695040888963407);
	return *seed >> 33;
}

/* Ownership seen from outside: a line that was asked for and neither written
 * back nor taken away is dirty, and no other one is. */
static void dirty_lines_never_get_lost(void **state)
{
	enum { LINES = 16384, STEPS = 2000000 };
	static uint8_t owned[LINES];
	uint64_t seed = 1;
	unsigned step;

	(void)state;
	begin(shapes_of_caches[0]);
	memset(owned, 0, sizeof(owned));
	for (step = 0; step < STEPS; step++) {
		uint64_t line = random_number(&seed) % LINES;
		unsigned use = random_number(&seed) % 4;
		unsigned num;
		unsigned i;

		if (use == 3) {
			bool downgrade = random_number(&seed) % 2;
			bool dirty =
				privcache_invalidate(&cache, line, downgrade);

			assert_int_equal(dirty, owned[line]);
			owned[line] = 0;
			continue;
		}
		num = privcache_access(&cache, line, use, 0, out);
		for (i = 0; i < num; i++) {
			if (out[i].kind == UNCORE_ACCESS_OWN) {
				assert_int_equal(out[i].line, line);
				assert_false(owned[line]);
				owned[line] = 1;
			} else if (out[i].kind == UNCORE_ACCESS_WRITEBACK) {
				assert_true(owned[out[i].line]);
				owned[out[i].line] = 0;
				assert_false(out[i].line == line);
			}
		}
		assert_true(use != PRIVCACHE_STORE || owned[line]);
		assert_true(privcache_holds(&cache, line));
	}
}

static void state_tells_dirt_and_place(void **state)
{
	(void)state;
	begin(shapes_of_caches[0]);
	assert_int_equal(privcache_state(&cache, 0), PRIVCACHE_NONE);
	expect(3, PRIVCACHE_FETCH, 1);
	assert_int_equal(privcache_state(&cache, 3), PRIVCACHE_CLEAN);
	expect(3, PRIVCACHE_STORE, 1);
	assert_int_equal(privcache_state(&cache, 3), PRIVCACHE_DIRTY);
	/* Eight others of its L1D set, of another set of the L2: it goes down
	 * and is dirty there. */
	for (unsigned i = 1; i <= 8; i++)
		expect(3 + i * PRIVCACHE_L1D_SETS, PRIVCACHE_LOAD, 1);
	assert_false(privcache_is_near(&cache, 3));
	assert_int_equal(privcache_state(&cache, 3), PRIVCACHE_DIRTY);
	assert_true(privcache_invalidate(&cache, 3, true));
	assert_int_equal(privcache_state(&cache, 3), PRIVCACHE_CLEAN);
	assert_false(privcache_invalidate(&cache, 3, false));
	assert_int_equal(privcache_state(&cache, 3), PRIVCACHE_NONE);
}

/* A slow model of the caches: a list of lines for each set, latest first. */
struct list {
	uint64_t lines[16];
	bool dirty[16];
	unsigned num;
};

static struct list l1d[PRIVCACHE_L1D_SETS], l1i[PRIVCACHE_L1I_MAX_SETS],
	l2[PRIVCACHE_L2_MAX_SETS];

/* Takes a line out; whether it was there, and dirty. */
static bool list_take(struct list *list, uint64_t line, bool *dirty)
{
	for (unsigned i = 0; i < list->num; i++) {
		if (list->lines[i] != line)
			continue;
		*dirty = list->dirty[i];
		for (list->num--; i < list->num; i++) {
			list->lines[i] = list->lines[i + 1];
			list->dirty[i] = list->dirty[i + 1];
		}
		return true;
	}
	return false;
}

#define NO_LINE UINT64_MAX

static bool list_has(const struct list *list, uint64_t line)
{
	unsigned i = 0;

	while (i < list->num && list->lines[i] != line)
		i++;
	return i < list->num;
}

/* Puts a line first; which one had to go, or none, and whether it was dirty. */
static bool list_put(struct list *list, unsigned ways, uint64_t line,
		     bool dirty, uint64_t *victim)
{
	bool was_dirty = false;

	*victim = NO_LINE;
	if (list->num == ways) {
		list->num--;
		was_dirty = list->dirty[ways - 1];
		*victim = list->lines[ways - 1];
	}
	for (unsigned i = list->num++; i; i--) {
		list->lines[i] = list->lines[i - 1];
		list->dirty[i] = list->dirty[i - 1];
	}
	list->lines[0] = line;
	list->dirty[0] = dirty;
	return was_dirty;
}

static unsigned slow_l2_put(uint64_t line, bool dirty,
			    struct privcache_request *requests)
{
	struct list *data, *code;
	uint64_t victim;
	bool was_dirty, ignored;

	was_dirty =
		list_put(&l2[line % L2_SETS], L2_WAYS, line, dirty, &victim);
	data = &l1d[victim % PRIVCACHE_L1D_SETS];
	code = &l1i[victim % L1I_SETS];
	if (victim == NO_LINE ||
	    (!was_dirty && (!cache.shape.tells_clean ||
			    list_has(data, victim) || list_has(code, victim))))
		return 0;
	list_take(code, victim, &ignored);
	requests[0] = (struct privcache_request){
		.line = victim,
		.kind = UNCORE_ACCESS_WRITEBACK,
		.is_clean = !was_dirty,
	};
	return 1;
}

/* A clean line has left an L1: told if it was the last place. */
static unsigned slow_leave(uint64_t victim, struct privcache_request *requests)
{
	if (victim == NO_LINE || !cache.shape.tells_clean ||
	    list_has(&l1d[victim % PRIVCACHE_L1D_SETS], victim) ||
	    list_has(&l1i[victim % L1I_SETS], victim) ||
	    list_has(&l2[victim % L2_SETS], victim))
		return 0;
	requests[0] = (struct privcache_request){
		.line = victim,
		.kind = UNCORE_ACCESS_WRITEBACK,
		.is_clean = true,
	};
	return 1;
}

static unsigned slow_fetch(uint64_t line, struct privcache_request *requests)
{
	struct list *code = &l1i[line % L1I_SETS];
	struct list *both = &l2[line % L2_SETS];
	bool dirty = false;
	uint64_t victim = 0;
	unsigned num = 0;

	if (!list_take(code, line, &dirty)) {
		if (list_take(both, line, &dirty)) {
			list_put(both, L2_WAYS, line, dirty, &victim);
		} else {
			requests[num++] = (struct privcache_request){
				.line = line,
				.kind = UNCORE_ACCESS_CODE,
			};
			num += slow_l2_put(line, false, requests + num);
		}
	}
	list_put(code, L1I_WAYS, line, false, &victim);
	return num + slow_leave(victim, requests + num);
}

static unsigned slow_access(uint64_t line, enum privcache_use use,
			    struct privcache_request *requests)
{
	struct list *data = &l1d[line % PRIVCACHE_L1D_SETS];
	struct list *both = &l2[line % L2_SETS];
	bool store = use == PRIVCACHE_STORE, dirty = false;
	bool is_in_l1, is_in_l2 = false;
	uint64_t victim = 0;
	unsigned num = 0;

	if (use == PRIVCACHE_FETCH)
		return slow_fetch(line, requests);
	is_in_l1 = list_take(data, line, &dirty);
	if (!is_in_l1) {
		is_in_l2 = list_take(both, line, &dirty);
		if (is_in_l2)
			list_put(both, L2_WAYS, line, false, &victim);
	}
	if ((!is_in_l1 && !is_in_l2) || (store && !dirty)) {
		requests[num++] = (struct privcache_request){
			.line = line,
			.kind = store ? UNCORE_ACCESS_OWN : UNCORE_ACCESS_READ,
		};
	}
	if (!is_in_l1 && !is_in_l2)
		num += slow_l2_put(line, false, requests + num);
	if (!list_put(data, 8, line, dirty || store, &victim))
		return num + slow_leave(victim, requests + num);
	both = &l2[victim % L2_SETS];
	for (unsigned i = 0; i < both->num; i++)
		if (both->lines[i] == victim) {
			both->dirty[i] = true;
			return num;
		}
	return num + slow_l2_put(victim, true, requests + num);
}

static bool slow_invalidate_in(struct list *list, uint64_t line, bool downgrade)
{
	bool dirty = false;

	if (!downgrade) {
		list_take(list, line, &dirty);
		return dirty;
	}
	for (unsigned i = 0; i < list->num; i++)
		if (list->lines[i] == line) {
			dirty = list->dirty[i];
			list->dirty[i] = false;
		}
	return dirty;
}

static bool slow_invalidate(uint64_t line, bool downgrade)
{
	bool dirty = slow_invalidate_in(&l1d[line % PRIVCACHE_L1D_SETS], line,
					downgrade);

	dirty |= slow_invalidate_in(&l2[line % L2_SETS], line, downgrade);
	slow_invalidate_in(&l1i[line % L1I_SETS], line, downgrade);
	return dirty;
}

/* A set has the same lines in the same order, dirty or not. */
static void expect_same_set(const uint32_t *set, const unsigned *age,
			    unsigned ways, unsigned index, unsigned num_sets,
			    const struct list *list)
{
	for (unsigned way = 0; way < ways; way++) {
		if (age[way] >= list->num) {
			assert_int_equal(set[way], 0);
			continue;
		}
		assert_true(set[way]);
		assert_int_equal((uint64_t)(set[way] >> 2) * num_sets + index,
				 list->lines[age[way]]);
		assert_int_equal((set[way] & 2) != 0, list->dirty[age[way]]);
	}
}

static const unsigned *ages_of(uint32_t order)
{
	static unsigned ages[8];

	for (unsigned way = 0; way < 8; way++)
		ages[way] = (order ^ LRU_NUMBERS) >> 4 * way & 7;
	return ages;
}

static const unsigned *wide_ages_of(lru_bytes order)
{
	static unsigned ages[16];

	for (unsigned way = 0; way < 16; way++)
		ages[way] = (unsigned)order[way] ^ way;
	return ages;
}

static void expect_same_sets(void)
{
	for (unsigned i = 0; i < PRIVCACHE_L1D_SETS; i++)
		expect_same_set(cache.l1d[i], ages_of(cache.l1d_order[i]), 8, i,
				PRIVCACHE_L1D_SETS, &l1d[i]);
	for (unsigned i = 0; i < L1I_SETS; i++)
		expect_same_set(&cache.l1i[i * L1I_WAYS],
				ages_of(cache.l1i_order[i]), L1I_WAYS, i,
				L1I_SETS, &l1i[i]);
	for (unsigned i = 0; i < L2_SETS; i++)
		expect_same_set(&cache.l2[i * L2_WAYS],
				wide_ages_of(cache.l2_order[i]), L2_WAYS, i,
				L2_SETS, &l2[i]);
}

/* Which line lies where, as those were told who used it; forgotten as a whole
 * when somebody else has changed the caches. */
static struct {
	uint64_t l1d[PRIVCACHE_L1D_SETS][PRIVCACHE_L1D_WAYS];
	uint64_t l1i[PRIVCACHE_L1I_MAX_SETS][8];
	uint32_t changes;
} told;

static void note_place(uint64_t line, enum privcache_use use)
{
	unsigned set = cache.latest.set, way = cache.latest.way;

	if (use == PRIVCACHE_FETCH)
		told.l1i[set][way] = line + 1;
	else
		told.l1d[set][way] = line + 1;
}

/* Uses it again if it is known to be there. */
static bool use_noted(uint64_t line, enum privcache_use use)
{
	bool is_code = use == PRIVCACHE_FETCH;
	unsigned set = line % (is_code ? L1I_SETS : PRIVCACHE_L1D_SETS);
	unsigned ways = is_code ? L1I_WAYS : PRIVCACHE_L1D_WAYS;
	const uint64_t *lines = is_code ? told.l1i[set] : told.l1d[set];

	if (told.changes != cache.changes) {
		memset(&told, 0, sizeof(told));
		told.changes = cache.changes;
	}
	for (unsigned way = 0; way < ways; way++)
		if (lines[way] == line + 1) {
			privcache_use_again(&cache, set, way, use);
			return true;
		}
	return false;
}

/* Footprints around the sizes of L1D, L2, and far above; lines of few sets of
 * the L2 and of all; at the top of what a line's number can be. */
static void compare_with_lists(struct privcache_shape shape)
{
	const struct {
		uint64_t first, stride, lines;
	} shapes[] = {
		{ 0, 1, 700 },	       { 1000, 1, 6000 },
		{ 7, 64, 900 },	       { 3, 1u << shape.l2_set_shift, 40 },
		{ 0, 1, 1 << 20 },     { PRIVCACHE_MAX_LINES - 9000, 1, 9000 },
		{ 1 << 30, 33, 5000 },
	};
	uint64_t seed = 99;

	for (unsigned s = 0; s < sizeof(shapes) / sizeof(*shapes); s++) {
		begin(shape);
		memset(l1d, 0, sizeof(l1d));
		memset(l1i, 0, sizeof(l1i));
		memset(l2, 0, sizeof(l2));
		memset(&told, 0, sizeof(told));
		for (unsigned step = 0; step < 60000; step++) {
			struct privcache_request slow[PRIVCACHE_MAX_REQUESTS];
			uint64_t line = shapes[s].first +
					random_number(&seed) % shapes[s].lines *
						shapes[s].stride;
			unsigned what = random_number(&seed) % 32;
			unsigned use = what % 3, num;

			if (what >= 30) {
				assert_int_equal(
					privcache_invalidate(&cache, line,
							     what == 31),
					slow_invalidate(line, what == 31));
				continue;
			}
			num = slow_access(line, use, slow);
			if (what % 2 && use != PRIVCACHE_STORE &&
			    use_noted(line, use)) {
				assert_int_equal(num, 0);
			} else {
				expect(line, use, num);
				note_place(line, use);
			}
			for (unsigned i = 0; i < num; i++) {
				assert_int_equal(out[i].line, slow[i].line);
				assert_int_equal(out[i].kind, slow[i].kind);
				assert_int_equal(out[i].is_clean,
						 slow[i].is_clean);
			}
			if (step % 4096 == 0)
				expect_same_sets();
		}
		expect_same_sets();
	}
}

static void same_as_lists(void **state)
{
	(void)state;
	for (unsigned i = 0;
	     i < sizeof(shapes_of_caches) / sizeof(shapes_of_caches[0]); i++)
		compare_with_lists(shapes_of_caches[i]);
}

/* Of so many lines, each loaded once, all have left the L2 but the latest, and
 * in their order; not the one that the L1D has had all the time. */
static void clean_victims_are_told_in_order(void **state)
{
	enum { LINES = 100000, HOT = 7 };
	uint64_t told_lines = 0;
	unsigned room;

	(void)state;
	begin(shapes_of_caches[3]);
	assert_true(cache.shape.tells_clean);
	room = L2_SETS * L2_WAYS;
	for (uint64_t line = 0; line < LINES; line++) {
		unsigned num =
			privcache_access(&cache, line, PRIVCACHE_LOAD, 0, out);

		assert_int_equal(num, 1 + (line >= room && line - room != HOT));
		if (num > 1) {
			assert_int_equal(out[1].line, line - room);
			assert_int_equal(out[1].kind, UNCORE_ACCESS_WRITEBACK);
			assert_true(out[1].is_clean);
			assert_false(privcache_holds(&cache, out[1].line));
			told_lines++;
		}
		if (line >= HOT)
			expect(HOT, PRIVCACHE_LOAD, 0);
	}
	assert_int_equal(told_lines, LINES - room - 1);
	assert_int_equal(cache.counts[UNCORE_CORE_L2_OUT_CLEAN], LINES - room);
	assert_true(privcache_holds(&cache, HOT));
}

/* All lines are told, once for each cache they are in. */
static void lines_are_told(void **state)
{
	(void)state;
	for (unsigned i = 0;
	     i < sizeof(shapes_of_caches) / sizeof(shapes_of_caches[0]); i++) {
		uint64_t lines[PRIVCACHE_MAX_WAYS], sum = 0;
		unsigned at = 0, num, all = 0;

		begin(shapes_of_caches[i]);
		for (uint64_t line = 0; line < 300; line++) {
			privcache_access(&cache, 7 * line, PRIVCACHE_LOAD, 0,
					 out);
			privcache_access(&cache, 7 * line, PRIVCACHE_FETCH, 0,
					 out);
		}
		while ((num = privcache_lines(&cache, &at, lines)))
			for (all += num; num--;)
				sum += lines[num];
		assert_int_equal(all, 3 * 300);
		assert_int_equal(sum, 3 * 7 * (300 * 299 / 2));
	}
}

/* Loads of so many lines in turn, from each array one after the other; arrays
 * are `apart` lines from each other, their own lines `step`. Of 100 fills. */
static double crowded(unsigned arrays, uint64_t apart, uint64_t step)
{
	const uint64_t *counts = cache.counts;

	begin(shapes_of_caches[0]);
	for (uint64_t i = 0; i < 4096; i++)
		for (unsigned n = 0; n < arrays; n++)
			privcache_access(&cache, n * apart + i * step,
					 PRIVCACHE_LOAD, 0, out);
	assert_int_equal(counts[UNCORE_CORE_L1D_FILLS], 4096 * arrays);
	return 100 * (double)counts[UNCORE_CORE_L1D_CROWDED_FILLS] /
	       (4096 * arrays);
}

/* The third and the fourth line of four in one set have two before them. */
static void crowds_are_where_lines_share_sets(void **state)
{
	(void)state;
	assert_float_equal(crowded(1, 0, 1), 0, 0.1);
	assert_float_equal(crowded(2, 1 << 20, 1), 0, 0.1);
	assert_float_equal(crowded(4, 1 << 20, 1), 50, 0.1);
	assert_float_equal(crowded(8, 1 << 20, 1), 75, 0.1);
	assert_float_equal(crowded(1, 0, PRIVCACHE_L1D_SETS), 100, 0.1);
	assert_float_equal(crowded(2, (1 << 20) + 1, PRIVCACHE_L1D_SETS), 100,
			   0.1);
	assert_float_equal(crowded(1, 0, PRIVCACHE_L1D_SETS + 1), 0, 0.1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(second_use_stays_inside),
		cmocka_unit_test(first_store_asks),
		cmocka_unit_test(ninth_line_of_a_set_pushes_the_first_out),
		cmocka_unit_test(dirty_lines_never_get_lost),
		cmocka_unit_test(state_tells_dirt_and_place),
		cmocka_unit_test(same_as_lists),
		cmocka_unit_test(clean_victims_are_told_in_order),
		cmocka_unit_test(lines_are_told),
		cmocka_unit_test(crowds_are_where_lines_share_sets),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
