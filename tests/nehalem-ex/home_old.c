/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The home agent beside the one that was made of events. That runs in a whole
 * machine; what comes to it, and how long its M-Box takes, is noted and given
 * to the other one. With nothing in the way both publish the same, signal by
 * signal and cycle by cycle. All lines are of B-Box 0 of socket 0.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "old_home.h"

#define READ  UNCORE_ACCESS_READ
#define OWN   UNCORE_ACCESS_OWN
#define NT    UNCORE_ACCESS_NT_WRITE
#define LOCAL NODE_SBOX(0, 0)
#define FAR   NODE_SBOX(1, 0)
#define IOH   NODE_IOH(0)

static const struct scene scenes[] = {
	{ "read", 1, { NULL }, { { 0, READ, 1 } }, { LOCAL }, { 0 } },
	{ "own", 1, { NULL }, { { 0, OWN, 1 } }, { LOCAL }, { 0 } },
	{ "code",
	  1,
	  { NULL },
	  { { 0, UNCORE_ACCESS_CODE, 1 } },
	  { LOCAL },
	  { 0 } },
	{ "flush",
	  1,
	  { NULL },
	  { { 0, UNCORE_ACCESS_FLUSH, 1 } },
	  { LOCAL },
	  { 0 } },
	{ "non-temporal store",
	  1,
	  { NULL },
	  { { 0, NT, 1 } },
	  { LOCAL, LOCAL },
	  { 0 } },
	{ "two sockets", 2, { NULL }, { { 0, READ, 1 } }, { LOCAL }, { FAR } },
	{ "from afar", 2, { NULL }, { { 10, OWN, 1 } }, { FAR }, { LOCAL } },
	{ "far store, then read",
	  2,
	  { NULL },
	  { { 10, OWN, 1 }, { 0, READ, 1500 } },
	  { FAR, LOCAL },
	  { LOCAL, FAR } },
	{ "far store, then own",
	  2,
	  { NULL },
	  { { 10, OWN, 1 }, { 0, OWN, 1500 } },
	  { FAR, LOCAL },
	  { LOCAL, FAR } },
	{ "far store, then non-temporal store",
	  2,
	  { NULL },
	  { { 10, OWN, 1 }, { 0, NT, 1500 } },
	  { FAR, LOCAL, LOCAL },
	  { LOCAL, FAR } },
	{ "device reads",
	  2,
	  { NULL },
	  { { HUB, READ, 1 } },
	  { IOH },
	  { LOCAL, FAR } },
	{ "device writes",
	  2,
	  { NULL },
	  { { HUB, OWN, 1 } },
	  { IOH, IOH },
	  { LOCAL, FAR } },
	{ "device writes twice",
	  2,
	  { NULL },
	  { { HUB, NT, 1 } },
	  { IOH, IOH, IOH },
	  { LOCAL, FAR } },
	{ "device reads without snoops",
	  2,
	  { NULL },
	  { { HUB, UNCORE_ACCESS_UC_READ, 1 } },
	  { IOH },
	  { 0 } },
	{ "device writes some bytes",
	  2,
	  { NULL },
	  { { HUB, UNCORE_ACCESS_UC_WRITE, 1 } },
	  { IOH },
	  { 0 } },
	{ "directory",
	  2,
	  { "bbox.directory=on" },
	  { { 10, READ, 1 }, { 0, READ, 1500 }, { HUB, OWN, 5000 } },
	  { FAR, LOCAL, IOH, IOH },
	  { FAR, LOCAL, FAR } },
	{ "mirror",
	  1,
	  { "bbox.mirror=on" },
	  { { 0, NT, 1 } },
	  { LOCAL, LOCAL },
	  { 0 } },
	{ "early acknowledgement",
	  1,
	  { "mbox.early_ack=10" },
	  { { 0, READ, 1 } },
	  { LOCAL },
	  { 0 } },
};

static bool brings_data(unsigned opcode)
{
	return opcode == HOM1_RSP_I_WB || opcode == HOM1_RSP_FWD_S_WB ||
	       opcode == HOM1_RSP_FWD_I_WB;
}

static void replay_answers(struct old *old, struct home_job *job,
			   const uint8_t **source, unsigned num)
{
	while (num--) {
		struct message message = *old_take(old, MC_HOM1);
		uint64_t data_at = 0;

		if (brings_data(message.opcode))
			data_at = old_take(old, MC_DRS)->at;
		rig_answer(job, message.opcode, *(*source)++, message.at,
			   data_at);
	}
}

/* As many as there are snoops. */
static unsigned num_answers(const struct scene *scene,
			    const struct home_job *job, bool has_directory)
{
	unsigned opcode = job->request.opcode;

	if (opcode == HOM0_NON_SNP_RD)
		return 0;
	if (has_directory)
		return (unsigned)__builtin_popcount(job->snoop_sockets);
	return scene->sockets - !NODE_IS_IOH(job->request.requester);
}

static void replay_one(struct home_rig *rig, struct old *old,
		       const struct message *request, unsigned requester,
		       const uint8_t **source)
{
	struct home *home = rig_home(rig, 0, 0);
	struct home_job job =
		rig_job(request->opcode, requester, old->line, request->at);
	bool has_directory = rig->param[PARAM_BBOX_DIRECTORY] > 0;
	bool is_write = job.request.opcode == HOM0_NON_SNP_WR ||
			job.request.opcode == HOM0_WB_MTO_I ||
			job.request.opcode == HOM0_WB_MTO_E;

	if (is_write) {
		const struct message *data = old_take(old, MC_DRS);

		job.data_at = data->at;
		job.is_partial = data->opcode == DRS_NON_SNP_WR_DATA_PTL;
	}
	home_begin(&rig->ex, home, &job);
	for (unsigned i = 0; job.snoop_sockets >> i; i++)
		if (job.snoop_sockets >> i & 1) {
			struct packet snoop = home_snoop(home, &job, i);

			home_send(&rig->ex, home, &snoop, job.snoop_at, 0);
		}
	if (!is_write)
		replay_answers(old, &job, source,
			       num_answers(old->scene, &job, has_directory));
	home_end(&rig->ex, home, &job);
	home_send(&rig->ex, home, &job.reply, job.reply_at, 0);
}

/* The first cycle from `from` on in which a signal is not 0. */
static uint64_t first(const struct old *old, unsigned side, unsigned signal,
		      uint64_t from)
{
	while (from < CYCLES - 1 && !old->traces[side][from].value[signal])
		from++;
	return from;
}

/* The R-Box's time from the slave to its master, but for the one flit of the
 * Cmp that is all that the slave sends. */
static uint64_t crossing(const struct old *old)
{
	uint64_t sent = first(old, 1, SIG_BBOX_MSG_OUT, 0);
	uint64_t arrived = first(old, 0, SIG_BBOX_MSG_IN, sent);

	return arrived > sent ? arrived - sent - 1 : 0;
}

static void set_up(struct home_rig *rig, const struct old *old)
{
	static uint64_t lengths[EX_SIDES][MESSAGES];
	bool acknowledges_early = rig->param[PARAM_MBOX_EARLY_ACK] > 0;

	rig->routers[0].cycles = crossing(old);
	for (unsigned side = 0; side < EX_SIDES; side++) {
		struct memory *memory = &rig->memories[0][side];

		memory->num_script = old_durations(old, side, lengths[side]);
		memory->script = lengths[side];
		memory->cycles[MBOX_CMD_V2V] =
			(uint64_t)rig->param[PARAM_MBOX_BUFFER_CYCLES];
		memory->response =
			acknowledges_early ? MBOX_RSP_SPEC_ACK : MBOX_RSP_ACK;
	}
}

static void replay(struct home_rig *rig, struct old *old)
{
	const uint8_t *requester = old->scene->requesters;
	const uint8_t *source = old->scene->sources;
	const struct message *request;

	while ((request = old_take(old, MC_HOM0)))
		replay_one(rig, old, request, *requester++, &source);
}

static void compare(const struct scene *scene, const struct old *old,
		    const struct home_rig *rig)
{
	for (unsigned side = 0; side < EX_SIDES; side++)
		for (uint64_t cycle = 0; cycle < CYCLES; cycle++)
			for (unsigned id = 0; id < NUM_SIG_BBOX; id++) {
				int want = old->traces[side][cycle].value[id];
				int got = rig->traces[0][side][cycle].value[id];

				if (got != want)
					fail_msg("%s: signal %u of B-Box %u is "
						 "%d in cycle %u, was %d",
						 scene->name, id, side, got,
						 (unsigned)cycle, want);
			}
}

static void do_both(const struct scene *scene,
		    void (*replay_it)(struct home_rig *rig, struct old *old))
{
	struct old *old = old_run(scene);
	struct home_rig *rig = rig_new(scene->sockets, scene->settings);

	set_up(rig, old);
	replay_it(rig, old);
	rig_run(rig, CYCLES);
	for (unsigned side = 0; side < EX_SIDES; side++)
		assert_int_equal(rig->memories[0][side].num_script, 0);
	compare(scene, old, rig);
	old_free(old);
	rig_free(rig);
}

/* Under sanitizers, which tell nothing of numbers, few of the scenes. */
#ifdef __SANITIZE_ADDRESS__
enum { EVERY = 6 };
#else
enum { EVERY = 1 };
#endif

static void both_say_the_same(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(scenes) / sizeof(scenes[0]); i += EVERY)
		do_both(&scenes[i], replay);
}

/* Conflicts */

static const struct scene conflicts[] = {
	{ "two read",
	  2,
	  { NULL },
	  { { 0, READ, 1 }, { 10, READ, 1 } },
	  { 0 },
	  { 0 } },
	{ "two own",
	  2,
	  { NULL },
	  { { 0, OWN, 1 }, { 10, OWN, 1 } },
	  { 0 },
	  { 0 } },
	{ "one reads, one owns",
	  2,
	  { NULL },
	  { { 0, READ, 1 }, { 10, OWN, 1 } },
	  { 0 },
	  { 0 } },
};

static void finish(struct home_rig *rig, struct home_job *job, uint64_t at)
{
	struct home *home = rig_home(rig, 0, 0);

	home_end(&rig->ex, home, job);
	assert_true(job->is_forced);
	home_send(&rig->ex, home, &job->reply, job->reply_at, 0);
	home_acknowledged(home, job, at);
	home_send(&rig->ex, home, &job->reply, job->reply_at, 0);
}

/* Two sockets ask at once; the near one is first. Both are told of each other,
 * and the near one, which is then complete, is asked again. The messages are
 * two requests and two AckCnflt; the near agent's answer, the far one's, and
 * that of who was asked. */
static void replay_conflict(struct home_rig *rig, struct old *old)
{
	struct home *home = rig_home(rig, 0, 0);
	struct home_job jobs[2];
	struct message acks[2], answers[3];
	struct packet packet;
	uint64_t at;

	for (unsigned i = 0; i < 2; i++) {
		const struct message *request = old_take(old, MC_HOM0);

		jobs[i] = rig_job(request->opcode, i ? FAR : LOCAL, old->line,
				  request->at);
	}
	for (unsigned i = 0; i < 2; i++)
		acks[i] = *old_take(old, MC_HOM0);
	for (unsigned i = 0; i < 3; i++)
		answers[i] = *old_take(old, MC_HOM1);
	home_begin(&rig->ex, home, &jobs[0]);
	rig_answer(&jobs[0], answers[1].opcode, FAR, answers[1].at, 0);
	finish(rig, &jobs[0], acks[0].at);
	home_begin(&rig->ex, home, &jobs[1]);
	rig_answer(&jobs[1], answers[0].opcode, LOCAL, answers[0].at, 0);
	at = home_forward(home, &jobs[1], LOCAL, 1, &packet);
	home_send(&rig->ex, home, &packet, at, 0);
	rig_answer(&jobs[1], answers[2].opcode, LOCAL, answers[2].at, 0);
	finish(rig, &jobs[1], acks[1].at);
}

static void both_settle_conflicts_alike(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(conflicts) / sizeof(conflicts[0]); i++)
		do_both(&conflicts[i], replay_conflict);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(both_say_the_same),
		cmocka_unit_test(both_settle_conflicts_alike),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
