/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The hardware prefetchers: each by itself, behind the private caches, and in
 * the machine. Lines are numbered so that 64 of them, from a multiple of 64 on,
 * are a page.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>
#include <string.h>

#include "model/box/prefetch.h"
#include "model/box/privcache.h"
#include "tests/truth/lab.h"

enum { PAGE = 64, MISC_FEATURE_CONTROL = 0x1A4 };

static struct prefetch prefetch;
static struct privcache cache;
static struct privcache_request out[PRIVCACHE_MAX_REQUESTS];

static void begin(void)
{
	memset(&prefetch, 0, sizeof(prefetch));
}

static void next_line_follows_an_ascent(void **state)
{
	(void)state;
	begin();
	assert_int_equal(prefetch_next_line(&prefetch, 100), 0);
	assert_int_equal(prefetch_next_line(&prefetch, 101), 102);
	/* the same line again, and down */
	assert_int_equal(prefetch_next_line(&prefetch, 101), 0);
	assert_int_equal(prefetch_next_line(&prefetch, 99), 0);
	/* up to the end of the page, and from the one before it */
	assert_int_equal(prefetch_next_line(&prefetch, 126), 0);
	assert_int_equal(prefetch_next_line(&prefetch, 127), 0);
	assert_int_equal(prefetch_next_line(&prefetch, 128), 0);
	assert_int_equal(prefetch_next_line(&prefetch, 129), 130);
}

static void stride_belongs_to_an_instruction(void **state)
{
	(void)state;
	begin();
	assert_int_equal(prefetch_stride(&prefetch, 10, 0x400), 0);
	assert_int_equal(prefetch_stride(&prefetch, 13, 0x400), 0);
	/* another instruction goes down, in between */
	assert_int_equal(prefetch_stride(&prefetch, 60, 0x404), 0);
	assert_int_equal(prefetch_stride(&prefetch, 16, 0x400), 19);
	assert_int_equal(prefetch_stride(&prefetch, 50, 0x404), 0);
	assert_int_equal(prefetch_stride(&prefetch, 16, 0x400), 0);
	assert_int_equal(prefetch_stride(&prefetch, 40, 0x404), 30);
	assert_int_equal(prefetch_stride(&prefetch, 19, 0x400), 22);
	/* one that has the first one's place, but is another */
	assert_int_equal(prefetch_stride(&prefetch, 22, 0x400 + PREFETCH_CODES),
			 0);
	assert_int_equal(prefetch_stride(&prefetch, 22, 0x400), 0);
	/* nobody knows whose */
	for (unsigned i = 0; i < 5; i++)
		assert_int_equal(prefetch_stride(&prefetch, i, 0), 0);
}

/* 2 KB are 32 lines. */
static void stride_has_a_longest(void **state)
{
	(void)state;
	begin();
	for (unsigned i = 0; i < 2; i++)
		assert_int_equal(prefetch_stride(&prefetch, i * 31, 7), 0);
	assert_int_equal(prefetch_stride(&prefetch, 62, 7), 0); /* 93: beyond */
	for (unsigned i = 0; i < 9; i++)
		assert_int_equal(prefetch_stride(&prefetch, i * 33, 9), 0);
}

/* Two lines for each look-up, until 20 ahead; then one for one. */
static void streamer_runs_ahead(void **state)
{
	uint64_t lines[PREFETCH_PER_LOOKUP];
	unsigned reached = 2;

	(void)state;
	begin();
	assert_int_equal(prefetch_stream(&prefetch, 640, lines), 0);
	assert_int_equal(prefetch_stream(&prefetch, 641, lines), 0);
	for (unsigned at = 2; at < PAGE; at++) {
		unsigned expected = 0;

		while (expected < PREFETCH_PER_LOOKUP &&
		       reached + expected + 1 < PAGE &&
		       reached + expected + 1 <= at + PREFETCH_AHEAD)
			expected++;
		assert_int_equal(prefetch_stream(&prefetch, 640 + at, lines),
				 expected);
		for (unsigned i = 0; i < expected; i++)
			assert_int_equal(lines[i], 640 + ++reached);
	}
	assert_int_equal(reached, PAGE - 1);
}

static void streamer_goes_down_too(void **state)
{
	uint64_t lines[PREFETCH_PER_LOOKUP];

	(void)state;
	begin();
	prefetch_stream(&prefetch, 680, lines);
	prefetch_stream(&prefetch, 679, lines);
	assert_int_equal(prefetch_stream(&prefetch, 677, lines), 2);
	assert_int_equal(lines[0], 676);
	assert_int_equal(lines[1], 675);
	/* turns round: two steps again */
	assert_int_equal(prefetch_stream(&prefetch, 678, lines), 0);
	assert_int_equal(prefetch_stream(&prefetch, 690, lines), 2);
	assert_int_equal(lines[0], 691);
	/* not below the page */
	prefetch_stream(&prefetch, 643, lines);
	assert_int_equal(prefetch_stream(&prefetch, 641, lines), 1);
	assert_int_equal(lines[0], 640);
}

/* In turn through as many pages as there are streams each is followed; one page
 * more, and none is, since each takes the place of the one that comes next. */
static void streamer_has_32_streams(void **state)
{
	(void)state;
	for (unsigned pages = PREFETCH_STREAMS; pages <= PREFETCH_STREAMS + 1;
	     pages++) {
		uint64_t lines[PREFETCH_PER_LOOKUP];
		unsigned num = 0;

		begin();
		for (unsigned at = 0; at < 3; at++)
			for (unsigned page = 0; page < pages; page++)
				num += prefetch_stream(&prefetch,
						       page * PAGE + at, lines);
		assert_int_equal(num,
				 pages == PREFETCH_STREAMS ? 2 * pages : 0);
	}
}

/* Behind the caches */

static void begin_cache(uint32_t prefetchers)
{
	cache.shape = (struct privcache_shape){ 4, 8, 9, false, 0 };
	cache.prefetchers = prefetchers;
	privcache_reset(&cache);
}

/* Reads some pages in order: each line is asked for once, by the load or before
 * it, and nothing beside. What was asked for before it is used once. */
static void a_stream_is_fetched_once(void **state)
{
	enum { LINES = 40 * PAGE };

	(void)state;
	for (uint32_t prefetchers = 0; prefetchers <= PREFETCH_ALL;
	     prefetchers++) {
		static uint8_t asked[LINES];
		unsigned ahead = 0, used = 0;

		memset(asked, 0, sizeof(asked));
		begin_cache(prefetchers);
		for (unsigned i = 0; i < LINES; i++) {
			unsigned num = privcache_access(&cache, 5 * PAGE + i,
							PRIVCACHE_LOAD, 1, out);

			for (unsigned k = 0; k < num; k++) {
				uint64_t line = out[k].line - 5 * PAGE;

				assert_in_range(line, 0, LINES - 1);
				assert_int_equal(out[k].kind,
						 UNCORE_ACCESS_READ);
				used += out[k].prefetch == UNCORE_PREFETCH_USED;
				ahead += out[k].prefetch == UNCORE_PREFETCH;
				if (out[k].prefetch != UNCORE_PREFETCH_USED)
					assert_int_equal(asked[line]++, 0);
				else
					assert_int_equal(line, i);
			}
			assert_int_equal(asked[i], 1);
		}
		assert_int_equal(used, ahead);
		if (prefetchers == PREFETCH_ADJACENT)
			assert_int_equal(ahead, LINES / 2);
		if (prefetchers == PREFETCH_NEXT_LINE)
			assert_int_equal(ahead, LINES / PAGE * (PAGE - 2));
		if (prefetchers == PREFETCH_STREAMER)
			assert_int_equal(ahead, LINES / PAGE * (PAGE - 3));
	}
}

/* Fetches look the L2 up as well, and bring code. */
static void code_is_streamed(void **state)
{
	unsigned num;

	(void)state;
	begin_cache(PREFETCH_STREAMER);
	privcache_access(&cache, 0, PRIVCACHE_FETCH, 0, out);
	privcache_access(&cache, 1, PRIVCACHE_FETCH, 0, out);
	num = privcache_access(&cache, 2, PRIVCACHE_FETCH, 0, out);
	assert_int_equal(num, 3);
	assert_int_equal(out[0].prefetch, 0);
	for (unsigned i = 1; i < num; i++) {
		assert_int_equal(out[i].line, 2 + i);
		assert_int_equal(out[i].kind, UNCORE_ACCESS_CODE);
		assert_int_equal(out[i].prefetch, UNCORE_PREFETCH);
	}
	/* a walker's loads train nobody */
	for (unsigned i = 0; i < 9; i++)
		assert_int_equal(privcache_access(&cache, 640 + i,
						  PRIVCACHE_WALK, 0, out),
				 1);
}

/* Pages read in order, and how often each line was asked for ahead. */
enum { FAR_PAGES = 5, FAR_LINES = FAR_PAGES * PAGE };
static uint8_t for_l2[FAR_LINES], for_llc[FAR_LINES];

/* A prefetch at the use of line number `at`. */
static void note_ahead(const struct privcache_request *asked, unsigned at,
		       unsigned use)
{
	static const uint8_t kinds[] = {
		[PRIVCACHE_LOAD] = UNCORE_ACCESS_READ,
		[PRIVCACHE_STORE] = UNCORE_ACCESS_OWN,
		[PRIVCACHE_FETCH] = UNCORE_ACCESS_CODE,
	};
	unsigned line = (unsigned)(asked->line - 5 * PAGE);
	unsigned far = cache.shape.llc_ahead;

	if (!asked->to_llc) {
		assert_in_range(line - at, 1, far);
		for_l2[line]++;
		return;
	}
	assert_in_range(line - at, far + 1, PREFETCH_AHEAD);
	assert_int_equal(asked->kind, kinds[use]);
	assert_int_equal(for_l2[line], 0);
	for_llc[line]++;
}

/* What is far goes into the LLC alone, once, and comes into the L2 when it is
 * near; that gets the lines that it gets without. At line k of a page 2 k is
 * the farthest. Of a store's stream the LLC has the right to write. */
static void what_is_far_is_for_the_llc(void **state)
{
	enum { CASES = (PREFETCH_AHEAD - 1) * (PRIVCACHE_FETCH + 1) };

	(void)state;
	for (unsigned i = 0; i < CASES; i++) {
		unsigned far = 1 + i / (PRIVCACHE_FETCH + 1);
		unsigned use = i % (PRIVCACHE_FETCH + 1);

		memset(for_l2, 0, sizeof(for_l2));
		memset(for_llc, 0, sizeof(for_llc));
		begin_cache(PREFETCH_STREAMER);
		cache.shape.llc_ahead = (uint8_t)far;
		for (unsigned at = 0; at < FAR_LINES; at++) {
			unsigned num = privcache_access(&cache, 5 * PAGE + at,
							use, 1, out);

			for (unsigned k = 0; k < num; k++)
				if (out[k].prefetch == UNCORE_PREFETCH)
					note_ahead(&out[k], at, use);
		}
		for (unsigned at = 0; at < FAR_LINES; at++) {
			unsigned line = at % PAGE;

			assert_int_equal(for_l2[at], line > 2);
			assert_int_equal(for_llc[at], line >= 2 * far + 2);
		}
	}
}

static uint64_t random_number(uint64_t *seed)
{
	*seed = *seed * UINT64_C(6364136223846793005) +
		UINT64_C(1442695040888963407);
	return *seed >> 33;
}

/* Who owns a line is as it was: what is asked for ahead never concerns a line
 * that is there, a changed one above all; no line changes without an OWN. */
static void ownership_is_as_without(void **state)
{
	enum { LINES = 16384, STEPS = 2000000 };
	static uint8_t owned[LINES + PAGE];
	uint64_t seed = 5, line = 0;

	(void)state;
	begin_cache(PREFETCH_ALL);
	memset(owned, 0, sizeof(owned));
	for (unsigned step = 0; step < STEPS; step++) {
		unsigned use = random_number(&seed) % 8 % 5, num;

		if (random_number(&seed) % 4)
			line = (line + 1) % LINES;
		else
			line = random_number(&seed) % LINES;
		if (use == 4) {
			assert_int_equal(
				privcache_invalidate(&cache, line, step & 1),
				owned[line]);
			owned[line] = 0;
			continue;
		}
		num = privcache_access(&cache, line, use,
				       random_number(&seed) % 4, out);
		assert_true(num <= PRIVCACHE_MAX_REQUESTS);
		for (unsigned i = 0; i < num; i++) {
			switch (out[i].kind) {
			case UNCORE_ACCESS_OWN:
				assert_int_equal(i, 0);
				assert_int_equal(out[i].line, line);
				assert_false(owned[line]);
				owned[line] = 1;
				break;
			case UNCORE_ACCESS_WRITEBACK:
				assert_true(owned[out[i].line]);
				owned[out[i].line] = 0;
				break;
			default:
				/* a fetch may ask for a line that only the L1D
				 * has, with and without prefetchers */
				if (out[i].prefetch != UNCORE_PREFETCH_USED &&
				    use != PRIVCACHE_FETCH)
					assert_false(owned[out[i].line]);
				assert_true(!i ||
					    out[i].prefetch == UNCORE_PREFETCH);
				break;
			}
			assert_int_equal(
				out[i].line == line && i && out[i].prefetch, 0);
		}
		assert_true(use != PRIVCACHE_STORE || owned[line]);
		assert_true(privcache_holds(&cache, line));
		assert_int_equal(privcache_state(&cache, line),
				 owned[line] ? PRIVCACHE_DIRTY
					     : PRIVCACHE_CLEAN);
	}
}

/* In the machine */

/* 3840 lines are 60 pages, so whatever runs ahead asks for lines of the region
 * only: as many misses as without (tests/truth/closed_forms.c), and none later
 * than it would be. */
static void a_stream_misses_as_often(void **state)
{
	struct lab lab = { .sockets = 1,
			   .workload = "stream:threads=1,op=read,size=240K",
			   .settings = { "core.prefetch=15" } };

	(void)state;
	assert_int_equal(lab_count(&lab, LAB_ALL, "cbox/LLC_MISSES.ALL/"),
			 3840);
	assert_int_equal(lab_count(&lab, LAB_ALL, "bbox/IMT_INSERTS_RD/"),
			 3840);
	lab.workload = "stream:threads=1,op=triad,size=720K";
	assert_int_equal(lab_count(&lab, LAB_ALL, "cbox/LLC_MISSES.ALL/"),
			 3 * 3840);
}

static uint64_t cycles_of(const char *workload, const char *setting,
			  const char *limit)
{
	struct lab lab = { .sockets = 1,
			   .workload = workload,
			   .settings = { setting, limit } };
	struct uncore_model *model = lab_model(&lab);
	uint64_t cycles;

	lab_run(&lab, model);
	cycles = uncore_model_cycle(model);
	uncore_model_free(model);
	return cycles;
}

/* A stream is sooner done with the streamer, if that may fill the super queue:
 * it has up to 16 lines under way, not 10. It holds back at 10, so there is
 * nothing to be gained where so many loads fit into the window; where two do,
 * up to five times as many lines are under way. */
static void time_is_saved(void **state)
{
	static const char stream[] = "stream:threads=1,op=read,size=2M,gap=1";
	static const char slow[] = "stream:threads=1,op=read,size=2M,gap=64";
	uint64_t plain = cycles_of(stream, "core.prefetch=0", NULL);
	uint64_t ahead =
		cycles_of(stream, "core.prefetch=1", "core.prefetch_limit=16");

	(void)state;
	assert_in_range(ahead, plain * 10 / 16, plain * 3 / 4);
	assert_in_range(cycles_of(stream, "core.prefetch=1", NULL),
			plain * 95 / 100, plain * 105 / 100);
	assert_in_range(cycles_of(stream, "core.super_queue=5", NULL),
			plain * 17 / 10, plain * 22 / 10);
	assert_in_range(cycles_of(slow, "core.prefetch=1", NULL),
			cycles_of(slow, "core.prefetch=0", NULL) / 5,
			cycles_of(slow, "core.prefetch=0", NULL) * 3 / 4);
	/* stores wait for lines that are under way without holding up others */
	assert_true(cycles_of("stream:threads=1,op=write,size=2M,gap=1",
			      "core.prefetch=15",
			      "core.prefetch_limit=16") < plain);
}

/* The register has a bit for each that is off; one core's is its own. */
static void software_switches_them(void **state)
{
	struct lab lab = { .sockets = 1,
			   .workload = "random:threads=1,count=2000,"
				       "size=64M,gap=400",
			   .settings = { "core.prefetch=2" } };
	struct uncore_model *model = lab_model(&lab);
	uint64_t value;

	(void)state;
	assert_int_equal(
		uncore_model_cpu_read(model, 1, MISC_FEATURE_CONTROL, &value),
		0);
	assert_int_equal(value, PREFETCH_ALL & ~PREFETCH_ADJACENT);
	assert_int_equal(uncore_model_prefetchers(model, 1), PREFETCH_ADJACENT);
	assert_int_equal(uncore_model_cpu_write(model, 1, MISC_FEATURE_CONTROL,
						PREFETCH_STREAMER),
			 0);
	assert_int_equal(uncore_model_prefetchers(model, 1),
			 PREFETCH_ALL & ~PREFETCH_STREAMER);
	assert_int_equal(uncore_model_prefetchers(model, 0), PREFETCH_ADJACENT);
	assert_true(uncore_model_cpu_write(model, 1, MISC_FEATURE_CONTROL, 16) <
		    0);
	uncore_model_cpu_write(model, 0, MISC_FEATURE_CONTROL, PREFETCH_ALL);
	lab_run(&lab, model);
	assert_true(uncore_model_num_accesses(model) <= 2000);
	uncore_model_cpu_write(model, 0, MISC_FEATURE_CONTROL, 0);
	lab_run(&lab, model);
	assert_true(uncore_model_num_accesses(model) > 5000);
	uncore_model_free(model);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(next_line_follows_an_ascent),
		cmocka_unit_test(stride_belongs_to_an_instruction),
		cmocka_unit_test(stride_has_a_longest),
		cmocka_unit_test(streamer_runs_ahead),
		cmocka_unit_test(streamer_goes_down_too),
		cmocka_unit_test(streamer_has_32_streams),
		cmocka_unit_test(a_stream_is_fetched_once),
		cmocka_unit_test(code_is_streamed),
		cmocka_unit_test(what_is_far_is_for_the_llc),
		cmocka_unit_test(ownership_is_as_without),
	};
	const struct CMUnitTest machines[] = {
		cmocka_unit_test(a_stream_misses_as_often),
		cmocka_unit_test(time_is_saved),
		cmocka_unit_test(software_switches_them),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) + LAB_RUN(machines);
}
