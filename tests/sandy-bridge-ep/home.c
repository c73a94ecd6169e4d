/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The home agent of two sockets: who waits for whom, what the directory
 * remembers, and which way its answers go, each counted by hand.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/model/system_rig.h"

enum { N = 400, CORES = 8, WAYS = 16, ROOM = CORES * WAYS };

/* N lines of socket 0's memory, when a CPU (from 1 on, 0: none) has done so
 * many things. */
static struct script script(unsigned kind, unsigned after_core, unsigned after)
{
	return (struct script){
		.steps = { { .kind = (uint8_t)kind,
			     .gap = 2000,
			     .after_core = after_core,
			     .after = after } },
		.num_steps = 1,
		.repeat = N,
		.spread = 1,
	};
}

/* Two sockets ask for a line, one so much after the other. The second is acted
 * on when the first is done, so its channel never has two reads at a time. */
static void of_two_for_a_line_one_waits(void **state)
{
	(void)state;
	for (unsigned later = 0; later < 300; later += 20) {
		struct system system = { .machine = "xeon-e5-2600",
					 .sockets = 2 };

		system.cpus[0] = script(UNCORE_ACCESS_READ, 0, 0);
		system.cpus[CORES] = script(UNCORE_ACCESS_READ, 0, 0);
		system.cpus[0].repeat = system.cpus[CORES].repeat = 1;
		system.cpus[0].steps[0].gap += later;
		system_counts(&system, 0, "ha/REQUESTS.READS/", 2);
		system_counts(&system, 0, "imc/RPQ_OCCUPANCY,thresh=2/", 0);
	}
}

/* The answer to a snoop takes longer than memory where links are slow: then no
 * line may go straight to the core, though all of them come from memory. */
static void direct_waits_for_the_snoop(void **state)
{
	struct system system = {
		.machine = "xeon-e5-2600",
		.sockets = 2,
		.settings = { "qpi.latency=500" },
	};

	(void)state;
	system.cpus[0] = script(UNCORE_ACCESS_READ, 0, 0);
	system_counts(&system, 0, "ha/DIRECT2CORE_TXN_OVERRIDE/", N);
	system_counts(&system, 0, "ha/DIRECT2CORE_COUNT/", 0);
}

static struct system with_directory(unsigned kind)
{
	struct system system = {
		.machine = "xeon-e5-2600",
		.sockets = 2,
		.settings = { "ha.snoop=directory", "llc.slice=1",
			      "llc.ways=16" },
	};

	system.cpus[CORES] = script(kind, 0, 0);
	return system;
}

/* The other socket has N lines and loses all but ROOM of them. Clean ones it
 * loses without a word: their mark stays until the next snoop finds nobody. */
static void a_mark_goes_when_nobody_is_found(void **state)
{
	struct system system = with_directory(UNCORE_ACCESS_READ);

	(void)state;
	system.cpus[0] = script(UNCORE_ACCESS_READ, CORES + 1, N);
	system_counts(&system, 0, "ha/DIRECTORY_UPDATE.SET/", N);
	system_counts(&system, 0, "ha/DIRECTORY_UPDATE.CLEAR/", N - ROOM);
	/* those of the other socket's requests, and of N marked lines */
	system_counts(&system, 0, "ha/DIRECTORY_LOOKUP.SNP/", 2 * N);
}

/* Changed ones are written back, which clears the mark. */
static void a_mark_goes_with_the_write_back(void **state)
{
	struct system system = with_directory(UNCORE_ACCESS_OWN);

	(void)state;
	system_counts(&system, 0, "ha/REQUESTS.WRITES/", N - ROOM);
	system_counts(&system, 0, "ha/DIRECTORY_UPDATE.CLEAR/", N - ROOM);
	system.cpus[0] = script(UNCORE_ACCESS_READ, CORES + 1, N);
	system_counts(&system, 0, "ha/DIRECTORY_LOOKUP.NO_SNP/", N - ROOM);
}

/* A completion without data goes by AK to its own socket, and by AD to the
 * other one's link. */
static void completions_have_a_ring(void **state)
{
	struct system system = { .machine = "xeon-e5-2600", .sockets = 2 };

	(void)state;
	system.cpus[0] = script(UNCORE_ACCESS_NT_WRITE, 0, 0);
	/* one for the right to write, one for the write */
	system_counts(&system, 0, "ha/TxR_AK_INSERTS.ALL/", 2 * N);
	system_counts(&system, 0, "ha/TxR_AD_INSERTS.ALL/", 0);
	system.cpus[CORES] = system.cpus[0];
	system.cpus[0] = (struct script){ 0 };
	system_counts(&system, 0, "ha/TxR_AK_INSERTS.ALL/", 0);
	system_counts(&system, 0, "ha/TxR_AD_INSERTS.ALL/", 2 * N);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(of_two_for_a_line_one_waits),
		cmocka_unit_test(direct_waits_for_the_snoop),
		cmocka_unit_test(a_mark_goes_when_nobody_is_found),
		cmocka_unit_test(a_mark_goes_with_the_write_back),
		cmocka_unit_test(completions_have_a_ring),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
