/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The order of requests at a home: who waits for whom, for an entry of the IMT,
 * for data, for the end of a conflict.
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

static struct home_rig *present;

static void goes_on(struct home_job *job)
{
	rig_begin(present, job);
	home_end(&present->ex, rig_home(present, 0, 0), job);
}

/* It is not told of a time that has been, and begins no sooner. */
static void waits(struct home_job *job, uint64_t until)
{
	(void)job;
	assert_true(until >= engine_now(&present->ex.engine));
}

/* At once, or when those before it are out of the way. */
static void work_off(struct home_rig *rig, struct home_job *job)
{
	struct home *home = rig_home(rig, 0, 0);

	present = rig;
	job->waits = waits;
	job->go_on = goes_on;
	if (!job->entered)
		home_arrive(&rig->ex, home, job);
	if (!home_wait(&rig->ex, home, job))
		goes_on(job);
}

/* The first is read until 212, so the second begins then, and the third at 312.
 * Each that waits is a conflict and counts as an insert when it comes. */
static void requests_for_a_line_take_turns(void **state)
{
	struct home_rig *rig = rig_new(1, NULL);
	struct home_job jobs[3];

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		jobs[i] = rig_job(HOM0_RD_DATA, SBOX, 7, 100 + i);
		work_off(rig, &jobs[i]);
	}
	rig_run(rig, 500);
	for (unsigned i = 0; i < 3; i++) {
		assert_int_equal(jobs[i].begun, 112 + 100 * i);
		assert_int_equal(jobs[i].reply_at, 213 + 100 * i);
		assert_int_equal(jobs[i].has_conflict, i > 0);
	}
	rig_check(rig, SIG_BBOX_IMT_VALID_OCCUPANCY, 112, 412, 1);
	assert_int_equal(rig_sum(rig, SIG_BBOX_CONFLICTS), 2);
	assert_int_equal(rig_at(rig, SIG_BBOX_CONFLICTS, 113), 1);
	assert_int_equal(rig_at(rig, SIG_BBOX_CONFLICTS, 114), 1);
	assert_int_equal(rig_sum(rig, SIG_BBOX_IMT_INSERTS_ALL), 5);
	assert_int_equal(rig_sum(rig, SIG_BBOX_TF_ALL), 100 + 199 + 298);
	rig_free(rig);
}

/* A line granted to a hub at 212 is busy until its data, there at 500, are
 * written: 512 + 40. */
static void a_hubs_line_is_busy_until_it_is_written(void **state)
{
	struct home_rig *rig = rig_new(1, NULL);
	struct home_job grant = rig_job(HOM0_INV_ITO_E, HUB, 7, 100);
	struct home_job write = rig_job(HOM0_WB_MTO_I, HUB, 7, 495);
	struct home_job read = rig_job(HOM0_RD_DATA, SBOX, 7, 120);

	(void)state;
	work_off(rig, &grant);
	assert_int_equal(grant.reply.opcode, NDR_GNT_CMP);
	write.data_at = 500;
	work_off(rig, &write);
	work_off(rig, &read);
	rig_run(rig, 800);
	assert_int_equal(read.begun, 552);
	rig_check(rig, SIG_BBOX_TF_IOH_INVITOE, 112, 212, 1);
	rig_check(rig, SIG_BBOX_TF_IOH_WR, 507, 552, 1);
	assert_int_equal(rig_sum(rig, SIG_BBOX_CONFLICTS), 1);
	rig_free(rig);
}

/* Memory is read from 112 to 212, the write's data come at 150 and count at
 * 162: the line is fetched again from the victim buffer, 212 to 232. */
static void a_read_that_a_write_overtook_is_refilled(void **state)
{
	struct home_rig *rig = rig_new(1, NULL);
	struct home_job write = rig_job(HOM0_WB_MTO_I, SBOX, 7, 99);
	struct home_job read = rig_job(HOM0_RD_DATA, SBOX, 7, 100);
	const struct memory *memory = &rig->memories[0][0];

	(void)state;
	write.data_at = 150;
	work_off(rig, &write);
	work_off(rig, &read);
	assert_int_equal(read.reply_at, 233);
	assert_int_equal(memory->num, 4);
	assert_int_equal(memory->commands[2].command, MBOX_CMD_V2F);
	assert_int_equal(memory->commands[3].command, MBOX_CMD_F2B);
	assert_false(read.has_conflict);
	rig_free(rig);
}

/* A grant needs no data, but nobody else's may be on their way: they come at
 * 400. */
static void a_grant_waits_for_data_that_are_announced(void **state)
{
	struct home_rig *rig = rig_new(1, NULL);
	struct home_job write = rig_job(HOM0_WB_MTO_I, SBOX, 7, 99);
	struct home_job grant = rig_job(HOM0_INV_ITO_E, SBOX, 7, 100);

	(void)state;
	write.data_at = 400;
	work_off(rig, &write);
	work_off(rig, &grant);
	assert_int_equal(grant.reply_at, 413);
	assert_int_equal(rig->memories[0][0].num, 2);
	rig_run(rig, 500);
	assert_int_equal(rig_sum(rig, SIG_BBOX_COHQ_BYPASS), 0);
	rig_free(rig);
}

/* One IMT entry: the second read gets it at 212, the third at 312. Both are
 * answered from 112 on and wait in the coherence queue. */
static void reads_wait_for_an_entry(void **state)
{
	static const char *const settings[] = { "bbox.imt=1", NULL };
	struct home_rig *rig = rig_new(1, settings);

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		struct home_job job = rig_job(HOM0_RD_DATA, SBOX, 7 + i, 100);

		work_off(rig, &job);
		assert_int_equal(job.begun, 112);
		assert_int_equal(job.memory_at, 212 + 100 * i);
	}
	rig_run(rig, 500);
	rig_check(rig, SIG_BBOX_IMT_VALID_OCCUPANCY, 112, 412, 1);
	rig_check(rig, SIG_BBOX_IMT_FULL, 112, 113, 2);
	rig_check(rig, SIG_BBOX_COHQ_IMT_ALLOC_WAIT, 112, 312, 1);
	assert_int_equal(rig_at(rig, SIG_BBOX_DEMAND_FETCH, 212), 1);
	assert_int_equal(rig_at(rig, SIG_BBOX_DEMAND_FETCH, 312), 1);
	assert_int_equal(rig_sum(rig, SIG_BBOX_DEMAND_FETCH), 2);
	rig_free(rig);
}

/* One of two entries reads from 112 to 212. A write whose data come at 600
 * takes that one, not the other, which a read has from 113 on. */
static void an_entry_that_is_wanted_late_is_not_kept_idle(void **state)
{
	static const char *const settings[] = { "bbox.imt=2", NULL };
	struct home_rig *rig = rig_new(1, settings);
	struct home_job first = rig_job(HOM0_RD_DATA, SBOX, 7, 100);
	struct home_job write = rig_job(HOM0_WB_MTO_I, SBOX, 8, 100);
	struct home_job second = rig_job(HOM0_RD_DATA, SBOX, 9, 101);

	(void)state;
	work_off(rig, &first);
	write.data_at = 600;
	work_off(rig, &write);
	work_off(rig, &second);
	assert_int_equal(second.memory_at, 213);
	assert_int_equal(write.reply_at, 653);
	rig_free(rig);
}

/* There is one entry. Who arrives at 5000 does not keep it from those who are
 * there before, but has his line from the beginning: who comes for that at 300
 * waits for him. */
static void who_comes_late_takes_no_entry_before(void **state)
{
	static const char *const settings[] = { "bbox.imt=1", NULL };
	struct home_rig *rig = rig_new(1, settings);
	struct home_job late = rig_job(HOM0_RD_DATA, SBOX, 7, 5000);
	struct home_job same = rig_job(HOM0_RD_DATA, SBOX, 7, 300);
	struct home_job other = rig_job(HOM0_RD_DATA, SBOX, 8, 300);

	(void)state;
	work_off(rig, &late);
	work_off(rig, &same);
	rig_run(rig, 200);
	work_off(rig, &other);
	assert_int_equal(other.memory_at, 412);
	rig_run(rig, 6000);
	assert_int_equal(late.begun, 5012);
	assert_int_equal(late.memory_at, 5112);
	assert_false(late.has_conflict);
	assert_int_equal(same.begun, 5112);
	assert_true(same.has_conflict);
	assert_int_equal(rig_sum(rig, SIG_BBOX_IMT_FULL), 0);
	assert_int_equal(rig_sum(rig, SIG_BBOX_TF_ALL), 100 + 5212 - 312 + 100);
	rig_free(rig);
}

/* The same of data: announced at 150, there at 5000, written from 5012 to 5052.
 * */
static void data_that_come_late_take_no_entry_before(void **state)
{
	static const char *const settings[] = { "bbox.imt=1", NULL };
	struct home_rig *rig = rig_new(2, settings);
	struct home_job grant = rig_job(HOM0_INV_ITO_E, SBOX, 7, 100);
	struct home_job other = rig_job(HOM0_RD_DATA, SBOX, 8, 300);

	(void)state;
	rig_answer(rig, &grant, HOM1_RSP_I_WB, PEER, 150, 5000);
	work_off(rig, &grant);
	assert_int_equal(grant.reply_at, 5013);
	rig_run(rig, 200);
	work_off(rig, &other);
	assert_int_equal(other.memory_at, 412);
	rig_run(rig, 6000);
	assert_int_equal(rig->memories[0][0].num, 3);
	assert_int_equal(rig->memories[0][0].commands[2].at, 5012);
	assert_int_equal(rig_sum(rig, SIG_BBOX_IMT_FULL), 0);
	assert_int_equal(rig_at(rig, SIG_BBOX_IMT_VALID_OCCUPANCY, 5011), 0);
	assert_int_equal(rig_at(rig, SIG_BBOX_IMT_VALID_OCCUPANCY, 5012), 1);
	assert_int_equal(rig_at(rig, SIG_BBOX_IMT_VALID_OCCUPANCY, 5052), 0);
	rig_free(rig);
}

static void ends(struct home_job *job)
{
	home_end(&present->ex, rig_home(present, 0, 0), job);
}

/* A write-back whose data are there at 5000, and acted on at 5012. A read of
 * its line that has begun by then waits, and both are known to be bad. */
static void a_late_write_takes_no_entry_before(void **state)
{
	static const char *const settings[] = { "bbox.imt=1", NULL };
	struct home_rig *rig = rig_new(1, settings);
	struct home_job write = rig_job(HOM0_WB_MTO_I, SBOX, 7, 100);
	struct home_job other = rig_job(HOM0_RD_DATA, SBOX, 8, 300);
	struct home_job same = rig_job(HOM0_RD_DATA, SBOX, 7, 4990);

	(void)state;
	present = rig;
	write.data_at = 5000;
	write.is_poisoned = true;
	write.waits = waits;
	write.go_on = ends;
	rig_begin(rig, &write);
	assert_true(home_wait_for_data(&rig->ex, rig_home(rig, 0, 0), &write));
	rig_run(rig, 200);
	work_off(rig, &other);
	assert_int_equal(other.memory_at, 412);
	rig_run(rig, 4900);
	work_off(rig, &same);
	assert_true(same.reply.is_poisoned);
	assert_true(same.reply_at > 5012);
	rig_run(rig, 6000);
	/* the read has the entry from 5002 to 5102, its refill until 5122 */
	assert_int_equal(write.reply_at, 5122 + 40 + 1);
	assert_int_equal(rig_sum(rig, SIG_BBOX_TF_WR), 5162 - 112);
	rig_free(rig);
}

/* The answer comes at 5000 and counts at 5012: until then the reply is not
 * known, and another request for the line waits, there before or since. The
 * next one of them begins when the line is free. */
static void a_late_answer_holds_the_line(void **state)
{
	struct home_rig *rig = rig_new(2, NULL);
	struct home *home = rig_home(rig, 0, 0);
	struct home_job job = rig_job(HOM0_RD_DATA, SBOX, 7, 100);
	struct home_job same[2];

	(void)state;
	rig_answer(rig, &job, HOM1_RSP_I, PEER, 5000, 0);
	job.waits = waits;
	job.go_on = ends;
	present = rig;
	assert_false(home_wait(&rig->ex, home, &job));
	home_begin(&rig->ex, home, &job);
	assert_true(home_wait_for_answers(&rig->ex, home, &job));
	rig_run(rig, 200);
	same[0] = rig_job(HOM0_RD_DATA, SBOX, 7, 300);
	work_off(rig, &same[0]);
	rig_run(rig, 4950);
	assert_int_equal(job.reply_at, 0);
	same[1] = rig_job(HOM0_RD_DATA, SBOX, 7, 5100);
	work_off(rig, &same[1]);
	rig_run(rig, 6000);
	assert_int_equal(job.memory_at, 212);
	assert_int_equal(job.reply_at, 5013);
	assert_int_equal(same[0].begun, 5012);
	assert_int_equal(same[1].begun, 5112);
	assert_true(same[0].has_conflict);
	assert_false(job.has_conflict);
	assert_int_equal(rig_sum(rig, SIG_BBOX_TF_ALL),
			 5012 - 112 + 5112 - 312 + 100);
	rig_free(rig);
}

/* A peer told of a rival: the data go out at 213, AckCnflt comes at 250, Cmp
 * leaves after 262. The line is busy until then. */
static void a_forced_request_ends_with_its_acknowledgement(void **state)
{
	struct home_rig *rig = rig_new(2, NULL);
	struct home_job job = rig_job(HOM0_RD_DATA, SBOX, 7, 100);
	struct home_job next = rig_job(HOM0_RD_DATA, SBOX, 7, 101);

	(void)state;
	rig_answer(rig, &job, HOM1_RSP_CNFLT, PEER, 130, 0);
	work_off(rig, &job);
	assert_true(job.is_forced);
	assert_int_equal(job.reply_at, 213);
	home_acknowledged(rig_home(rig, 0, 0), &job, 250);
	assert_int_equal(job.reply.opcode, NDR_CMP);
	assert_int_equal(job.reply_at, 263);
	home_arrive(&rig->ex, rig_home(rig, 0, 0), &next);
	next.waits = waits;
	next.go_on = goes_on;
	assert_true(home_wait(&rig->ex, rig_home(rig, 0, 0), &next));
	rig_run(rig, 300);
	assert_int_equal(next.begun, 262);
	/* the second is there from 113 on, and begins when it is alone */
	assert_int_equal(rig_at(rig, SIG_BBOX_TF_ALL, 112), 1);
	assert_int_equal(rig_at(rig, SIG_BBOX_TF_ALL, 113), 2);
	assert_int_equal(rig_at(rig, SIG_BBOX_TF_ALL, 261), 2);
	assert_int_equal(rig_at(rig, SIG_BBOX_TF_ALL, 262), 1);
	assert_int_equal(rig_at(rig, SIG_BBOX_CONFLICTS, 142), 1);
	assert_int_equal(rig_at(rig, SIG_BBOX_CONFLICTS, 113), 1);
	/* read, conflict, AckCnflt; read, conflict */
	assert_int_equal(rig_sum(rig, SIG_BBOX_IMT_INSERTS_ALL), 5);
	rig_free(rig);
}

/* The answer at 130 counts at 142; who is asked again then answers at 240. */
static void a_rival_is_asked_again(void **state)
{
	static const uint8_t rows[][2] = {
		{ HOM0_RD_DATA, NDR_CMP_FWD_CODE },
		{ HOM0_RD_CODE, NDR_CMP_FWD_CODE },
		{ HOM0_RD_INV_OWN, NDR_CMP_FWD_INV_OWN },
		{ HOM0_INV_ITO_E, NDR_CMP_FWD_INV_ITO_E },
		{ HOM0_INV_XTO_I, NDR_CMP_FWD_INV_ITO_E },
	};

	(void)state;
	for (unsigned i = 0; i < 5; i++) {
		struct home_rig *rig = rig_new(2, NULL);
		struct home *home = rig_home(rig, 0, 0);
		struct home_job job = rig_job(rows[i][0], SBOX, 7, 100);
		struct packet packet;
		uint64_t at;

		rig_begin(rig, &job);
		rig_answer(rig, &job, HOM1_RSP_CNFLT, PEER, 130, 0);
		at = home_forward(home, &job, PEER, &packet);
		assert_int_equal(at, 143);
		assert_int_equal(packet.opcode, rows[i][1]);
		assert_int_equal(packet.dest, PEER);
		home_send(&rig->ex, home, &packet, at, 0);
		rig_answer(rig, &job, HOM1_RSP_FWD_I, PEER, 240, 0);
		home_end(&rig->ex, home, &job);
		assert_true(job.is_forced);
		assert_int_equal(job.reply_at, 253);
		rig_free(rig);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(requests_for_a_line_take_turns),
		cmocka_unit_test(a_hubs_line_is_busy_until_it_is_written),
		cmocka_unit_test(a_read_that_a_write_overtook_is_refilled),
		cmocka_unit_test(a_grant_waits_for_data_that_are_announced),
		cmocka_unit_test(reads_wait_for_an_entry),
		cmocka_unit_test(an_entry_that_is_wanted_late_is_not_kept_idle),
		cmocka_unit_test(who_comes_late_takes_no_entry_before),
		cmocka_unit_test(data_that_come_late_take_no_entry_before),
		cmocka_unit_test(a_late_answer_holds_the_line),
		cmocka_unit_test(a_late_write_takes_no_entry_before),
		cmocka_unit_test(
			a_forced_request_ends_with_its_acknowledgement),
		cmocka_unit_test(a_rival_is_asked_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
