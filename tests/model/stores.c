/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * A store to a line whose load is still under way, as every loop that updates
 * an array has it: it waits in a buffer, and what follows does not wait for it.
 * So a core that updates lines which nobody else has takes as long as one that
 * only reads them, as its right to write comes with the line. Where another
 * core has the line, each store asks for that right, and the requests of
 * different lines are under way at the same time.
 *
 * A store past the caches has a buffer until its home knows of it, whatever the
 * caches had of the line: no more lines than there are buffers go there in the
 * time that one takes, as those do that follow each other, all to one line.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/model/system_rig.h"

enum { LINES = 2000, BUFFERS = 10 };
enum { STEP = 1024 }; /* cycles in which a run is told over */

/* A machine; what it counts of lines that the LLC has not got, and of all else,
 * or of all, and how much of that is due. */
static const struct {
	const char *name, *missed, *others;
	unsigned due;
} all[] = {
	{ "xeon-e7", "cbox/LLC_MISSES.ALL/", "cbox/LLC_HITS.ALL/", 0 },
	{ "xeon-7500", "cbox/LLC_MISSES.ALL/", "cbox/LLC_HITS.ALL/", 0 },
	{ "xeon-e5-2600", "cbo/LLC_LOOKUP.DATA_READ/", "cbo/LLC_LOOKUP.ANY/",
	  LINES },
};

static struct script lines_by(unsigned num_kinds, const uint8_t kinds[],
			      unsigned after)
{
	struct script script = { .num_steps = num_kinds,
				 .repeat = LINES,
				 .spread = 1 };

	for (unsigned i = 0; i < num_kinds; i++)
		script.steps[i] = (struct uncore_access){
			.kind = kinds[i],
			.gap = 1,
			.after_core = after ? 2 : 0,
			.after = after,
		};
	return script;
}

static struct system of(unsigned machine, struct script first,
			struct script second)
{
	return (struct system){ .machine = all[machine].name,
				.sockets = 1,
				.settings = { "core.prefetch=0" },
				.cpus = { first, second } };
}

static uint64_t run(unsigned machine, struct script first, struct script second)
{
	struct system system = of(machine, first, second);

	return system_takes(&system);
}

static const uint8_t load[] = { UNCORE_ACCESS_READ };
static const uint8_t update[] = { UNCORE_ACCESS_READ, UNCORE_ACCESS_OWN };
/* The first store makes the line dirty, the second finds it so. */
static const uint8_t update_twice[] = { UNCORE_ACCESS_READ, UNCORE_ACCESS_OWN,
					UNCORE_ACCESS_OWN };
static const struct script none = { .num_steps = 0 };

static void an_update_takes_as_long_as_a_load(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		struct script twice = lines_by(3, update_twice, 0);
		struct system system = of(i, twice, none);
		uint64_t loads = run(i, lines_by(1, load, 0), none);

		assert_in_range(run(i, lines_by(2, update, 0), none), loads,
				loads * 11 / 10);
		assert_true(run(i, twice, none) >= loads);
		/* the line is asked for once */
		system_counts(&system, SYSTEM_ALL, all[i].missed, LINES);
		system_counts(&system, SYSTEM_ALL, all[i].others, all[i].due);
	}
}

/* A line that two cores have read is asked for a second time: of all requests
 * as many are under way as there are buffers. One by one the second ones would
 * take a latency each, which is what a chain of loads that hit the LLC takes.
 */
static void rights_to_write_overlap(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		struct script chain = lines_by(1, load, LINES);
		uint64_t reads, chained, updates;

		reads = run(i, none, lines_by(1, load, 0));
		chain.steps[0].depends = 1;
		chained = run(i, chain, lines_by(1, load, 0)) - reads;
		updates = run(i, lines_by(2, update, LINES),
			      lines_by(1, load, 0)) -
			  reads;
		assert_true(updates > chained / BUFFERS);
		assert_true(updates < chained / 2);
	}
}

/* Streaming stores to so many lines, which another core had as `before` says,
 * if at all. */
static uint64_t streams(unsigned machine, unsigned lines, const uint8_t *before)
{
	static const uint8_t stream[] = { UNCORE_ACCESS_NT_WRITE };
	struct script stores = lines_by(1, stream, before ? lines : 0);
	struct script others;

	stores.repeat = lines;
	if (!before)
		return run(machine, stores, none);
	others = lines_by(1, before, 0);
	others.repeat = lines;
	return run(machine, stores, others) - run(machine, none, others);
}

/* Those to one line follow each other. */
static uint64_t streams_one_by_one(unsigned machine, unsigned num)
{
	static const uint8_t stream[] = { UNCORE_ACCESS_NT_WRITE };
	struct script stores = lines_by(1, stream, 0);

	stores.repeat = num;
	stores.spread = 0;
	return run(machine, stores, none);
}

static void streams_take_a_buffer_each(void **state)
{
	static const uint8_t owned[] = { UNCORE_ACCESS_OWN };
	static const uint8_t *const before[] = { NULL, load, owned };

	(void)state;
	for (unsigned i = 0; i < 9; i++)
		for (unsigned lines = LINES / 7; lines <= LINES; lines *= 7) {
			uint64_t taken = streams(i / 3, lines, before[i % 3]);
			uint64_t chained = streams_one_by_one(i / 3, lines);

			assert_true((taken + STEP) * BUFFERS >=
				    chained * 19 / 20);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_update_takes_as_long_as_a_load),
		cmocka_unit_test(rights_to_write_overlap),
		cmocka_unit_test(streams_take_a_buffer_each),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
