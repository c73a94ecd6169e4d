/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * An LLC that is larger than the L2s of its cores, as real ones are: 1 MB and
 * two of 256 KB. Core 0 changes 128 KB and works on in its own caches, of which
 * the LLC sees nothing; core 1 reads four times as much as the LLC holds. Lines
 * go evenly over all sets, so in the end the LLC is full of lines of core 1's,
 * and all others have been victims, which follows for each event below.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/model/system_rig.h"

enum { LLC = 16384, CHANGED = 2048, READ = 4 * LLC };

struct expected {
	const char *event;
	uint64_t count;
};

static const struct expected ex[] = {
	{ "cbox/LLC_VICTIMS.M/", CHANGED },
	{ "cbox/LLC_VICTIMS.E/", READ - LLC },
	{ "cbox/LLC_VICTIMS.S/", 0 },
	{ "cbox/LLC_VICTIMS.I/", LLC },
	{ "cbox/LLC_MISSES.ALL/", CHANGED + READ },
	{ "cbox/SINKS_C2P.IV/", CHANGED + READ - LLC },
	{ "bbox/IMT_INSERTS_RD/", CHANGED + READ },
	{ "bbox/IMT_INSERTS_WR/", CHANGED },
};

static const struct expected ep[] = {
	{ "cbo/LLC_VICTIMS.M_STATE/", CHANGED },
	{ "cbo/LLC_VICTIMS.E_STATE/", READ - LLC },
	{ "cbo/LLC_VICTIMS.S_STATE/", 0 },
	{ "cbo/TOR_INSERTS.MISS_ALL/", CHANGED + READ },
	{ "cbo/TxR_INSERTS.IV_CACHE/", CHANGED + READ - LLC },
	{ "ha/REQUESTS.READS/", CHANGED + READ },
	{ "ha/REQUESTS.WRITES/", CHANGED },
	{ "imc/CAS_COUNT.WR/", CHANGED },
};

enum { NUM = sizeof(ex) / sizeof(*ex) };

/* Some events at a time: a box has four counters. */
enum { AT_ONCE = 2 };

static struct script walk(unsigned kind, uint64_t line, unsigned num,
			  unsigned after)
{
	return (struct script){
		.steps = { { .kind = (uint8_t)kind,
			     .line = line,
			     .gap = 100,
			     .after_core = after ? 1 : 0,
			     .after = after } },
		.num_steps = 1,
		.repeat = num,
		.spread = 1,
	};
}

static void lines_changed_in_cores_are_driven_out(const char *machine,
						  const struct expected *due)
{
	for (unsigned i = 0; i < NUM; i += AT_ONCE) {
		struct system system = {
			.machine = machine,
			.sockets = 1,
			.settings = { "cores=2", "llc.slice=512",
				      "llc.ways=16" },
		};
		const char *events[] = { due[i].event, due[i + 1].event, NULL };

		system.cpus[0] = walk(UNCORE_ACCESS_OWN, 0, CHANGED, 0);
		system.cpus[1] =
			walk(UNCORE_ACCESS_READ, 1 << 20, READ, CHANGED);
		system_start(&system, events);
		system_finish(&system);
		for (unsigned n = 0; n < AT_ONCE; n++)
			assert_int_equal(system_read(&system, n, SYSTEM_ALL),
					 due[i + n].count);
		system_end(&system);
	}
}

static void on_the_xeon_e7(void **state)
{
	(void)state;
	lines_changed_in_cores_are_driven_out("xeon-e7", ex);
}

static void on_the_xeon_7500(void **state)
{
	(void)state;
	lines_changed_in_cores_are_driven_out("xeon-7500", ex);
}

static void on_the_xeon_e5_2600(void **state)
{
	(void)state;
	lines_changed_in_cores_are_driven_out("xeon-e5-2600", ep);
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
