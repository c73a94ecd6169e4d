/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Where the numbers come from: A. Fog, Instruction tables and The
 * microarchitecture of Intel, AMD and VIA CPUs, chapters on Nehalem (Westmere
 * is as that), Sandy Bridge and Skylake; Intel 64 and IA-32 Architectures
 * Optimization Reference Manual, 2.3 and 2.4 and appendix C. Where these have a
 * range, as for divisions, it is a value near its upper end, as most operands
 * have it.
 *
 * Choices: single and double precision multiply alike (Nehalem takes 4 and 5
 * cycles); an address takes no time but that of the load, however it is made
 * (Sandy Bridge: 4 or 5 cycles); a load of a register of vectors is one of any
 * (one cycle more on both). Flags and the stack pointer are carried by nothing:
 * renaming and the stack engine see to them. Repeated string instructions move
 * 16 bytes a cycle, at best: what they take to begin is left out.
 */
#include "bridge/valgrind/cost.h"

/* Of a hundred conditional jumps that close no loop so many are guessed wrong,
 * and each is known to be so many core cycles after the instructions before it
 * were fetched. Assumed: integer programs of SPEC CPU2006 have some 5 of 100 of
 * all branches wrong on Nehalem (1 to 9), and half of the jumps close loops,
 * which are counted as guessed right. How long a jump waits for its data is
 * about half of what the refill takes (Eyerman, Smith, Eeckhout,
 * Characterizing the branch misprediction penalty, 2006: from less than that to
 * more than all of it). */
enum { WRONG_PERCENT = 10, RESOLVED_CYCLES = 8 };

/* No block takes longer: ten thousand have to fit into 32 bits. */
enum { MAX_CYCLES = 1500 };

/* A column for each processor, in the order of `processors`. */
enum { NUM_PROCESSORS = 6, WIDTH = 4, STORE_PORTS = 1 };

/* Core cycles until a result is there, and those in which its unit takes no
 * other. */
static const uint8_t latencies[COST_NUM_KINDS][NUM_PROCESSORS] = {
	[COST_INT] = { 1, 1, 1, 1, 1, 1 },
	[COST_CHOOSE] = { 2, 2, 2, 2, 1, 1 },
	[COST_MULTIPLY] = { 3, 3, 3, 3, 3, 3 },
	[COST_DIVIDE] = { 22, 25, 25, 25, 25, 26 },
	[COST_DIVIDE_WIDE] = { 40, 40, 40, 40, 40, 42 },
	[COST_FP_ADD] = { 3, 3, 3, 3, 3, 4 },
	[COST_FP_MULTIPLY] = { 5, 5, 5, 5, 3, 4 },
	[COST_FP_FUSED] = { 8, 8, 8, 5, 5, 4 },
	[COST_FP_DIVIDE] = { 20, 20, 20, 20, 14, 14 },
	[COST_FP_DIVIDE_SINGLE] = { 14, 14, 13, 13, 11, 11 },
	[COST_FP_ROOT] = { 30, 21, 20, 20, 16, 16 },
	[COST_CONVERT] = { 4, 4, 4, 4, 4, 4 },
	[COST_LOAD] = { 4, 4, 4, 4, 4, 4 },
	[COST_FORWARD] = { 5, 5, 5, 5, 5, 5 },
	[COST_LOCK] = { 20, 20, 20, 20, 20, 18 },
	[COST_HELPER] = { 20, 20, 20, 20, 20, 20 },
};
static const uint8_t busies[COST_NUM_KINDS][NUM_PROCESSORS] = {
	[COST_MULTIPLY] = { 1, 1, 1, 1, 1, 1 },
	[COST_DIVIDE] = { 11, 11, 11, 11, 11, 6 },
	[COST_DIVIDE_WIDE] = { 30, 30, 30, 30, 30, 24 },
	[COST_FP_ADD] = { 1, 1, 1, 1, 1, 1 },
	[COST_FP_MULTIPLY] = { 1, 1, 1, 1, 1, 1 },
	[COST_FP_FUSED] = { 1, 1, 1, 1, 1, 1 },
	[COST_FP_DIVIDE] = { 20, 20, 14, 14, 5, 4 },
	[COST_FP_DIVIDE_SINGLE] = { 14, 14, 7, 7, 3, 3 },
	[COST_FP_ROOT] = { 30, 21, 14, 14, 7, 6 },
	[COST_CONVERT] = { 1, 1, 1, 1, 1, 1 },
	[COST_LOCK] = { 20, 20, 20, 20, 20, 18 },
	[COST_HELPER] = { 20, 20, 20, 20, 20, 20 },
};

/* Westmere; Sandy Bridge, whose code comes from the cache of micro-operations;
 * Ivy Bridge, whose divider is faster; Haswell, with a fourth port for
 * integers, a second one for products, and 32 bytes at once; Broadwell;
 * Skylake, whose two units for products add, too. */
static const struct cost_processor processors[NUM_PROCESSORS] = {
	{ .model = 47,
	  .ports = 3,
	  .load_ports = 1,
	  .multipliers = 1,
	  .fetches = 1,
	  .refill = 17 },
	{ .model = 45,
	  .ports = 3,
	  .load_ports = 2,
	  .multipliers = 1,
	  .is_narrow = true,
	  .refill = 15 },
	{ .model = 62,
	  .ports = 3,
	  .load_ports = 2,
	  .multipliers = 1,
	  .is_narrow = true,
	  .refill = 15 },
	{ .model = 63,
	  .ports = 4,
	  .load_ports = 2,
	  .multipliers = 2,
	  .refill = 15 },
	{ .model = 79,
	  .ports = 4,
	  .load_ports = 2,
	  .multipliers = 2,
	  .refill = 15 },
	{ .model = 85,
	  .ports = 4,
	  .load_ports = 2,
	  .multipliers = 2,
	  .multipliers_add = true,
	  .refill = 15 },
};

const struct cost_processor *cost_processor(unsigned model)
{
	unsigned i = NUM_PROCESSORS;

	while (--i && processors[i].model != model)
		;
	return &processors[i];
}

static unsigned latency_of(const struct cost_processor *processor,
			   enum cost_kind kind)
{
	return latencies[kind][processor - processors];
}

/* The carried chain */

enum { LANES = 8, NEVER = INT16_MIN / 2 };

/* When a value is there, for each of some places: cycles after what that place
 * had at the beginning; below 0: does not need it. */
typedef int16_t times __attribute__((vector_size(LANES * sizeof(int16_t))));

static times values[COST_MAX_VALUES];

static times later(times a, times b)
{
	times is_a = (times)(a > b);

	return (a & is_a) | (b & ~is_a);
}

static void apply(const struct cost_processor *processor,
		  const struct cost_op *op)
{
	times time = values[op->from[0]];

	for (unsigned i = 1; i < 4 && op->from[i]; i++)
		time = later(time, values[op->from[i]]);
	time += (int16_t)latency_of(processor, op->kind);
	values[op->to] = op->keeps ? later(values[op->to], time) : time;
}

/* Of so many places, up to the number of lanes. */
static unsigned longest(const struct cost_processor *processor,
			const struct cost_op *ops, unsigned num_ops,
			unsigned num_places, const uint16_t *places,
			unsigned num)
{
	times never = (times){ 0 } + (int16_t)NEVER;
	int most = 0;

	for (unsigned i = 0; i < num_places; i++)
		values[i] = never;
	for (unsigned i = 0; i < num; i++)
		values[places[i]][i] = 0;
	for (unsigned i = 0; i < num_ops; i++)
		apply(processor, &ops[i]);
	for (unsigned i = 0; i < num; i++)
		if (values[places[i]][i] > most)
			most = values[places[i]][i];
	return (unsigned)most;
}

/* Places that are both read and written. */
static unsigned find_both(const struct cost_op *ops, unsigned num_ops,
			  unsigned num_places, uint16_t *places)
{
	bool is_read[COST_MAX_PLACES] = { false };
	bool is_both[COST_MAX_PLACES] = { false };
	unsigned num = 0;

	for (unsigned i = 0; i < num_ops; i++) {
		for (unsigned n = 0; n < 4; n++)
			if (ops[i].from[n] < num_places)
				is_read[ops[i].from[n]] = true;
		if (ops[i].to < num_places && is_read[ops[i].to])
			is_both[ops[i].to] = true;
	}
	for (unsigned i = 1; i < num_places; i++)
		if (is_both[i])
			places[num++] = (uint16_t)i;
	return num;
}

unsigned cost_carried(const struct cost_processor *processor,
		      const struct cost_op *ops, unsigned num_ops,
		      unsigned num_places)
{
	uint16_t places[COST_MAX_PLACES];
	unsigned num = find_both(ops, num_ops, num_places, places);
	unsigned most = 0;

	for (unsigned i = 0; i < num; i += LANES) {
		unsigned found =
			longest(processor, ops, num_ops, num_places, places + i,
				num - i < LANES ? num - i : LANES);

		if (found > most)
			most = found;
	}
	return most;
}

/* Chains of loads */

/* For each value the places whose first value it needs, or whose last value
 * needs it. */
static uint64_t reach[COST_MAX_VALUES];
static uint64_t needed[COST_MAX_OPS];

static void begin_reach(unsigned num_values, unsigned num_places)
{
	for (unsigned i = 0; i < num_values; i++)
		reach[i] = 0;
	for (unsigned i = 1; i < num_places && i < 64; i++)
		reach[i] = UINT64_C(1) << i;
}

/* Places that go round through a load. */
static uint64_t find_round(const struct cost_op *ops, unsigned num_ops)
{
	uint64_t round = 0;

	for (unsigned i = num_ops; i--;) {
		uint64_t goes_to = reach[ops[i].to];

		if (ops[i].kind == COST_LOAD)
			round |= needed[i] & goes_to;
		if (!ops[i].keeps)
			reach[ops[i].to] = 0;
		for (unsigned n = 0; n < 4 && ops[i].from[n]; n++)
			reach[ops[i].from[n]] |= goes_to;
	}
	return round;
}

void cost_find_chains(const struct cost_op *ops, unsigned num_ops,
		      unsigned num_values, unsigned num_places, uint8_t *chain)
{
	uint64_t round;

	begin_reach(num_values, num_places);
	for (unsigned i = 0; i < num_ops; i++) {
		needed[i] = 0;
		for (unsigned n = 0; n < 4; n++)
			needed[i] |= reach[ops[i].from[n]];
		reach[ops[i].to] =
			needed[i] | (ops[i].keeps ? reach[ops[i].to] : 0);
	}
	begin_reach(num_values, num_places);
	round = find_round(ops, num_ops);
	for (unsigned i = 0; i < num_ops; i++) {
		uint64_t places = needed[i] & round;

		chain[i] = 0;
		if (ops[i].kind == COST_LOAD && places)
			chain[i] = (uint8_t)__builtin_ctzll(places);
	}
}

/* All of it */

static unsigned busy(const struct cost_processor *processor,
		     const struct cost_sum *sum, enum cost_kind kind)
{
	return sum->num[kind] * busies[kind][processor - processors];
}

static uint32_t divided(unsigned number, unsigned by)
{
	return (number << COST_SHIFT) / by;
}

static uint32_t most_of(uint32_t a, uint32_t b)
{
	return a > b ? a : b;
}

static uint32_t limited(uint32_t cycles)
{
	return cycles < MAX_CYCLES << COST_SHIFT ? cycles
						 : MAX_CYCLES << COST_SHIFT;
}

uint32_t cost_alone(const struct cost_processor *processor,
		    const struct cost_sum *sum)
{
	return limited(divided(busy(processor, sum, COST_LOCK) +
				       busy(processor, sum, COST_HELPER),
			       1));
}

uint32_t cost_block(const struct cost_processor *processor,
		    const struct cost_sum *sum, unsigned carried)
{
	const struct cost_processor *p = processor;
	unsigned sums = busy(p, sum, COST_FP_ADD) + busy(p, sum, COST_CONVERT);
	unsigned products =
		busy(p, sum, COST_FP_MULTIPLY) + busy(p, sum, COST_FP_FUSED);
	unsigned integers = busy(p, sum, COST_MULTIPLY);
	unsigned divider = busy(p, sum, COST_DIVIDE) +
			   busy(p, sum, COST_DIVIDE_WIDE) +
			   busy(p, sum, COST_FP_DIVIDE) +
			   busy(p, sum, COST_FP_DIVIDE_SINGLE) +
			   busy(p, sum, COST_FP_ROOT);
	uint32_t cycles = divided(sum->uops, WIDTH);

	cycles = most_of(cycles, divided(sum->arith, p->ports));
	cycles = most_of(cycles, divided(sum->loads, p->load_ports));
	cycles = most_of(cycles, divided(sum->stores, STORE_PORTS));
	cycles = most_of(
		cycles,
		divided(p->multipliers_add ? integers : sums + integers, 1));
	if (p->multipliers_add)
		products += sums + integers;
	cycles = most_of(cycles, divided(products, p->multipliers));
	cycles = most_of(cycles, divided(divider, 1));
	cycles = most_of(cycles, divided(carried, 1));
	if (sum->is_loop)
		cycles = most_of(cycles, divided(sum->rounds, 1));
	else if (p->fetches)
		cycles = most_of(cycles, divided(sum->windows, p->fetches));
	return limited(cycles + cost_alone(p, sum));
}

uint32_t cost_jump(const struct cost_processor *processor)
{
	unsigned cycles = processor->refill + RESOLVED_CYCLES;

	return divided(cycles * WRONG_PERCENT, 100);
}

uint32_t cost_round(unsigned bytes)
{
	enum { BYTES_A_CYCLE = 16 };

	return divided(bytes, BYTES_A_CYCLE);
}
