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
#include <stdio.h>

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

/* One read at a time is in the tracker for so long as the tracker is not empty;
 * lines come before answers where the links are slow, and wait for them. */
static void what_waits_is_in_the_tracker(void **state)
{
	struct system system = { .machine = "xeon-e5-v3",
				 .sockets = 2,
				 .settings = { "qpi.latency=1000" } };
	uint64_t stays, waits;

	(void)state;
	system.cpus[0] = script(UNCORE_ACCESS_READ, 0, 0);
	system.cpus[0].steps[0].gap = 9000;
	stays = system_count(&system, 0, "ha/TRACKER_OCCUPANCY.READS_LOCAL/");
	waits = system_count(&system, 0, "ha/TRACKER_PENDING_OCCUPANCY.LOCAL/");
	system_counts(&system, 0, "ha/TRACKER_CYCLES_NE.LOCAL/", stays);
	system_counts(&system, 0, "ha/TRACKER_OCCUPANCY.READS_REMOTE/", 0);
	system_counts(&system, 0, "ha/TRACKER_OCCUPANCY.WRITES_LOCAL/", 0);
	system_counts(&system, 0, "ha/SNOOPS_RSP_AFTER_DATA.LOCAL/", N);
	system_counts(&system, 0, "ha/SNOOP_RESP.RSPI/", N);
	system_counts(&system, 0, "ha/SNOOP_RESP.RSPS/", 0);
	assert_true(waits > N * 1000ull && waits < stays);
	system.settings[0] = "qpi.latency=10";
	system_counts(&system, 0, "ha/SNOOPS_RSP_AFTER_DATA.LOCAL/", 0);
	system_counts(&system, 0, "ha/TRACKER_CYCLES_FULL.ALL/", 0);
}

/* A home that snoops gets an answer to each; those for requests of its own
 * socket are the other one's. */
static void each_snoop_is_answered(void **state)
{
	static const char *const answers[] = {
		"RSPI", "RSPS", "RSPIFWD", "RSPSFWD", "RSP_WB", "RSP_FWD_WB"
	};
	static const char *const local[] = {
		"RSPI", "RSPS", "RSPIFWD", "RSPSFWD", "RSPxWB", "RSPxFWDxWB"
	};
	struct system system = { .machine = "xeon-e5-v2",
				 .sockets = 2,
				 .settings = { "ha.snoop=home" } };
	uint64_t sum = 0, sum_local = 0, snoops[2];

	(void)state;
	for (unsigned i = 0; i < 20; i += 5) {
		system.cpus[i] = script(UNCORE_ACCESS_READ, 0, 0);
		system.cpus[i].num_steps = 2;
		system.cpus[i].steps[1] = system.cpus[i].steps[0];
		system.cpus[i].steps[1].kind = UNCORE_ACCESS_OWN;
		system.cpus[i].steps[1].gap = 500 + 333 * i;
	}
	for (unsigned i = 0; i < 6; i++) {
		char text[64];

		snprintf(text, sizeof(text), "ha/SNOOP_RESP.%s/", answers[i]);
		sum += system_count(&system, 0, text);
		snprintf(text, sizeof(text), "ha/SNP_RESP_RECV_LOCAL.%s/",
			 local[i]);
		sum_local += system_count(&system, 0, text);
	}
	for (unsigned i = 0; i < 2; i++)
		snoops[i] = system_count(&system, i,
					 "cbo/LLC_LOOKUP.REMOTE_SNOOP/");
	assert_true(snoops[0] && snoops[1]);
	assert_int_equal(sum, snoops[0] + snoops[1]);
	assert_int_equal(sum_local, snoops[1]);
}

/* Who claims lines that the other socket has changed, and wants no data, does
 * not get them: they come home, and are written there. */
static void a_claim_sends_lines_home(void **state)
{
	struct system system = { .machine = "xeon-e5-v2", .sockets = 2 };

	(void)state;
	system.cpus[10] = script(UNCORE_ACCESS_OWN, 0, 0);
	system.cpus[0] = script(UNCORE_ACCESS_NT_WRITE, 11, N);
	for (unsigned i = 0; i < 2; i++) {
		system.settings[0] = i ? "ha.snoop=home" : "ha.snoop=source";
		system_counts(&system, 0, "ha/SNOOP_RESP.RSP_WB/", N);
		system_counts(&system, 0, "ha/SNP_RESP_RECV_LOCAL.RSPxWB/", N);
		system_counts(&system, 0, "ha/REQUESTS.WRITES/", N);
		system_counts(&system, 0, "ha/IMC_WRITES.FULL/", 2 * N);
		system_counts(&system, 1, "qpi/TxL_FLITS_G1.DRS_DATA/", 8 * N);
	}
}

/* A directory that asks at once asks for each read, and for nothing: nobody has
 * the lines, so none waits, and all are as early as without. */
static void a_broadcast_costs_no_time(void **state)
{
	struct system without = { .machine = "xeon-e5-v3",
				  .sockets = 2,
				  .settings = { "ha.snoop=directory" } };
	struct system with = without;

	(void)state;
	without.cpus[0] = with.cpus[0] = script(UNCORE_ACCESS_READ, 0, 0);
	with.settings[1] = "ha.osb_requests=64";
	with.settings[2] = without.settings[2] = "qpi.latency=1000";
	system_counts(&without, 0, "ha/OSB.READS_LOCAL/", 0);
	system_counts(&without, 1, "cbo/LLC_LOOKUP.REMOTE_SNOOP/", 0);
	system_counts(&with, 0, "ha/OSB.READS_LOCAL/", N);
	system_counts(&with, 0, "ha/OSB.READS_LOCAL_USEFUL/", 0);
	system_counts(&with, 0, "ha/OSB_EDR.READS_LOCAL_I/", N);
	system_counts(&with, 1, "cbo/LLC_LOOKUP.REMOTE_SNOOP/", N);
	system_counts(&with, 0, "ha/DIRECTORY_LOOKUP.NO_SNP/", N);
	system_counts(&with, 0, "cbo/TOR_OCCUPANCY.MISS_ALL/",
		      system_count(&without, 0, "cbo/TOR_OCCUPANCY.MISS_ALL/"));
}

/* A line goes to and fro between two sockets: the first time it is forwarded
 * makes an entry, and each request after that finds it. */
static void a_line_that_is_passed_on_is_remembered(void **state)
{
	struct system system = { .machine = "xeon-e5-v3",
				 .sockets = 2,
				 .settings = { "ha.snoop=directory",
					       "ha.hitme=1000" } };
	uint64_t asked, forwarded;

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		system.cpus[12 * i] = script(UNCORE_ACCESS_OWN, 0, 0);
		system.cpus[12 * i].spread = 0;
		system.cpus[12 * i].steps[0].gap += 1000 * i;
	}
	asked = system_count(&system, 0, "ha/HITME_LOOKUP.READ_OR_INVITOE/");
	forwarded = system_count(&system, 0, "ha/HITME_LOOKUP.RSPFWDI_REMOTE/");
	assert_true(asked > N && forwarded > N / 4);
	system_counts(&system, 0, "ha/HITME_LOOKUP.RSPFWDS/", 0);
	/* What a remote socket takes makes the entry, what the home's takes
	 * back ends it. */
	system_counts(
		&system, 0, "ha/HITME_HIT.RSPFWDI_LOCAL/",
		system_count(&system, 0, "ha/HITME_LOOKUP.RSPFWDI_LOCAL/"));
	system_counts(&system, 0, "ha/HITME_HIT.RSPFWDI_REMOTE/", 0);
	/* Who has it last is who alone is named. */
	system_counts(
		&system, 0, "ha/HITME_HIT_PV_BITS_SET.READ_OR_INVITOE/",
		system_count(&system, 0, "ha/HITME_HIT.READ_OR_INVITOE/"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(of_two_for_a_line_one_waits),
		cmocka_unit_test(direct_waits_for_the_snoop),
		cmocka_unit_test(a_mark_goes_when_nobody_is_found),
		cmocka_unit_test(a_mark_goes_with_the_write_back),
		cmocka_unit_test(completions_have_a_ring),
		cmocka_unit_test(what_waits_is_in_the_tracker),
		cmocka_unit_test(each_snoop_is_answered),
		cmocka_unit_test(a_claim_sends_lines_home),
		cmocka_unit_test(a_broadcast_costs_no_time),
		cmocka_unit_test(a_line_that_is_passed_on_is_remembered),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
