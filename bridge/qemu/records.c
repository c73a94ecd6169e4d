/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Records go out in batches: the position up to which they may be read is
 * stored now and then, so that the two processors share a cache line rarely. A
 * full ring stops the thread; nothing is dropped.
 */
#include "bridge/qemu/records.h"

#include <errno.h>
#include <signal.h>

enum { LOOK_AROUND_NS = 20 * 1000 * 1000 };

void records_publish(struct arena *arena, struct arena_core *core)
{
	uint32_t waiting;

	if (atomic_load_explicit(&core->head, memory_order_relaxed) ==
	    core->next)
		return;
	atomic_store(&core->head, core->next);
	waiting = atomic_load(&arena->waiting);
	if (waiting == BELL_ANY || (waiting >= BELL_CORE &&
				    core == &arena->cores[waiting - BELL_CORE]))
		arena_wake(&arena->doorbell);
}

static bool owner_lives(const struct arena *arena)
{
	return kill((pid_t)arena->owner, 0) == 0 || errno != ESRCH;
}

/* Waits until the model has taken `taken` records; false when it never will. */
static bool wait_for(struct arena *arena, struct arena_core *core,
		     uint64_t taken)
{
	records_publish(arena, core);
	for (;;) {
		uint32_t room = atomic_load(&core->room);

		atomic_store(&core->wake_at, taken);
		core->tail_seen = atomic_load(&core->tail);
		if (core->tail_seen >= taken)
			break;
		if (atomic_load(&arena->stop) || !owner_lives(arena))
			return false;
		arena_wait(&core->room, room, LOOK_AROUND_NS);
	}
	atomic_store(&core->wake_at, 0);
	return true;
}

bool records_make_room(struct arena *arena, struct arena_core *core)
{
	core->tail_seen = atomic_load(&core->tail);
	if (records_have_room(core))
		return true;
	return wait_for(arena, core, core->next - RING_RECORDS / 2);
}

bool records_await(struct arena *arena, struct arena_core *core, uint64_t taken)
{
	core->tail_seen = atomic_load(&core->tail);
	if (core->tail_seen >= taken)
		return true;
	return wait_for(arena, core, taken);
}

/* Instructions since the latest record. */
static uint32_t gap(struct arena_core *core)
{
	uint64_t now =
		atomic_load_explicit(&core->instructions, memory_order_relaxed);
	uint64_t passed = now - core->last_instructions;

	core->last_instructions = now;
	return passed > UINT32_MAX ? UINT32_MAX : (uint32_t)passed;
}

uint64_t records_put(struct arena *arena, struct arena_core *core,
		     const struct privcache_request *requests, unsigned num,
		     bool depends, const struct arena_origin *origin)
{
	uint64_t before = core->next;
	uint64_t window;
	unsigned i;

	for (i = 0; i < num; i++) {
		struct uncore_access *record =
			&core->ring[core->next % RING_RECORDS];

		core->origins[core->next++ % RING_RECORDS] = *origin;
		record->line = requests[i].line;
		record->kind = requests[i].kind;
		record->prefetch = requests[i].prefetch;
		record->gap = i ? 0 : gap(core);
		record->depends = i == 0 && depends;
	}
	if (before / RING_PUBLISH == core->next / RING_PUBLISH)
		return 0;
	records_publish(arena, core);
	window = core->next / RING_WINDOW;
	if (before / RING_WINDOW == window || window < 2 ||
	    atomic_load(&arena->prompt))
		return 0;
	return (window - 1) * RING_WINDOW + 1;
}
