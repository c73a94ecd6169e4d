/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The R-Box and its links against their laws: nothing is lost, doubled or
 * reordered, latency and bandwidth are what can be computed by hand, credits
 * come back, and no traffic pattern locks up.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "rbox_rig.h"
#include "signals.h"

static struct rbox_config defaults(void)
{
	struct rbox_config config;

	rbox_config_init(&config);
	return config;
}

/* Sends one packet at cycle 0 over an idle network; when it arrived. */
static uint64_t lone_packet(unsigned num_sockets, unsigned from, unsigned to,
			    enum packet_class cls)
{
	struct rbox_config config = defaults();
	struct rig *rig = rig_new(num_sockets, &config, true);

	return rig_lone_packet(rig, from, to, cls);
}

static void a_packet_within_a_socket_takes_pipeline_and_flits(void **state)
{
	(void)state;
	/* 8 cycles of pipeline; the last flit is there a flit's cycles on. */
	assert_int_equal(
		lone_packet(1, NODE_SBOX(0, 0), NODE_BBOX(0, 1), PACKET_HOM),
		8 + 1);
	assert_int_equal(
		lone_packet(1, NODE_BBOX(0, 1), NODE_SBOX(0, 0), PACKET_DRS),
		8 + 9);
}

static void a_hop_adds_flits_latency_and_pipeline(void **state)
{
	(void)state;
	/* First R-Box 8, 1 flit of 5/3 cycles (2), link 40, second R-Box 8. */
	assert_int_equal(
		lone_packet(2, NODE_SBOX(0, 0), NODE_BBOX(1, 0), PACKET_HOM),
		8 + 2 + 40 + 8);
	/* 9 flits of 5/3 cycles are 15 cycles. */
	assert_int_equal(
		lone_packet(4, NODE_BBOX(3, 0), NODE_SBOX(1, 1), PACKET_DRS),
		8 + 15 + 40 + 8);
}

static void two_hops_overlap_but_for_the_slower_link(void **state)
{
	(void)state;
	/* The second R-Box reads 9 flits in 9 cycles and starts so that the
	 * last is there: 8 + 15 + 40, then 8 - 9 until it starts. */
	assert_int_equal(
		lone_packet(8, NODE_BBOX(0, 0), NODE_SBOX(3, 1), PACKET_DRS),
		(8 + 15 + 40) + (8 - 9) + (15 + 40) + 8);
}

/* Random traffic of everybody to everybody, receivers refuse now and then. */
static void storm(unsigned num_sockets, const struct rbox_config *config,
		  unsigned packets, unsigned refuse_percent, unsigned seed)
{
	struct rig *rig = rig_new(num_sockets, config, false);

	rig_fill(rig, packets, seed);
	for (unsigned node = 0; node < num_sockets * 4; node++)
		rig_box(rig, node)->refuse_percent = refuse_percent;
	assert_true(rig_finish(rig, 4000000));
	rig_check_quiet(rig);
	rig_free(rig);
}

static void every_packet_arrives_once_and_in_order(void **state)
{
	struct rbox_config config = defaults();

	(void)state;
	for (unsigned num_sockets = 1; num_sockets <= 8; num_sockets++) {
		storm(num_sockets, &config, 1000, 0, num_sockets);
		storm(num_sockets, &config, 1000, 30, num_sockets);
	}
}

static void vn0_alone_gets_everything_through(void **state)
{
	struct rbox_config config = defaults();

	(void)state;
	config.vna_flits = 0;
	for (unsigned num_sockets = 1; num_sockets <= 8; num_sockets++)
		storm(num_sockets, &config, 300, 30, num_sockets);
}

static void narrow_buffers_get_everything_through(void **state)
{
	struct rbox_config config = defaults();

	(void)state;
	config.vna_flits = 11;
	config.entry_table = 1;
	config.output_flits = 11;
	config.retry_flits = 8;
	config.pipeline_cycles = 2;
	config.link_latency_cycles = 1;
	rbox_config_link(&config, 4.8e9, 2.4e9); /* 2 cycles a flit */
	assert_int_equal(config.link_num, 2);
	assert_int_equal(config.link_den, 1);
	for (unsigned num_sockets = 2; num_sockets <= 8; num_sockets++)
		storm(num_sockets, &config, 300, 30, num_sockets);
}

/* Fills the whole machine with five classes that nobody takes. The sixth must
 * pass all the same, and in the end so must the five. */
static void a_class_passes_when_all_others_are_stuck(unsigned num_sockets,
						     unsigned cls)
{
	struct rbox_config config = defaults();
	struct rig *rig = rig_new(num_sockets, &config, false);
	unsigned num_nodes = num_sockets * 4, seen = 0;

	for (unsigned node = 0; node < num_nodes; node++)
		rig_box(rig, node)->closed_classes = 0x3fu & ~(1u << cls);
	for (unsigned stuck = 0; stuck < PACKET_NUM_CLASSES; stuck++) {
		if (stuck == cls)
			continue;
		for (unsigned node = 0; node < num_nodes; node++) {
			struct rig_box *box = rig_box(rig, node);

			box->only_class = stuck;
			box->has_next = false;
			box->num_to_send = box->num_sent + 300;
		}
		rig_fill(rig, 0, stuck);
		rig_run(rig, 20000);
		for (unsigned node = 0; node < num_nodes; node++) {
			struct rig_box *box = rig_box(rig, node);

			if (box->has_next) { /* made, but not sent */
				box->sent[box->next.other_serial][stuck]--;
				box->has_next = false;
			}
			box->num_to_send = box->num_sent;
		}
	}
	for (unsigned node = 0; node < num_nodes; node++)
		rig_box(rig, node)->only_class = cls;
	rig_fill(rig, 50, 7);
	rig_run(rig, 200000);
	for (unsigned node = 0; node < num_nodes; node++)
		seen += (unsigned)rig_box(rig, node)->num_got;
	assert_int_equal(seen, 50 * num_nodes);
	for (unsigned node = 0; node < num_nodes; node++)
		rig_open(rig_box(rig, node));
	assert_true(rig_finish(rig, 1000000));
	rig_check_quiet(rig);
	rig_free(rig);
}

static void no_class_depends_on_another(void **state)
{
	(void)state;
	for (unsigned cls = 0; cls < PACKET_NUM_CLASSES; cls++) {
		a_class_passes_when_all_others_are_stuck(1, cls);
		a_class_passes_when_all_others_are_stuck(2, cls);
		a_class_passes_when_all_others_are_stuck(8, cls);
	}
}

/* Data from one socket to the other as fast as the link takes it. */
static double data_rate(const struct rbox_config *config, unsigned senders)
{
	static const unsigned from[] = { NODE_BBOX(0, 0), NODE_BBOX(0, 1),
					 NODE_SBOX(0, 0), NODE_SBOX(0, 1) };
	struct rig *rig = rig_new(2, config, true);
	uint64_t flits, cycles = 0;
	double rate;

	for (unsigned i = 0; i < senders; i++) {
		struct rig_box *box = rig_box(rig, from[i]);

		box->only_class = PACKET_DRS;
		box->only_dest = (int)from[i] + 4;
		box->num_to_send = 1000000;
		rig_start(box);
	}
	rig_run(rig, 1000);
	flits = rig_signal(rig, 1, SIG_RBOX_INQUE_READ_WIN, RBOX_PORT_QPI0);
	rig_run(rig, 30000);
	cycles = 30000;
	flits = rig_signal(rig, 1, SIG_RBOX_INQUE_READ_WIN, RBOX_PORT_QPI0) -
		flits;
	rate = (double)flits / (double)cycles;
	assert_int_equal(rig_signal(rig, 0, SIG_RBOX_NULL_IDLE, RBOX_PORT_QPI0),
			 8);
	rig_free(rig);
	return rate;
}

static void a_link_carries_three_flits_in_five_cycles(void **state)
{
	struct rbox_config config = defaults();

	(void)state;
	/* 0.6 flits of 8 bytes at 2.667 GHz are 12.8 GB/s, 8/9 of it data. A
	 * packet more or less at the ends of the 30000 cycles is 0.0003. */
	assert_float_equal(data_rate(&config, 1), 0.6, 0.0003);
	assert_float_equal(data_rate(&config, 4), 0.6, 0.0003);
}

static void a_small_retry_queue_slows_a_link(void **state)
{
	struct rbox_config config = defaults();

	(void)state;
	/* 16 flits per round trip of 2 * 40 + 5/3 cycles. */
	config.retry_flits = 16;
	assert_float_equal(data_rate(&config, 4), 16 / (80 + 5 / 3.0), 0.003);
}

static void a_fast_link_is_bound_by_the_crossbar(void **state)
{
	struct rbox_config config = defaults();

	(void)state;
	rbox_config_link(&config, 20e9, 2.4e9);
	config.vna_flits = 200;
	config.retry_flits = 200;
	assert_float_equal(data_rate(&config, 4), 1.0, 0.0003);
}

static void two_senders_share_a_receiver_evenly(void **state)
{
	struct rbox_config config = defaults();
	struct rig *rig = rig_new(1, &config, true);
	uint64_t a, b;

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		struct rig_box *box = rig_box(rig, NODE_SBOX(0, i));

		box->only_class = PACKET_DRS;
		box->only_dest = NODE_BBOX(0, 0);
		box->num_to_send = 1000000;
		rig_start(box);
	}
	rig_run(rig, 9000);
	a = rig_signal(rig, 0, SIG_RBOX_INQUE_READ_WIN, RBOX_PORT_SBOX0);
	b = rig_signal(rig, 0, SIG_RBOX_INQUE_READ_WIN, RBOX_PORT_SBOX1);
	assert_true(a - b + 9 <= 18);
	/* Nothing is sent for 8 cycles, then a flit every cycle. */
	assert_int_equal(
		rig_signal(rig, 0, SIG_RBOX_FLITS_SENT, RBOX_PORT_BBOX0), 8992);
	rig_free(rig);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			a_packet_within_a_socket_takes_pipeline_and_flits),
		cmocka_unit_test(a_hop_adds_flits_latency_and_pipeline),
		cmocka_unit_test(two_hops_overlap_but_for_the_slower_link),
		cmocka_unit_test(every_packet_arrives_once_and_in_order),
		cmocka_unit_test(vn0_alone_gets_everything_through),
		cmocka_unit_test(narrow_buffers_get_everything_through),
		cmocka_unit_test(no_class_depends_on_another),
		cmocka_unit_test(a_link_carries_three_flits_in_five_cycles),
		cmocka_unit_test(a_small_retry_queue_slows_a_link),
		cmocka_unit_test(a_fast_link_is_bound_by_the_crossbar),
		cmocka_unit_test(two_senders_share_a_receiver_evenly),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
