/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What homes do when they are told to: directory and mirror.
 * bbox.cycles is 12, the M-Box of the rig reads in 100 cycles, writes in 40 and
 * moves lines in 10, the R-Box takes 20 and one for each flit.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "home_rig.h"

enum { SBOX = NODE_SBOX(0, 0), PEER = NODE_SBOX(1, 0), HUB = NODE_IOH(0) };

static void work_off(struct home_rig *rig, struct home_job *job)
{
	rig_begin(rig, job);
	home_end(&rig->ex, rig_home(rig, 0, 0), job);
}

/* The directory */

/* Nobody has the line at first; then sockets 1 and 2 read it (socket 1 keeps
 * it, RspS) and socket 0 takes it: both are snooped, and are forgotten. Socket
 * 3 reads it and is told that socket 0 has dropped it, then drops it itself. */
static void the_directory_knows_who_has_a_line(void **state)
{
	static const char *const settings[] = { "bbox.directory=on", NULL };
	static const struct {
		uint8_t opcode, socket, snooped, answer;
	} rows[] = {
		{ HOM0_RD_DATA, 1, 0x0, 0 },
		{ HOM0_RD_CODE, 2, 0x2, HOM1_RSP_S },
		{ HOM0_RD_INV_OWN, 0, 0x6, HOM1_RSP_I },
		{ HOM0_RD_DATA, 3, 0x1, HOM1_RSP_I },
		{ HOM0_EVCT_CLN, 3, 0x0, 0 },
		{ HOM0_INV_XTO_I, 2, 0x0, 0 },
		{ HOM0_INV_ITO_E, 1, 0x0, 0 },
		{ HOM0_NON_SNP_RD, 2, 0x0, 0 },
	};
	struct home_rig *rig = rig_new(4, settings);
	struct home *home = rig_home(rig, 0, 0);

	(void)state;
	for (unsigned i = 0; i < 8; i++) {
		struct home_job job =
			rig_job(rows[i].opcode, NODE_SBOX(rows[i].socket, 0), 7,
				1000 * i);

		rig_begin(rig, &job);
		assert_int_equal(job.snoop_sockets, rows[i].snooped);
		for (unsigned socket = 0; job.snoop_sockets >> socket; socket++)
			if (job.snoop_sockets >> socket & 1)
				rig_answer(rig, &job, rows[i].answer,
					   NODE_SBOX(socket, 0),
					   job.snoop_at + 50, 0);
		home_end(&rig->ex, home, &job);
	}
	rig_run(rig, 10000);
	/* six of them, 100 cycles each */
	assert_int_equal(rig_sum(rig, SIG_BBOX_DIRQ_INSERTS), 6);
	assert_int_equal(rig_sum(rig, SIG_BBOX_DIRQ_OCCUPANCY), 600);
	rig_free(rig);
}

/* Three snoops at once: the first leaves at once and is not in the SNPOQ, the
 * others enter it at 1212 and leave at 1214 and 1215. */
static void a_snoop_that_cannot_leave_at_once_is_queued(void **state)
{
	static const char *const settings[] = { "bbox.directory=on", NULL };
	struct home_rig *rig = rig_new(4, settings);
	struct home *home = rig_home(rig, 0, 0);
	struct home_job job;

	(void)state;
	for (unsigned i = 1; i < 4; i++) {
		job = rig_job(HOM0_RD_CODE, NODE_SBOX(i, 0), 7, 100 * i);
		work_off(rig, &job);
	}
	job = rig_job(HOM0_RD_INV_OWN, SBOX, 7, 1100);
	rig_begin(rig, &job);
	assert_int_equal(job.snoop_at, 1213);
	for (unsigned i = 1; i < 4; i++) {
		struct packet snoop = home_snoop(home, &job, i);

		assert_int_equal(snoop.opcode, SNP_INV_OWN);
		assert_int_equal(snoop.dest, NODE_SBOX(i, 0));
		assert_int_equal(
			home_send(&rig->ex, home, &snoop, job.snoop_at, 0),
			1213 + i - 1 + 21);
	}
	rig_run(rig, 1300);
	rig_check(rig, SIG_BBOX_SNPOQ_INSERTS, 1212, 1213, 2);
	assert_int_equal(rig_sum(rig, SIG_BBOX_SNPOQ_OCCUPANCY), 2 + 3);
	rig_free(rig);
}

/* All 256 places of the SNPOQ are taken, the first until 5000: a request that
 * wants to send a snoop waits in the DIRQ from 1112 until then. */
static void snoops_need_room(void **state)
{
	static const char *const settings[] = { "bbox.directory=on", NULL };
	struct home_rig *rig = rig_new(2, settings);
	struct home *home = rig_home(rig, 0, 0);
	struct home_job job = rig_job(HOM0_RD_DATA, PEER, 7, 100);
	struct packet snoop;

	(void)state;
	work_off(rig, &job);
	snoop = home_snoop(home, &job, 0);
	for (unsigned i = 0; i < 256; i++)
		home_send(&rig->ex, home, &snoop, 100, 5000);
	job = rig_job(HOM0_RD_DATA, SBOX, 7, 1100);
	rig_begin(rig, &job);
	assert_int_equal(job.snoop_sockets, 2);
	assert_int_equal(job.snoop_at, 5001);
	rig_run(rig, 5500);
	assert_int_equal(rig_at(rig, SIG_BBOX_DIRQ_OCCUPANCY, 1112), 1);
	assert_int_equal(rig_at(rig, SIG_BBOX_DIRQ_OCCUPANCY, 4999), 1);
	assert_int_equal(rig_at(rig, SIG_BBOX_DIRQ_OCCUPANCY, 5000), 0);
	assert_int_equal(rig_at(rig, SIG_BBOX_SNPOQ_OCCUPANCY, 4999), 256);
	rig_free(rig);
}

/* The mirror */

/* Written twice: V2V from 117 to 127, own write until 167. The slave has the
 * request at 128 + 21 and the data, sent at 129, at 158; it acts at 170, has
 * written at 210, and its Cmp is here at 211 + 21, acted on at 244. */
static void a_mirrored_write_waits_for_the_slave(void **state)
{
	static const char *const settings[] = { "bbox.mirror=on", NULL };
	struct home_rig *rig = rig_new(1, settings);
	struct home_job job = rig_job(HOM0_WB_MTO_I, SBOX, 7, 100);
	unsigned copy = rig_listen(rig, 0, 1, SIG_BBOX_MSG_IN, MC_DRS,
				   DRS_NON_SNP_WR_DATA);

	(void)state;
	job.data_at = 105;
	work_off(rig, &job);
	assert_int_equal(job.reply_at, 245);
	assert_int_equal(rig->memories[0][0].num, 2);
	assert_int_equal(rig->memories[0][1].num, 1);
	/* half of memory away: 2^20 lines are behind two homes */
	assert_int_equal(rig->memories[0][1].commands[0].line, 3 + (1 << 18));
	rig_run(rig, 300);
	rig_check(rig, SIG_BBOX_IMT_VALID_OCCUPANCY, 117, 167, 1);
	rig_check(rig, SIG_BBOX_TF_WR, 112, 244, 1);
	assert_int_equal(rig_sum(rig, SIG_BBOX_MSG_OUT), 2);
	assert_int_equal(rig_sum(rig, SIG_BBOX_MSG_IN), 3);
	assert_int_equal(rig_heard(rig, copy), 1);
	rig_free(rig);
}

/* Bad at 212: the slave is asked at 213, has it at 234, reads from 246 to 346;
 * its line leaves at 347, is here at 347 + 29 and counts 12 later. */
static void the_slave_stands_in_for_a_bad_line(void **state)
{
	static const char *const settings[] = { "bbox.mirror=on", NULL };

	(void)state;
	for (unsigned bad = 0; bad < 2; bad++) {
		struct home_rig *rig = rig_new(1, settings);
		struct home_job job = rig_job(HOM0_RD_DATA, SBOX, 7, 100);

		rig->memories[0][0].response = MBOX_RSP_UNCOR;
		if (bad)
			rig->memories[0][1].response = MBOX_RSP_UNCOR;
		work_off(rig, &job);
		assert_int_equal(job.memory_at, 388);
		assert_int_equal(job.reply.is_poisoned, bad);
		rig_free(rig);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_directory_knows_who_has_a_line),
		cmocka_unit_test(a_snoop_that_cannot_leave_at_once_is_queued),
		cmocka_unit_test(snoops_need_room),
		cmocka_unit_test(a_mirrored_write_waits_for_the_slave),
		cmocka_unit_test(the_slave_stands_in_for_a_bad_line),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
