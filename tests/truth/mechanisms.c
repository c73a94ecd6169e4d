/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What a slice does with its lines, one mechanism each, in traffic of a few
 * kinds of accesses whose counts follow from it: each of these would go wrong
 * without a sum over many boxes noticing. See docs/proof.md.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "lab.h"

enum { LINES = 200 };

/* One core uses lines from `line` on, one after the other, and after each of
 * them line `again`, if that is not 0. */
struct use {
	unsigned core;
	uint8_t kind; /* enum uncore_access_kind */
	uint64_t line, again;
	unsigned num;
};

enum { MAX_USES = 4 };

struct player {
	struct use use;
	unsigned step;
};

static int next(void *context, unsigned core, struct uncore_access *access)
{
	struct player *player = context;
	const struct use *use = &player->use;
	unsigned each = use->again ? 2 : 1;

	if (core != use->core || player->step == use->num * each)
		return 0;
	*access = (struct uncore_access){
		.line = player->step % each ? use->again
					    : use->line + player->step / each,
		.kind = use->kind,
		.gap = 10,
		.depends = 1,
	};
	player->step++;
	return 1;
}

/* The uses one after the other, each done before the next begins; stops where
 * one has no number. */
static void play(struct uncore_model *model, const struct use uses[])
{
	for (unsigned i = 0; i < MAX_USES && uses[i].num; i++) {
		struct player player = { .use = uses[i] };
		const struct uncore_traffic traffic = {
			.context = &player,
			.next = next,
		};

		uncore_model_set_traffic(model, &traffic);
		assert_true(
			uncore_model_finish(model, UINT64_C(100000000), NULL));
	}
	if (uncore_model_check(model))
		fail_msg("%s", uncore_model_check(model));
}

static uint64_t count(const struct lab *lab, const char *text,
		      const struct use uses[])
{
	struct uncore_model *model = lab_model(lab);
	struct uncore_target *target = uncore_target_model(model);
	struct uncore_session *session;
	struct uncore_event *event;
	struct uncore_count count;
	char *error = NULL;
	uint64_t sum = 0;

	if (uncore_event_parse(uncore_target_family(target), text, &event,
			       &error) ||
	    uncore_session_open(target, &event, 1, &session, &error) ||
	    uncore_session_start(session, &error))
		fail_msg("%s", error);
	play(model, uses);
	if (uncore_session_stop(session, &error) ||
	    uncore_session_read(session, &error))
		fail_msg("%s", error);
	for (size_t i = 0; uncore_session_count(session, i, &count); i++)
		sum += count.value;
	uncore_session_close(session);
	uncore_event_free(event);
	uncore_target_free(target);
	uncore_model_free(model);
	return sum;
}

static const struct lab small = {
	.sockets = 1,
	.settings = { "llc.slice=6", "llc.ways=4" },
};
static const struct lab large = { .sockets = 1 };

/* Many lines pass through slices that hold few. One that is used after each of
 * them is never the oldest of its set, so each misses once. */
static void a_hit_makes_a_line_young(void **state)
{
	const struct use uses[MAX_USES] = {
		{ 0, UNCORE_ACCESS_READ, 1000, 1, 4000 },
	};
	(void)state;

	assert_int_equal(count(&small, "cbox/LLC_MISSES.ALL/", uses), 4001);
	assert_int_equal(count(&small, "cbox/LLC_HITS.ALL/", uses), 3999);
}

/* A core that has written a line back does not have it: who reads it then does
 * not ask that core. */
static void who_wrote_back_is_not_asked(void **state)
{
	const struct use uses[MAX_USES] = {
		{ 0, UNCORE_ACCESS_OWN, 1000, 0, LINES },
		{ 0, UNCORE_ACCESS_WRITEBACK, 1000, 0, LINES },
		{ 1, UNCORE_ACCESS_READ, 1000, 0, LINES },
	};
	const struct use kept[MAX_USES] = { uses[0], uses[2] };
	(void)state;

	assert_int_equal(count(&large, "cbox/SINKS_C2P.IV/", uses), 0);
	assert_int_equal(count(&large, "cbox/SINKS_C2P.IV/", kept), LINES);
	assert_int_equal(count(&large, "cbox/LLC_HITS.M/", uses), LINES);
}

/* Lines that a store has brought are in state M before their core gives them
 * back, and those of a load in E. */
static void a_store_brings_a_line_in_m(void **state)
{
	struct use uses[MAX_USES] = {
		{ 0, UNCORE_ACCESS_OWN, 1000, 0, LINES },
		{ 1, UNCORE_ACCESS_READ, 1000, 0, LINES },
	};
	(void)state;

	assert_int_equal(count(&large, "cbox/LLC_HITS.M/", uses), LINES);
	assert_int_equal(count(&large, "cbox/LLC_HITS.E/", uses), 0);
	uses[0].kind = UNCORE_ACCESS_READ;
	assert_int_equal(count(&large, "cbox/LLC_HITS.M/", uses), 0);
	assert_int_equal(count(&large, "cbox/LLC_HITS.E/", uses), LINES);
}

/* A line in E is a core's own, which may have written to it: it is asked. When
 * two have it neither has, and who reads it then asks nobody. */
static void what_cores_share_is_not_asked_for(void **state)
{
	const struct use uses[MAX_USES] = {
		{ 0, UNCORE_ACCESS_READ, 1000, 0, LINES },
		{ 1, UNCORE_ACCESS_READ, 1000, 0, LINES },
		{ 2, UNCORE_ACCESS_READ, 1000, 0, LINES },
	};
	(void)state;

	assert_int_equal(count(&large, "cbox/LLC_HITS.E/", uses), 2 * LINES);
	assert_int_equal(count(&large, "cbox/SINKS_C2P.IV/", uses), LINES);
}

/* What a core of the other socket reads, with what was done to it before. */
static const struct lab pair = { .sockets = 2 };

/* A core may have changed a line that the tags have in E: the snoop of another
 * socket finds it modified. Of what two cores share none has, and the snoop
 * asks nobody. */
static void a_snoop_finds_what_the_core_has_done(void **state)
{
	const unsigned peer = lab_cores();
	const struct use changed[MAX_USES] = {
		{ 0, UNCORE_ACCESS_READ, 1000, 0, LINES },
		{ 0, UNCORE_ACCESS_OWN, 1000, 0, LINES },
		{ peer, UNCORE_ACCESS_READ, 1000, 0, LINES },
	};
	const struct use read[MAX_USES] = { changed[0], changed[2] };
	const struct use shared[MAX_USES] = {
		{ 0, UNCORE_ACCESS_READ, 1000, 0, LINES },
		{ 1, UNCORE_ACCESS_READ, 1000, 0, LINES },
		{ peer, UNCORE_ACCESS_READ, 1000, 0, LINES },
	};
	(void)state;

	assert_int_equal(count(&pair, "cbox/SNP_HITS.REMOTE_RD_HITM/", changed),
			 LINES);
	assert_int_equal(count(&pair, "cbox/SNP_HITS.REMOTE_RD_HITE/", read),
			 LINES);
	/* the second reader asks the first, of both snoops ask nobody */
	assert_int_equal(count(&pair, "cbox/SINKS_C2P.IV/", shared), LINES);
	assert_int_equal(count(&pair, "cbox/SINKS_C2P.IV/", read), LINES);
}

/* A line is two messages on the BL ring, also where a core gives it back. */
static void a_write_back_carries_its_line(void **state)
{
	const struct use uses[MAX_USES] = {
		{ 0, UNCORE_ACCESS_OWN, 1000, 0, LINES },
		{ 0, UNCORE_ACCESS_WRITEBACK, 1000, 0, LINES },
	};
	(void)state;

	assert_int_equal(count(&large, "cbox/SINKS_P2C.BL/", uses), 2 * LINES);
}

/* A streaming store drops the slice's line and asks the home for it, whether or
 * not the slice may write to it: it is not done before the home knows. */
static void a_streaming_store_asks_the_home(void **state)
{
	const struct use uses[MAX_USES] = {
		{ 0, UNCORE_ACCESS_READ, 1000, 0, LINES },
		{ 0, UNCORE_ACCESS_NT_WRITE, 1000, 0, LINES },
	};
	struct use code[MAX_USES] = { uses[0], uses[1] };
	(void)state;

	code[0].kind = UNCORE_ACCESS_CODE; /* comes in F */
	assert_int_equal(count(&large, "bbox/IMT_INSERTS_INVITOE/", uses),
			 LINES);
	assert_int_equal(count(&large, "bbox/IMT_INSERTS_WR/", uses), LINES);
	assert_int_equal(count(&large, "bbox/IMT_INSERTS_INVITOE/", uses + 1),
			 LINES);
	assert_int_equal(count(&large, "bbox/IMT_INSERTS_INVITOE/", code),
			 LINES);
}

/* A streaming store of a part of a line that the slice has changed: that goes
 * to memory, then the part does. */
static void a_part_goes_behind_the_line_it_is_of(void **state)
{
	struct use uses[MAX_USES] = {
		{ 0, UNCORE_ACCESS_OWN, 1000, 0, LINES },
		{ 0, UNCORE_ACCESS_NT_PART, 1000, 0, LINES },
	};
	(void)state;

	assert_int_equal(count(&large, "bbox/IMT_INSERTS_WR/", uses),
			 2 * LINES);
	uses[0].kind = UNCORE_ACCESS_READ;
	assert_int_equal(count(&large, "bbox/IMT_INSERTS_WR/", uses), LINES);
}

/* A core writes to lines that it has read without asking anybody. Of a single
 * socket nobody takes anything along: what is written back left its slice in
 * state M, though the tags say E. */
static void each_write_back_is_a_victim_in_m(void **state)
{
	const struct lab lab = {
		.sockets = 1,
		.workload = "random:threads=1,size=128K,count=6000,write=30",
		.settings = { "llc.slice=6", "llc.ways=4" },
	};
	uint64_t writes = all(&lab, "bbox/MSG_OPCODE_IN_MATCH,"
				    "mc=HOM0,opc=WbMtoI/");
	(void)state;

	assert_true(writes > 0);
	assert_int_equal(all(&lab, "cbox/LLC_VICTIMS.M/"), writes);
}

static void expect_empty(void *context, const struct uncore_model_level *level)
{
	(void)context;
	if (strstr(level->name, "occupancy"))
		fail_msg("%s of %s %u is %lld at rest", level->name, level->box,
			 level->instance, (long long)level->value);
}

/* When all is done every queue is empty, also where victims waited so long for
 * their turn that another socket came and took their lines. */
static void at_rest_all_queues_are_empty(void **state)
{
	static const char *const tables[] = { "sbox.request_table=7",
					      "sbox.request_table=9", NULL };
	(void)state;

	for (unsigned i = 0; tables[i]; i++) {
		struct lab lab = {
			.sockets = 2,
			.workload = "random:threads=16,shared=1,place=scatter,"
				    "size=24K,count=1500,write=80",
			.settings = { "llc.slice=1", "llc.ways=2", tables[i] },
		};
		struct uncore_model *model = lab_model(&lab);

		lab_run(&lab, model);
		for (unsigned s = 0; s < lab.sockets; s++)
			uncore_model_levels(model, s, expect_empty, NULL);
		uncore_model_free(model);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_hit_makes_a_line_young),
		cmocka_unit_test(who_wrote_back_is_not_asked),
		cmocka_unit_test(a_store_brings_a_line_in_m),
		cmocka_unit_test(what_cores_share_is_not_asked_for),
		cmocka_unit_test(a_snoop_finds_what_the_core_has_done),
		cmocka_unit_test(a_write_back_carries_its_line),
		cmocka_unit_test(a_streaming_store_asks_the_home),
		cmocka_unit_test(a_part_goes_behind_the_line_it_is_of),
		cmocka_unit_test(each_write_back_is_a_victim_in_m),
		cmocka_unit_test(at_rest_all_queues_are_empty),
	};

	return LAB_RUN(tests);
}
