/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The accesses of a program, core by core, as the model asks for them.
 *
 * When a core has none at present:
 *  - No core has any: wait. The model's time stands still meanwhile, so that it
 *    does not depend on how fast the program runs here.
 *  - Its thread is in a system call: the core is idle (-1).
 *  - Its thread runs: wait, so that the order between cores is the one of their
 *    instructions. A thread that computes without leaving its caches sends a
 *    record now and then all the same; one that sends nothing for PATIENCE_NS
 *    is stopped, and is not waited for until it goes on.
 */
#include "model/traffic/program.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

enum {
	TELL_RECORDS = 64, /* records between two publications of the tail */
	NAP_NS = 200 * 1000,
	LONG_NAP_NS = 5 * 1000 * 1000,
	PATIENCE_NS = 20 * 1000 * 1000,
	MANY_NAPS = 4,
};

/* Says how far this ring has been read, and wakes a thread that wants room. */
static void tell(struct arena_core *shared, struct program_core *core)
{
	uint64_t wake_at;

	if (core->told == core->tail)
		return;
	core->told = core->tail;
	atomic_store(&shared->tail, core->tail);
	wake_at = atomic_load(&shared->wake_at);
	if (wake_at && core->tail >= wake_at) {
		atomic_store(&shared->wake_at, 0);
		arena_wake(&shared->room);
	}
}

static bool look(struct arena_core *shared, struct program_core *core)
{
	core->head = atomic_load(&shared->head);
	return core->head != core->tail;
}

static bool any_records(struct uncore_program *program)
{
	unsigned i;

	for (i = 0; i < program->num_cores; i++)
		if (look(&program->arena->cores[i], &program->cores[i]))
			return true;
	return false;
}

/* Makes the threads publish what they have written. */
static void ask_for_records(struct uncore_program *program)
{
	unsigned i;

	for (i = 0; i < program->num_cores; i++) {
		struct arena_core *shared = &program->arena->cores[i];

		if (atomic_load(&shared->lock) != CORE_FREE)
			atomic_fetch_or(&shared->attention, CORE_PUBLISH);
	}
}

/* Waits until there is a record anywhere; false when there will be none. */
static bool wait_for_any(struct uncore_program *program)
{
	struct arena *arena = program->arena;
	unsigned naps;

	for (naps = 0;; naps++) {
		uint32_t bell = atomic_load(&arena->doorbell);
		bool over;

		atomic_store(&arena->waiting, BELL_ANY);
		/* The end is looked for first: what was published before it
		 * is then seen for certain. */
		over = program->ended || atomic_load(&program->stopped);
		if (any_records(program))
			break;
		if (over) {
			program->drained = true;
			break;
		}
		if (naps)
			ask_for_records(program);
		arena_wait(&arena->doorbell, bell,
			   naps < MANY_NAPS ? NAP_NS : LONG_NAP_NS);
		if (program_poll(program))
			continue;
		if (naps % 16 == 15)
			program_reap(program);
	}
	atomic_store(&arena->waiting, BELL_NONE);
	return !program->drained;
}

/* Waits a while for a core whose thread is running. */
static bool wait_for_core(struct uncore_program *program, unsigned index)
{
	struct arena *arena = program->arena;
	struct arena_core *shared = &arena->cores[index];
	struct program_core *core = &program->cores[index];

	while (core->patience_ns) {
		uint32_t bell = atomic_load(&arena->doorbell);

		atomic_store(&arena->waiting, BELL_CORE + index);
		atomic_fetch_or(&shared->attention, CORE_PUBLISH);
		if (look(shared, core) || !atomic_load(&shared->lock) ||
		    atomic_load(&program->stopped))
			break;
		arena_wait(&arena->doorbell, bell, NAP_NS);
		core->patience_ns -=
			core->patience_ns < NAP_NS ? core->patience_ns : NAP_NS;
	}
	atomic_store(&arena->waiting, BELL_NONE);
	return look(shared, core);
}

static void take(struct arena_core *shared, struct program_core *core,
		 struct uncore_access *access)
{
	core->latest = core->next;
	core->next = shared->origins[core->tail % RING_RECORDS];
	*access = shared->ring[core->tail++ % RING_RECORDS];
	core->patience_ns = PATIENCE_NS;
	if (core->tail - core->told >= TELL_RECORDS)
		tell(shared, core);
}

int program_next(void *context, unsigned index, struct uncore_access *access)
{
	struct uncore_program *program = context;
	struct arena_core *shared = &program->arena->cores[index];
	struct program_core *core = &program->cores[index];

	while (core->head == core->tail) {
		if (program->drained)
			return 0;
		tell(shared, core);
		if (look(shared, core))
			break;
		/* A core without a thread must not wait for the others: it is
		 * asked at times that depend on nothing but the model. */
		if (!atomic_load(&shared->users) && !program->ended &&
		    !atomic_load(&program->stopped) &&
		    atomic_load(&program->arena->num_users))
			return -1;
		if (!any_records(program)) {
			if (!wait_for_any(program))
				return 0;
			continue;
		}
		if (core->head != core->tail)
			break;
		if (!atomic_load(&shared->lock) || program->ended ||
		    !wait_for_core(program, index))
			return -1;
	}
	take(shared, core, access);
	program->latest_core[index / program->arena->cores_per_socket] = index;
	return 1;
}

bool uncore_program_origin(const struct uncore_program *program,
			   unsigned socket,
			   struct uncore_program_origin *origin)
{
	unsigned index = program->latest_core[socket];
	const struct program_core *core = &program->cores[index];
	const struct arena_origin *code =
		core->latest.pid ? &core->latest : &core->next;

	if (index / program->arena->cores_per_socket != socket || !code->pid)
		return false;
	*origin = (struct uncore_program_origin){
		.address = code->address,
		.process = code->pid,
		.thread = code->tid,
		.space = code->space,
		.core = index,
	};
	return true;
}

/* The core is idle or free: its caches can be worked on from here. The queue
 * goes first, to keep the order. */
static bool invalidate_here(struct arena_core *shared, uint64_t line,
			    bool downgrade)
{
	uint64_t head = atomic_load(&shared->queue_head);
	uint64_t tail = atomic_load(&shared->queue_tail);
	bool dirty;

	for (; tail != head; tail++) {
		const struct arena_invalidation *old =
			&shared->queue[tail % QUEUE_ENTRIES];

		privcache_invalidate(&shared->cache, old->line, old->downgrade);
	}
	atomic_store(&shared->queue_tail, tail);
	dirty = privcache_invalidate(&shared->cache, line, downgrade);
	shared->last_holder = CORE_MODEL;
	atomic_store(&shared->lock, CORE_FREE);
	return dirty;
}

static void enqueue(struct arena_core *shared, const struct program_core *core,
		    uint64_t line, bool downgrade)
{
	uint64_t head = atomic_load(&shared->queue_head);
	struct arena_invalidation *entry = &shared->queue[head % QUEUE_ENTRIES];

	if (head - atomic_load(&shared->queue_tail) == QUEUE_ENTRIES) {
		atomic_fetch_or(&shared->attention,
				CORE_FORGET | CORE_INVALIDATE);
		return;
	}
	entry->line = line;
	entry->taken = (uint32_t)core->tail;
	entry->downgrade = downgrade;
	atomic_store(&shared->queue_head, head + 1);
}

bool program_invalidate(void *context, unsigned index, uint64_t line,
			bool downgrade)
{
	struct uncore_program *program = context;
	struct arena_core *shared = &program->arena->cores[index];
	struct program_core *core = &program->cores[index];
	uint32_t nobody = CORE_FREE;

	if (!core->tail) /* has never asked for a line */
		return false;
	if (!atomic_load(&program->arena->prompt)) {
		enqueue(shared, core, line, downgrade);
		return false;
	}
	if (atomic_compare_exchange_strong(&shared->lock, &nobody, CORE_MODEL))
		return invalidate_here(shared, line, downgrade);
	enqueue(shared, core, line, downgrade);
	atomic_fetch_or(&shared->attention, CORE_INVALIDATE);
	return false;
}
