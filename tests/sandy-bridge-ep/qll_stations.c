/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The stations of a link against tables with an entry for each cycle: credits,
 * and when a link is awake.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model/sandy-bridge-ep/qll_awake.h"
#include "model/sandy-bridge-ep/qll_credit.h"

enum { CYCLES = 20000, AHEAD = 300, LONGEST = 200 };

static uint64_t state_of_random;

static unsigned below(unsigned limit)
{
	state_of_random ^= state_of_random << 13;
	state_of_random ^= state_of_random >> 7;
	state_of_random ^= state_of_random << 17;
	return (unsigned)(state_of_random >> 20) % limit;
}

/* By cycle: what is so, and how often it was told. */
static unsigned held[CYCLES], told[CYCLES];
/* VNA that is not free for who asks then: held or still to be held. */
static unsigned kept[CYCLES];

static void begin(void)
{
	state_of_random = 88172645463325252u;
	memset(held, 0, sizeof(held));
	memset(told, 0, sizeof(told));
	memset(kept, 0, sizeof(kept));
}

static void count_told(void *object, uint64_t from, uint64_t to)
{
	(void)object;
	for (; from < to; from++)
		told[from]++;
}

static void awake_is_a_union(void **state)
{
	struct awake awake = { .num = 0 };

	(void)state;
	begin();
	for (uint64_t now = 0; now < CYCLES - 2 * AHEAD; now += below(40)) {
		uint64_t from = now + below(AHEAD), to = from + 1 + below(60);
		uint64_t at = now + below(AHEAD), next = at;

		awake_add(&awake, now, from, to, count_told, NULL);
		for (; from < to; from++)
			held[from] = 1;
		assert_int_equal(awake_at(&awake, at), held[at]);
		while (next < CYCLES && !held[next])
			next++;
		assert_int_equal(awake_from(&awake, at),
				 next < CYCLES ? next : UINT64_MAX);
	}
	assert_memory_equal(held, told, sizeof(held));
	awake_free(&awake);
}

/* Whether VNA can be had from a cycle on. */
static bool has_vna(uint64_t at, unsigned flits, unsigned vna)
{
	return kept[at] + flits <= vna;
}

/* The first cycle in which either can be had. */
static uint64_t expected(uint64_t from, unsigned flits, unsigned vna,
			 uint64_t vn0)
{
	while (!has_vna(from, flits, vna) && from < vn0)
		from++;
	return from;
}

static void take(const struct qll_grant *grant, unsigned flits, uint64_t until)
{
	for (uint64_t at = 0; at < until; at++)
		kept[at] += flits;
	for (uint64_t at = grant->at; at < until; at++)
		held[at] += flits;
}

static void ask_once(struct qll_credits *credits, uint64_t now)
{
	unsigned cls = below(PACKET_NUM_CLASSES), flits = 1 + below(11);
	uint64_t from = now + below(AHEAD), vn0 = credits->vn0_until[cls];
	struct qll_grant grant =
		qll_credits_ask(credits, now, from, cls, flits);
	uint64_t until = grant.at + 1 + below(LONGEST);

	assert_int_equal(grant.at, expected(from, flits, credits->vna, vn0));
	assert_int_equal(grant.is_vna, has_vna(grant.at, flits, credits->vna));
	assert_int_equal(grant.lacked_vna, !has_vna(from, flits, credits->vna));
	assert_int_equal(grant.lacked_vn0, grant.lacked_vna && vn0 > from);
	qll_credits_hold(credits, &grant, cls, flits, until);
	if (!grant.is_vna)
		return;
	take(&grant, flits, until);
	qll_credits_tell_out(credits, count_told, NULL);
}

static void credits_go_to_who_asks(void **state)
{
	struct qll_credits credits;

	(void)state;
	for (unsigned vna = 11; vna < 60; vna += 24) {
		begin();
		qll_credits_init(&credits, vna);
		for (uint64_t now = 0; now < CYCLES - 4000; now += below(60))
			ask_once(&credits, now);
		for (unsigned at = 0; at < CYCLES; at++) {
			assert_in_range(held[at], 0, vna);
			assert_int_equal(told[at], held[at] == vna);
		}
		assert_true(qll_credits_are_back(&credits, CYCLES));
		qll_credits_free(&credits);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(awake_is_a_union),
		cmocka_unit_test(credits_go_to_who_asks),
	};

	return cmocka_run_group_tests_name("qll_stations", tests, NULL, NULL);
}
