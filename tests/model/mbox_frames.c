/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The frames of an SMI link: one in every DRAM clock of 5 cycles, each of one
 * type, whoever listens and since when.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "mbox_rig.h"

enum { SYNC = 42 };

static uint64_t pulses(unsigned id)
{
	return rig.probe.pulses[id];
}

static uint64_t sum_of_types(void)
{
	return pulses(SIG_MBOX_FRM_TYPE_3CMD) + pulses(SIG_MBOX_FRM_TYPE_WDAT) +
	       pulses(SIG_MBOX_FRM_TYPE_SYNC) + pulses(SIG_MBOX_FRM_TYPE_CHNL) +
	       pulses(SIG_MBOX_FRM_TYPE_NOP) + pulses(SIG_MBOX_FRM_TYPE_1CMD);
}

static void idle_link_sends_a_frame_in_every_clock(void **state)
{
	(void)state;
	rig_start(rig_config(), NULL);
	rig_run(SYNC * 10 * RIG_CLOCK);
	assert_int_equal(pulses(SIG_MBOX_ISS_SCHED_FRAME_BEAT), SYNC * 10);
	assert_int_equal(pulses(SIG_MBOX_FRM_TYPE_SYNC), 10);
	assert_int_equal(pulses(SIG_MBOX_FRM_TYPE_NOP), SYNC * 10 - 10);
	assert_int_equal(sum_of_types(), SYNC * 10);
	rig_stop();
}

/* A little of everything, with gaps, so that some frame of each period is free
 * for SYNC: else it would go with a command and such a frame have two types. */
static void some_traffic(void)
{
	for (unsigned i = 0; i < 400; i++) {
		if (i % 3)
			rig_read(rig_line(i % 61, i % 7, i % 50), i % 64);
		else
			rig_write(rig_line(i % 61, i % 5, i % 50), i % 64);
		rig_run(20 + i % 97);
	}
	rig_run(3000 - rig_now() % 5);
}

static void every_frame_has_one_type(void **state)
{
	(void)state;
	rig_start(rig_config(), NULL);
	some_traffic();
	assert_int_equal(rig.num_answers, 400);
	assert_int_equal(pulses(SIG_MBOX_ISS_SCHED_FRAME_BEAT),
			 rig_now() / RIG_CLOCK);
	assert_int_equal(sum_of_types(), rig_now() / RIG_CLOCK);
	assert_in_range(pulses(SIG_MBOX_FRM_TYPE_3CMD), 1, 400);
	rig_stop();
}

/* A frame of data has a command of its own or the trickle. */
static void data_without_a_command_trickles(void **state)
{
	(void)state;
	rig_start(rig_config(), NULL);
	rig_write(rig_line(0, 5, 0), 1);
	rig_run(1000);
	/* The activate goes with the last of the four. */
	assert_int_equal(rig.probe.pulses[SIG_MBOX_FRM_TYPE_WDAT], 4);
	assert_int_equal(pulses(SIG_MBOX_DRAM_MISC_VALID),
			 pulses(SIG_MBOX_DRAM_MISC_NON_NOP_TRKL) + 3);
	assert_int_equal(pulses(SIG_MBOX_DRAM_CMD), 2); /* RAS, CAS */
	assert_int_equal(pulses(SIG_MBOX_DRAM_MISC_NON_NOP_TRKL), 2);
	rig_stop();
}

static void trickles_fill_what_commands_leave(void **state)
{
	uint64_t trickles;

	(void)state;
	rig_start(rig_config(), NULL);
	some_traffic();
	trickles = rig.probe.commands[DRAM_TRKL];
	assert_int_equal(pulses(SIG_MBOX_DRAM_MISC_VALID),
			 pulses(SIG_MBOX_DRAM_MISC_NON_NOP_TRKL) + trickles);
	assert_in_range(trickles, 1, pulses(SIG_MBOX_FRM_TYPE_WDAT));
	assert_int_equal(rig.probe.commands[DRAM_SYNC],
			 pulses(SIG_MBOX_FRM_TYPE_SYNC));
	rig_stop();
}

/* SYNC goes once a period even where no frame is free: writes whose data fill
 * every frame. */
static void full_link_syncs_too(void **state)
{
	struct mbox_config config = rig_config();
	unsigned number = 0;

	(void)state;
	config.sched = MBOX_SCHED_WRPRIO;
	rig_start(config, NULL);
	while (rig_now() < 100 * SYNC * RIG_CLOCK) {
		if (mbox_ready(rig.probe.mbox))
			rig_write(rig_line(number % 64, 5, number / 64 % 256),
				  number % 64);
		number++;
		rig_run(10);
	}
	assert_in_range(pulses(SIG_MBOX_FRM_TYPE_WDAT), 99 * SYNC, 105 * SYNC);
	assert_in_range(pulses(SIG_MBOX_FRM_TYPE_SYNC), 100, 101);
	rig_run(10000);
	rig_stop();
}

static void listen(bool is_listening)
{
	for (unsigned i = 0; i < NUM_SIG_MBOX; i++) {
		struct signal *signal = &rig.probe.signals[i];

		signal->taps =
			is_listening ? (struct sig_tap *)&rig.probe : NULL;
		if (is_listening)
			rig.probe.bank.on_tap(rig.probe.bank.on_tap_object, i);
	}
}

/* Counts of the last third, by one who listens all the time and by one who
 * comes late: they hear the same. */
static void who_comes_late_hears_the_same(void **state)
{
	static const uint16_t ids[] = {
		SIG_MBOX_ISS_SCHED_FRAME_BEAT,
		SIG_MBOX_FRM_TYPE_NOP,
		SIG_MBOX_FRM_TYPE_SYNC,
		SIG_MBOX_FRM_TYPE_1CMD,
		SIG_MBOX_DRAM_CMD,
	};
	uint64_t counts[2][5];

	(void)state;
	for (unsigned late = 0; late < 2; late++) {
		rig_start(rig_config(), NULL);
		if (late)
			listen(false);
		for (unsigned i = 0; i < 300; i++) {
			if (i == 200) {
				for (unsigned j = 0; j < 5; j++)
					counts[late][j] = pulses(ids[j]);
				if (late)
					listen(true);
			}
			rig_read(rig_line(i % 61, i % 7, i % 50), i % 64);
			rig_run(i % 41);
		}
		rig_run(2000);
		for (unsigned j = 0; j < 5; j++)
			counts[late][j] = pulses(ids[j]) - counts[late][j];
		rig_stop();
	}
	for (unsigned j = 0; j < 5; j++)
		assert_int_equal(counts[0][j], counts[1][j]);
}

static void nobody_listening_costs_nothing(void **state)
{
	uint64_t before;

	(void)state;
	rig_start(rig_config(), NULL);
	listen(false);
	rig_run(10);
	before = sim_num_events(rig.probe.sim);
	rig_run(100000);
	assert_int_equal(sim_num_events(rig.probe.sim), before);
	rig_stop();
}

int main(void)
{
	const struct CMUnitTest all[] = {
		cmocka_unit_test(idle_link_sends_a_frame_in_every_clock),
		cmocka_unit_test(every_frame_has_one_type),
		cmocka_unit_test(data_without_a_command_trickles),
		cmocka_unit_test(trickles_fill_what_commands_leave),
		cmocka_unit_test(full_link_syncs_too),
		cmocka_unit_test(who_comes_late_hears_the_same),
		cmocka_unit_test(nobody_listening_costs_nothing),
	};

	return cmocka_run_group_tests(all, NULL, NULL);
}
