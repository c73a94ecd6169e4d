/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What the B-Box may ask for beside reads and writes, and what it is told.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "memory_rig.h"

enum { MOVE = 6, READ_CLOSED = 162, RESPONSE = 10 };

static const struct {
	unsigned command, pulse, occupancy;
} moves[] = {
	{ MBOX_CMD_MERGE, SIG_MBOX_BCMD_MERGE, SIG_MBOX_SCHEDQ_MERGE },
	{ MBOX_CMD_V2F, SIG_MBOX_BCMD_V2F, SIG_MBOX_SCHEDQ_V2F },
	{ MBOX_CMD_V2V, SIG_MBOX_BCMD_V2V, SIG_MBOX_SCHEDQ_V2V },
	{ MBOX_CMD_F2V, SIG_MBOX_BCMD_F2V, SIG_MBOX_SCHEDQ_F2V },
	{ MBOX_CMD_F2B, SIG_MBOX_BCMD_F2B, SIG_MBOX_SCHEDQ_F2B },
};

enum { NUM_MOVES = sizeof(moves) / sizeof(moves[0]) };

static void buffers_move_one_line_at_a_time(void **state)
{
	uint64_t waits = 0;

	(void)state;
	rig_start(rig_config(), NULL, true);
	rig_run(1000);
	for (unsigned i = 0; i < NUM_MOVES; i++)
		rig_send(moves[i].command, 7, i + 1);
	assert_false(memory_is_idle(rig.memory, rig_now()));
	rig_run(1000);
	for (unsigned i = 0; i < NUM_MOVES; i++) {
		uint64_t wait = (i + 1) * MOVE;

		assert_int_equal(rig.answers[i + 1], 1000 + wait);
		assert_int_equal(rig.responses[i + 1], MBOX_RSP_ACK);
		assert_int_equal(rig_sum(moves[i].pulse), 1);
		assert_int_equal(rig_sum(moves[i].occupancy + i + 1), wait);
		waits += rig_sum(SIG_MBOX_SCHEDQ_ALL + i + 1);
	}
	assert_int_equal(waits, MOVE * (1 + 2 + 3 + 4 + 5));
	assert_int_equal(rig_sum(SIG_MBOX_BBOX_CMDS_ALL), NUM_MOVES);
	assert_int_equal(rig_sum(SIG_MBOX_INFLIGHT_CMDS), 0);
	assert_int_equal(rig.num_commands, 0);
	assert_true(memory_is_idle(rig.memory, rig_now()));
	rig_stop();
}

static void spare_write_is_a_write(void **state)
{
	(void)state;
	rig_start(rig_config(), NULL, true);
	rig_send(MBOX_CMD_SPRWR, rig_line(0, 5, 0), 3);
	rig_run(1000);
	assert_int_equal(rig.answers[3], RESPONSE);
	assert_int_equal(rig_count(DRAM_CAS_WR), 1);
	assert_int_equal(rig_sum(SIG_MBOX_BCMD_SPRWR), 1);
	assert_int_equal(rig_sum(SIG_MBOX_BCMD_WRITES), 0);
	assert_in_range(rig_sum(SIG_MBOX_SCHEDQ_SPRWR + 3), 1, 1000);
	rig_stop();
}

static void poisoned_write_counts(void **state)
{
	(void)state;
	rig_start(rig_config(), NULL, true);
	rig_send(MBOX_CMD_WRITE | MBOX_POISONED, rig_line(0, 5, 0), 1);
	rig_send(MBOX_CMD_WRITE, rig_line(0, 5, 1), 2);
	rig_run(1000);
	assert_int_equal(rig_num_answers(), 2);
	assert_int_equal(rig_sum(SIG_MBOX_POISON_TXN), 1);
	assert_int_equal(rig_sum(SIG_MBOX_BCMD_WRITES), 2);
	rig_stop();
}

/* The data come before their ECC has been checked; writes have none. */
static void early_acknowledgement_saves_its_cycles(void **state)
{
	struct mbox_config config = rig_config();

	(void)state;
	config.early_ack_cycles = 8;
	rig_start(config, NULL, true);
	rig_run(1000);
	rig_send(MBOX_CMD_READ, rig_line(0, 5, 0), 1);
	rig_run(1000);
	rig_send(MBOX_CMD_WRITE, rig_line(0, 5, 0), 2);
	rig_run(1000);
	assert_int_equal(rig.answers[1], 1000 + READ_CLOSED - 8);
	assert_int_equal(rig.responses[1], MBOX_RSP_SPEC_ACK);
	assert_int_equal(rig.responses[2], MBOX_RSP_ACK);
	assert_int_equal(rig_sum(SIG_MBOX_RSP_SPEC_ACK), 1);
	assert_int_equal(rig_sum(SIG_MBOX_RSP_ACK), 1);
	rig_stop();
}

/* An index is free again in the cycle of its answer, not before. */
static void index_used_again_too_early_is_a_race(void **state)
{
	(void)state;
	rig_start(rig_config(), NULL, true);
	rig_send(MBOX_CMD_READ, rig_line(0, 5, 0), 1);
	rig_run(READ_CLOSED);
	rig_send(MBOX_CMD_READ, rig_line(0, 5, 1), 1);
	assert_int_equal(rig_sum(SIG_MBOX_FVID_RACE), 0);
	rig_run(50);
	rig_send(MBOX_CMD_READ, rig_line(0, 5, 2), 1);
	rig_run(1);
	assert_int_equal(rig_sum(SIG_MBOX_FVID_RACE), 1);
	rig_run(1000);
	rig_stop();
}

/* A write is acknowledged before its column command: its index may come back
 * while it still waits, and stands for one command at a time. */
static void index_stands_for_one_command(void **state)
{
	(void)state;
	rig_start(rig_config(), NULL, true);
	rig_send(MBOX_CMD_WRITE, rig_line(0, 5, 0), 1);
	rig_run(RESPONSE + 1);
	rig_send(MBOX_CMD_WRITE, rig_line(0, 6, 0),
		 1); /* waits for the row of the first */
	rig_run(1);
	assert_int_equal(tap_level(rig.bank, SIG_MBOX_SCHEDQ_WRITES + 1), 1);
	rig_run(1000);
	assert_int_equal(tap_level(rig.bank, SIG_MBOX_SCHEDQ_ALL + 1), 0);
	assert_int_equal(rig_sum(SIG_MBOX_FVID_RACE), 0);
	rig_stop();
}

/* All but the race, which nobody could see (errata E188). */
static void every_signal_is_driven(void **state)
{
	(void)state;
	rig_start(rig_config(), NULL, true);
	for (unsigned i = 0; i < NUM_SIG_MBOX; i++)
		assert_true(rig.bank->driven[i] == (i != SIG_MBOX_FVID_RACE));
	rig_stop();
}

int main(void)
{
	const struct CMUnitTest all[] = {
		cmocka_unit_test(buffers_move_one_line_at_a_time),
		cmocka_unit_test(spare_write_is_a_write),
		cmocka_unit_test(poisoned_write_counts),
		cmocka_unit_test(early_acknowledgement_saves_its_cycles),
		cmocka_unit_test(index_used_again_too_early_is_a_race),
		cmocka_unit_test(index_stands_for_one_command),
		cmocka_unit_test(every_signal_is_driven),
	};

	return cmocka_run_group_tests(all, NULL, NULL);
}
