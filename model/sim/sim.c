/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * A timing wheel: one list of events per cycle for the near future, a heap for
 * what lies behind it. Nearly all events of a cache or a link are less than a
 * wheel's turn away, so asking for one and working it off cost a few
 * instructions each whatever the number outstanding.
 *
 * Invariants: an event in the wheel has now <= time < now + WHEEL_SLOTS, one in
 * the heap a later time.
 * Events of one cycle stand in a list in the order of asking; what moves from
 * the heap into the wheel was asked for before anything that could be put into
 * that slot directly, so the order holds across both.
 */
#include "model/sim/sim.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "model/sim/bug.h"

enum { WHEEL_SLOTS = 1024, WHEEL_WORDS = WHEEL_SLOTS / 64, NODES = 64 };

struct node {
	sim_fn *fn;
	void *object;
	uint64_t argument;
	uint64_t requester;
	struct node *next;
};

struct far_event {
	uint64_t time;
	uint64_t order; /* of asking: ties have one answer */
	struct node *node;
};

struct block {
	struct block *next;
	struct node nodes[NODES];
};

struct sim {
	uint64_t now;	    /* first member: sim_now() reads it */
	uint64_t requester; /* second: sim_requester() does */
	uint64_t stop;	    /* of the present run */
	struct node *free_nodes;
	uint64_t num_events;
	uint64_t words; /* bit n: occupied[n] is not 0 */
	size_t heap_size, heap_room;
	struct far_event *heap;
	uint64_t order;
	struct block *blocks;
	uint64_t occupied[WHEEL_WORDS];
	/* The last event of a slot; the first one follows it. */
	struct node *slots[WHEEL_SLOTS];
};

struct sim *sim_new(void)
{
	return calloc(1, sizeof(struct sim));
}

void sim_free(struct sim *sim)
{
	if (!sim)
		return;
	while (sim->blocks) {
		struct block *block = sim->blocks;

		sim->blocks = block->next;
		free(block);
	}
	free(sim->heap);
	free(sim);
}

static void *must_have(void *memory)
{
	if (!memory)
		bug_no_memory();
	return memory;
}

static void more_nodes(struct sim *sim)
{
	struct block *block = must_have(malloc(sizeof(*block)));

	block->next = sim->blocks;
	sim->blocks = block;
	for (size_t i = 0; i < NODES; i++) {
		block->nodes[i].next = sim->free_nodes;
		sim->free_nodes = &block->nodes[i];
	}
}

static bool is_before(const struct far_event *a, const struct far_event *b)
{
	return a->time < b->time || (a->time == b->time && a->order < b->order);
}

static __attribute__((noinline)) void heap_push(struct sim *sim, uint64_t time,
						struct node *node)
{
	struct far_event event = { time, sim->order++, node };
	size_t at;

	if (sim->heap_size == sim->heap_room) {
		sim->heap_room = sim->heap_room ? sim->heap_room * 2 : 64;
		sim->heap = must_have(
			realloc(sim->heap, sim->heap_room * sizeof(event)));
	}
	at = sim->heap_size++;
	while (at > 0 && is_before(&event, &sim->heap[(at - 1) / 2])) {
		sim->heap[at] = sim->heap[(at - 1) / 2];
		at = (at - 1) / 2;
	}
	sim->heap[at] = event;
}

static struct node *heap_pop(struct sim *sim)
{
	struct node *first = sim->heap[0].node;
	struct far_event last = sim->heap[--sim->heap_size];
	size_t at = 0;

	for (;;) {
		size_t child = at * 2 + 1;

		if (child >= sim->heap_size)
			break;
		if (child + 1 < sim->heap_size &&
		    is_before(&sim->heap[child + 1], &sim->heap[child]))
			child++;
		if (!is_before(&sim->heap[child], &last))
			break;
		sim->heap[at] = sim->heap[child];
		at = child;
	}
	sim->heap[at] = last;
	return first;
}

static inline void wheel_append(struct sim *sim, uint64_t time,
				struct node *node)
{
	uint32_t index = time % WHEEL_SLOTS;
	struct node *last = sim->slots[index];

	sim->slots[index] = node;
	if (last) {
		node->next = last->next;
		last->next = node;
	} else {
		node->next = node;
		sim->occupied[index / 64] |= UINT64_C(1) << (index % 64);
		sim->words |= UINT64_C(1) << (index / 64);
	}
}

static __attribute__((noinline)) void
make_node_and_ask(struct sim *sim, uint64_t time, sim_fn *fn, void *object,
		  uint64_t argument)
{
	more_nodes(sim);
	sim_at(sim, time, fn, object, argument);
}

void sim_at(struct sim *sim, uint64_t time, sim_fn *fn, void *object,
	    uint64_t argument)
{
	struct node *node = sim->free_nodes;

	if (!node) {
		make_node_and_ask(sim, time, fn, object, argument);
		return;
	}
	sim->free_nodes = node->next;
	node->fn = fn;
	node->object = object;
	node->argument = argument;
	node->requester = sim->requester;
	if (time < sim->now)
		time = sim->now;
	if (time - sim->now < WHEEL_SLOTS)
		wheel_append(sim, time, node);
	else
		heap_push(sim, time, node);
}

/* Into the wheel goes what it now covers. */
static __attribute__((noinline)) void take_near(struct sim *sim)
{
	while (sim->heap_size && sim->heap[0].time - sim->now < WHEEL_SLOTS) {
		uint64_t time = sim->heap[0].time;

		wheel_append(sim, time, heap_pop(sim));
	}
}

static inline void advance(struct sim *sim, uint64_t time)
{
	sim->now = time;
	if (sim->heap_size && sim->heap[0].time - time < WHEEL_SLOTS)
		take_near(sim);
}

/* The first occupied slot at or after the present cycle's; there is one. */
static inline uint32_t next_slot(const struct sim *sim)
{
	uint32_t start = sim->now % WHEEL_SLOTS;
	uint32_t word = start / 64;
	uint64_t bits = sim->occupied[word] & (~UINT64_C(0) << (start % 64));
	uint64_t later;

	if (bits)
		return word * 64 + (uint32_t)__builtin_ctzll(bits);
	later = sim->words & (~UINT64_C(0) << word << 1);
	if (!later) /* round the corner, this word's beginning last */
		later = sim->words;
	word = (uint32_t)__builtin_ctzll(later);
	return word * 64 + (uint32_t)__builtin_ctzll(sim->occupied[word]);
}

/* The cycle of the next event, or SIM_NEVER. */
static inline uint64_t next_time(const struct sim *sim)
{
	if (sim->words)
		return sim->now + (next_slot(sim) - sim->now) % WHEEL_SLOTS;
	return sim->heap_size ? sim->heap[0].time : SIM_NEVER;
}

/* Works off one cycle. What is asked for in this cycle meanwhile joins the end
 * of the list. */
static inline void run_slot(struct sim *sim, uint32_t index)
{
	struct node *node, *last;

	do {
		node = sim->slots[index]->next;
		sim->requester = node->requester;
		node->fn(node->object, node->argument);
		last = sim->slots[index];
		last->next = node->next;
		node->next = sim->free_nodes;
		sim->free_nodes = node;
		sim->num_events++;
	} while (node != last);
	sim->slots[index] = NULL;
	sim->occupied[index / 64] &= ~(UINT64_C(1) << (index % 64));
	if (!sim->occupied[index / 64])
		sim->words &= ~(UINT64_C(1) << (index / 64));
}

void sim_stop_at(struct sim *sim, uint64_t time)
{
	if (time < sim->stop)
		sim->stop = time;
}

uint64_t sim_run_until(struct sim *sim, uint64_t end)
{
	sim->stop = end;
	for (;;) {
		uint64_t time = next_time(sim);

		if (time >= sim->stop)
			break;
		if (time != sim->now)
			advance(sim, time);
		run_slot(sim, time % WHEEL_SLOTS);
	}
	if (sim->stop > sim->now)
		advance(sim, sim->stop);
	sim->requester = 0;
	return sim->now;
}

uint64_t sim_next(const struct sim *sim)
{
	return next_time(sim);
}

uint64_t sim_num_events(const struct sim *sim)
{
	return sim->num_events;
}
