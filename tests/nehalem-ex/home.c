/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The home agent, request by request: when it acts, what it says, which signals
 * it gives.
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

static uint64_t send(struct home_rig *rig, struct home_job *job)
{
	return home_send(&rig->ex, rig_home(rig, 0, 0), &job->reply,
			 job->reply_at, 0);
}

/* There at 100, acted on at 112, read until 212; the line leaves a cycle
 * later. */
static void a_read_without_snoops_takes_what_memory_takes(void **state)
{
	struct home_rig *rig = rig_new(1, NULL);
	struct home_job job = rig_job(HOM0_RD_DATA, SBOX, 7, 100);

	(void)state;
	work_off(rig, &job);
	assert_int_equal(job.begun, 112);
	assert_int_equal(job.memory_at, 212);
	assert_int_equal(job.reply_at, 213);
	assert_int_equal(send(rig, &job), 213);
	rig_run(rig, 300);
	rig_check(rig, SIG_BBOX_MSG_IN, 100, 101, 1);
	rig_check(rig, SIG_BBOX_MSG_IN_NON_SNP, 100, 101, 1);
	rig_check(rig, SIG_BBOX_MSG_S_TO_B, 100, 101, 1);
	rig_check(rig, SIG_BBOX_TF_ALL, 112, 212, 1);
	rig_check(rig, SIG_BBOX_IMT_VALID_OCCUPANCY, 112, 212, 1);
	rig_check(rig, SIG_BBOX_IMT_INSERTS_ALL, 112, 113, 1);
	rig_check(rig, SIG_BBOX_IMT_INSERTS_NON_IOH, 112, 113, 1);
	rig_check(rig, SIG_BBOX_IMT_INSERTS_RD, 112, 113, 1);
	rig_check(rig, SIG_BBOX_IMT_INSERTS_NON_IOH_RD, 112, 113, 1);
	rig_check(rig, SIG_BBOX_DRSQ_INSERTS, 212, 213, 1);
	rig_check(rig, SIG_BBOX_DRSQ_OCCUPANCY, 212, 213, 1);
	rig_check(rig, SIG_BBOX_MSG_OUT, 213, 214, 1);
	rig_check(rig, SIG_BBOX_MSG_B_TO_S, 213, 214, 1);
	assert_int_equal(rig_sum(rig, SIG_BBOX_COHQ_BYPASS), 0);
	assert_int_equal(rig_sum(rig, SIG_BBOX_ACK_BEFORE_LAST_SNP), 0);
	rig_free(rig);
}

/* Memory has answered at 212; the answer that comes at 230 counts at 242. */
static void the_last_answer_may_come_after_memory(void **state)
{
	struct home_rig *rig = rig_new(2, NULL);
	struct home_job job = rig_job(HOM0_RD_DATA, SBOX, 7, 100);

	(void)state;
	rig_answer(rig, &job, HOM1_RSP_I, PEER, 230, 0);
	work_off(rig, &job);
	assert_int_equal(job.reply_at, 243);
	rig_run(rig, 300);
	rig_check(rig, SIG_BBOX_TF_ALL, 112, 242, 1);
	rig_check(rig, SIG_BBOX_IMT_VALID_OCCUPANCY, 112, 212, 1);
	rig_check(rig, SIG_BBOX_ACK_BEFORE_LAST_SNP, 212, 213, 1);
	rig_check(rig, SIG_BBOX_COHQ_BYPASS, 242, 243, 1);
	assert_int_equal(rig_sum(rig, SIG_BBOX_MSG_IN), 2);
	assert_int_equal(rig_sum(rig, SIG_BBOX_MSG_S_TO_B), 1);
	rig_free(rig);
}

struct reply_row {
	uint8_t request, answer;
	enum packet_class cls;
	uint8_t opcode, state;
};

/* docs/xeon-e7.md, Protocol. */
static const struct reply_row reply_rows[] = {
	{ HOM0_RD_DATA, HOM1_RSP_I, PACKET_DRS, DRS_DATA_C_CMP, RDS_E },
	{ HOM0_RD_DATA, HOM1_RSP_S, PACKET_DRS, DRS_DATA_C_CMP, RDS_F },
	{ HOM0_RD_DATA, HOM1_RSP_FWD_S, PACKET_NDR, NDR_CMP, 0 },
	{ HOM0_RD_DATA, HOM1_RSP_FWD_S_WB, PACKET_NDR, NDR_CMP, 0 },
	{ HOM0_RD_DATA, HOM1_RSP_FWD_I_WB, PACKET_NDR, NDR_CMP, 0 },
	{ HOM0_RD_DATA, HOM1_RSP_S_WB, PACKET_DRS, DRS_DATA_C_CMP, RDS_F },
	{ HOM0_RD_CODE, HOM1_RSP_I, PACKET_DRS, DRS_DATA_C_CMP, RDS_F },
	{ HOM0_RD_INV_OWN, HOM1_RSP_I, PACKET_DRS, DRS_DATA_C_CMP, RDS_E },
	{ HOM0_RD_INV_OWN, HOM1_RSP_FWD_I, PACKET_NDR, NDR_CMP, 0 },
	{ HOM0_INV_ITO_E, HOM1_RSP_I, PACKET_NDR, NDR_GNT_CMP, 0 },
	{ HOM0_INV_ITO_E, HOM1_RSP_I_WB, PACKET_NDR, NDR_GNT_CMP, 0 },
	{ HOM0_INV_XTO_I, HOM1_RSP_I, PACKET_NDR, NDR_GNT_CMP, 0 },
	{ HOM0_RD_CUR, HOM1_RSP_S, PACKET_DRS, DRS_DATA_C_CMP, RDS_I },
	{ HOM0_RD_CUR, HOM1_RSP_FWD, PACKET_NDR, NDR_CMP, 0 },
	{ HOM0_RD_DATA, HOM1_RSP_CNFLT, PACKET_DRS, DRS_DATA_C_FRC_ACK_CNFLT,
	  RDS_F },
	{ HOM0_INV_ITO_E, HOM1_RSP_CNFLT, PACKET_NDR, NDR_GNT_FRC_ACK_CNFLT,
	  0 },
};

static void replies_are_as_the_protocol_has_them(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(reply_rows) / sizeof(reply_rows[0]);
	     i++) {
		const struct reply_row *row = &reply_rows[i];
		struct home_rig *rig = rig_new(2, NULL);
		struct home_job job = rig_job(row->request, SBOX, 7, 100);

		rig_answer(rig, &job, row->answer, PEER, 110, 0);
		work_off(rig, &job);
		assert_int_equal(job.reply.cls, row->cls);
		assert_int_equal(job.reply.opcode, row->opcode);
		assert_int_equal(job.reply.state, row->state);
		assert_int_equal(job.reply.dest, SBOX);
		assert_int_equal(job.reply.source, NODE_BBOX(0, 0));
		assert_int_equal(job.reply.flits,
				 row->cls == PACKET_DRS ? 9 : 1);
		assert_int_equal(job.reply_at, 213);
		rig_free(rig);
	}
}

/* Data announced by an answer come at 300 and are written from 312 to 352; the
 * request does not wait for more than that they are here. */
static void an_answer_may_bring_data_for_memory(void **state)
{
	struct home_rig *rig = rig_new(2, NULL);
	struct home_job job = rig_job(HOM0_RD_DATA, SBOX, 7, 100);
	unsigned data =
		rig_listen(rig, 0, 0, SIG_BBOX_MSG_IN, MC_DRS, DRS_WB_S_DATA);

	(void)state;
	rig_answer(rig, &job, HOM1_RSP_FWD_S_WB, PEER, 150, 300);
	work_off(rig, &job);
	assert_int_equal(job.reply_at, 313);
	rig_run(rig, 400);
	rig_check(rig, SIG_BBOX_IMPLICIT_WBS, 312, 313, 1);
	rig_check(rig, SIG_BBOX_IMT_INSERTS_WR, 312, 313, 1);
	assert_int_equal(rig_at(rig, SIG_BBOX_IMT_VALID_OCCUPANCY, 351), 1);
	assert_int_equal(rig_at(rig, SIG_BBOX_IMT_VALID_OCCUPANCY, 352), 0);
	assert_int_equal(rig_sum(rig, SIG_BBOX_IMT_VALID_OCCUPANCY), 140);
	assert_int_equal(rig_heard(rig, data), 1);
	rig_free(rig);
}

/* Request at 100, data at 105: written from 117 to 157. */
static void a_write_back_is_written_and_completed(void **state)
{
	struct home_rig *rig = rig_new(2, NULL);
	struct home_job job = rig_job(HOM0_WB_MTO_I, SBOX, 7, 100);
	unsigned data =
		rig_listen(rig, 0, 0, SIG_BBOX_MSG_IN, MC_DRS, DRS_WB_I_DATA);

	(void)state;
	job.data_at = 105;
	work_off(rig, &job);
	assert_int_equal(job.reply.opcode, NDR_CMP);
	assert_int_equal(send(rig, &job), 158);
	rig_run(rig, 300);
	rig_check(rig, SIG_BBOX_TF_ALL, 112, 157, 1);
	rig_check(rig, SIG_BBOX_TF_WR, 112, 157, 1);
	rig_check(rig, SIG_BBOX_IMT_VALID_OCCUPANCY, 117, 157, 1);
	rig_check(rig, SIG_BBOX_IMT_INSERTS_NON_IOH_WR, 117, 118, 1);
	assert_int_equal(rig_sum(rig, SIG_BBOX_DRSQ_INSERTS), 0);
	assert_int_equal(rig_heard(rig, data), 1);
	rig_free(rig);
}

/* READ 100, F2V 10, MERGE 10, WRITE 40. */
static void some_bytes_are_merged_into_the_line(void **state)
{
	static const unsigned want[] = { MBOX_CMD_READ, MBOX_CMD_F2V,
					 MBOX_CMD_MERGE, MBOX_CMD_WRITE };
	struct home_rig *rig = rig_new(2, NULL);
	struct home_job job = rig_job(HOM0_NON_SNP_WR, HUB, 7, 100);
	unsigned data = rig_listen(rig, 0, 0, SIG_BBOX_MSG_IN, MC_DRS,
				   DRS_NON_SNP_WR_DATA_PTL);

	(void)state;
	job.data_at = 100;
	job.is_partial = true;
	work_off(rig, &job);
	assert_int_equal(job.reply_at, 112 + 160 + 1);
	for (unsigned i = 0; i < 4; i++)
		assert_int_equal(rig->memories[0][0].commands[i].command,
				 want[i]);
	rig_run(rig, 300);
	rig_check(rig, SIG_BBOX_TF_IOH_WR, 112, 272, 1);
	rig_check(rig, SIG_BBOX_IMT_INSERTS_IOH_WR, 112, 113, 1);
	assert_int_equal(rig_heard(rig, data), 1);
	rig_free(rig);
}

/* What memory cannot correct, and what was written as poisoned, is marked; a
 * whole line that is good mends it, some bytes do not. */
static void bad_lines_stay_bad_until_they_are_written(void **state)
{
	static const struct {
		bool is_poisoned, is_partial, is_bad;
	} rows[] = { { true, false, true },
		     { false, true, true },
		     { false, false, false } };
	struct home_rig *rig = rig_new(1, NULL);
	uint64_t at = 0;

	(void)state;
	for (unsigned i = 0; i < 3; i++, at += 1000) {
		struct home_job write = rig_job(HOM0_WB_MTO_I, SBOX, 7, at);
		struct home_job read = rig_job(HOM0_RD_DATA, SBOX, 7, at + 500);

		write.data_at = at + 1;
		write.is_poisoned = rows[i].is_poisoned;
		write.is_partial = rows[i].is_partial;
		work_off(rig, &write);
		work_off(rig, &read);
		assert_int_equal(read.reply.is_poisoned, rows[i].is_bad);
	}
	assert_int_equal(rig->memories[0][0].commands[0].command,
			 MBOX_CMD_WRITE | MBOX_POISONED);
	rig_free(rig);
	rig = rig_new(1, NULL);
	rig->memories[0][0].response = MBOX_RSP_UNCOR;
	{
		struct home_job read = rig_job(HOM0_RD_DATA, SBOX, 7, 0);

		work_off(rig, &read);
		assert_true(read.reply.is_poisoned);
	}
	rig_free(rig);
}

static void memory_may_acknowledge_early(void **state)
{
	struct home_rig *rig = rig_new(1, NULL);
	struct home_job read = rig_job(HOM0_RD_DATA, SBOX, 7, 100);

	(void)state;
	rig->memories[0][0].response = MBOX_RSP_SPEC_ACK;
	work_off(rig, &read);
	rig_run(rig, 300);
	rig_check(rig, SIG_BBOX_EARLY_ACK, 212, 213, 1);
	rig_free(rig);
}

/* The M-Box takes commands from 300 on only: the read waits in its entry. */
static void a_command_waits_for_the_mbox(void **state)
{
	struct home_rig *rig = rig_new(1, NULL);
	struct home_job read = rig_job(HOM0_RD_DATA, SBOX, 7, 100);

	(void)state;
	rig->memories[0][0].ready_from = 300;
	work_off(rig, &read);
	assert_int_equal(read.memory_at, 400);
	rig_run(rig, 500);
	rig_check(rig, SIG_BBOX_IMT_VALID_OCCUPANCY, 112, 400, 1);
	rig_free(rig);
}

/* Links */

/* Two lines of nine flits and a completion, all ready at 100: the line that is
 * sent first has the link until 109, the other until 118. */
static void a_link_carries_a_flit_a_cycle(void **state)
{
	struct home_rig *rig = rig_new(1, NULL);
	struct home *home = rig_home(rig, 0, 0);
	struct packet line = { .cls = PACKET_DRS,
			       .mc = MC_DRS,
			       .flits = 9,
			       .opcode = DRS_DATA_C_CMP,
			       .dest = SBOX };
	struct packet cmp = { .cls = PACKET_NDR,
			      .mc = MC_NDR,
			      .flits = 1,
			      .opcode = NDR_CMP,
			      .dest = SBOX };

	(void)state;
	assert_int_equal(home_send(&rig->ex, home, &line, 100, 0), 100);
	assert_int_equal(home_send(&rig->ex, home, &line, 100, 0), 109);
	assert_int_equal(home_send(&rig->ex, home, &cmp, 98, 0), 98);
	assert_int_equal(home_send(&rig->ex, home, &line, 90, 0), 118);
	assert_int_equal(home_send(&rig->ex, home, &cmp, 100, 0), 99 + 28);
	rig_run(rig, 200);
	assert_int_equal(rig_sum(rig, SIG_BBOX_MSG_B_TO_S), 5);
	/* 99..100, 99..109, 89..118 */
	assert_int_equal(rig_sum(rig, SIG_BBOX_DRSQ_OCCUPANCY), 1 + 10 + 29);
	rig_check(rig, SIG_BBOX_IMT_PREALLOC, 99, 100, 1);
	rig_free(rig);
}

/* No room before 150, no credit before 160: each is counted once. */
static void receivers_may_have_no_room(void **state)
{
	struct home_rig *rig = rig_new(2, NULL);
	struct home *home = rig_home(rig, 0, 0);
	struct packet packet = { .cls = PACKET_NDR,
				 .mc = MC_NDR,
				 .flits = 1,
				 .opcode = NDR_CMP,
				 .dest = SBOX };

	(void)state;
	assert_int_equal(home_send(&rig->ex, home, &packet, 100, 150), 150);
	assert_int_equal(home_send(&rig->ex, home, &packet, 100, 90), 100);
	rig->routers[0].credit_from = 160;
	packet.dest = PEER;
	assert_int_equal(home_send(&rig->ex, home, &packet, 100, 0), 181);
	rig_run(rig, 200);
	rig_check(rig, SIG_BBOX_SBOX_VN0_UNAVAIL, 100, 101, 1);
	rig_check(rig, SIG_BBOX_RBOX_VNA_UNAVAIL, 100, 101, 1);
	assert_int_equal(rig_at(rig, SIG_BBOX_MSG_OUT, 160), 1);
	rig_free(rig);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_read_without_snoops_takes_what_memory_takes),
		cmocka_unit_test(the_last_answer_may_come_after_memory),
		cmocka_unit_test(replies_are_as_the_protocol_has_them),
		cmocka_unit_test(an_answer_may_bring_data_for_memory),
		cmocka_unit_test(a_write_back_is_written_and_completed),
		cmocka_unit_test(some_bytes_are_merged_into_the_line),
		cmocka_unit_test(bad_lines_stay_bad_until_they_are_written),
		cmocka_unit_test(memory_may_acknowledge_early),
		cmocka_unit_test(a_command_waits_for_the_mbox),
		cmocka_unit_test(a_link_carries_a_flit_a_cycle),
		cmocka_unit_test(receivers_may_have_no_room),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
