/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Coherence: however many cores of however many sockets fight over however few
 * lines, a line has one writer or many readers, slices know what cores have,
 * nothing hangs and every credit comes back. See docs/proof.md.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "coherence_rig.h"

/* The suite `long` tries other seeds, too, and all cores of many sockets. */
static bool is_long;

static unsigned num_seeds(void)
{
	return is_long ? 4 : 1;
}

static void fight(const struct fight *fight, uint64_t step_cycles)
{
	struct rig *rig = rig_new(fight);

	rig_run(rig, step_cycles);
	rig_check_rest(rig);
	rig_free(rig);
}

/* The slices are looked at every 50 cycles, in the midst of transactions. */
static void fight_for_few_lines(unsigned sockets, unsigned threads)
{
	static const unsigned lines[] = { 1, 8, 64 };

	for (unsigned i = 0; i < 3; i++)
		for (unsigned seed = 1; seed <= num_seeds(); seed++) {
			struct fight few = {
				.sockets = sockets,
				.threads = threads,
				.lines = lines[i],
				.count = 200,
				.write_percent = 30,
				.code_percent = 5,
				.gap = 20,
				.seed = seed,
				.at_one_home = seed & 1,
			};

			fight(&few, 50);
		}
}

static void one_socket_has_one_writer(void **state)
{
	(void)state;
	fight_for_few_lines(1, 2);
	fight_for_few_lines(1, 10);
}

static void two_sockets_have_one_writer(void **state)
{
	(void)state;
	fight_for_few_lines(2, 2);
	fight_for_few_lines(2, 20);
}

static void four_sockets_have_one_writer(void **state)
{
	(void)state;
	fight_for_few_lines(4, 4);
	if (is_long)
		fight_for_few_lines(4, 40);
}

static void eight_sockets_have_one_writer(void **state)
{
	(void)state;
	fight_for_few_lines(8, 8);
	if (is_long)
		fight_for_few_lines(8, 80);
}

/* Lines that nobody waits for are taken away and asked for again like others;
 * a store may find its line on the way. */
static void prefetched_lines_have_one_writer(void **state)
{
	(void)state;
	for (unsigned sockets = 1; sockets <= (is_long ? 4 : 2); sockets *= 2)
		for (unsigned seed = 1; seed <= 6; seed += is_long ? 1 : 5) {
			struct fight ahead = {
				.sockets = sockets,
				.threads = sockets * (seed & 1 ? 2 : 10),
				.lines = seed < 4 ? 64 : 300,
				.count = 400,
				.write_percent = 30,
				.code_percent = 5,
				.gap = 20,
				.seed = seed,
				.prefetchers = seed & 2 ? PREFETCH_ALL
							: PREFETCH_ADJACENT,
				.at_one_home = true,
			};

			fight(&ahead, 50);
		}
}

/* The LLC of a socket asks for lines, to read or to write to them, that none of
 * its cores gets, while others have them. */
static void lines_for_the_llc_alone_have_one_writer(void **state)
{
	(void)state;
	for (unsigned seed = 1; seed <= (is_long ? 12 : 4); seed++) {
		struct fight ahead = {
			.sockets = 1 + seed % 2,
			.threads = 8,
			.lines = seed < 3 ? 64 : 3000,
			.count = 600,
			.write_percent = 30,
			.code_percent = 5,
			.gap = 20,
			.seed = seed,
			.prefetchers = PREFETCH_ALL,
			.llc_ahead = 1 + seed % 3,
			.at_one_home = true,
			.settings = { seed < 3 ? NULL : "llc.slice=40" },
		};

		fight(&ahead, 50);
	}
}

/* The line of a fight that was lost: peer data came while a rival was served
 * first; the slice took them too early and forgot them when the rival asked. */
static void data_of_a_peer_wait_for_the_home(void **state)
{
	struct fight two = { .sockets = 2,
			     .threads = 8,
			     .lines = 1,
			     .count = 300,
			     .write_percent = 30,
			     .code_percent = 5,
			     .gap = 20,
			     .seed = 2 };

	(void)state;
	fight(&two, 0);
}

/* A rival's answer named a request that was completed before our own request
 * came to the home: it was never asked again, and another fight never ended. */
static void a_rival_is_asked_even_if_it_was_served_long_ago(void **state)
{
	struct fight four = { .sockets = 4,
			      .threads = 16,
			      .lines = 8,
			      .count = 300,
			      .write_percent = 30,
			      .code_percent = 5,
			      .gap = 20,
			      .seed = 1 };

	(void)state;
	fight(&four, 0);
}

/* Slices of 24 KB: most fills have a victim, taken from cores that are just
 * using it. */
static void victims_are_taken_from_cores(void **state)
{
	(void)state;
	for (unsigned sockets = 1; sockets <= (is_long ? 8 : 2); sockets *= 2) {
		struct fight many = {
			.sockets = sockets,
			.threads = sockets * 10,
			.lines = 3000,
			.count = 400,
			.write_percent = 30,
			.seed = sockets,
			.settings = { "llc.slice=24", "llc.ways=4" },
		};

		fight(&many, 0);
	}
}

/* 200000 lines are 12.5 MB: more than the private caches hold, so that modified
 * lines are written back while others ask for them, from some 4,000 accesses of
 * each core on. */
static void write_backs_meet_requests(void **state)
{
	(void)state;
	for (unsigned sockets = 1; sockets <= 2; sockets++) {
		struct fight large = {
			.sockets = sockets,
			.threads = sockets * 4,
			.lines = 200000,
			.count = is_long ? 40000 : 8000,
			.write_percent = 30,
			.seed = 1,
			.settings = { "llc.slice=96", "llc.ways=8" },
		};

		fight(&large, 0);
	}
}

/* Lines 512 apart share one set of eight ways in the L2, so cores give modified
 * lines back all the time and want them again at once. On the ring and in the
 * IRQ a request may overtake the write-back of the same line. */
static void a_line_given_back_is_wanted_again(void **state)
{
	(void)state;
	for (unsigned sockets = 1; sockets <= 4; sockets *= 2)
		for (unsigned lines = 12; lines <= 40; lines += 14) {
			struct fight set = {
				.sockets = sockets,
				.threads = sockets * 4,
				.lines = lines,
				.count = 1500,
				.write_percent = 50,
				.gap = 5,
				.seed = lines,
				.stride = 512,
			};

			fight(&set, 0);
		}
}

/* The same with fetches: what is written back leaves the L1I, too. */
static void code_that_is_written_back_is_forgotten(void **state)
{
	struct fight set = { .sockets = 2,
			     .threads = 16,
			     .lines = 40,
			     .count = 1000,
			     .write_percent = 50,
			     .code_percent = 30,
			     .seed = 1,
			     .stride = 512 };

	(void)state;
	fight(&set, 0);
}

/* Small buffers between the boxes: a response may go while snoops, which came
 * before it, still wait for their credit. */
static void responses_do_not_wait_for_snoops(void **state)
{
	struct fight tight = { .sockets = 2,
			       .threads = 19,
			       .lines = 3000,
			       .count = 1000,
			       .write_percent = 100,
			       .gap = 50,
			       .seed = 198487,
			       .at_one_home = true,
			       .stride = 15360,
			       .settings = { "rbox.vna=16", "sbox.hom_queue=8",
					     "sbox.snp_queue=8",
					     "core.snoop_cycles=100" } };

	(void)state;
	fight(&tight, 0);
}

/* Queues of one to four entries: whatever waits is not waited for. */
static void narrow_queues_do_not_close_a_circle(void **state)
{
	(void)state;
	for (unsigned sockets = 2; sockets <= 8; sockets *= 4)
		for (unsigned seed = 1; seed <= num_seeds(); seed++) {
			struct fight narrow = {
				.sockets = sockets,
				.threads = sockets * 10,
				.lines = 500,
				.count = 200,
				.write_percent = 50,
				.seed = seed,
				.settings = { "llc.slice=24", "llc.ways=4",
					      "sbox.request_table=7",
					      "cbox.viq=2", "cbox.maf=3",
					      "cbox.ipq=1" },
			};

			fight(&narrow, 0);
		}
}

/* Each node's slices have all lines that its cores ask for, whosever memory
 * they are of. */
static void two_nodes_of_a_socket_have_one_writer(void **state)
{
	(void)state;
	for (unsigned sockets = 1; sockets <= 2; sockets++)
		for (unsigned seed = 1; seed <= num_seeds(); seed++) {
			struct fight clusters = {
				.sockets = sockets,
				.threads = sockets * 14,
				.lines = 500,
				.count = 400,
				.write_percent = 40,
				.code_percent = 10,
				.gap = 20,
				.seed = seed,
				.settings = { "ha.snoop=cod", "llc.slice=40" },
			};

			fight(&clusters, 0);
			clusters.at_one_home = true;
			clusters.lines = 20;
			fight(&clusters, 1000);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_socket_has_one_writer),
		cmocka_unit_test(two_sockets_have_one_writer),
		cmocka_unit_test(four_sockets_have_one_writer),
		cmocka_unit_test(eight_sockets_have_one_writer),
		cmocka_unit_test(prefetched_lines_have_one_writer),
		cmocka_unit_test(data_of_a_peer_wait_for_the_home),
		cmocka_unit_test(
			a_rival_is_asked_even_if_it_was_served_long_ago),
		cmocka_unit_test(victims_are_taken_from_cores),
		cmocka_unit_test(write_backs_meet_requests),
		cmocka_unit_test(a_line_given_back_is_wanted_again),
		cmocka_unit_test(code_that_is_written_back_is_forgotten),
		cmocka_unit_test(responses_do_not_wait_for_snoops),
		cmocka_unit_test(narrow_queues_do_not_close_a_circle),
	};

	/* the protocol is the same: what eight slices and other halves of the
	 * rings may change */
	const struct CMUnitTest again[] = {
		cmocka_unit_test(one_socket_has_one_writer),
		cmocka_unit_test(two_sockets_have_one_writer),
		cmocka_unit_test(a_line_given_back_is_wanted_again),
		cmocka_unit_test(responses_do_not_wait_for_snoops),
	};
	/* what any inclusive LLC has to keep */
	const struct CMUnitTest others[] = {
		cmocka_unit_test(one_socket_has_one_writer),
		cmocka_unit_test(two_sockets_have_one_writer),
		cmocka_unit_test(lines_for_the_llc_alone_have_one_writer),
	};
	const struct CMUnitTest clusters[] = {
		cmocka_unit_test(one_socket_has_one_writer),
		cmocka_unit_test(lines_for_the_llc_alone_have_one_writer),
		cmocka_unit_test(two_nodes_of_a_socket_have_one_writer),
	};
	int failed;

	is_long = getenv("UNCORE_LONG") != NULL;
	failed = cmocka_run_group_tests_name("xeon-e7", tests, NULL, NULL);
	rig_machine = "xeon-7500";
	failed += cmocka_run_group_tests_name("xeon-7500", again, NULL, NULL);
	rig_machine = "xeon-e5-2600";
	failed +=
		cmocka_run_group_tests_name("xeon-e5-2600", others, NULL, NULL);
	rig_machine = "xeon-e5-v4";
	return failed +
	       cmocka_run_group_tests_name("xeon-e5-v4", clusters, NULL, NULL);
}
