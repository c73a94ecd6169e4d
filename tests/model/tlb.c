/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Translation: what hits, and which entries of page tables a walk loads, by
 * closed forms. A table has 512 entries of 8 bytes, so a line has 8 of them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>
#include <string.h>

#include "model/box/tlb.h"
#include "tests/truth/lab.h"

static struct tlb tlb;
static struct tlb_walk walk;

static void begin(void)
{
	memset(&tlb, 0, sizeof(tlb));
}

static enum tlb_found use(uint64_t page)
{
	return tlb_use(&tlb, page, 0, 1, &walk);
}

/* The first walk begins at the root; then only what differs is loaded. */
static void a_walk_loads_what_it_has_not(void **state)
{
	(void)state;
	begin();
	assert_int_equal(use(0), TLB_WALK);
	assert_int_equal(walk.num, 4);
	for (unsigned i = 0; i < 4; i++)
		assert_int_equal(walk.loads[i].level, 3 - i);
	assert_int_equal(use(0), TLB_FIRST);
	assert_int_equal(walk.num, 0);
	assert_int_equal(use(1), TLB_WALK);
	assert_int_equal(walk.num, 1);
	assert_int_equal(walk.loads[0].level, 0);
	assert_int_equal(walk.loads[0].entry, 1);
	assert_int_equal(use(512), TLB_WALK);
	assert_int_equal(walk.num, 2);
	assert_int_equal(walk.loads[0].level, 1);
	assert_int_equal(walk.loads[0].entry, 1);
	assert_int_equal(walk.loads[1].table, 1);
	assert_int_equal(walk.loads[1].entry, 0);
	use(512 * 512);
	assert_int_equal(walk.num, 3);
	use(UINT64_C(512) * 512 * 512);
	assert_int_equal(walk.num, 4);
	/* a large page is a PDE */
	assert_int_equal(tlb_use(&tlb, 5 * 512 + 7, TLB_LARGE, 1, &walk),
			 TLB_WALK);
	assert_int_equal(walk.num, 1);
	assert_int_equal(walk.loads[0].level, 1);
	assert_int_equal(walk.loads[0].entry, 5);
	assert_int_equal(tlb_use(&tlb, 5 * 512 + 99, TLB_LARGE, 1, &walk),
			 TLB_FIRST);
}

/* In turn through so many pages, once they are warm. */
static unsigned count(unsigned pages, unsigned how, enum tlb_found found)
{
	unsigned num = 0;

	begin();
	for (unsigned i = 0; i < 2 * pages; i++) {
		uint64_t page = (how & TLB_LARGE ? 512 : 1) * (i % pages);

		if (tlb_use(&tlb, page, how, 1, &walk) == found && i >= pages)
			num++;
	}
	return num;
}

/* As many pages as there are entries fit; with one set's worth more, in turn,
 * LRU finds none of them again. */
static void each_has_its_size(void **state)
{
	(void)state;
	assert_int_equal(count(64, 0, TLB_FIRST), 64);
	assert_int_equal(count(80, 0, TLB_FIRST), 0);
	assert_int_equal(count(80, 0, TLB_SECOND), 80);
	assert_int_equal(count(512, 0, TLB_SECOND), 512);
	assert_int_equal(count(640, 0, TLB_WALK), 640);
	assert_int_equal(count(128, TLB_CODE, TLB_FIRST), 128);
	assert_int_equal(count(160, TLB_CODE, TLB_FIRST), 0);
	assert_int_equal(count(32, TLB_LARGE, TLB_FIRST), 32);
	assert_int_equal(count(40, TLB_LARGE, TLB_WALK), 40);
	assert_int_equal(count(7, TLB_LARGE | TLB_CODE, TLB_FIRST), 7);
	assert_int_equal(count(8, TLB_LARGE | TLB_CODE, TLB_WALK), 8);
}

/* A sequential walk: one walk a page, a new line of PTEs every 8 pages, a PDE
 * every 512. */
static void in_order_a_line_of_entries_has_eight_pages(void **state)
{
	enum { PAGES = 4096 };
	uint64_t latest = UINT64_MAX;
	unsigned walks = 0, ptes = 0, pdes = 0, lines = 0;

	(void)state;
	begin();
	for (unsigned page = 0; page < PAGES; page++)
		for (unsigned i = 0; i < 64; i++) {
			walks += use(page) == TLB_WALK;
			for (unsigned k = 0; k < walk.num; k++) {
				const struct tlb_load *load = &walk.loads[k];
				uint64_t line =
					tlb_address(load, load->table) / 64;

				ptes += load->level == 0;
				pdes += load->level == 1;
				lines += load->level == 0 && line != latest;
				if (load->level == 0)
					latest = line;
			}
		}
	assert_int_equal(walks, PAGES);
	assert_int_equal(ptes, PAGES);
	assert_int_equal(lines, PAGES / 8);
	assert_int_equal(pdes, PAGES / 512);
}

/* Random pages out of n: a set of 4 of the second level holds 4 of its n/128
 * pages, so a page is found with probability 4 / (n/128); what the first level
 * has is nearly all in it. */
static void random_pages_miss_by_reach(void **state)
{
	static const unsigned sizes[] = { 1024, 2048, 8192 };
	enum { USES = 400000 };
	uint64_t seed = 1;

	(void)state;
	for (unsigned s = 0; s < 3; s++) {
		unsigned walks = 0, expected;

		begin();
		for (unsigned i = 0; i < USES; i++) {
			seed = seed * UINT64_C(6364136223846793005) + 1;
			walks += use((seed >> 40) % sizes[s]) == TLB_WALK;
		}
		expected = (unsigned)((uint64_t)USES * (sizes[s] - 512) /
				      sizes[s]);
		assert_in_range(walks, expected * 96 / 100,
				expected * 102 / 100);
	}
}

static void another_space_begins_anew(void **state)
{
	(void)state;
	begin();
	use(3);
	assert_int_equal(tlb_use(&tlb, 3, 0, 2, &walk), TLB_WALK);
	assert_int_equal(walk.num, 4);
	assert_int_equal(tlb_use(&tlb, 3, 0, 2, &walk), TLB_FIRST);
	tlb_use(&tlb, 4, 0, 2, &walk);
	assert_int_equal(tlb_use(&tlb, 4, 0, 3, &walk), TLB_WALK);
}

static void made_up_tables_of_a_level_differ(void **state)
{
	static uint8_t taken[1000];

	(void)state;
	for (unsigned i = 0; i < 1000; i++) {
		struct tlb_load load = { .table = i, .level = 0 };
		uint64_t frame = tlb_made_up_frame(&load, 7, 5000, 1000);

		assert_in_range(frame, 5000, 5999);
		assert_int_equal(taken[frame - 5000]++, 0);
	}
}

/* In the machine. 3840 lines are 60 pages from a line of PTEs on: 8 lines of
 * PTEs, and one of each upper level. With large pages three lines are enough.
 */
static void walks_read_tables(void **state)
{
	struct lab lab = { .sockets = 1,
			   .workload = "stream:threads=1,op=read,size=240K",
			   .settings = { "core.tlb=1" } };

	(void)state;
	assert_int_equal(lab_count(&lab, LAB_ALL, "cbox/LLC_MISSES.ALL/"),
			 3840 + 8 + 3);
	lab.settings[0] = "core.tlb=2";
	assert_int_equal(lab_count(&lab, LAB_ALL, "cbox/LLC_MISSES.ALL/"),
			 3840 + 3);
}

static uint64_t cycles_of(const char *workload, const char *setting)
{
	struct lab lab = { .sockets = 1,
			   .workload = workload,
			   .settings = { setting } };
	struct uncore_model *model = lab_model(&lab);
	uint64_t cycles;

	lab_run(&lab, model);
	cycles = uncore_model_cycle(model);
	uncore_model_free(model);
	return cycles;
}

/* A chase in 128 KB has its lines in the L2 and its 32 pages in the first
 * level: once it is warm, translation costs nothing. In 1 MB, 256 pages, three
 * of four come from the second level and cost 7 core cycles more, 8 of the
 * uncore. */
static void time_passes(void **state)
{
	static const char small[] = "chase:threads=1,gap=1,size=128K,"
				    "count=60000";
	static const char large[] = "chase:threads=1,gap=1,size=1M,count=60000";
	uint64_t plain = cycles_of(small, "core.tlb=0");

	(void)state;
	assert_in_range(cycles_of(small, "core.tlb=1"), plain, plain + 9000);
	plain = cycles_of(large, "core.tlb=0");
	assert_in_range(cycles_of(large, "core.tlb=1") - plain,
			60000 / 4 * 3 * 5, 60000 / 4 * 3 * 11);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_walk_loads_what_it_has_not),
		cmocka_unit_test(each_has_its_size),
		cmocka_unit_test(in_order_a_line_of_entries_has_eight_pages),
		cmocka_unit_test(random_pages_miss_by_reach),
		cmocka_unit_test(another_space_begins_anew),
		cmocka_unit_test(made_up_tables_of_a_level_differ),
	};
	const struct CMUnitTest machines[] = {
		cmocka_unit_test(walks_read_tables),
		cmocka_unit_test(time_passes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) + LAB_RUN(machines);
}
