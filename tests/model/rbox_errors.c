/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Links on which something goes wrong: what was injected is what is received
 * as bad and reported, nothing is lost, doubled or reordered, and the time it
 * costs can be computed by hand.
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

static uint64_t link_sum(struct rig *rig, unsigned signal)
{
	static const unsigned ports[] = { RBOX_PORT_QPI0, RBOX_PORT_QPI1,
					  RBOX_PORT_QPI2, RBOX_PORT_QPI3 };
	uint64_t sum = 0;

	for (unsigned socket = 0; socket < rig->num_sockets; socket++)
		for (unsigned i = 0; i < 4; i++)
			sum += rig_signal(rig, socket, signal, ports[i]);
	return sum;
}

/* Random traffic on links with errors; how often a link was initialised. */
static uint64_t storm(unsigned num_sockets, unsigned num_hubs,
		      const struct rbox_config *config, const char *spec)
{
	struct rig *rig =
		rig_new_with_hubs(num_sockets, num_hubs, config, true);
	uint64_t bad, resets;

	rig_inject(rig, spec);
	rig_fill(rig, 300, num_sockets);
	for (unsigned i = 0; i < rig->num_boxes; i++)
		rig_box(rig, i)->refuse_percent = 10;
	assert_true(rig_finish(rig, 100000000));
	rig_check_quiet(rig);
	bad = rig_injected(rig, FAULT_QPI_CRC);
	assert_int_equal(link_sum(rig, SIG_RBOX_FLITS_RECV_ERR), bad);
	assert_true(rig->num_corrected >= bad);
	resets = rig->num_corrected - bad;
	rig_free(rig);
	return resets;
}

static void errors_injected_are_errors_received(void **state)
{
	struct rbox_config config = defaults();

	(void)state;
	for (unsigned num_sockets = 2; num_sockets <= 8; num_sockets *= 2) {
		assert_int_equal(
			storm(num_sockets, 0, &config, "qpi-crc:rate=0.001"),
			0);
		storm(num_sockets, 0, &config, "qpi-crc:rate=0.2");
	}
	storm(2, 2, &config, "qpi-crc:rate=0.2");
}

static void a_link_that_always_fails_is_initialised_and_goes_on(void **state)
{
	struct rbox_config config = defaults();

	(void)state;
	config.reset_cycles = 50;
	assert_true(storm(2, 1, &config, "qpi-crc:rate=1") > 1000);
}

static void every_reset_injected_happens_at_both_ends(void **state)
{
	struct rbox_config config = defaults();

	(void)state;
	assert_int_equal(storm(2, 0, &config, "pbox-reset:rate=1,count=5"), 10);
	assert_int_equal(storm(4, 4, &config, "pbox-reset:rate=0.1,count=5"),
			 20);
}

/* A packet of data from one socket to the other; when it arrived. */
static uint64_t lone_packet(struct rig *rig)
{
	struct rig_box *box = rig_box(rig, NODE_BBOX(0, 0));

	box->only_class = PACKET_DRS;
	box->only_dest = NODE_SBOX(1, 0);
	box->num_to_send = 1;
	rig_start(box);
	assert_true(rig_finish(rig, 100000));
	rig_check_quiet(rig);
	return rig_box(rig, NODE_SBOX(1, 0))->first_time;
}

static uint64_t signal_at(struct rig *rig, unsigned socket, unsigned signal)
{
	return rig_signal(rig, socket, signal, RBOX_PORT_QPI0);
}

static void a_bad_flit_costs_a_round_trip_and_three_flits(void **state)
{
	struct rbox_config config = defaults();
	struct rig *rig = rig_new(2, &config, true);

	(void)state;
	rig_inject(rig, "qpi-crc:count=1");
	/* Undisturbed 8 + 15 + 40 + 8. The bad flit, the request for it and
	 * the answer are 3 flits: 5 cycles; there and back 80. */
	assert_int_equal(lone_packet(rig), 71 + 5 + 80);
	assert_int_equal(signal_at(rig, 1, SIG_RBOX_FLITS_RECV_ERR), 1);
	assert_int_equal(signal_at(rig, 0, SIG_RBOX_FLITS_RECV_ERR), 0);
	/* The sender gets the request, the receiver the answer; the credit
	 * comes back in an idle flit of its own. */
	assert_int_equal(signal_at(rig, 0, SIG_RBOX_FLITS_RECV_SPEC), 1 + 1);
	assert_int_equal(signal_at(rig, 1, SIG_RBOX_FLITS_RECV_SPEC), 1);
	assert_int_equal(signal_at(rig, 0, SIG_RBOX_FLITS_SENT), 9);
	assert_int_equal(rig->num_corrected, 1);
	rig_free(rig);
}

static void a_reset_costs_its_cycles_and_its_flits(void **state)
{
	struct rbox_config config = defaults();
	struct rig *rig = rig_new(2, &config, true);

	(void)state;
	config.init_flits = 4;
	rig_inject(rig, "pbox-reset:socket=0");
	/* 2000 cycles and 4 flits, which end 2 cycles into a flit and so take
	 * the 9 that follow to the end of cycle 2021.67. */
	assert_int_equal(lone_packet(rig), 71 - 15 + 2000 + 22);
	rig_run(rig, 5000);
	assert_int_equal(signal_at(rig, 1, SIG_RBOX_FLITS_RECV_SPEC), 4);
	assert_int_equal(signal_at(rig, 0, SIG_RBOX_FLITS_RECV_SPEC), 4 + 1);
	assert_int_equal(rig->num_corrected, 1);
	rig_free(rig);
}

static void a_link_without_traffic_sleeps_and_wakes_up(void **state)
{
	struct rbox_config config = defaults();
	struct rig *rig;

	(void)state;
	config.idle_cycles = 300;
	config.wake_cycles = 100;
	rig = rig_new(2, &config, true);
	assert_false(rbox_link_sleeps(rig->rboxes[0], NODE_BBOX(1, 0)));
	rig_run(rig, 1000);
	assert_true(rbox_link_sleeps(rig->rboxes[0], NODE_BBOX(1, 0)));
	assert_false(rbox_link_sleeps(rig->rboxes[0], NODE_BBOX(0, 0)));
	assert_int_equal(signal_at(rig, 0, SIG_RBOX_NULL_IDLE), 300);
	assert_int_equal(lone_packet(rig) - 1000, 71 + 100);
	rig_run(rig, 1000);
	/* 100 cycles to wake up and 15 of flits are no null flits. */
	assert_int_equal(signal_at(rig, 0, SIG_RBOX_NULL_IDLE), 600);
	assert_int_equal(signal_at(rig, 0, SIG_RBOX_OUTPUTQ_NE), 115);
	rig_free(rig);
}

enum { NUM_COUNTS = NUM_SIG_RBOX * RBOX_NUM_PORTS };

/* Random traffic of two sockets with hubs and errors. */
static struct rig *busy_rig(bool tapped)
{
	struct rbox_config config = defaults();
	struct rig *rig;

	config.vna_flits = 20;
	config.idle_cycles = 20;
	rig = rig_new_with_hubs(2, 2, &config, tapped);
	rig_inject(rig, "qpi-crc:rate=0.01");
	rig_inject(rig, "pbox-reset:rate=0.01,count=2");
	rig_fill(rig, 500, 3);
	for (unsigned i = 0; i < rig->num_boxes; i++)
		rig_box(rig, i)->pace_cycles = 30;
	return rig;
}

/* The counts of all signals, less those that are no longer wanted. */
static void add_counts(struct rig *rig, uint64_t *counts, bool subtract)
{
	for (unsigned socket = 0; socket < 2; socket++)
		for (unsigned i = 0; i < NUM_COUNTS; i++) {
			uint64_t count;

			if (!rig->banks[socket].driven[i])
				continue;
			count = rig_signal(rig, socket, i / RBOX_NUM_PORTS,
					   i % RBOX_NUM_PORTS);
			counts[socket * NUM_COUNTS + i] +=
				subtract ? -count : count;
		}
}

static uint64_t *all_counts(unsigned window_cycles)
{
	struct rig *rig = busy_rig(true);
	uint64_t *counts = calloc(2 * NUM_COUNTS, sizeof(*counts));

	rig->window_cycles = window_cycles;
	rig_run(rig, 200000);
	rig_check_quiet(rig);
	add_counts(rig, counts, false);
	rig_free(rig);
	return counts;
}

/* Of those that are announced in advance, who begins to listen misses some. */
static bool is_announced(unsigned count)
{
	unsigned signal = count % NUM_COUNTS / RBOX_NUM_PORTS;

	return signal == SIG_RBOX_INQUE_READ_WIN ||
	       signal == SIG_RBOX_FLITS_RECV_SPEC;
}

static void who_begins_to_listen_hears_all_from_then_on(void **state)
{
	(void)state;
	for (unsigned start = 100; start < 12000; start += 397) {
		struct rig *all = busy_rig(true), *late = busy_rig(false);
		uint64_t wanted[2 * NUM_COUNTS] = { 0 };
		uint64_t heard[2 * NUM_COUNTS] = { 0 };

		rig_run(all, start);
		add_counts(all, wanted, true);
		rig_run(all, 5000);
		add_counts(all, wanted, false);
		rig_run(late, start);
		rig_listen(late);
		rig_run(late, 5000);
		add_counts(late, heard, false);
		for (unsigned i = 0; i < 2 * NUM_COUNTS; i++)
			if (!is_announced(i))
				assert_int_equal(wanted[i], heard[i]);
		rig_free(all);
		rig_free(late);
	}
}

static void windows_leave_no_trace(void **state)
{
	struct rbox_config config = defaults();
	uint64_t *whole = all_counts(rbox_window_cycles(&config));

	(void)state;
	for (unsigned cycles = 1; cycles < 47; cycles += 9) {
		uint64_t *parts = all_counts(cycles);

		assert_memory_equal(parts, whole,
				    2 * NUM_COUNTS * sizeof(*parts));
		free(parts);
	}
	free(whole);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(errors_injected_are_errors_received),
		cmocka_unit_test(
			a_link_that_always_fails_is_initialised_and_goes_on),
		cmocka_unit_test(every_reset_injected_happens_at_both_ends),
		cmocka_unit_test(a_bad_flit_costs_a_round_trip_and_three_flits),
		cmocka_unit_test(a_reset_costs_its_cycles_and_its_flits),
		cmocka_unit_test(a_link_without_traffic_sleeps_and_wakes_up),
		cmocka_unit_test(windows_leave_no_trace),
		cmocka_unit_test(who_begins_to_listen_hears_all_from_then_on),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
