/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Workloads whose counts can be computed by hand. See docs/proof.md.
 *
 * The machine has slices of 12 KB, four ways: one holds 192 lines in 48 sets.
 * The region is 240 KB, 3840 lines, so with ten slices each set is asked for 8
 * lines in turn, with eight for 10: with 4 ways and LRU nothing is ever found
 * again. Two passes read
 *     N = 2 * 3840 = 7680
 * lines, and all of them come from memory.
 */
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "lab.h"
#include "model/nehalem-ex/qpi_map.h"

enum { N = 7680, SLICE = 192 };

#define SMALL_LLC "llc.slice=12", "llc.ways=4"
#define READS	  "stream:threads=1,op=read,size=240K,passes=2"

static const unsigned num_sockets[] = { 1, 2, 4, 8, UINT_MAX };

static uint64_t resident(void)
{
	return SLICE * lab_cores();
}

static struct lab local_reads(unsigned sockets)
{
	return (struct lab){ .sockets = sockets,
			     .workload = READS,
			     .settings = { SMALL_LLC } };
}

/* All of it in the memory of socket 1. */
static struct lab remote_reads(unsigned sockets)
{
	return (struct lab){ .sockets = sockets,
			     .workload = READS ",node=1",
			     .settings = { SMALL_LLC } };
}

static void check_slices(const struct lab *lab)
{
	assert_int_equal(lab_count(lab, 0, "cbox/LLC_MISSES.I/"), N);
	assert_int_equal(lab_count(lab, LAB_ALL, "cbox/LLC_MISSES.ALL/"), N);
	assert_int_equal(lab_count(lab, LAB_ALL, "cbox/LLC_HITS.ALL/"), 0);
	/* alone and clean: E; what is not driven out again is resident */
	assert_int_equal(lab_count(lab, 0, "cbox/LLC_S_FILLS.E/"), N);
	assert_int_equal(lab_count(lab, 0, "cbox/LLC_S_FILLS.ALL/"), N);
	assert_int_equal(lab_count(lab, 0, "cbox/LLC_VICTIMS.I/"), resident());
	assert_int_equal(lab_count(lab, 0, "cbox/LLC_VICTIMS.E/"),
			 N - resident());
}

static void check_memory(const struct lab *lab, int home)
{
	uint64_t reads = lab_count(lab, home, "mbox/FVC_EV0.BBOX_CMDS.READS/");

	assert_int_equal(reads, N + lab_count(lab, home, "mbox/PATROL_TXNS/"));
	assert_int_equal(
		lab_count(lab, LAB_ALL, "mbox/FVC_EV0.BBOX_CMDS.WRITES/"), 0);
	assert_int_equal(lab_count(lab, LAB_ALL, "bbox/IMT_INSERTS_RD/"), N);
	assert_int_equal(lab_count(lab, home, "bbox/IMT_INSERTS_RD/"), N);
}

static void each_line_is_one_miss_and_one_memory_read(void **state)
{
	(void)state;
	for (unsigned i = 0; num_sockets[i] <= lab_most_sockets(); i++) {
		struct lab lab = local_reads(num_sockets[i]);

		check_slices(&lab);
		check_memory(&lab, 0);
	}
}

static void remote_lines_too(void **state)
{
	(void)state;
	for (unsigned i = 1; num_sockets[i] <= lab_most_sockets(); i++) {
		struct lab lab = remote_reads(num_sockets[i]);

		check_slices(&lab);
		check_memory(&lab, 1);
	}
}

/* The core is next to S-Box 0, but lines spread over both sides and, without
 * hemisphere mode, from each over both homes: half of the data takes the direct
 * link, the other half crosses the R-Box, 9 flits each; with one socket nothing
 * else leaves by the S-Box ports. */
static void a_data_packet_has_nine_flits(void **state)
{
	struct lab lab = local_reads(1);
	uint64_t from_b, from_r;

	(void)state;
	lab.settings[2] = "memory.hemisphere=off";
	from_b = lab_count(&lab, 0, "sbox/PKTS_RCVD_DRS_FROM_B/");
	from_r = lab_count(&lab, 0, "sbox/PKTS_RCVD_DRS_FROM_R/");
	assert_int_equal(from_b + from_r, N);
	assert_in_range(from_r, N * 45 / 100, N * 55 / 100);
	assert_int_equal(lab_ports(&lab, 0, "sbox", "FLITS_SENT"), 9 * from_r);
	assert_int_equal(lab_ports(&lab, 0, "sbox", "DRS.AnyDataC"), from_r);
	/* requests go the other way, one flit each */
	assert_int_equal(lab_ports(&lab, 0, "bbox", "FLITS_SENT"), from_r);
}

/* Flits times links, of a packet from each of the sockets 0 to n-1 except one
 * to a socket, or the other way. */
static uint64_t hops_to(unsigned n, unsigned to, unsigned except)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < n; i++)
		if (i != except)
			sum += qpi_hops(n, i, to);
	return sum;
}

/* Over the links of all sockets, per line: the request (1 flit) and the data (9
 * flits) between socket 0 and the home, a snoop to each other socket, and a
 * response from each of them to the home. */
static void check_links(const struct lab *lab, unsigned home)
{
	unsigned n = lab->sockets;
	uint64_t between = qpi_hops(n, 0, home);
	uint64_t flits =
		between * (1 + 9) + hops_to(n, 0, 0) + hops_to(n, home, 0);

	assert_int_equal(lab_ports(lab, LAB_ALL, "qpi", "FLITS_SENT"),
			 N * flits);
}

static void a_local_line_costs_snoops_and_responses_only(void **state)
{
	(void)state;
	for (unsigned i = 0; num_sockets[i] <= lab_most_sockets(); i++) {
		struct lab lab = local_reads(num_sockets[i]);

		check_links(&lab, 0);
	}
}

static void a_remote_line_costs_a_request_and_nine_flits_more(void **state)
{
	(void)state;
	for (unsigned i = 1; num_sockets[i] <= lab_most_sockets(); i++) {
		struct lab lab = remote_reads(num_sockets[i]);

		check_links(&lab, 1);
		assert_int_equal(
			lab_count(&lab, 0, "sbox/PKTS_RCVD_DRS_FROM_R/"), N);
	}
}

/* Two sockets, one link: each direction by itself. */
static void both_directions_of_a_link(void **state)
{
	struct lab lab = remote_reads(2);

	(void)state;
	/* request and snoop */
	assert_int_equal(lab_count(&lab, 0, "rbox/FLITS_SENT,port=qpi0/"),
			 2 * N);
	/* data; the response of socket 1 stays there */
	assert_int_equal(lab_count(&lab, 1, "rbox/FLITS_SENT,port=qpi0/"),
			 9 * N);
}

/* Each other socket is snooped once for each line and has nothing. */
static void every_other_socket_is_snooped(void **state)
{
	(void)state;
	for (unsigned i = 0; num_sockets[i] <= lab_most_sockets(); i++) {
		struct lab lab = local_reads(num_sockets[i]);
		unsigned others = num_sockets[i] - 1;

		assert_int_equal(
			lab_count(&lab, LAB_ALL, "cbox/SNPS.REMOTE_RD/"),
			N * others);
		assert_int_equal(
			lab_count(&lab, LAB_ALL, "cbox/SNPS.REMOTE_RFO/"), 0);
		assert_int_equal(
			lab_count(&lab, LAB_ALL, "cbox/SNP_HITS.REMOTE_ANY/"),
			0);
		assert_int_equal(
			lab_count(&lab, LAB_ALL, "sbox/PKTS_RCVD_SNP/"),
			N * others);
	}
}

/* Stores instead: every line comes for ownership and leaves modified, all but
 * those that stay. */
static void a_line_written_once_is_written_back_once(void **state)
{
	struct lab lab = {
		.sockets = 2,
		.workload = "stream:threads=1,op=write,size=240K,passes=2",
		.settings = { SMALL_LLC },
	};

	(void)state;
	assert_int_equal(lab_count(&lab, 0, "cbox/LLC_MISSES.I/"), N);
	assert_int_equal(lab_count(&lab, 0, "cbox/LLC_VICTIMS.M/"),
			 N - resident());
	assert_int_equal(
		lab_count(&lab, LAB_ALL, "mbox/FVC_EV0.BBOX_CMDS.WRITES/"),
		N - resident());
	assert_int_equal(lab_count(&lab, LAB_ALL, "cbox/SNPS.REMOTE_RFO/"), N);
}

/* Two threads of one socket load and store one line in turn: it comes from
 * memory once, and from then on from the slice or the other core. */
static void a_shared_line_comes_from_memory_once(void **state)
{
	struct lab lab = { .sockets = 1,
			   .workload = "pingpong:threads=2,count=500" };

	(void)state;
	assert_int_equal(lab_count(&lab, 0, "cbox/LLC_MISSES.ALL/"), 1);
	assert_int_equal(lab_count(&lab, 0, "bbox/IMT_INSERTS_ALL/"), 1);
}

/* Nobody runs: the clock counts cycles, and nothing else moves on the rings, at
 * the homes and on the links. */
static void an_idle_machine_counts_time_alone(void **state)
{
	struct lab lab = { .sockets = 2,
			   .workload = "idle",
			   .cycles = 5000000 };

	(void)state;
	assert_int_equal(lab_count(&lab, 0, "wbox/FIXED_CTR/"), 5000000);
	assert_int_equal(lab_count(&lab, 1, "wbox/FIXED_CTR/"), 5000000);
	assert_int_equal(lab_count(&lab, LAB_ALL, "cbox/TRANS_IRQ/"), 0);
	assert_int_equal(lab_count(&lab, LAB_ALL, "cbox/LLC_HITS.ALL/"), 0);
	assert_int_equal(lab_count(&lab, LAB_ALL, "cbox/LLC_MISSES.ALL/"), 0);
	assert_int_equal(lab_count(&lab, LAB_ALL, "bbox/IMT_INSERTS_ALL/"), 0);
	assert_int_equal(lab_ports(&lab, LAB_ALL, "qpi", "FLITS_SENT"), 0);
}

/* Scrubbing every 429153 cycles: 5000000 / 429153 = 11 times in each M-Box. */
static void scrubbing_keeps_its_interval(void **state)
{
	struct lab lab = { .sockets = 2,
			   .workload = "idle",
			   .cycles = 5000000 };

	(void)state;
	assert_int_equal(lab_count(&lab, LAB_ALL, "mbox/PATROL_TXNS/"), 4 * 11);
	assert_int_equal(
		lab_count(&lab, LAB_ALL, "mbox/FVC_EV0.BBOX_CMDS.READS/"),
		4 * 11);
}

/* tREFI is 4160 DRAM clocks of 5 cycles: 20800 cycles. In 100 of them each of
 * the ranks of each bus is refreshed 100 times: 4 M-Boxes, 2 buses, 4 ranks.
 * The last one is due in the last of these cycles and given a little later. */
static void every_rank_is_refreshed_in_time(void **state)
{
	struct lab lab = { .sockets = 2,
			   .workload = "idle",
			   .cycles = 20800 * 100 + 100 };

	(void)state;
	assert_int_equal(lab_count(&lab, LAB_ALL, "mbox/REFRESH/"),
			 100 * 4 * 2 * 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_line_is_one_miss_and_one_memory_read),
		cmocka_unit_test(remote_lines_too),
		cmocka_unit_test(a_data_packet_has_nine_flits),
		cmocka_unit_test(a_local_line_costs_snoops_and_responses_only),
		cmocka_unit_test(
			a_remote_line_costs_a_request_and_nine_flits_more),
		cmocka_unit_test(both_directions_of_a_link),
		cmocka_unit_test(every_other_socket_is_snooped),
		cmocka_unit_test(a_line_written_once_is_written_back_once),
		cmocka_unit_test(a_shared_line_comes_from_memory_once),
		cmocka_unit_test(an_idle_machine_counts_time_alone),
		cmocka_unit_test(scrubbing_keeps_its_interval),
		cmocka_unit_test(every_rank_is_refreshed_in_time),
	};

	return LAB_RUN(tests);
}
