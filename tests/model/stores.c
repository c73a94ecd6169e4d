/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * A store to a line whose load is still under way, as every loop that updates
 * an array has it: it waits in a buffer, and what follows does not wait for it.
 * So a core that updates lines which nobody else has takes as long as one that
 * only reads them, as its right to write comes with the line. Where another
 * core has the line, each store asks for that right, and the requests of
 * different lines are under way at the same time.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/model/system_rig.h"

enum { LINES = 2000, BUFFERS = 10 };

static const char *const all[] = { "xeon-e7", "xeon-7500", "xeon-e5-2600" };

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

static uint64_t run(const char *machine, struct script first,
		    struct script second, uint64_t *requests)
{
	struct system system = { .machine = machine,
				 .sockets = 1,
				 .settings = { "core.prefetch=0" },
				 .cpus = { first, second } };
	const char *nothing[] = { NULL };
	uint64_t cycles;

	system_start(&system, nothing);
	system_finish(&system);
	cycles = uncore_model_cycle(system.model);
	*requests = uncore_model_num_accesses(system.model);
	system_end(&system);
	return cycles;
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
		uint64_t n;
		uint64_t loads = run(all[i], lines_by(1, load, 0), none, &n);
		uint64_t updates =
			run(all[i], lines_by(2, update, 0), none, &n);

		assert_in_range(updates, loads, loads * 11 / 10);
		assert_int_equal(n, 2 * LINES);
		updates = run(all[i], lines_by(3, update_twice, 0), none, &n);
		assert_int_equal(n, 3 * LINES);
		assert_true(updates >= loads);
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
		uint64_t n;
		uint64_t reads, chained, updates;

		reads = run(all[i], none, lines_by(1, load, 0), &n);
		chain.steps[0].depends = 1;
		chained = run(all[i], chain, lines_by(1, load, 0), &n) - reads;
		updates = run(all[i], lines_by(2, update, LINES),
			      lines_by(1, load, 0), &n) -
			  reads;
		assert_true(updates > chained / BUFFERS);
		assert_true(updates < chained / 2);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_update_takes_as_long_as_a_load),
		cmocka_unit_test(rights_to_write_overlap),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
