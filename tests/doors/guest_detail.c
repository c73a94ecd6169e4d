/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * A guest of which most accesses go the quick way (--detail): the registers
 * that its software reads. The same rounds are played in full detail, so that
 * counts of what happened have to be the same, and those of what depends on
 * time about the same. How near is known from elsewhere: with windows of a
 * sixteenth of the run the model tells an occupancy within one or two per cent
 * (docs/sampled.md); here it is TOLERANCE,
 * since the end of a round, where one CPU has no more to do, is seldom in one.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "tests/doors/guest_rig.h"
#include "uncore/live.h"

enum {
	SOCKETS = 2,
	CORES = 4,
	ROUNDS = 40,
	ACCESSES = 1500, /* of a CPU in a round */
	LINES = 1 << 17,
	OVERFLOW_BITS = 48,
};
static const double TOLERANCE = 0.06;

/* What happened, before FIRST_OF_TIME; what depends on time; a clock. */
static const char *const texts[] = {
	"cbox/LLC_HITS.ALL/",	 "cbox/LLC_MISSES.ALL/",
	"bbox/IMT_INSERTS_ALL/", "sbox/TO_R_B_REQUESTS.ALL/",
	"cbox/OCCUPANCY_MAF/",	 "bbox/IMT_VALID_OCCUPANCY/",
	"wbox/FIXED_CTR/",
};
static const unsigned instances[] = { CORES, CORES, 2, 2, CORES, 2, 1 };
enum {
	NUM = sizeof(texts) / sizeof(texts[0]),
	FIRST_OF_TIME = 4,
	CLOCK = NUM - 1,
};

#define OVERFLOWS "CB0_CR_C_MSR_PMON_GLOBAL_STATUS"

#define FULL	"detail.share=100"
#define SAMPLED "detail.share=5 detail.start=5000 detail.window=400"

struct played {
	uint64_t values[NUM];
	uint64_t quick;
	uint64_t cycles;
	unsigned complaints;
	unsigned num_grown;
	const char *reason;
};

static struct uncore_plan *make_plan(struct uncore_event **events, size_t num,
				     const char *const *of)
{
	const struct uncore_family *family = uncore_family_find("xeon-e7");
	struct uncore_plan *plan;

	for (size_t i = 0; i < num; i++)
		assert_int_equal(
			uncore_event_parse(family, of[i], &events[i], NULL), 0);
	assert_int_equal(uncore_plan_new(family, events, num, &plan, NULL), 0);
	return plan;
}

static void write_all(struct guest_rig *rig, const struct uncore_plan *plan,
		      size_t num)
{
	struct uncore_write *writes;
	size_t num_writes;

	assert_int_equal(uncore_plan_writes(plan, 0, num - 1, &writes,
					    &num_writes, NULL),
			 0);
	for (unsigned socket = 0; socket < SOCKETS; socket++)
		for (size_t i = 0; i < num_writes; i++)
			rig_request(rig, REQUEST_WRITE, socket * CORES,
				    (uint32_t)writes[i].address,
				    writes[i].value);
	free(writes);
	/* Of C-Boxes that the part lacks. */
	rig->complaints = 0;
}

static uint64_t read_register(struct guest_rig *rig, unsigned socket,
			      uint64_t address)
{
	rig_request(rig, REQUEST_READ, socket * CORES, (uint32_t)address, 0);
	return rig->channel->request.value;
}

/* Over all boxes of all sockets. */
static uint64_t read_event(struct guest_rig *rig,
			   const struct uncore_plan *plan, size_t index)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < instances[index]; i++)
		for (unsigned socket = 0; socket < SOCKETS; socket++)
			sum += read_register(
				rig, socket,
				uncore_plan_counter_address(plan, index, i));
	return sum;
}

/* Two CPUs read lines of theirs, here and there, and one writes. */
static void play_round(struct guest_rig *rig, uint64_t *random)
{
	for (unsigned i = 0; i < ACCESSES; i++) {
		*random = *random * UINT64_C(6364136223846793005) + 1;
		rig_access(rig, 0, UNCORE_ACCESS_READ, (*random >> 33) % LINES);
		rig_access(rig, 5,
			   i % 3 ? UNCORE_ACCESS_READ : UNCORE_ACCESS_OWN,
			   LINES + (*random >> 40) % LINES);
	}
	rig_hand_over(rig);
}

static void start(struct guest_rig *rig, const char *setting)
{
	rig_setting = setting;
	rig_start(rig, SOCKETS, UNCORE_GUEST_ALWAYS, NULL, NULL);
	rig_setting = NULL;
}

static void take_model(struct guest_rig *rig, struct played *played)
{
	uint64_t kept;

	played->quick = uncore_model_quick(rig->model);
	played->cycles = uncore_live_cycle(rig->live);
	played->complaints = rig->complaints;
	played->reason = uncore_model_needs_detail(rig->model, &kept);
	while (uncore_model_grown(rig->model, played->num_grown))
		played->num_grown++;
}

static void play(const char *setting, struct played *played)
{
	struct uncore_event *events[NUM];
	struct uncore_plan *plan = make_plan(events, NUM, texts);
	struct guest_rig rig;
	uint64_t random = 1;

	*played = (struct played){ .quick = 0 };
	start(&rig, setting);
	write_all(&rig, plan, NUM);
	for (unsigned round = 0; round < ROUNDS; round++) {
		play_round(&rig, &random);
		for (size_t i = 0; round % 4 == 3 && i < NUM; i++) {
			uint64_t now = read_event(&rig, plan, i);

			assert_true(now >= played->values[i]);
			played->values[i] = now;
		}
	}
	rig_stop(&rig);
	take_model(&rig, played);
	rig_free(&rig);
	uncore_plan_free(plan);
	for (size_t i = 0; i < NUM; i++)
		uncore_event_free(events[i]);
}

static void assert_near(uint64_t value, uint64_t wanted)
{
	double ratio = (double)value / (double)wanted;

	if (ratio < 1 - TOLERANCE || ratio > 1 + TOLERANCE)
		fail_msg("%llu, and in full detail %llu",
			 (unsigned long long)value, (unsigned long long)wanted);
}

static void counters_are_right_at_any_moment(void **state)
{
	struct played full, sampled, again;

	(void)state;
	play(FULL, &full);
	play(SAMPLED, &sampled);
	assert_int_equal(full.quick, 0);
	assert_int_equal(full.num_grown, 0);
	assert_true(sampled.quick > ROUNDS * ACCESSES);
	for (unsigned i = 0; i < NUM; i++) {
		assert_true(full.values[i] > 1000);
		if (i < FIRST_OF_TIME)
			assert_int_equal(sampled.values[i], full.values[i]);
		else
			assert_near(sampled.values[i], full.values[i]);
	}
	assert_near(sampled.cycles, full.cycles);
	/* A sentence for each event that grew by estimate, clocks are none. */
	assert_int_equal(sampled.num_grown, CLOCK - FIRST_OF_TIME);
	assert_int_equal(sampled.complaints, sampled.num_grown);
	play(SAMPLED, &again);
	assert_memory_equal(again.values, sampled.values, sizeof(again.values));
}

/* The fixed counter is the model's clock, to a cycle at each end. */
static void a_clock_counts_what_the_clock_says(void **state)
{
	static const char *const text[] = { "wbox/FIXED_CTR/" };
	struct uncore_event *event;
	struct uncore_plan *plan = make_plan(&event, 1, text);
	struct guest_rig rig;
	uint64_t random = 1, address, begin, first;

	(void)state;
	address = uncore_plan_counter_address(plan, 0, 0);
	start(&rig, SAMPLED);
	write_all(&rig, plan, 1);
	first = read_register(&rig, 0, address);
	begin = uncore_live_cycle(rig.live);
	for (unsigned round = 0; round < ROUNDS / 2; round++)
		play_round(&rig, &random);
	rig_drain(&rig);
	assert_true(uncore_model_skipped(rig.model) > 0);
	/* In between nobody else moves time but the request itself. */
	assert_in_range(read_register(&rig, 0, address) - first -
				(uncore_live_cycle(rig.live) - begin) + 1000,
			0, 2000);
	rig_stop(&rig);
	rig_free(&rig);
	uncore_plan_free(plan);
	uncore_event_free(event);
}

/* Of what a counter of time grows by there is no overflow: it goes on at 0, and
 * the log says so. */
static void an_overflow_that_nobody_saw_is_said(void **state)
{
	static const char *const text[] = { "cbox0/OCCUPANCY_MAF/" };
	struct uncore_event *event;
	struct uncore_plan *plan = make_plan(&event, 1, text);
	struct guest_rig rig;
	uint64_t random = 1, address, before;

	(void)state;
	address = uncore_plan_counter_address(plan, 0, 0);
	start(&rig, SAMPLED);
	write_all(&rig, plan, 1);
	for (unsigned round = 0; round < ROUNDS / 2; round++)
		play_round(&rig, &random);
	assert_int_equal(rig.complaints, 1);
	before = (UINT64_C(1) << OVERFLOW_BITS) - 1;
	for (unsigned i = 0; i < 8 && rig.complaints < 2; i++) {
		for (unsigned socket = 0; socket < SOCKETS; socket++)
			rig_request(&rig, REQUEST_WRITE, socket * CORES,
				    (uint32_t)address, before);
		for (unsigned round = 0; round < ROUNDS / 10; round++)
			play_round(&rig, &random);
	}
	assert_int_equal(rig.complaints, 2);
	assert_true(read_register(&rig, 0, address) < before);
	rig_stop(&rig);
	rig_free(&rig);
	uncore_plan_free(plan);
	uncore_event_free(event);
}

/* The overflow of what happened is there though most of it came the quick way:
 * the counter was to run over in the midst of them. */
static void an_overflow_of_state_is_told(void **state)
{
	static const char *const text[] = { "cbox0/LLC_MISSES.ALL,pmi/" };
	enum { BEFORE = 5000 }; /* of some 12,000 */
	struct uncore_event *event;
	struct uncore_plan *plan = make_plan(&event, 1, text);
	struct guest_rig rig;
	struct played played = { .quick = 0 };
	uint64_t random = 1, address;

	(void)state;
	address = uncore_plan_counter_address(plan, 0, 0);
	start(&rig, SAMPLED);
	write_all(&rig, plan, 1);
	rig_request(&rig, REQUEST_WRITE, 0, (uint32_t)address,
		    (UINT64_C(1) << OVERFLOW_BITS) - BEFORE);
	for (unsigned round = 0; round < ROUNDS; round++)
		play_round(&rig, &random);
	assert_in_range(read_register(&rig, 0, address), 1000, 100000);
	assert_int_equal(read_register(&rig, 0, rig_register(OVERFLOWS)), 1);
	rig_stop(&rig);
	take_model(&rig, &played);
	assert_true(played.quick > ROUNDS * ACCESSES);
	assert_null(played.reason);
	rig_free(&rig);
	uncore_plan_free(plan);
	uncore_event_free(event);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counters_are_right_at_any_moment),
		cmocka_unit_test(a_clock_counts_what_the_clock_says),
		cmocka_unit_test(an_overflow_that_nobody_saw_is_said),
		cmocka_unit_test(an_overflow_of_state_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
