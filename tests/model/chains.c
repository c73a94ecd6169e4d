/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * A load that needs one before it: all that are under way, or a certain one. A
 * chain of N takes N latencies; two chains of N at once take as long as one,
 * where each load waits for its own chain, and as long as one of 2 N where it
 * waits for all.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/model/system_rig.h"

/* The other chain is in other banks of the memory. */
enum { LOADS = 1000, OTHER = 100003 };

/* In uncore_access.depends: of all, of the access before, of the one before
 * that. */
enum { ALL = 1, PREVIOUS = 2, LAST_BUT_ONE = 3 };

static uint64_t run(const char *machine, unsigned num_chains, uint8_t depends)
{
	struct system system = {
		.machine = machine,
		.sockets = 1,
		.settings = { "core.prefetch=0" },
		.cpus = { {
			.steps = { { .gap = 1, .depends = depends },
				   { .line = OTHER,
				     .gap = 1,
				     .depends = depends } },
			.num_steps = num_chains,
			.repeat = LOADS,
			.spread = 1,
		} },
	};

	return system_takes(&system);
}

static void check(const char *machine)
{
	uint64_t one = run(machine, 1, ALL);

	assert_int_equal(run(machine, 1, PREVIOUS), one);
	assert_in_range(run(machine, 2, LAST_BUT_ONE), one, one * 11 / 10);
	assert_in_range(run(machine, 2, ALL), one * 18 / 10, one * 22 / 10);
	assert_in_range(run(machine, 2, PREVIOUS), one * 18 / 10,
			one * 22 / 10);
	/* what lies so far behind is done: as many at once as there are
	 * buffers */
	assert_in_range(run(machine, 2, UINT8_MAX), 1, one * 2 / 5);
}

static void on_the_xeon_e7(void **state)
{
	(void)state;
	check("xeon-e7");
}

static void on_the_xeon_7500(void **state)
{
	(void)state;
	check("xeon-7500");
}

static void on_the_xeon_e5_2600(void **state)
{
	(void)state;
	check("xeon-e5-2600");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(on_the_xeon_e7),
		cmocka_unit_test(on_the_xeon_7500),
		cmocka_unit_test(on_the_xeon_e5_2600),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
