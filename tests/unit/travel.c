/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * One line, one home, and cores that count in it, by turns as the front end has
 * them: transfers an increment are those of the closed forms in travel.h,
 * whatever the latency and however long turns are.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "bridge/valgrind/travel.h"

enum {
	MAX_CORES = 16,
	ROUNDS = 3000,
	BUFFER = 32,
	LINE = 7,
	NOBODY = MAX_CORES,
};

struct core {
	uint64_t clock;
	unsigned left; /* increments */
	struct travel travel;
};

static struct core cores[MAX_CORES];
static unsigned owner, num_cores, num_transfers;
static uint64_t latency;

static void ask(struct core *core, struct travel_use use, uint64_t asks_at)
{
	struct travel_claim *claim, lost;
	uint64_t from = core->clock;

	if (owner != NOBODY) {
		claim = travel_claim(&cores[owner].travel, LINE,
				     cores[owner].clock, UINT32_MAX, &lost);
		claim->until = travel_reaches(claim, asks_at, latency / 2,
					      latency / 2);
		from = claim->until + latency / 2;
		num_transfers++;
	}
	owner = (unsigned)(core - cores);
	claim = travel_claim(&core->travel, LINE, core->clock, UINT32_MAX,
			     &lost);
	core->clock = travel_asked(claim, use, core->clock, from);
}

static void use_line(struct core *core, enum travel_kind kind)
{
	struct travel_use use = {
		.kind = kind, .word = (unsigned)(core - cores) % TRAVEL_WORDS
	};
	struct travel_claim *claim = travel_find(&core->travel, LINE);
	enum travel_next next = TRAVEL_ASKS;
	uint64_t time = core->clock;

	if (claim)
		next = travel_use(claim, use, core->clock, BUFFER, latency,
				  &time);
	if (next == TRAVEL_ASKS)
		ask(core, use, time);
	else
		core->clock = time;
}

/* Rounds that take exactly the same may meet the line at one place for ever. */
static uint64_t uneven(uint64_t loop)
{
	static uint32_t random;

	random = random * 1664525 + 1013904223;
	return loop - loop / 8 + (random >> 16) % (loop / 4 + 1);
}

static void increment(struct core *core, bool is_locked, uint64_t loop)
{
	if (is_locked) {
		use_line(core, TRAVEL_LOCK);
	} else {
		use_line(core, TRAVEL_LOAD);
		use_line(core, TRAVEL_STORE);
	}
	core->clock += is_locked ? loop : uneven(loop);
	core->left--;
}

/* The core that is furthest behind; *others is the clock of the next one. */
static struct core *next_core(uint64_t *others)
{
	struct core *next = NULL;

	*others = UINT64_MAX / 2;
	for (unsigned i = 0; i < num_cores; i++)
		if (cores[i].left && (!next || cores[i].clock < next->clock))
			next = &cores[i];
	for (unsigned i = 0; i < num_cores; i++)
		if (cores[i].left && &cores[i] != next &&
		    cores[i].clock < *others)
			*others = cores[i].clock;
	return next;
}

/* Transfers an increment of `num` cores. */
static double transfers(unsigned num, bool is_locked, uint64_t loop,
			uint64_t turn)
{
	struct core *core;
	uint64_t others;
	bool is_first = true;

	memset(cores, 0, sizeof(cores));
	num_cores = num;
	num_transfers = 0;
	owner = NOBODY;
	for (unsigned i = 0; i < num; i++) {
		cores[i].clock = 1000 + i * loop / num;
		cores[i].left = ROUNDS;
	}
	while ((core = next_core(&others)))
		for (is_first = true;
		     core->left && (is_first || core->clock < others + turn);
		     is_first = false)
			increment(core, is_locked, loop);
	return (double)num_transfers / (num * ROUNDS);
}

static void assert_near(double value, double expected, double share)
{
	if (value < expected * (1 - share) || value > expected * (1 + share))
		fail_msg("%g is not %g", value, expected);
}

static const unsigned nums[] = { 2, 4, 16 };
/* A line on the die, and from another socket; half of it is how far cores may
 * be apart for nobody to be told too late. */
static const uint64_t latencies[] = { 80, 123, 400 };

enum { NUM_NUMS = 3, NUM_LATENCIES = 3 };

/* Who stands for the line has it for half a latency, and uses it as often as
 * its loop comes round in that time, the first time when it comes. */
static void test_locked(void **state)
{
	(void)state;
	for (unsigned i = 0; i < NUM_NUMS * NUM_LATENCIES; i++) {
		latency = latencies[i / NUM_NUMS];
		for (uint64_t loop = 5; loop < 2 * latency; loop += 7) {
			uint64_t half = latency / 2;
			uint64_t uses = (half + loop - 1) / loop;

			assert_near(
				transfers(nums[i % NUM_NUMS], true, loop, half),
				1.0 / (double)uses, 0.02);
		}
	}
}

/* Two cores do nothing but the travelling and the loop. */
static void test_two_plain(void **state)
{
	(void)state;
	for (unsigned i = 0; i < NUM_LATENCIES; i++) {
		latency = latencies[i];
		for (uint64_t loop = latency / 25; loop < latency; loop += 5)
			assert_near(transfers(2, false, loop, latency / 2),
				    (double)loop / (double)(latency + loop),
				    0.15);
	}
}

/* Of more the line is always under way; what a buffer takes bounds them. */
static void test_plain(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 2 * NUM_LATENCIES; i++) {
		unsigned num = nums[1 + i % 2];

		latency = latencies[i / 2];
		for (uint64_t loop = 2; loop < latency; loop += 5) {
			double due = 2 * (double)loop / (double)(num * latency);

			if (due < 1.0 / (BUFFER + 1))
				due = 1.0 / (BUFFER + 1);
			assert_near(transfers(num, false, loop, latency / 2),
				    due, 0.15);
		}
	}
}

/* Nor does it matter how long turns are. */
static void test_turns(void **state)
{
	(void)state;
	latency = 123;
	for (uint64_t loop = 7; loop < 2 * latency; loop += 9)
		for (unsigned locked = 0; locked < 2; locked++) {
			double due = transfers(2, locked, loop, 1);

			for (uint64_t turn = 10; turn < latency / 2; turn += 10)
				assert_near(transfers(2, locked, loop, turn),
					    due, 0.1);
		}
}

/* What another one has stored meanwhile comes with the line. */
static void test_value(void **state)
{
	struct travel_use use = { .kind = TRAVEL_STORE, .word = 1, .value = 1 };
	struct travel_claim claim = { .until = TRAVEL_NEVER };
	uint64_t time;

	(void)state;
	assert_int_equal(travel_asked(&claim, use, 1000, 1100), 1000);
	use.kind = TRAVEL_LOAD;
	assert_int_equal(travel_use(&claim, use, 1010, BUFFER, 100, &time),
			 TRAVEL_DONE);
	use.value = 2;
	assert_int_equal(travel_use(&claim, use, 1020, BUFFER, 100, &time),
			 TRAVEL_HAS);
	assert_int_equal(time, 1100);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_locked), cmocka_unit_test(test_two_plain),
		cmocka_unit_test(test_plain),  cmocka_unit_test(test_turns),
		cmocka_unit_test(test_value),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
