/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The R-Box's credits and links against slow ones that know each cycle (of
 * links: each tick) by itself, on random requests that are not in the order of
 * times.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model/nehalem-ex/router_parts.h"

enum { CYCLES = 60000, AHEAD = 9300, ROUNDS = 20000 };
enum { CLASSES = PACKET_NUM_CLASSES };

static uint64_t state_of_random = 88172645463325252u;

static unsigned below(unsigned limit)
{
	state_of_random ^= state_of_random << 13;
	state_of_random ^= state_of_random >> 7;
	state_of_random ^= state_of_random << 17;
	return (unsigned)(state_of_random >> 20) % limit;
}

/* A time that is mostly near, and now and then far. */
static uint64_t some_time(uint64_t now)
{
	return now + below(below(8) ? 400 : 9000);
}

/* Credits: what is held in each step of some cycles. */
struct slow_credits {
	uint8_t vna[CYCLES];
	bool places[2 * CLASSES][CYCLES];
};

static uint64_t slow_from(const struct slow_credits *slow, unsigned flits,
			  const struct credits_need *need, uint8_t *vn)
{
	unsigned place = need->network * CLASSES + need->cls;
	uint64_t vna = 0, own = 0;

	for (uint64_t i = need->from / CREDITS_STEP;
	     i <= (need->to - 1) / CREDITS_STEP; i++) {
		if (slow->vna[i] + need->flits > (int)flits)
			vna = (i + 1) * CREDITS_STEP;
		if (slow->places[place][i])
			own = (i + 1) * CREDITS_STEP;
	}
	if (need->flits > flits)
		vna = UINT64_MAX;
	*vn = vna ? need->network : CREDITS_VNA;
	if (!vna || !own)
		return need->from;
	return vna < own ? vna : own;
}

static void slow_hold(struct slow_credits *slow, unsigned flits,
		      const struct credits_need *need, unsigned vn)
{
	for (uint64_t i = need->from / CREDITS_STEP;
	     i <= (need->to - 1) / CREDITS_STEP; i++) {
		if (vn != CREDITS_VNA) {
			assert_false(slow->places[vn * CLASSES + need->cls][i]);
			slow->places[vn * CLASSES + need->cls][i] = true;
			continue;
		}
		slow->vna[i] = (uint8_t)(slow->vna[i] + need->flits);
		assert_true(slow->vna[i] <= flits);
	}
}

static void credits_are_as_counted_one_by_one(unsigned flits, unsigned pace)
{
	struct slow_credits *slow = calloc(1, sizeof(*slow));
	struct credits credits;
	uint64_t now = 0;

	credits_init(&credits, flits);
	for (unsigned i = 0; i < ROUNDS && now < CYCLES - AHEAD; i++) {
		uint64_t from = some_time(now), next;
		struct credits_need need = { from, from + 1 + below(200),
					     (uint8_t)(1 + below(11)),
					     (uint8_t)below(CLASSES),
					     (uint8_t)below(2) };
		uint8_t vn, slow_vn;

		next = credits_take(&credits, now, &need, &vn);
		assert_int_equal(first_of(next, credits_step(need.to +
							     CREDITS_STEP - 1)),
				 slow_from(slow, flits, &need, &slow_vn));
		now += below(pace);
		if (next > need.from)
			continue;
		assert_int_equal(vn, slow_vn);
		if (!below(4))
			credits_put_back(&credits);
		else
			slow_hold(slow, flits, &need, vn);
	}
	credits_fini(&credits);
	free(slow);
}

static void no_credit_is_given_twice(void **state)
{
	(void)state;
	credits_are_as_counted_one_by_one(96, 4);
	credits_are_as_counted_one_by_one(96, 40);
	credits_are_as_counted_one_by_one(127, 4);
	credits_are_as_counted_one_by_one(11, 4);
	credits_are_as_counted_one_by_one(11, 40);
	credits_are_as_counted_one_by_one(0, 40);
}

/* A link of two ticks per cycle as it were: flits of three. */
enum { TICK = 1 << (TICK_BITS - 1), FLIT = 3 };

struct slow_link {
	bool sends[4 * CYCLES]; /* ticks */
};

static uint64_t slow_find(const struct slow_link *slow, uint64_t from,
			  unsigned num)
{
	unsigned row = 0;

	for (; row < num; from++)
		row = slow->sends[from] ? 0 : row + 1;
	return from - num;
}

/* Cycles in which it sends, or waits for an acknowledgement. */
static uint64_t slow_cycles(const struct slow_link *slow, unsigned trip)
{
	uint64_t sum = 0, until = 0;

	for (uint64_t cycle = 0; cycle < CYCLES; cycle++) {
		bool sends =
			slow->sends[2 * cycle] || slow->sends[2 * cycle + 1];

		if (sends)
			until = cycle + 1 + trip;
		sum += cycle < until;
	}
	return sum;
}

static void a_link_sends_one_packet_at_a_time(void **state)
{
	struct slow_link *slow = calloc(1, sizeof(*slow));
	struct router *router = calloc(1, sizeof(*router));
	struct link link;
	uint64_t sends = 0, waits = 0;

	(void)state;
	assert_true(link_init(&link));
	router->sim = sim_new();
	router->flit_ticks = FLIT * TICK;
	router->config.link_latency_cycles = 20;
	for (uint64_t now = 0; now < CYCLES - AHEAD - 4000; now += below(60)) {
		unsigned ticks = FLIT * (1 + below(11));
		uint64_t from = 2 * (now + below(300)), at;
		struct stretch new;

		sim_run_until(router->sim, now);
		at = link_find(&link, from * TICK, (uint64_t)ticks * TICK);
		assert_int_equal(at % TICK, 0);
		at /= TICK;
		assert_int_equal(at, slow_find(slow, from, ticks));
		link_take(&link, router, at * TICK, (at + ticks) * TICK, &new);
		memset(slow->sends + at, true, ticks);
		sends += new.to > new.from ? new.to - new.from : 0;
		if (new.retry_to > new.retry_from)
			waits += new.retry_to - new.retry_from;
	}
	assert_int_equal(sends, slow_cycles(slow, 0));
	assert_int_equal(waits, slow_cycles(slow, 40));
	sim_free(router->sim);
	free(link.busy);
	free(router);
	free(slow);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_credit_is_given_twice),
		cmocka_unit_test(a_link_sends_one_packet_at_a_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
