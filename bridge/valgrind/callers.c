/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Who has called the present instruction. To unwind the stack costs some
 * thousand instructions, and the same few stacks come again and again: what was
 * found is kept with the places of its return addresses. As long as these hold
 * the same, for an instruction with the same stack pointer, it is the same
 * stack.
 */
#include "bridge/valgrind/core.h"

#include <pub_tool_aspacemgr.h>
#include <pub_tool_stacktrace.h>

enum { KNOWN = 4096 };

static struct known {
	Addr ip, sp;
	uint64_t age;
	struct arena_stack *stack;
	Addr slots[ARENA_FRAMES]; /* of the return addresses; 0: no more */
} known[KNOWN];

static uint64_t age = 1; /* what is younger may be read */

void callers_forget(void)
{
	age++;
}

/* A call with an address in the instruction, or one by way of a register or
 * memory (FF /2). */
static bool is_call_before(const UChar *behind)
{
	static const UInt lengths[] = { 2, 3, 4, 6, 7 };
	UInt i;

	for (i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++)
		if (behind[-(Int)lengths[i]] == 0xff &&
		    (behind[1 - (Int)lengths[i]] & 0x38) == 0x10)
			return true;
	return behind[-5] == 0xe8;
}

/* Valgrind goes on beyond the first function of a thread, into what lies on the
 * stack: arguments and the like; and takes what the linker has left there for
 * an address to return to. It lets the heap be executed, too, where only who
 * makes code has calls. Addresses are one less than what is returned to. */
static bool is_code(Addr address)
{
	enum { LONGEST_CALL = 7 };
	const NSegment *segment = VG_(am_find_nsegment)(address);

	return segment && segment->hasX &&
	       (segment->kind == SkFileC ||
		(segment->hasR && address - segment->start >= LONGEST_CALL &&
		 is_call_before((const UChar *)address + 1)));
}

static bool is_equal(const struct arena_stack *a, const struct arena_stack *b)
{
	uint32_t i = 0;

	while (i < ARENA_FRAMES && a->frames[i] && a->frames[i] == b->frames[i])
		i++;
	return a->key == b->key &&
	       (i == ARENA_FRAMES || a->frames[i] == b->frames[i]);
}

/* Where it is in a table, put there if it is new; one place stands for those
 * that do not fit. How many did is the key of place 0, which is none. */
static struct arena_stack *place_of(struct arena_stack *table,
				    const struct arena_stack *stack)
{
	struct arena_stack *at = NULL;
	uint64_t hash = stack->key;
	uint32_t i;

	for (i = 0; i < ARENA_FRAMES && stack->frames[i]; i++)
		hash = (hash ^ stack->frames[i]) * UINT64_C(0x9e3779b97f4a7c15);
	for (i = 0; i < ARENA_OTHERS - 1; i++) {
		at = &table[((hash >> 40) + i) % (ARENA_OTHERS - 1) + 1];
		if (is_equal(at, stack))
			return at;
		if (!at->frames[0])
			break;
	}
	if (table->key >= ARENA_STACKS_TOLD)
		return &table[ARENA_OTHERS];
	table->key++;
	*at = *stack;
	return at;
}

/* It may be read while nothing was taken since the stack was found. */
static bool is_same(const struct known *one)
{
	unsigned i;

	for (i = 0; i < ARENA_FRAMES && one->slots[i]; i++)
		if (*(const Addr *)one->slots[i] != one->stack->frames[i] + 1)
			return false;
	return true;
}

/* False: a frame has not been called as others are, so that nothing is known of
 * where its return address lies. */
static bool find_slots(Addr *slots, const struct arena_stack *stack,
		       const Addr *stack_pointers)
{
	unsigned i;

	for (i = 0; i < ARENA_FRAMES && stack->frames[i]; i++) {
		slots[i] = stack_pointers[i + 1] - sizeof(Addr);
		if (*(const Addr *)slots[i] != stack->frames[i] + 1)
			return false;
	}
	return true;
}

static __attribute__((noinline)) struct arena_stack *
unwind(struct arena_stack *table, uint64_t key, struct known *one)
{
	Addr found[ARENA_FRAMES + 1] = { 0 };
	Addr stack_pointers[ARENA_FRAMES + 1] = { 0 };
	struct arena_stack stack = { .key = key };
	UInt num, i;

	*one = (struct known){ .ip = VG_(get_IP)(front.tid),
			       .sp = VG_(get_SP)(front.tid) };
	num = VG_(get_StackTrace)(front.tid, found, ARENA_FRAMES + 1,
				  stack_pointers, NULL, 0);
	for (i = 1; i < num && is_code(found[i]); i++)
		stack.frames[i - 1] = found[i];
	one->stack = stack.frames[0] ? place_of(table, &stack) : NULL;
	if (one->stack && find_slots(one->slots, &stack, stack_pointers))
		one->age = age;
	return one->stack;
}

uint32_t callers_first(struct arena_stack *table, uint64_t key)
{
	const struct arena_stack stack = {
		.frames = { *(const Addr *)VG_(get_SP)(front.tid) - 1 },
		.key = key,
	};

	return (uint32_t)(place_of(table, &stack) - table);
}

uint32_t callers_find(struct arena_stack *table, uint64_t key)
{
	Addr ip = VG_(get_IP)(front.tid), sp = VG_(get_SP)(front.tid);
	uint64_t hash = (ip ^ sp << 16 ^ key) * UINT64_C(0x9e3779b97f4a7c15);
	struct known *one = &known[(hash >> 40) % KNOWN];
	struct arena_stack *stack = one->stack;

	if (one->ip != ip || one->sp != sp || one->age != age ||
	    stack->key != key || !is_same(one))
		stack = unwind(table, key, one);
	return stack ? (uint32_t)(stack - table) : 0;
}
