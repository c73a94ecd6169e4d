/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The R-Box's signals against what was sent, and against each other: flits and
 * packets are conserved, and a level of one thing is never two. Against whoever
 * begins to listen late. The times that packets take in all are near those of
 * 0.4, whose R-Box was made of events: where they meet, who comes first
 * decides.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "model/nehalem-ex/qpi_map.h"
#include "router_traffic.h"
#include "signals.h"

static bool is_level(unsigned signal)
{
	return signal == SIG_RBOX_INQUE_READ_WIN ||
	       signal == SIG_RBOX_EOT_NE_CYCLES ||
	       signal == SIG_RBOX_OUTPUTQ_NE || signal == SIG_RBOX_RETRYQ_NE ||
	       signal == SIG_RBOX_NULL_IDLE || signal == SIG_RBOX_FLITS_SENT ||
	       (signal >= SIG_RBOX_QUE_ARB_BID_HOM &&
		signal <= SIG_RBOX_LOCAL_ARB_BID_NCB) ||
	       (signal >= SIG_RBOX_QUE_ARB_BID_FAIL_HOM &&
		signal <= SIG_RBOX_LOCAL_ARB_BID_FAIL_NCB) ||
	       (signal >= SIG_RBOX_STARVING_HOM &&
		signal <= SIG_RBOX_STARVING_NCB);
}

/* A sum over cycles is the number of them: a port does one thing at a time. */
static void check_levels(struct traffic *traffic)
{
	for (unsigned socket = 0; socket < traffic->plan.num_sockets; socket++)
		for (unsigned i = 0; i < NUM_SIG_RBOX * RBOX_NUM_PORTS; i++)
			if (is_level(i / RBOX_NUM_PORTS))
				assert_int_equal(rig_sum(traffic->rig, socket,
							 i / RBOX_NUM_PORTS,
							 i % RBOX_NUM_PORTS),
						 rig_busy(traffic->rig, socket,
							  i / RBOX_NUM_PORTS,
							  i % RBOX_NUM_PORTS));
}

static void check_laws(struct rig *rig)
{
	uint64_t packets = rig_sum_all(rig, SIG_RBOX_XBR_PKT, 1);
	uint64_t flits = rig_sum_all(rig, SIG_RBOX_FLITS_SENT, 1);

	assert_int_equal(
		rig_sum_all(rig, SIG_RBOX_NEW_PACKETS_RECV_VN0_NCB, 18),
		packets);
	assert_int_equal(rig_sum_all(rig, SIG_RBOX_ALLOC_TO_ARB_NCB, 7),
			 packets);
	assert_int_equal(
		rig_sum_all(rig, SIG_RBOX_TARGET_AVAILABLE_VN0_HOM, 16),
		packets);
	assert_int_equal(rig_sum_all(rig, SIG_RBOX_INQUE_READ_WIN, 1), flits);
	/* A bid at the last stage is granted or fails. */
	assert_int_equal(
		rig_sum_all(rig, SIG_RBOX_GLOBAL_ARB_BID_HOM, 6),
		rig_sum_all(rig, SIG_RBOX_GLOBAL_ARB_BID_FAIL_VN0_HOM, 12) +
			packets);
	/* Who has a queue bid has a local bid, or no target. */
	assert_int_equal(
		rig_sum_all(rig, SIG_RBOX_QUE_ARB_BID_HOM, 6),
		rig_sum_all(rig, SIG_RBOX_LOCAL_ARB_BID_HOM, 6) +
			rig_sum_all(rig, SIG_RBOX_QUE_ARB_BID_FAIL_HOM, 6));
	assert_true(rig_sum_all(rig, SIG_RBOX_LOCAL_ARB_BID_HOM, 6) >=
		    rig_sum_all(rig, SIG_RBOX_LOCAL_ARB_BID_FAIL_HOM, 6));
	assert_true(rig_sum_all(rig, SIG_RBOX_EOT_DEPTH_HOM_VN0, 8) >=
		    rig_sum_all(rig, SIG_RBOX_EOT_NE_CYCLES, 1));
}

static unsigned socket_of(unsigned node)
{
	return NODE_IS_IOH(node) ? NODE_HUB(node) : NODE_SOCKET(node);
}

/* Each packet crosses the R-Box of every socket that it comes to. */
static void check_what_is_sent(const struct traffic *traffic)
{
	uint64_t packets = 0, flits = 0;

	for (unsigned i = 0; i < traffic->plan.num; i++) {
		const struct letter *letter = &traffic->letters[i];
		unsigned times = 1 + qpi_hops(traffic->plan.num_sockets,
					      socket_of(letter->from),
					      socket_of(letter->to));

		packets += times;
		flits += times * rig_flits(letter->cls);
	}
	assert_int_equal(rig_sum_all(traffic->rig, SIG_RBOX_XBR_PKT, 1),
			 packets);
	assert_int_equal(rig_sum_all(traffic->rig, SIG_RBOX_FLITS_SENT, 1),
			 flits);
}

static void is_lawful(struct plan plan, double latency, double tolerance)
{
	struct traffic traffic = { .plan = plan };

	traffic_start(&traffic);
	traffic_run_all(&traffic);
	check_levels(&traffic);
	check_laws(traffic.rig);
	check_what_is_sent(&traffic);
	assert_float_equal(traffic.latency / latency, 1, tolerance);
	traffic_finish(&traffic);
}

static void packets_that_rarely_meet_obey_the_laws(void **state)
{
	(void)state;
	is_lawful((struct plan){ 1, 0, 96, 2000, 4000, 0, 0 }, 24685, 0);
	is_lawful((struct plan){ 2, 0, 96, 2000, 4000, 0, 0 }, 82436, 0);
	is_lawful((struct plan){ 8, 0, 96, 2000, 8000, 0, 0 }, 156577, 0);
	is_lawful((struct plan){ 4, 4, 96, 1000, 200000, 0, 0 }, 60471, 0);
	is_lawful((struct plan){ 2, 2, 0, 1000, 40000, 0, 0 }, 48361, 0);
	is_lawful((struct plan){ 2, 0, 96, 1000, 20000, 0, 300 }, 97321, 0);
	is_lawful((struct plan){ 8, 0, 96, 500, 40000, 0, 9000 }, 78155, 0);
}

static void packets_that_meet_obey_the_laws(void **state)
{
	(void)state;
	is_lawful((struct plan){ 1, 0, 96, 5000, 60, 0, 0 }, 65498, 0.01);
	is_lawful((struct plan){ 2, 0, 96, 5000, 60, 0, 0 }, 230515, 0.01);
	is_lawful((struct plan){ 2, 0, 96, 5000, 60, 300, 0 }, 230515, 0.1);
	is_lawful((struct plan){ 4, 2, 96, 5000, 60, 300, 0 }, 303667, 0.05);
	is_lawful((struct plan){ 8, 0, 96, 5000, 60, 0, 0 }, 412419, 0.02);
	is_lawful((struct plan){ 2, 0, 0, 3000, 200, 0, 0 }, 172005, 0.02);
	is_lawful((struct plan){ 2, 2, 96, 3000, 200, 0, 50 }, 245873, 0.15);
	is_lawful((struct plan){ 2, 0, 96, 3000, 40, 0, 0 }, 155918, 0.1);
}
/* Counts from a cycle on, of somebody who has listened all the time or begins
 * in that cycle. */
static void count_from(const struct plan *plan, uint64_t from,
		       bool all_the_time, uint64_t *counts)
{
	struct traffic traffic = { .plan = *plan };
	struct letter *starts;
	unsigned n;

	traffic_start(&traffic);
	starts = traffic_starts(&traffic);
	if (all_the_time)
		rig_listen(traffic.rig);
	n = traffic_run(&traffic, starts, 0, from);
	if (!all_the_time)
		rig_listen(traffic.rig);
	for (unsigned i = 0; i < NUM_SIG_RBOX; i++)
		counts[i] = -rig_sum_all(traffic.rig, i, 1);
	traffic_run(&traffic, starts, n, UINT64_MAX);
	for (unsigned i = 0; i < NUM_SIG_RBOX; i++)
		counts[i] += rig_sum_all(traffic.rig, i, 1);
	free(starts);
	traffic_finish(&traffic);
}

static void who_begins_to_listen_hears_all_from_then_on(void **state)
{
	const struct plan plan = { 2, 2, 40, 1500, 30, 300, 0 };
	uint64_t all[NUM_SIG_RBOX], late[NUM_SIG_RBOX];

	(void)state;
	for (uint64_t from = 100; from < 2500; from += 397) {
		count_from(&plan, from, true, all);
		count_from(&plan, from, false, late);
		assert_memory_equal(all, late, sizeof(all));
	}
}

/* A box that takes nothing for a while: ten short packets of a class. */
static void tables_overflow_and_classes_starve_behind_a_late_box(void **state)
{
	struct rbox_config config;
	struct rig *rig;

	(void)state;
	rbox_config_init(&config);
	rig = rig_new(1, 0, &config, NULL);
	rig_listen(rig);
	for (unsigned i = 0; i < 10; i++)
		rig_send(rig, NODE_SBOX(0, 0), NODE_SBOX(0, 1), PACKET_SNP, 0,
			 1000);
	rig_run(rig, 1000);
	/* Two slots in front of the box, four entries, so four overflow. The
	 * first come in at cycle 7 and 8; the seventh at 13. */
	assert_int_equal(
		rig_sum(rig, 0, SIG_RBOX_EOT_INSERTS_SNP, RBOX_PORT_SBOX0), 4);
	assert_int_equal(
		rig_sum(rig, 0, SIG_RBOX_EOT_NE_CYCLES, RBOX_PORT_SBOX0),
		1000 - 13);
	assert_int_equal(
		rig_sum(rig, 0, SIG_RBOX_EOT_DEPTH_SNP, RBOX_PORT_SBOX0),
		4 * 1000 - 13 - 14 - 15 - 16);
	/* The second is granted in cycle 9; the rest starves from 256 cycles
	 * later on. */
	assert_int_equal(
		rig_sum(rig, 0, SIG_RBOX_STARVING_SNP, RBOX_PORT_SBOX0),
		1000 - (9 + 256));
	assert_int_equal(rig_sum(rig, 0, SIG_RBOX_OUTPUTQ_NE, RBOX_PORT_SBOX1),
			 1000 - 8);
	assert_int_equal(
		rig_sum(rig, 0, SIG_RBOX_OUTPUTQ_OVFL, RBOX_PORT_SBOX1), 1);
	rig_free(rig);
}

/* Two lines for the same box. The first, ready at 0, is granted in cycle 8; the
 * other one takes part in the arbitration from the cycle after its entry on, 8
 * if it was ready with the first and 9 if a cycle later: then it has lost to
 * nobody, it only waits for the crossbar. */
static void who_has_just_come_in_does_not_lose(void **state)
{
	(void)state;
	for (uint64_t later = 0; later < 2; later++) {
		struct rbox_config config;
		struct rig *rig;

		rbox_config_init(&config);
		rig = rig_new(1, 0, &config, NULL);
		rig_listen(rig);
		rig_send(rig, NODE_BBOX(0, 1), NODE_SBOX(0, 0), PACKET_DRS, 0,
			 0);
		rig_send(rig, NODE_BBOX(0, 0), NODE_SBOX(0, 0), PACKET_DRS,
			 later, 0);
		rig_run(rig, 1000);
		assert_int_equal(
			rig_sum_all(rig, SIG_RBOX_GLOBAL_ARB_BID_DRS, 1),
			later ? 2 : 3);
		assert_int_equal(
			rig_sum_all(rig, SIG_RBOX_GLOBAL_ARB_BID_FAIL_VN0_DRS,
				    1),
			later ? 0 : 1);
		rig_free(rig);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(packets_that_rarely_meet_obey_the_laws),
		cmocka_unit_test(packets_that_meet_obey_the_laws),
		cmocka_unit_test(who_begins_to_listen_hears_all_from_then_on),
		cmocka_unit_test(
			tables_overflow_and_classes_starve_behind_a_late_box),
		cmocka_unit_test(who_has_just_come_in_does_not_lose),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
