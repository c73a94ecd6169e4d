/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The R-Box's timetables against slow ones that know each cycle (of links: each
 * tick) by itself, on random requests that are not in the order of times.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model/nehalem-ex/router_parts.h"

enum { CYCLES = 40000, ROUNDS = 20000, CLASSES = PACKET_NUM_CLASSES };

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
	return now + below(below(8) ? 400 : 3000);
}

/* Credits: what is held in each group of cycles. */
struct slow_credits {
	uint8_t vna[CYCLES];
	bool places[2 * CLASSES][CYCLES];
};

static uint64_t slow_from(const struct slow_credits *slow, unsigned shift,
			  unsigned flits, const struct credits_need *need,
			  uint8_t *vn)
{
	unsigned place = need->network * CLASSES + need->cls;
	uint64_t vna = 0, own = 0;

	for (uint64_t i = need->from >> shift; i <= (need->to - 1) >> shift;
	     i++) {
		if (slow->vna[i] + need->flits > (int)flits)
			vna = i + 1;
		if (slow->places[place][i])
			own = i + 1;
	}
	*vn = vna ? need->network : CREDITS_VNA;
	if (!vna || !own)
		return need->from;
	return (vna < own ? vna : own) << shift;
}

static void slow_hold(struct slow_credits *slow, unsigned shift, unsigned flits,
		      const struct credits_need *need, unsigned vn)
{
	for (uint64_t i = need->from >> shift; i <= (need->to - 1) >> shift;
	     i++) {
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
	struct credits *credits = malloc(sizeof(*credits));
	uint64_t now = 0;

	credits_init(credits, flits, 4000);
	for (unsigned i = 0; i < ROUNDS && now < CYCLES - 4200; i++) {
		uint64_t from = some_time(now), next;
		struct credits_need need = { from,
					     from + 1 + below(200),
					     (uint8_t)(1 + below(11)),
					     (uint8_t)below(CLASSES),
					     (uint8_t)below(2),
					     0 };
		uint8_t vn, slow_vn;

		now += below(pace);
		if (need.from < now)
			continue;
		next = credits_take(credits, now, &need, &vn);
		assert_int_equal(next, slow_from(slow, credits->shift, flits,
						 &need, &slow_vn));
		if (next > need.from)
			continue;
		assert_int_equal(vn, slow_vn);
		if (!below(4)) {
			credits_put_back(credits, &need, vn);
			continue;
		}
		slow_hold(slow, credits->shift, flits, &need, vn);
	}
	free(credits);
	free(slow);
}

static void no_credit_is_given_twice(void **state)
{
	(void)state;
	credits_are_as_counted_one_by_one(96, 4);
	credits_are_as_counted_one_by_one(96, 40);
	credits_are_as_counted_one_by_one(127, 4);
	credits_are_as_counted_one_by_one(11, 4);
	credits_are_as_counted_one_by_one(0, 4);
}

/* A timetable that reaches for 2048 cycles, then for 8192. */
static void who_needs_a_credit_far_ahead_gets_longer_groups(void **state)
{
	struct credits *credits = malloc(sizeof(*credits));
	struct credits_need near = { 100, 200, 90, PACKET_DRS, 0, 0 };
	struct credits_need far = { 5000, 5100, 9, PACKET_DRS, 0, 0 };
	uint8_t vn;

	(void)state;
	credits_init(credits, 96, 1000);
	assert_int_equal(credits_take(credits, 0, &near, &vn), 100);
	assert_int_equal(credits_take(credits, 0, &far, &vn), 5000);
	assert_int_equal(vn, CREDITS_VNA);
	assert_int_equal(credits->shift, 4);
	/* What was taken before still is: VNA has 6 flits left. */
	far = (struct credits_need){ 150, 160, 7, PACKET_DRS, 0, 0 };
	assert_int_equal(credits_take(credits, 0, &far, &vn), 150);
	assert_int_equal(vn, 0);
	assert_int_equal(credits_take(credits, 0, &far, &vn), 160);
	/* That is too late to be given back, and the other is not. */
	credits_put_back(credits, &near, CREDITS_VNA);
	credits_put_back(credits, &far, 0);
	assert_int_equal(credits_take(credits, 0, &far, &vn), 150);
	assert_int_equal(vn, 0);
	free(credits);
}

/* Lanes: bits of cycles. */
static void a_port_is_taken_once_in_a_cycle(void **state)
{
	bool *slow = calloc(2 * CYCLES, sizeof(*slow));
	struct lane *a = calloc(1, sizeof(*a)), *b = calloc(1, sizeof(*b));
	uint64_t now = 0;

	(void)state;
	for (unsigned i = 0; i < ROUNDS && now < CYCLES - 4200; i++) {
		unsigned num = 1 + below(64);
		uint64_t from = some_time(now), at = from, row = 0;

		at = lane_free_from(a, LANE_READ, b, LANE_CROSSBAR, now, from,
				    num);
		for (; row < num; from++)
			row = slow[from] || slow[CYCLES + from] ? 0 : row + 1;
		assert_true(at < lane_limit(now));
		assert_int_equal(at, from - num);
		if (below(2)) {
			lane_set(a, LANE_READ, at, num);
			memset(slow + at, true, num);
		} else {
			lane_set(b, LANE_CROSSBAR, at, num);
			memset(slow + CYCLES + at, true, num);
		}
		now += below(150);
	}
	free(a);
	free(b);
	free(slow);
}

/* The same when some are taken further ahead than there are bits: nobody gets
 * what another one has. */
static void far_ahead_a_port_is_taken_once_too(void **state)
{
	bool *slow = calloc(10 * CYCLES, sizeof(*slow));
	struct lane *lane = calloc(1, sizeof(*lane));
	uint64_t now = 0;

	(void)state;
	for (unsigned i = 0; i < ROUNDS && now < CYCLES; i++) {
		unsigned num = 1 + below(64);
		uint64_t at = now + below(below(4) ? 4000 : 9000);

		at = lane_free_from(lane, LANE_READ, lane, LANE_READ, now, at,
				    num);
		if (at < lane_limit(now))
			lane_set(lane, LANE_READ, at, num);
		else
			lane_take_far(lane, now, at, num);
		for (unsigned n = 0; n < num; n++) {
			assert_false(slow[at + n]);
			slow[at + n] = true;
		}
		now += below(150);
	}
	free(lane);
	free(slow);
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
	struct link link = { .num = 1 };
	uint64_t sends = 0, waits = 0;

	(void)state;
	router->sim = sim_new();
	router->flit_ticks = FLIT * TICK;
	router->config.link_latency_cycles = 20;
	for (uint64_t now = 0; now < CYCLES - 2000; now += below(60)) {
		unsigned ticks = FLIT * (1 + below(11));
		uint64_t from = 2 * (now + below(300)), at;
		struct stretch new;
		struct doze doze;

		sim_run_until(router->sim, now);
		at = link_find(&link, from * TICK, (uint64_t)ticks * TICK);
		assert_int_equal(at % TICK, 0);
		at /= TICK;
		assert_int_equal(at, slow_find(slow, from, ticks));
		link_take(&link, router, at * TICK, (at + ticks) * TICK, &new,
			  &doze);
		memset(slow->sends + at, true, ticks);
		sends += new.to > new.from ? new.to - new.from : 0;
		if (new.retry_to > new.retry_from)
			waits += new.retry_to - new.retry_from;
	}
	assert_int_equal(sends, slow_cycles(slow, 0));
	assert_int_equal(waits, slow_cycles(slow, 40));
	sim_free(router->sim);
	free(router);
	free(slow);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_credit_is_given_twice),
		cmocka_unit_test(
			who_needs_a_credit_far_ahead_gets_longer_groups),
		cmocka_unit_test(a_port_is_taken_once_in_a_cycle),
		cmocka_unit_test(far_ahead_a_port_is_taken_once_too),
		cmocka_unit_test(a_link_sends_one_packet_at_a_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
