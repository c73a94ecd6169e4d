/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Laws of the home agent under a crowd. Requests of all kinds, for few lines,
 * with answers and data that come when chance has it, to receivers that have no
 * room at times; and a slow second way, cycle by cycle, of all that can be
 * counted from what the requests were told and what the M-Box was asked.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "home_rig.h"

enum { JOBS = 500, LINES = 60, LAST = 15000, IMT = 8 };

/* What a request has come to. */
struct past {
	uint8_t opcode, line;
	bool is_direct, has_line, takes_memory;
	uint64_t entered, begun, fetched, ended;
	uint64_t sent, flits;
	uint64_t written; /* data of its line that were announced before it */
};

struct crowd {
	struct home_rig *rig;
	uint64_t random, now;
	unsigned late; /* some come up to so many cycles later */
	struct past pasts[JOBS];
	unsigned num_in, num_out, num_conflicts, num_acks, num_snoops;
	uint64_t written[LINES];
};

static unsigned chance(struct crowd *crowd, unsigned num)
{
	crowd->random ^= crowd->random << 13;
	crowd->random ^= crowd->random >> 7;
	crowd->random ^= crowd->random << 17;
	return (unsigned)(crowd->random >> 20) % num;
}

/* Soon or, of some, much later. */
static uint64_t delay(struct crowd *crowd, unsigned soon)
{
	return chance(crowd,
		      crowd->late && !chance(crowd, 4) ? crowd->late : soon);
}

static bool is_write(unsigned opcode)
{
	return opcode == HOM0_WB_MTO_I || opcode == HOM0_WB_MTO_E ||
	       opcode == HOM0_NON_SNP_WR;
}

static void answer(struct crowd *crowd, struct home_job *job, unsigned socket)
{
	static const uint8_t opcodes[] = { HOM1_RSP_I,	   HOM1_RSP_I,
					   HOM1_RSP_S,	   HOM1_RSP_FWD_S,
					   HOM1_RSP_CNFLT, HOM1_RSP_FWD_S_WB,
					   HOM1_RSP_I_WB };
	unsigned opcode = opcodes[chance(crowd, 7)];
	uint64_t from =
		sim_later(engine_now(&crowd->rig->ex.engine), job->snoop_at);
	uint64_t at = from + chance(crowd, 300), data_at = 0;
	bool has_data = opcode == HOM1_RSP_FWD_S_WB || opcode == HOM1_RSP_I_WB;

	if (has_data)
		data_at = at + delay(crowd, 30);
	rig_answer(crowd->rig, job, opcode, NODE_SBOX(socket, 0), at, data_at);
	crowd->num_in += 1 + has_data;
}

static uint64_t say(struct crowd *crowd, struct packet *packet, uint64_t at)
{
	struct router *router = &crowd->rig->routers[0];
	uint64_t room_from = chance(crowd, 4) ? 0 : at + chance(crowd, 300);

	router->credit_from = chance(crowd, 4) ? 0 : at + chance(crowd, 300);
	crowd->num_out++;
	return home_send(&crowd->rig->ex, rig_home(crowd->rig, 0, 0), packet,
			 at, room_from);
}

static void snoop(struct crowd *crowd, struct home_job *job)
{
	for (unsigned i = 0; i < 4; i++) {
		struct packet packet;

		if (!(job->snoop_sockets >> i & 1))
			continue;
		packet = home_snoop(rig_home(crowd->rig, 0, 0), job, i);
		say(crowd, &packet, job->snoop_at);
		crowd->num_snoops++;
		answer(crowd, job, i);
	}
}

static void remember(struct crowd *crowd, struct past *past,
		     const struct home_job *job)
{
	uint64_t *written = &crowd->written[job->line];

	*past = (struct past){
		.opcode = job->request.opcode,
		.line = (uint8_t)job->line,
		.has_line = !is_write(job->request.opcode),
		.takes_memory = job->reply.cls == PACKET_DRS,
		.entered = job->entered,
		.begun = job->begun,
		.fetched = job->fetched,
		.ended = job->reply_at - 1,
		.written = *written,
	};
	*written = sim_later(*written, job->written);
}

static void acknowledge(struct crowd *crowd, struct home_job *job,
			struct past *past)
{
	uint64_t at = job->reply_at + 30 + chance(crowd, 100);

	home_acknowledged(rig_home(crowd->rig, 0, 0), job, at);
	past->ended = job->reply_at - 1;
	crowd->num_in++;
	crowd->num_acks++;
	say(crowd, &job->reply, job->reply_at);
}

/* A request, which may have to wait. */
struct visit {
	struct home_job job; /* stands first */
	struct crowd *crowd;
	struct past *past;
	bool has_directory;
};

static void end(struct home_job *job)
{
	struct visit *visit = (struct visit *)job;
	struct crowd *crowd = visit->crowd;
	struct past *past = visit->past;
	struct home *home = rig_home(crowd->rig, 0, 0);

	home_end(&crowd->rig->ex, home, job);
	crowd->num_conflicts += job->has_conflict;
	remember(crowd, past, job);
	past->is_direct = job->reply.dest == NODE_SBOX(0, 0);
	past->flits = job->reply.flits;
	past->sent = say(crowd, &job->reply, job->reply_at);
	if (job->is_forced)
		acknowledge(crowd, job, past);
	free(visit);
}

static void work_off(struct home_job *job)
{
	struct visit *visit = (struct visit *)job;
	struct crowd *crowd = visit->crowd;
	struct home *home = rig_home(crowd->rig, 0, 0);
	uint64_t *written = &crowd->written[job->line];

	if (job->data_at)
		*written = sim_later(*written, job->data_at + 12);
	home_begin(&crowd->rig->ex, home, job);
	if (visit->has_directory)
		snoop(crowd, job);
	job->go_on = end;
	if (!(is_write(job->request.opcode)
		      ? home_wait_for_data(&crowd->rig->ex, home, job)
		      : home_wait_for_answers(&crowd->rig->ex, home, job)))
		end(job);
}

/* It is not told of a time that has been, and begins no sooner. */
static void is_told(struct home_job *job, uint64_t until)
{
	const struct visit *visit = (const struct visit *)job;

	assert_true(until >= engine_now(&visit->crowd->rig->ex.engine));
}

static struct visit *new_visit(struct crowd *crowd, struct past *past,
			       bool has_directory)
{
	static const uint8_t opcodes[] = { HOM0_RD_DATA,    HOM0_RD_DATA,
					   HOM0_RD_DATA,    HOM0_RD_CODE,
					   HOM0_RD_INV_OWN, HOM0_INV_ITO_E,
					   HOM0_INV_XTO_I,  HOM0_WB_MTO_I,
					   HOM0_WB_MTO_I,   HOM0_NON_SNP_RD };
	struct visit *visit = calloc(1, sizeof(*visit));
	unsigned socket = chance(crowd, 4);

	assert_non_null(visit);
	visit->job =
		rig_job(opcodes[chance(crowd, 10)], NODE_SBOX(socket, 0),
			chance(crowd, LINES), crowd->now + delay(crowd, 100));
	visit->job.waits = is_told;
	visit->job.go_on = work_off;
	visit->crowd = crowd;
	visit->past = past;
	visit->has_directory = has_directory;
	return visit;
}

static void go(struct crowd *crowd, struct past *past, bool has_directory)
{
	struct visit *visit = new_visit(crowd, past, has_directory);
	struct home_job *job = &visit->job;
	struct home *home = rig_home(crowd->rig, 0, 0);

	if (is_write(job->request.opcode)) {
		job->data_at = crowd->now + delay(crowd, 200);
		job->is_partial = !chance(crowd, 4);
		crowd->num_in++;
	}
	crowd->num_in++;
	home_arrive(&crowd->rig->ex, home, job);
	if (!has_directory && !is_write(job->request.opcode) &&
	    job->request.opcode != HOM0_NON_SNP_RD)
		for (unsigned i = 0; i < 4; i++)
			if (i != NODE_SOCKET(job->request.source))
				answer(crowd, job, i);
	if (!home_wait(&crowd->rig->ex, home, job))
		work_off(job);
}

static struct crowd *gather(uint64_t seed, bool has_directory, unsigned late)
{
	static const char *const settings[] = { "bbox.imt=8",
						"bbox.directory=on", NULL };
	static const char *const plain[] = { "bbox.imt=8", NULL };
	struct crowd *crowd = calloc(1, sizeof(*crowd));

	assert_non_null(crowd);
	crowd->rig = rig_new(4, has_directory ? settings : plain);
	crowd->random = seed;
	crowd->late = late;
	for (unsigned i = 0; i < JOBS; i++) {
		crowd->now += chance(crowd, 2 * LAST / JOBS);
		rig_run(crowd->rig, crowd->now);
		go(crowd, &crowd->pasts[i], has_directory);
	}
	rig_run(crowd->rig, RIG_CYCLES);
	return crowd;
}

static void disperse(struct crowd *crowd)
{
	rig_free(crowd->rig);
	free(crowd);
}

static void check_tracker(const struct crowd *crowd)
{
	static int16_t want[RIG_CYCLES];

	memset(want, 0, sizeof(want));
	for (unsigned i = 0; i < JOBS; i++)
		for (uint64_t c = crowd->pasts[i].entered;
		     c < crowd->pasts[i].ended && c < RIG_CYCLES; c++)
			want[c]++;
	for (unsigned c = 0; c < RIG_CYCLES; c++)
		assert_int_equal(rig_at(crowd->rig, SIG_BBOX_TF_ALL, c),
				 want[c]);
}

/* Requests with a place in the order of their line never are active at the same
 * time, and none begins before it has come. */
static void check_turns(const struct crowd *crowd)
{
	for (unsigned i = 0; i < JOBS; i++) {
		const struct past *a = &crowd->pasts[i];

		assert_true(a->begun >= a->entered);
		for (unsigned j = 0; j < i && a->has_line; j++) {
			const struct past *b = &crowd->pasts[j];

			if (b->has_line && b->line == a->line)
				assert_true(a->begun >= b->ended ||
					    a->ended <= b->begun);
		}
	}
}

/* No number of the IMT twice at a time, and what the level says is what the
 * M-Box knows of: commands of one number that follow each other at once are one
 * piece of work, or two that had no pause in between. */
static void check_imt(const struct crowd *crowd)
{
	static uint8_t taken[RIG_CYCLES][IMT];
	const struct memory *memory = &crowd->rig->memories[0][0];

	memset(taken, 0, sizeof(taken));
	assert_true(memory->num <= RIG_COMMANDS);
	for (unsigned i = 0; i < memory->num; i++) {
		const struct rig_command *command = &memory->commands[i];

		assert_true(command->fvid < IMT);
		for (uint64_t c = command->at;
		     c < command->done && c < RIG_CYCLES; c++) {
			assert_int_equal(taken[c][command->fvid], 0);
			taken[c][command->fvid] = 1;
		}
	}
	for (unsigned c = 0; c < RIG_CYCLES; c++) {
		int sum = 0;

		for (unsigned i = 0; i < IMT; i++)
			sum += taken[c][i];
		assert_int_equal(
			rig_at(crowd->rig, SIG_BBOX_IMT_VALID_OCCUPANCY, c),
			sum);
	}
}

/* Who answers from memory, or grants, has waited for all data that were
 * announced; and what it has read is as new, be it by a refill. */
static void check_data(const struct crowd *crowd)
{
	const struct memory *memory = &crowd->rig->memories[0][0];

	for (unsigned i = 0; i < JOBS; i++) {
		const struct past *past = &crowd->pasts[i];
		bool is_new = past->begun >= past->written;

		if (!past->takes_memory)
			continue;
		assert_true(past->ended >= past->written);
		for (unsigned j = 0; j < memory->num && !is_new; j++)
			is_new = memory->commands[j].command == MBOX_CMD_F2B &&
				 memory->commands[j].line == past->line / 2u &&
				 memory->commands[j].at >= past->written;
		assert_true(is_new);
	}
}

static void check_links(const struct crowd *crowd)
{
	static uint8_t busy[RIG_CYCLES];
	unsigned num = 0;

	memset(busy, 0, sizeof(busy));
	for (unsigned i = 0; i < JOBS; i++) {
		const struct past *past = &crowd->pasts[i];

		assert_true(past->sent + past->flits < RIG_CYCLES);
		if (!past->is_direct)
			continue;
		num++;
		for (uint64_t c = past->sent; c < past->sent + past->flits; c++)
			assert_int_equal(busy[c]++, 0);
	}
	assert_true(rig_sum(crowd->rig, SIG_BBOX_MSG_B_TO_S) >= num);
}

/* Levels that are 1 where something is, and no more. */
static void check_levels(const struct crowd *crowd)
{
	const struct home_rig *rig = crowd->rig;

	for (unsigned c = 0; c < RIG_CYCLES; c++) {
		int drs = rig_at(rig, SIG_BBOX_DRSQ_OCCUPANCY, c);
		int wait = rig_at(rig, SIG_BBOX_COHQ_IMT_ALLOC_WAIT, c);

		assert_int_equal(rig_at(rig, SIG_BBOX_IMT_PREALLOC, c),
				 drs >= 3);
		assert_true(wait == 0 || wait == 1);
	}
}

static uint64_t sum(const struct crowd *crowd, unsigned signal)
{
	return rig_sum(crowd->rig, signal);
}

static void check_numbers(const struct crowd *crowd)
{
	const struct memory *memory = &crowd->rig->memories[0][0];
	uint64_t inserts = 0, works = 0;

	for (unsigned i = 0; i < memory->num; i++) {
		unsigned command = memory->commands[i].command;

		/* a partial write is a read and a write */
		works += command == MBOX_CMD_READ || command == MBOX_CMD_V2F ||
			 command == MBOX_CMD_WRITE;
		works -= command == MBOX_CMD_MERGE;
	}
	inserts = sum(crowd, SIG_BBOX_IMT_INSERTS_ALL);
	assert_int_equal(inserts,
			 works + crowd->num_conflicts + crowd->num_acks);
	assert_int_equal(inserts,
			 sum(crowd, SIG_BBOX_IMT_INSERTS_RD) +
				 sum(crowd, SIG_BBOX_IMT_INSERTS_WR) +
				 sum(crowd, SIG_BBOX_IMT_INSERTS_INVITOE));
	assert_int_equal(inserts, sum(crowd, SIG_BBOX_IMT_INSERTS_NON_IOH));
	assert_int_equal(sum(crowd, SIG_BBOX_CONFLICTS), crowd->num_conflicts);
	assert_int_equal(sum(crowd, SIG_BBOX_MSG_IN), crowd->num_in);
	assert_int_equal(sum(crowd, SIG_BBOX_MSG_IN_NON_SNP), crowd->num_in);
	assert_int_equal(sum(crowd, SIG_BBOX_MSG_OUT), crowd->num_out);
	assert_true(sum(crowd, SIG_BBOX_SNPOQ_INSERTS) <= crowd->num_snoops);
}

static void check_all(const struct crowd *crowd)
{
	check_tracker(crowd);
	check_turns(crowd);
	check_imt(crowd);
	check_data(crowd);
	check_links(crowd);
	check_levels(crowd);
	check_numbers(crowd);
}

static void laws_hold_under_a_crowd(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 4; seed++) {
		struct crowd *crowd = gather(seed * 7919, false, 0);

		check_all(crowd);
		/* and all that chance can bring about has been */
		assert_true(sum(crowd, SIG_BBOX_IMT_FULL) > 0);
		assert_true(sum(crowd, SIG_BBOX_DEMAND_FETCH) > 0);
		assert_true(sum(crowd, SIG_BBOX_COHQ_IMT_ALLOC_WAIT) > 0);
		assert_true(sum(crowd, SIG_BBOX_COHQ_BYPASS) > 0);
		assert_true(sum(crowd, SIG_BBOX_ACK_BEFORE_LAST_SNP) > 0);
		assert_true(sum(crowd, SIG_BBOX_IMT_PREALLOC) > 0);
		assert_true(sum(crowd, SIG_BBOX_SBOX_VN0_UNAVAIL) > 0);
		assert_true(sum(crowd, SIG_BBOX_RBOX_VNA_UNAVAIL) > 0);
		assert_true(sum(crowd, SIG_BBOX_IMPLICIT_WBS) > 0);
		disperse(crowd);
	}
}

static void laws_hold_with_a_directory(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 4; seed++) {
		struct crowd *crowd = gather(seed * 104729, true, 0);

		check_all(crowd);
		assert_true(crowd->num_snoops > 0);
		assert_true(sum(crowd, SIG_BBOX_SNPOQ_INSERTS) > 0);
		assert_true(sum(crowd, SIG_BBOX_DIRQ_OCCUPANCY) > 0);
		disperse(crowd);
	}
}

/* Over slow links. */
static void laws_hold_for_those_who_come_late(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 8; seed++) {
		struct crowd *crowd = gather(seed * 15485863, seed % 2, 2000);

		check_all(crowd);
		disperse(crowd);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(laws_hold_under_a_crowd),
		cmocka_unit_test(laws_hold_with_a_directory),
		cmocka_unit_test(laws_hold_for_those_who_come_late),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
