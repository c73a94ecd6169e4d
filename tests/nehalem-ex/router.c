/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The R-Box and its links: what a packet takes with nothing in its way, what a
 * link carries, and what an error costs, all of it worked out by hand.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "router_rig.h"
#include "signals.h"

static struct rbox_config defaults(void)
{
	struct rbox_config config;

	rbox_config_init(&config); /* pipeline 8, link 5/3, latency 40 */
	return config;
}

/* When a packet arrives that is ready at cycle 0. */
static uint64_t lone(unsigned num_sockets, unsigned num_hubs, unsigned from,
		     unsigned to, unsigned cls)
{
	struct rbox_config config = defaults();
	struct rig *rig = rig_new(num_sockets, num_hubs, &config, NULL);
	struct router_ride ride = rig_send(rig, from, to, cls, 0, 0);

	assert_int_equal(ride.entered, 0);
	assert_false(ride.has_waited);
	rig_free(rig);
	return ride.arrived;
}

static void a_packet_within_a_socket_takes_pipeline_and_flits(void **state)
{
	(void)state;
	assert_int_equal(
		lone(1, 0, NODE_SBOX(0, 0), NODE_BBOX(0, 1), PACKET_HOM),
		8 + 1);
	assert_int_equal(
		lone(1, 0, NODE_BBOX(0, 1), NODE_SBOX(0, 0), PACKET_DRS),
		8 + 9);
}

static void a_hop_adds_flits_latency_and_pipeline(void **state)
{
	(void)state;
	/* First R-Box 8, 1 flit of 5/3 cycles (2), link 40, second R-Box 8. */
	assert_int_equal(
		lone(2, 0, NODE_SBOX(0, 0), NODE_BBOX(1, 0), PACKET_HOM),
		8 + 2 + 40 + 8);
	/* 9 flits of 5/3 cycles are 15 cycles. */
	assert_int_equal(
		lone(4, 0, NODE_BBOX(3, 0), NODE_SBOX(1, 1), PACKET_DRS),
		8 + 15 + 40 + 8);
}

static void two_hops_overlap_but_for_the_slower_link(void **state)
{
	(void)state;
	/* The second R-Box reads 9 flits in 9 cycles and starts so that the
	 * last is there: 8 + 15 + 40, then 8 - 9 until it starts. */
	assert_int_equal(
		lone(8, 0, NODE_BBOX(0, 0), NODE_SBOX(3, 1), PACKET_DRS),
		(8 + 15 + 40) + (8 - 9) + (15 + 40) + 8);
}

static void a_hub_is_a_link_away(void **state)
{
	(void)state;
	/* 11 flits are 18 1/3 cycles. */
	assert_int_equal(lone(2, 2, NODE_IOH(0), NODE_BBOX(0, 0), PACKET_NCB),
			 19 + 40 + 8);
	assert_int_equal(lone(2, 2, NODE_BBOX(0, 0), NODE_IOH(0), PACKET_NCB),
			 8 + 19 + 40);
	/* A flit of 1 2/3 cycles over two links; the first R-Box grants it 8
	 * cycles after its first beat would have come, the second has it 8
	 * after its last. */
	assert_int_equal(lone(2, 2, NODE_IOH(1), NODE_BBOX(0, 0), PACKET_HOM),
			 (2 + 40) + (8 - 1) + (2 + 40) + 8);
}

static void a_box_that_is_late_gets_it_late(void **state)
{
	struct rbox_config config = defaults();
	struct rig *rig = rig_new(1, 0, &config, NULL);

	(void)state;
	assert_int_equal(rig_send(rig, 0, 1, PACKET_HOM, 0, 100).arrived, 100);
	/* The second slot; what comes later of the class comes later. */
	assert_int_equal(rig_send(rig, 0, 1, PACKET_HOM, 1, 0).arrived, 100);
	/* No slot until cycle 100: granted in the next, a flit. */
	assert_int_equal(rig_send(rig, 2, 1, PACKET_HOM, 1, 0).arrived, 102);
	/* Other classes have their own. */
	assert_int_equal(rig_send(rig, 2, 1, PACKET_SNP, 5, 0).arrived, 14);
	rig_free(rig);
}

static void without_a_credit_a_sender_waits(void **state)
{
	struct rbox_config config = defaults();
	struct rig *rig;
	struct router_ride ride;

	(void)state;
	config.vna_flits = 0;
	rig = rig_new(1, 0, &config, NULL);
	/* The place of the class is free when the first is granted, in cycle 8;
	 * what is held counts for groups of 4 cycles. */
	rig_send(rig, 0, 1, PACKET_HOM, 0, 0);
	ride = rig_send(rig, 0, 1, PACKET_HOM, 1, 0);
	assert_true(ride.has_waited);
	assert_int_equal(ride.credit_wait, 7);
	assert_int_equal(ride.entered, 8);
	assert_int_equal(ride.arrived, 8 + 9);
	rig_free(rig);
}

/* Room for one line on VNA behind the link, and for one in the place of the
 * class. The first line is granted 8 cycles after it was ready and begins to
 * leave the next R-Box 15 - 9 + 40 + 8 cycles later, which the sender knows
 * after another 40 + 8: then the third one goes, which takes 15 + 40 + 8 (and
 * what is held counts for groups of 4 cycles). */
static void a_credit_comes_back_over_the_link(void **state)
{
	enum { READY = 10, WAY = 15 + 40 + 8, BACK = 8 + WAY - 9 + 40 + 8 };
	static const unsigned from[] = { NODE_BBOX(0, 0), NODE_BBOX(0, 1),
					 NODE_SBOX(0, 0) };
	struct rbox_config config = defaults();
	struct router_ride rides[3];
	struct rig *rig;

	(void)state;
	config.vna_flits = 9;
	rig = rig_new(2, 0, &config, NULL);
	for (unsigned i = 0; i < 3; i++)
		rides[i] = rig_send(rig, from[i], from[i] + 4, PACKET_DRS,
				    READY, 0);
	assert_int_equal(rides[0].arrived, READY + 8 + WAY);
	assert_int_equal(rides[1].arrived, READY + 8 + WAY + 15);
	assert_in_range(rides[2].arrived, READY + BACK + WAY,
			READY + BACK + WAY + 3);
	rig_free(rig);
}

/* Data from one socket to the other as fast as the link takes it, with calls
 * that are not in the order of times: flits per cycle. */
static double data_rate(const struct rbox_config *config, unsigned senders)
{
	enum { PACKETS = 3000 };
	static const unsigned from[] = { NODE_BBOX(0, 0), NODE_BBOX(0, 1),
					 NODE_SBOX(0, 0), NODE_SBOX(0, 1) };
	struct rig *rig = rig_new(2, 0, config, NULL);
	uint64_t sent[4] = { 0 }, last = 0;

	for (unsigned i = 0; i < PACKETS; i++) {
		unsigned n = i % senders;
		struct router_ride ride;

		ride = rig_send(rig, from[n], from[n] + 4, PACKET_DRS, sent[n],
				0);
		sent[n] = ride.entered + 9;
		last = sim_later(last, ride.arrived);
		rig_run(rig,
			sent[n] > 64 * senders ? sent[n] - 64 * senders : 0);
	}
	rig_free(rig);
	return PACKETS * 9.0 / (double)last;
}

static void a_link_carries_three_flits_in_five_cycles(void **state)
{
	struct rbox_config config = defaults();

	(void)state;
	assert_float_equal(data_rate(&config, 1), 0.6, 0.002);
	assert_float_equal(data_rate(&config, 4), 0.6, 0.002);
	config.link_latency_cycles = 60;
	assert_float_equal(data_rate(&config, 4), 0.6, 0.002);
}

static void a_small_retry_queue_slows_a_link(void **state)
{
	struct rbox_config config = defaults();

	(void)state;
	/* 16 flits per round trip of 2 * 40 + 5/3 cycles. */
	config.retry_flits = 16;
	assert_float_equal(data_rate(&config, 1), 16 / (80 + 5 / 3.0), 0.003);
	assert_float_equal(data_rate(&config, 4), 16 / (80 + 5 / 3.0), 0.003);
}

static void a_fast_link_is_bound_by_the_crossbar(void **state)
{
	struct rbox_config config = defaults();

	(void)state;
	rbox_config_link(&config, 20e9, 2.4e9);
	config.vna_flits = 127;
	config.link_latency_cycles = 20;
	assert_float_equal(data_rate(&config, 4), 1.0, 0.002);
}

/* A line from one socket to the other, with something that goes wrong. */
static struct rig *troubled(const struct rbox_config *config, const char *fault,
			    uint64_t *arrived)
{
	struct rig *rig = rig_new(2, 0, config, fault);

	rig_listen(rig);
	*arrived = rig_send(rig, NODE_BBOX(0, 0), NODE_SBOX(1, 0), PACKET_DRS,
			    0, 0)
			   .arrived;
	rig_run(rig, 10000);
	return rig;
}

static uint64_t at_qpi0(struct rig *rig, unsigned socket, unsigned signal)
{
	return rig_sum(rig, socket, signal, RBOX_PORT_QPI0);
}

static void a_bad_flit_costs_a_round_trip_and_three_flits(void **state)
{
	struct rbox_config config = defaults();
	uint64_t arrived;
	struct rig *rig = troubled(&config, "qpi-crc:count=1", &arrived);

	(void)state;
	/* Undisturbed 8 + 15 + 40 + 8. The bad flit, the request for it and
	 * the answer are 3 flits: 5 cycles; there and back 80. */
	assert_int_equal(arrived, 71 + 5 + 80);
	assert_int_equal(at_qpi0(rig, 1, SIG_RBOX_FLITS_RECV_ERR), 1);
	assert_int_equal(at_qpi0(rig, 0, SIG_RBOX_FLITS_RECV_ERR), 0);
	/* The sender gets the request, the receiver the answer; the credit
	 * comes back in an idle flit of its own. */
	assert_int_equal(at_qpi0(rig, 0, SIG_RBOX_FLITS_RECV_SPEC), 1 + 1);
	assert_int_equal(at_qpi0(rig, 1, SIG_RBOX_FLITS_RECV_SPEC), 1);
	assert_int_equal(at_qpi0(rig, 0, SIG_RBOX_FLITS_SENT), 9);
	assert_int_equal(rig->num_corrected, 1);
	rig_free(rig);
}

static void a_link_that_always_fails_is_initialised_and_goes_on(void **state)
{
	struct rbox_config config = defaults();
	uint64_t arrived;
	struct rig *rig;

	(void)state;
	config.reset_cycles = 50;
	rig = troubled(&config, "qpi-crc:rate=1", &arrived);
	/* 4 tries of 85 cycles, the reset, 4 flits of it, and once again: 5
	 * flits are 8 1/3 cycles. */
	assert_int_equal(arrived, 71 + 4 * 85 + 50 + 9);
	assert_int_equal(at_qpi0(rig, 1, SIG_RBOX_FLITS_RECV_ERR), 4);
	assert_int_equal(rig->num_corrected, 4 + 1);
	rig_free(rig);
}

static void a_reset_costs_its_cycles_and_its_flits(void **state)
{
	struct rbox_config config = defaults();
	uint64_t arrived;
	struct rig *rig = troubled(&config, "pbox-reset:socket=0", &arrived);

	(void)state;
	/* 2000 cycles and 4 flits, which end 2 cycles into a flit and so take
	 * the 9 that follow to the end of cycle 2021.67. */
	assert_int_equal(arrived, 71 - 15 + 2000 + 22);
	assert_int_equal(at_qpi0(rig, 1, SIG_RBOX_FLITS_RECV_SPEC), 4);
	assert_int_equal(at_qpi0(rig, 0, SIG_RBOX_FLITS_RECV_SPEC), 4 + 1);
	assert_int_equal(rig->num_corrected, 1);
	rig_free(rig);
}

static void a_link_without_traffic_sleeps_and_wakes_up(void **state)
{
	struct rbox_config config = defaults();
	struct rig *rig;
	uint64_t arrived;

	(void)state;
	config.idle_cycles = 300;
	config.wake_cycles = 100;
	rig = rig_new(2, 0, &config, NULL);
	rig_listen(rig);
	assert_false(router_link_sleeps(&rig->ex, 0, NODE_BBOX(1, 0), 299));
	assert_true(router_link_sleeps(&rig->ex, 0, NODE_BBOX(1, 0), 300));
	assert_false(router_link_sleeps(&rig->ex, 0, NODE_BBOX(0, 0), 300));
	rig_run(rig, 1000);
	assert_int_equal(at_qpi0(rig, 0, SIG_RBOX_NULL_IDLE), 300);
	arrived = rig_send(rig, NODE_BBOX(0, 0), NODE_SBOX(1, 0), PACKET_DRS,
			   1000, 0)
			  .arrived;
	assert_int_equal(arrived, 1000 + 71 + 100);
	rig_run(rig, 3000);
	/* 100 cycles to wake up and 15 of flits are no null flits. */
	assert_int_equal(at_qpi0(rig, 0, SIG_RBOX_NULL_IDLE), 600);
	assert_int_equal(at_qpi0(rig, 0, SIG_RBOX_OUTPUTQ_NE), 115);
	rig_free(rig);
}

/* Random packets over links with errors; how often a link was initialised. */
static uint64_t storm(unsigned num_sockets, unsigned num_hubs,
		      const struct rbox_config *config, const char *fault)
{
	struct rig *rig = rig_new(num_sockets, num_hubs, config, fault);
	unsigned nodes = num_sockets * 4;
	uint64_t bad = 0;

	rig_listen(rig);
	for (uint64_t now = 0; now < 30000; now += 10) {
		unsigned from = rig_below(rig, nodes + num_hubs);
		unsigned to = rig_below(rig, nodes);

		rig_run(rig, now);
		if (from >= nodes)
			from = NODE_IOH(from - nodes);
		if (from != to)
			rig_send(rig, from, to, rig_below(rig, 6),
				 now + rig_below(rig, 100), 0);
	}
	rig_run(rig, 100000000);
	for (unsigned socket = 0; socket < num_sockets; socket++)
		bad += rig->faults[socket].injected[FAULT_QPI_CRC];
	assert_int_equal(rig_sum_all(rig, SIG_RBOX_FLITS_RECV_ERR, 1), bad);
	assert_true(rig->num_corrected >= bad);
	bad = rig->num_corrected - bad;
	rig_free(rig);
	return bad;
}

static void errors_injected_are_errors_received(void **state)
{
	struct rbox_config config = defaults();

	(void)state;
	assert_int_equal(storm(2, 0, &config, "qpi-crc:rate=0.001"), 0);
	assert_int_equal(storm(4, 4, &config, "qpi-crc:rate=0.001"), 0);
	storm(2, 2, &config, "qpi-crc:rate=0.1");
	storm(8, 0, &config, "qpi-crc:rate=0.1");
	assert_int_equal(storm(2, 0, &config, "pbox-reset:rate=1,count=5"), 10);
	assert_int_equal(storm(4, 4, &config, "pbox-reset:rate=0.1,count=5"),
			 20);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			a_packet_within_a_socket_takes_pipeline_and_flits),
		cmocka_unit_test(a_hop_adds_flits_latency_and_pipeline),
		cmocka_unit_test(two_hops_overlap_but_for_the_slower_link),
		cmocka_unit_test(a_hub_is_a_link_away),
		cmocka_unit_test(a_box_that_is_late_gets_it_late),
		cmocka_unit_test(without_a_credit_a_sender_waits),
		cmocka_unit_test(a_credit_comes_back_over_the_link),
		cmocka_unit_test(a_link_carries_three_flits_in_five_cycles),
		cmocka_unit_test(a_small_retry_queue_slows_a_link),
		cmocka_unit_test(a_fast_link_is_bound_by_the_crossbar),
		cmocka_unit_test(a_bad_flit_costs_a_round_trip_and_three_flits),
		cmocka_unit_test(
			a_link_that_always_fails_is_initialised_and_goes_on),
		cmocka_unit_test(a_reset_costs_its_cycles_and_its_flits),
		cmocka_unit_test(errors_injected_are_errors_received),
		cmocka_unit_test(a_link_without_traffic_sleeps_and_wakes_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
