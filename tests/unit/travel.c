/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * One line, one home, and cores that count in it or hand it over, by turns as
 * the front end has them: transfers an increment are those of the closed forms
 * in travel.h, whatever the latency and however long turns are, in a word of
 * each core's own and in one of all; a word that is handed over costs its two.
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
	ROUNDS = 1500,
	BUFFER = 32,
	LINE = 7,
	NOBODY = MAX_CORES,
};

enum work { LOCKED, OWN_WORDS, ONE_WORD, HAND_OVER };
enum copy { NONE, SHARED, OWNED };

struct core {
	uint64_t clock;
	unsigned left; /* rounds */
	bool has_loaded;
	enum copy copy; /* of the line, in its caches */
	struct travel travel;
};

static struct core cores[MAX_CORES];
static unsigned num_cores, num_transfers;
static uint64_t latency;

static struct {
	unsigned core;	/* asked last, */
	unsigned owner; /* and to store */
	bool is_shared;
	uint64_t words[TRAVEL_WORDS];
} line;

static bool lend(unsigned number, bool keeps_copy, uint64_t asks_at,
		 uint64_t *from)
{
	struct core *other = &cores[number];
	struct travel_claim *claim, lost;

	if (other->copy == NONE)
		return false;
	claim = travel_claim(&other->travel, LINE, other->clock, UINT32_MAX,
			     &lost);
	num_transfers++;
	if (claim->until != TRAVEL_NEVER && (keeps_copy || !claim->keeps_copy))
		return true;
	claim->until = travel_reaches(claim, asks_at, latency / 2, latency / 2);
	claim->keeps_copy = keeps_copy;
	if (*from < claim->until + latency / 2)
		*from = claim->until + latency / 2;
	return true;
}

static void ask(struct core *core, struct travel_use use, uint64_t asks_at)
{
	unsigned me = (unsigned)(core - cores);
	struct travel_claim *claim, lost;
	uint64_t from = 0;

	for (unsigned i = 0; i < num_cores; i++) {
		bool has = i != me && (line.is_shared || i == line.core);

		if (use.kind != TRAVEL_LOAD && has)
			lend(i, false, asks_at, &from);
		else if (has && !line.is_shared)
			line.is_shared = lend(i, true, asks_at, &from);
	}
	line.core = me;
	core->copy = SHARED;
	if (use.kind != TRAVEL_LOAD) {
		line.is_shared = false;
		line.owner = me;
		core->copy = OWNED;
	}
	if (!from)
		return;
	claim = travel_claim(&core->travel, LINE, core->clock, UINT32_MAX,
			     &lost);
	core->clock = travel_asked(claim, use, core->clock, from);
}

/* As contest.c has it. */
static bool is_too_old(const struct core *core,
		       const struct travel_claim *claim, struct travel_use use)
{
	const struct travel_claim *owner = NULL;

	if (use.kind != TRAVEL_LOAD || claim->until == TRAVEL_NEVER ||
	    travel_is_own(claim, use, core->clock))
		return false;
	if (line.owner != NOBODY && &cores[line.owner] != core)
		owner = travel_find(&cores[line.owner].travel, LINE);
	return owner && travel_is_newer(owner, use);
}

static void use_line(struct core *core, enum travel_kind kind, unsigned word)
{
	struct travel_claim *claim = travel_find(&core->travel, LINE);
	enum travel_next next = TRAVEL_HAS;
	uint64_t time = core->clock;
	struct travel_use use = { .kind = kind, .word = word };

	if (kind != TRAVEL_LOAD)
		line.words[word]++;
	use.value = line.words[word];
	if (claim && is_too_old(core, claim, use)) {
		if (core->clock < claim->from)
			core->clock = claim->from;
		claim->until = core->clock;
	}
	if (claim)
		next = travel_use(claim, use, core->clock, BUFFER, latency,
				  &time);
	if (next == TRAVEL_DONE)
		return;
	if (next == TRAVEL_ASKS) {
		core->copy = claim->keeps_copy ? SHARED : NONE;
		claim->until = TRAVEL_NEVER;
	} else {
		core->clock = time;
	}
	if (core->copy < (kind == TRAVEL_LOAD ? SHARED : OWNED))
		ask(core, use, time);
}

/* Rounds that take exactly the same may meet the line at one place for ever. */
static uint64_t uneven(uint64_t loop)
{
	static uint32_t random;

	random = random * 1664525 + 1013904223;
	return loop - loop / 8 + (random >> 16) % (loop / 4 + 1);
}

/* A load of a round, or all that is behind it. */
static void step(struct core *core, enum work work, uint64_t loop)
{
	unsigned me = (unsigned)(core - cores);
	unsigned word = work == OWN_WORDS ? me % TRAVEL_WORDS : 0;

	if (work != LOCKED && !core->has_loaded) {
		use_line(core, TRAVEL_LOAD, word);
		core->has_loaded =
			work != HAND_OVER || line.words[word] % num_cores == me;
		if (work == HAND_OVER)
			core->clock += loop;
		return;
	}
	use_line(core, work == LOCKED ? TRAVEL_LOCK : TRAVEL_STORE, word);
	core->has_loaded = false;
	core->clock += work == LOCKED ? loop : uneven(loop);
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

/* Transfers a round of `num` cores. */
static double transfers(unsigned num, enum work work, uint64_t loop,
			uint64_t turn)
{
	struct core *core;
	uint64_t others;
	bool is_first = true;

	memset(cores, 0, sizeof(cores));
	memset(&line, 0, sizeof(line));
	num_cores = num;
	num_transfers = 0;
	line.core = NOBODY;
	line.owner = NOBODY;
	for (unsigned i = 0; i < num; i++) {
		cores[i].clock = 1000 + i * loop / num;
		cores[i].left = ROUNDS;
	}
	while ((core = next_core(&others)))
		for (is_first = true;
		     core->left && (is_first || core->clock < others + turn);
		     is_first = false)
			step(core, work, loop);
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

			assert_near(transfers(nums[i % NUM_NUMS], LOCKED, loop,
					      half),
				    1.0 / (double)uses, 0.02);
		}
	}
}

/* Two cores do nothing but the travelling and the loop. */
static void test_two_plain(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 2 * NUM_LATENCIES; i++) {
		enum work work = i % 2 ? ONE_WORD : OWN_WORDS;

		latency = latencies[i / 2];
		for (uint64_t loop = latency / 25; loop < latency; loop += 5)
			assert_near(transfers(2, work, loop, latency / 2),
				    (double)loop / (double)(latency + loop),
				    0.15);
	}
}

/* Of more the line is always under way; what a buffer takes bounds them. */
static void test_plain(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 4 * NUM_LATENCIES; i++) {
		enum work work = i % 2 ? ONE_WORD : OWN_WORDS;
		unsigned num = nums[1 + i / 2 % 2];

		latency = latencies[i / 4];
		for (uint64_t loop = 2; loop < latency; loop += 5) {
			double due = 2 * (double)loop / (double)(num * latency);

			if (due < 1.0 / (BUFFER + 1))
				due = 1.0 / (BUFFER + 1);
			assert_near(transfers(num, work, loop, latency / 2),
				    due, 0.15);
		}
	}
}

/* Nor does it matter how long turns are. */
static void test_turns(void **state)
{
	static const enum work works[] = { LOCKED, OWN_WORDS, ONE_WORD };

	(void)state;
	latency = 123;
	for (uint64_t loop = 7; loop < 3 * latency / 2; loop += 9)
		for (unsigned i = 0; i < 3; i++) {
			double due = transfers(2, works[i], loop, 1);

			for (uint64_t turn = 10; turn < latency / 2; turn += 10)
				assert_near(transfers(2, works[i], loop, turn),
					    due, 0.1);
		}
}

/* Who waits for the word has a copy, which has to go before the other one
 * stores; and loads it anew then. */
static void test_hand_over(void **state)
{
	(void)state;
	for (unsigned i = 0; i < NUM_LATENCIES; i++) {
		latency = latencies[i];
		for (uint64_t loop = 1; loop < latency / 2; loop += 5)
			for (uint64_t turn = 1; turn <= latency / 2; turn += 13)
				assert_near(transfers(2, HAND_OVER, loop, turn),
					    2, 0.01);
	}
}

/* A load has its own core's store as long as that waits for the line; then what
 * another one has stored, as soon as it has seen its own. */
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
			 TRAVEL_DONE);
	claim.until = 1110;
	assert_int_equal(travel_use(&claim, use, 1120, BUFFER, 100, &time),
			 TRAVEL_ASKS);
}

/* Another word of the line comes with it. */
static void test_other_word(void **state)
{
	struct travel_use use = { .kind = TRAVEL_STORE, .word = 1, .value = 1 };
	struct travel_claim claim = { .until = TRAVEL_NEVER };
	uint64_t time;

	(void)state;
	assert_int_equal(travel_asked(&claim, use, 1000, 1100), 1000);
	use.kind = TRAVEL_LOAD;
	use.word = 2;
	assert_int_equal(travel_use(&claim, use, 1020, BUFFER, 100, &time),
			 TRAVEL_HAS);
	assert_int_equal(time, 1100);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_locked),
		cmocka_unit_test(test_two_plain),
		cmocka_unit_test(test_plain),
		cmocka_unit_test(test_turns),
		cmocka_unit_test(test_value),
		cmocka_unit_test(test_hand_over),
		cmocka_unit_test(test_other_word),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
