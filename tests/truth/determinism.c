/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The same machine with the same traffic and seed does the same thing to the
 * bit; another seed does not; and counting changes nothing but counters. See
 * docs/proof.md.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lab.h"
#include "table/table.h"

/* What one run left behind. */
struct trace {
	uint64_t cycle, num_events, num_accesses;
	size_t num_registers;
	uint64_t *registers; /* of all sockets, those that can be read */
};

/* One event for each type of box that traffic passes. */
static const char *const watched[] = {
	"cbox/LLC_HITS.ALL/",
	"cbox/OCCUPANCY_IRQ/",
	"sbox/TO_R_B_REQUESTS.ALL/",
	"sbox/REQ_TBL_OCCUPANCY.ALL/",
	"bbox/IMT_VALID_OCCUPANCY/",
	"bbox/MSG_OPCODE_IN_MATCH,mc=HOM0,opc=RdData/",
	"mbox/PAGE_MISS/",
	"mbox/BBOX_CMDS_ALL/",
	"rbox/FLITS_SENT,port=qpi0/",
	"rbox/NEW_PACKETS_RECV.ANY.DRS,port=sbox0/",
	"wbox/FIXED_CTR/",
};

enum { NUM_WATCHED = sizeof(watched) / sizeof(watched[0]) };

static struct lab crowd(unsigned sockets, unsigned seed)
{
	static const char *const workloads[] = {
		"random:threads=16,place=scatter,shared=1,size=1M,count=500,"
		"write=33,seed=1",
		"random:threads=16,place=scatter,shared=1,size=1M,count=500,"
		"write=33,seed=2",
	};

	return (struct lab){ .sockets = sockets,
			     .workload = workloads[seed - 1],
			     .settings = { "llc.slice=24", "llc.ways=4" } };
}

static void dump(struct uncore_model *model, struct trace *trace)
{
	const struct uc_family *family =
		uc_family_find(uncore_model_machine(model));
	unsigned sockets = uncore_model_sockets(model);

	trace->cycle = uncore_model_cycle(model);
	trace->num_events = uncore_model_num_events(model);
	trace->num_accesses = uncore_model_num_accesses(model);
	trace->registers = calloc(sockets * family->num_registers,
				  sizeof(*trace->registers));
	trace->num_registers = 0;
	for (unsigned s = 0; s < sockets; s++)
		for (size_t i = 0; i < family->num_registers; i++) {
			uint64_t value;

			if (!uncore_model_read(model, s,
					       family->registers[i].address,
					       &value))
				trace->registers[trace->num_registers++] =
					value;
		}
}

static void watch(struct uncore_target *target, struct uncore_event **events,
		  struct uncore_session **session)
{
	char *error = NULL;

	for (unsigned i = 0; i < NUM_WATCHED; i++)
		if (uncore_event_parse(uncore_target_family(target), watched[i],
				       &events[i], &error))
			fail_msg("%s", error);
	if (uncore_session_open(target, events, NUM_WATCHED, session, &error) ||
	    uncore_session_start(*session, &error))
		fail_msg("%s", error);
}

static struct trace run(struct lab lab, bool counts)
{
	struct uncore_model *model = lab_model(&lab);
	struct uncore_target *target = uncore_target_model(model);
	struct uncore_event *events[NUM_WATCHED] = { NULL };
	struct uncore_session *session = NULL;
	struct trace trace;

	if (counts)
		watch(target, events, &session);
	lab_run(&lab, model);
	dump(model, &trace);
	if (counts)
		uncore_session_close(session);
	for (unsigned i = 0; i < NUM_WATCHED; i++)
		uncore_event_free(events[i]);
	uncore_target_free(target);
	uncore_model_free(model);
	return trace;
}

static bool same_registers(const struct trace *a, const struct trace *b)
{
	return a->num_registers == b->num_registers &&
	       !memcmp(a->registers, b->registers,
		       a->num_registers * sizeof(*a->registers));
}

/* From two to eight sockets; the suite `long` has four, too. */
static unsigned next(unsigned sockets)
{
	return sockets * (getenv("UNCORE_LONG") ? 2 : 4);
}

static void the_same_seed_gives_the_same_bits(void **state)
{
	(void)state;
	for (unsigned sockets = 2; sockets <= 8; sockets = next(sockets)) {
		struct trace a = run(crowd(sockets, 1), true);
		struct trace b = run(crowd(sockets, 1), true);

		assert_int_equal(a.cycle, b.cycle);
		assert_int_equal(a.num_events, b.num_events);
		assert_int_equal(a.num_accesses, b.num_accesses);
		assert_true(a.num_registers > 100);
		assert_true(same_registers(&a, &b));
		free(a.registers);
		free(b.registers);
	}
}

static void another_seed_gives_other_bits(void **state)
{
	struct trace a = run(crowd(2, 1), true);
	struct trace b = run(crowd(2, 2), true);

	(void)state;
	assert_false(same_registers(&a, &b));
	free(a.registers);
	free(b.registers);
}

static void counting_does_not_change_the_course(void **state)
{
	(void)state;
	for (unsigned sockets = 2; sockets <= 8; sockets = next(sockets)) {
		struct trace with = run(crowd(sockets, 1), true);
		struct trace without = run(crowd(sockets, 1), false);

		assert_int_equal(with.cycle, without.cycle);
		assert_int_equal(with.num_accesses, without.num_accesses);
		assert_false(same_registers(&with, &without));
		free(with.registers);
		free(without.registers);
	}
}

/* Each event gives the same number alone as among all the others. */
static void counters_do_not_see_each_other(void **state)
{
	struct lab lab = crowd(2, 1);
	struct uncore_model *model = lab_model(&lab);
	struct uncore_target *target = uncore_target_model(model);
	struct uncore_event *events[NUM_WATCHED];
	struct uncore_session *session;
	uint64_t sums[NUM_WATCHED] = { 0 };
	struct uncore_count count;

	(void)state;
	watch(target, events, &session);
	lab_run(&lab, model);
	assert_int_equal(uncore_session_stop(session, NULL), 0);
	assert_int_equal(uncore_session_read(session, NULL), 0);
	for (size_t i = 0; uncore_session_count(session, i, &count); i++)
		sums[count.event_index] += count.value;
	assert_true(sums[0] > 0);
	for (unsigned i = 0; i < NUM_WATCHED; i++)
		assert_int_equal(sums[i],
				 lab_count_alone(&lab, LAB_ALL, watched[i]));
	uncore_session_close(session);
	for (unsigned i = 0; i < NUM_WATCHED; i++)
		uncore_event_free(events[i]);
	uncore_target_free(target);
	uncore_model_free(model);
}

/* Runs in steps of that many cycles. */
static struct trace run_in_steps(struct lab lab, unsigned step_cycles)
{
	enum { CYCLES = 123457 };
	struct uncore_model *model = lab_model(&lab);
	struct uncore_target *target = uncore_target_model(model);
	struct uncore_event *events[NUM_WATCHED];
	struct uncore_session *session;
	struct trace trace;

	watch(target, events, &session);
	lab.cycles = step_cycles;
	lab_run(&lab, model);
	while (uncore_model_cycle(model) < CYCLES)
		uncore_model_run(
			model, uncore_model_cycle(model) + step_cycles < CYCLES
				       ? step_cycles
				       : CYCLES - uncore_model_cycle(model));
	dump(model, &trace);
	uncore_session_close(session);
	for (unsigned i = 0; i < NUM_WATCHED; i++)
		uncore_event_free(events[i]);
	uncore_target_free(target);
	uncore_model_free(model);
	return trace;
}

/* In one piece, or in steps that fall anywhere: nobody can tell. The last two
 * are for the suite `long`. */
static void steps_do_not_change_the_course(void **state)
{
	static const unsigned steps[] = { 1024, 7, 10000, 333 };
	unsigned num = getenv("UNCORE_LONG") ? 4 : 2;
	const struct lab labs[] = {
		crowd(4, 1),
		{ .sockets = 2,
		  .workload = "random:threads=8,place=scatter,shared=1,size=2M,"
			      "count=3000,write=33,seed=5" },
	};

	(void)state;
	for (unsigned l = 0; l < 2; l++) {
		struct trace whole = run_in_steps(labs[l], 123457);

		for (unsigned i = 0; i < num; i++) {
			struct trace parts = run_in_steps(labs[l], steps[i]);

			assert_int_equal(whole.cycle, parts.cycle);
			assert_int_equal(whole.num_accesses,
					 parts.num_accesses);
			assert_true(same_registers(&whole, &parts));
			free(parts.registers);
		}
		free(whole.registers);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_same_seed_gives_the_same_bits),
		cmocka_unit_test(another_seed_gives_other_bits),
		cmocka_unit_test(counting_does_not_change_the_course),
		cmocka_unit_test(counters_do_not_see_each_other),
		cmocka_unit_test(steps_do_not_change_the_course),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
