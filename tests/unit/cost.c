/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What blocks cost, against what can be computed by hand: chains written down
 * value by value, sums of what a block is made of.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "bridge/valgrind/cost.h"

enum {
	WESTMERE = 47,
	SANDY_BRIDGE = 45,
	HASWELL = 63,
	BROADWELL = 79,
	SKYLAKE = 85,
	CYCLE = 1 << COST_SHIFT,
};

/* Places are 1 and 2, temporary values 3 to 9. */
enum { PLACES = 3 };

#define CARRIED(...)                                                           \
	carried((const struct cost_op[]){ __VA_ARGS__ },                       \
		sizeof((const struct cost_op[]){ __VA_ARGS__ }) /              \
			sizeof(struct cost_op))

static unsigned carried(const struct cost_op *ops, size_t num)
{
	return cost_carried(cost_processor(WESTMERE), ops, (unsigned)num,
			    PLACES);
}

static uint32_t block(unsigned model, struct cost_sum sum, unsigned longest)
{
	return cost_block(cost_processor(model), &sum, longest);
}

/* r1 = r1 + (load of r2) * r1; r2 = r2 + 1: the load waits for no round. */
static void test_chain(void **state)
{
	(void)state;
	assert_int_equal(CARRIED({ COST_LOAD, false, 3, { 2 } },
				 { COST_FP_MULTIPLY, false, 4, { 3, 1 } },
				 { COST_FP_ADD, false, 5, { 1, 4 } },
				 { COST_MOVE, false, 1, { 5 } },
				 { COST_INT, false, 6, { 2 } },
				 { COST_MOVE, false, 2, { 6 } }),
			 5 + 3);
}

/* A long way that begins at nothing, or ends elsewhere, is not carried. */
static void test_within(void **state)
{
	(void)state;
	assert_int_equal(CARRIED({ COST_DIVIDE, false, 3, { 2 } },
				 { COST_MOVE, false, 1, { 3 } }),
			 0);
	assert_int_equal(CARRIED({ COST_FP_ROOT, false, 3, { 0 } },
				 { COST_FP_ADD, false, 4, { 1, 3 } },
				 { COST_MOVE, false, 1, { 4 } }),
			 3);
	/* written anew before it is read */
	assert_int_equal(CARRIED({ COST_MOVE, false, 1, { 0 } },
				 { COST_MULTIPLY, false, 3, { 1 } },
				 { COST_MOVE, false, 1, { 3 } }),
			 0);
}

/* Memory: a load of what was stored, beside an address that takes longer. */
static void test_memory(void **state)
{
	(void)state;
	assert_int_equal(CARRIED({ COST_LOAD, false, 3, { 2 } },
				 { COST_FORWARD, true, 3, { 1 } },
				 { COST_INT, false, 4, { 3 } },
				 { COST_MOVE, false, 1, { 4 } }),
			 5 + 1);
}

/* A part of a register: what it was stays a part of what it is. */
static void test_part(void **state)
{
	(void)state;
	assert_int_equal(CARRIED({ COST_INT, false, 3, { 1 } },
				 { COST_MOVE, false, 1, { 3 } },
				 { COST_MOVE, true, 1, { 0 } }),
			 1);
}

/* More places than are looked at at once: the last one has the longest. */
static void test_many_places(void **state)
{
	enum { MANY = 60 };
	struct cost_op ops[2 * MANY];
	unsigned num = 0;
	(void)state;

	for (uint16_t i = 1; i <= MANY; i++) {
		ops[num++] = (struct cost_op){
			.kind = i == MANY ? COST_MULTIPLY : COST_INT,
			.to = (uint16_t)(MANY + i),
			.from = { i },
		};
		ops[num++] =
			(struct cost_op){ .to = i,
					  .from = { (uint16_t)(MANY + i) } };
	}
	assert_int_equal(
		cost_carried(cost_processor(WESTMERE), ops, num, MANY + 1), 3);
}

static void test_width(void **state)
{
	(void)state;
	assert_int_equal(block(WESTMERE, (struct cost_sum){ .uops = 10 }, 0),
			 10 * CYCLE / 4);
	assert_int_equal(
		block(WESTMERE, (struct cost_sum){ .uops = 10, .arith = 9 }, 0),
		3 * CYCLE);
	assert_int_equal(block(WESTMERE, (struct cost_sum){ .uops = 10 }, 7),
			 7 * CYCLE);
}

static void test_ports(void **state)
{
	struct cost_sum loads = { .uops = 4, .loads = 4 };
	struct cost_sum divisions = { .uops = 2 };
	struct cost_sum sums = { .uops = 5 }, products = { .uops = 6 };
	(void)state;

	assert_int_equal(block(WESTMERE, loads, 0), 4 * CYCLE);
	assert_int_equal(block(SANDY_BRIDGE, loads, 0), 2 * CYCLE);
	/* two multipliers, which add as well */
	products.num[COST_FP_MULTIPLY] = 1;
	products.num[COST_FP_FUSED] = 5;
	assert_int_equal(block(SANDY_BRIDGE, products, 0), 6 * CYCLE);
	assert_int_equal(block(HASWELL, products, 0), 3 * CYCLE);
	assert_int_equal(block(BROADWELL, products, 0), 3 * CYCLE);
	divisions.num[COST_FP_DIVIDE] = 2;
	assert_int_equal(block(WESTMERE, divisions, 0), 2 * 20 * CYCLE);
	/* one adder, with the multiplier of integers */
	sums.num[COST_FP_ADD] = 3;
	sums.num[COST_MULTIPLY] = 2;
	assert_int_equal(block(WESTMERE, sums, 0), 5 * CYCLE);
	/* two units for sums and products, one of which has integers, too */
	assert_int_equal(block(SKYLAKE, products, 0), 3 * CYCLE);
	assert_int_equal(block(SKYLAKE, sums, 0), 5 * CYCLE / 2);
	products.num[COST_FP_ADD] = 4;
	assert_int_equal(block(SKYLAKE, products, 0), 5 * CYCLE);
}

/* Code is fetched but in a loop, which makes a jump a round. */
static void test_fetch(void **state)
{
	struct cost_sum sum = { .uops = 4, .windows = 3, .rounds = 2 };
	(void)state;

	assert_int_equal(block(WESTMERE, sum, 0), 3 * CYCLE);
	assert_int_equal(block(SANDY_BRIDGE, sum, 0), CYCLE);
	sum.is_loop = true;
	assert_int_equal(block(WESTMERE, sum, 0), 2 * CYCLE);
}

/* A locked instruction does not overlap; no block takes too long to count. */
static void test_alone(void **state)
{
	struct cost_sum sum = { .uops = 4 };
	(void)state;

	sum.num[COST_LOCK] = 2;
	assert_int_equal(block(WESTMERE, sum, 3), (3 + 2 * 20) * CYCLE);
	sum.num[COST_LOCK] = 1000000;
	/* of ten thousand blocks, as a turn may have: core.h */
	assert_true(block(WESTMERE, sum, 0) < UINT32_MAX / 10000);
}

/* Values are 1 to 9. A list: r1 = load of r1. A gather: r2 counts, its load is
 * the address of another, and r1 the sum. A list in a variable, r2, whose
 * address is known. */
static void test_chained(void **state)
{
	static const struct cost_op list[] = {
		{ COST_LOAD, false, 3, { 1 } },
		{ COST_MOVE, false, 1, { 3 } },
	};
	static const struct cost_op gather[] = {
		{ COST_LOAD, false, 3, { 2 } },
		{ COST_LOAD, false, 4, { 3 } },
		{ COST_FP_ADD, false, 5, { 1, 4 } },
		{ COST_MOVE, false, 1, { 5 } },
		{ COST_INT, false, 6, { 2 } },
		{ COST_MOVE, false, 2, { 6 } },
	};
	static const struct cost_op variable[] = {
		{ COST_LOAD, false, 3, { 1 } },
		{ COST_FORWARD, true, 3, { 2 } },
		{ COST_LOAD, false, 4, { 3 } },
		{ COST_MOVE, false, 2, { 4 } },
	};
	/* what was loaded is written over before it is an address */
	static const struct cost_op lost[] = {
		{ COST_LOAD, false, 3, { 1 } },
		{ COST_MOVE, false, 2, { 3 } },
		{ COST_INT, false, 2, { 0 } },
		{ COST_MOVE, false, 1, { 2 } },
	};
	/* what is in the node of a list is of its chain */
	static const struct cost_op node[] = {
		{ COST_LOAD, false, 3, { 1 } },
		{ COST_INT, false, 2, { 2, 3 } },
		{ COST_LOAD, false, 4, { 1 } },
		{ COST_MOVE, false, 1, { 4 } },
	};
	uint8_t chain[6];
	(void)state;

	cost_find_chains(list, 2, 9 + 1, PLACES, chain);
	assert_int_equal(chain[0], 1);
	cost_find_chains(gather, 6, 9 + 1, PLACES, chain);
	assert_int_equal(chain[0] | chain[1], 0);
	cost_find_chains(variable, 4, 9 + 1, PLACES, chain);
	assert_int_equal(chain[0], 0);
	assert_int_equal(chain[2], 2);
	cost_find_chains(lost, 4, 9 + 1, PLACES, chain);
	assert_int_equal(chain[0], 0);
	cost_find_chains(node, 4, 9 + 1, PLACES, chain);
	assert_int_equal(chain[0], 1);
	assert_int_equal(chain[2], 1);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_chain),
		cmocka_unit_test(test_within),
		cmocka_unit_test(test_memory),
		cmocka_unit_test(test_part),
		cmocka_unit_test(test_many_places),
		cmocka_unit_test(test_width),
		cmocka_unit_test(test_ports),
		cmocka_unit_test(test_fetch),
		cmocka_unit_test(test_alone),
		cmocka_unit_test(test_chained),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
