/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What a thread of the program does on its core: it takes and lets go of it,
 * uses lines through its caches, and loses lines when the model says so.
 */
#include "bridge/qemu/vcpu.h"

#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "bridge/qemu/follow.h"
#include "bridge/qemu/pages.h"
#include "bridge/qemu/place.h"
#include "bridge/qemu/records.h"

enum {
	TURN_BLOCKS = 20000, /* of instructions, on a core that others want */
	TURN_NAP_NS = 1000 * 1000,
};

static struct arena *arena;
static uint32_t space;
static _Atomic uint32_t always = 1;
static struct arena_core nowhere; /* counts nothing, for nobody */

struct arena *vcpu_arena(void)
{
	return arena;
}

bool vcpu_open_arena(const char *path)
{
	arena = place_open_arena(path);
	if (!arena)
		return false;
	space = pages_new_space(arena);
	atomic_store(&arena->ready, 1);
	return true;
}

static void attach(struct vcpu *vcpu)
{
	unsigned index;

	vcpu->thread = place_take(arena);
	if (!vcpu->thread)
		return;
	index = atomic_load(&vcpu->thread->core);
	vcpu->core = &arena->cores[index];
	vcpu->socket = index / arena->cores_per_socket;
	vcpu->tid = 0;
}

static void forget_shortcuts(struct vcpu *vcpu)
{
	memset(vcpu->recent, 0xff, sizeof(vcpu->recent));
	memset(vcpu->recent_code, 0xff, sizeof(vcpu->recent_code));
}

struct vcpu *vcpu_new(void)
{
	struct vcpu *vcpu = calloc(1, sizeof(*vcpu));

	if (!vcpu)
		return NULL;
	memset(vcpu->tlb, 0xff, sizeof(vcpu->tlb));
	forget_shortcuts(vcpu);
	vcpu->core = &nowhere;
	vcpu->attention = &always;
	attach(vcpu);
	return vcpu;
}

void vcpu_forked(struct vcpu *const *vcpus, unsigned num)
{
	unsigned i;

	space = pages_fork_space(arena, space);
	for (i = 0; i < num; i++) {
		struct vcpu *vcpu = vcpus[i];

		if (!vcpu)
			continue;
		vcpu->attention = &always;
		vcpu->core = &nowhere;
		vcpu->thread = NULL;
		vcpu->held = false;
		vcpu->tid = 0;
	}
}

/* The core's instruction count catches up. When that happens must not change
 * what is recorded, so the thread's own count goes on. */
static void count(struct vcpu *vcpu)
{
	records_count(vcpu->core, vcpu->instructions - vcpu->counted);
	vcpu->counted = vcpu->instructions;
}

static void publish(struct vcpu *vcpu)
{
	count(vcpu);
	records_publish(arena, vcpu->core);
}

void vcpu_release(struct vcpu *vcpu)
{
	if (!vcpu->held)
		return;
	publish(vcpu);
	vcpu->attention = &always;
	vcpu->held = false;
	atomic_store(&vcpu->core->lock, CORE_FREE);
}

void vcpu_detach(struct vcpu *vcpu)
{
	vcpu_release(vcpu);
	if (!vcpu->thread)
		return;
	arena_release_thread(arena, vcpu->thread);
	vcpu->thread = NULL;
	vcpu->core = &nowhere;
	/* The model may be waiting for this thread. */
	if (atomic_load(&arena->waiting))
		arena_wake(&arena->doorbell);
}

static bool acquire(struct vcpu *vcpu)
{
	struct arena_core *core = vcpu->core;

	if (!vcpu->tid) {
		vcpu->tid = (uint32_t)syscall(SYS_gettid);
		atomic_store(&vcpu->thread->tid, vcpu->tid);
	}
	if (!place_lock(arena, core, vcpu->tid))
		return false;
	if (core->last_holder != vcpu->tid)
		forget_shortcuts(vcpu);
	core->last_holder = vcpu->tid;
	vcpu->attention = &core->attention;
	vcpu->held = true;
	vcpu->blocks = 0;
	return true;
}

/* Gives the core to the threads that wait for it, after a fair time. */
static void take_turns(struct vcpu *vcpu)
{
	struct arena_core *core = vcpu->core;

	if (vcpu->blocks++ < TURN_BLOCKS || !atomic_load(&core->waiters))
		return;
	vcpu_release(vcpu);
	arena_notify(&core->lock);
	arena_wait(&core->lock, CORE_FREE, TURN_NAP_NS);
}

/* The model has stopped reading, or is gone. */
static void switch_off(struct vcpu *vcpu)
{
	vcpu->off = true;
	vcpu_detach(vcpu);
}

static void invalidate(struct vcpu *vcpu, const struct arena_invalidation *inv)
{
	unsigned set = inv->line % PRIVCACHE_L1D_SETS;

	privcache_invalidate(&vcpu->core->cache, inv->line, inv->downgrade);
	/* The L1I has more sets than a page has lines, so the virtual address
	 * may choose either of two. */
	vcpu->recent[set] = VCPU_NOTHING;
	vcpu->recent_code[set] = VCPU_NOTHING;
	vcpu->recent_code[set + PRIVCACHE_L1D_SETS] = VCPU_NOTHING;
}

/* Applies the queued invalidations that the model made before it had taken more
 * than `taken` records (modulo 2^32), or all of them. */
static void invalidate_queued(struct vcpu *vcpu, bool all, uint32_t taken)
{
	struct arena_core *core = vcpu->core;
	uint64_t head = atomic_load(&core->queue_head);
	uint64_t tail = atomic_load(&core->queue_tail);

	for (; tail != head; tail++) {
		const struct arena_invalidation *inv =
			&core->queue[tail % QUEUE_ENTRIES];

		if (!all && (int32_t)(inv->taken - taken) > 0)
			break;
		invalidate(vcpu, inv);
	}
	atomic_store(&core->queue_tail, tail);
}

/* Does what the core's attention word asks for. */
static void serve(struct vcpu *vcpu)
{
	struct arena_core *core = vcpu->core;
	uint32_t asked =
		atomic_fetch_and(&core->attention, CORE_SHARED | CORE_STOP);

	if (asked & CORE_STOP) {
		switch_off(vcpu);
		return;
	}
	if (asked & CORE_FORGET) {
		privcache_reset(&core->cache);
		forget_shortcuts(vcpu);
	}
	if (asked & CORE_INVALIDATE)
		invalidate_queued(vcpu, true, 0);
	if (asked & CORE_PUBLISH)
		publish(vcpu);
}

void vcpu_enter(struct vcpu *vcpu)
{
	if (vcpu->off)
		return;
	if (atomic_load(&arena->stop)) {
		switch_off(vcpu);
		return;
	}
	if (vcpu->held && (atomic_load(&vcpu->core->attention) & CORE_SHARED))
		take_turns(vcpu);
	if (!vcpu->thread)
		attach(vcpu);
	if (!vcpu->thread)
		return;
	if (vcpu->held || acquire(vcpu))
		serve(vcpu);
}

/* The physical line of a virtual one. */
static uint64_t translate(struct vcpu *vcpu, uint64_t vline)
{
	uint64_t page = vline / ARENA_LINES_PER_PAGE;
	struct vcpu_translation *entry = &vcpu->tlb[page % VCPU_TLB_ENTRIES];

	if (entry->page != page) {
		entry->frame = pages_frame(arena, space, page, vcpu->socket);
		entry->page = page;
	}
	return entry->frame * ARENA_LINES_PER_PAGE +
	       vline % ARENA_LINES_PER_PAGE;
}

/* The set's most recent line is this one now. */
static void remember(struct vcpu *vcpu, uint64_t vline, uint64_t line,
		     enum privcache_use use)
{
	if (use == PRIVCACHE_FETCH)
		vcpu->recent_code[vline % PRIVCACHE_L1I_SETS] = vline;
	else
		vcpu->recent[vline % PRIVCACHE_L1D_SETS] =
			vline * 2 +
			privcache_is_recent_dirty(&vcpu->core->cache, line);
}

/* The line can be read: the program has just done so. */
static bool depends(struct vcpu *vcpu, uint64_t vaddr)
{
	const void *line = follow_memory(vaddr / 64 * 64);

	return line && chase_note(&vcpu->chase, vaddr, line);
}

/* Room for the requests of one access; false when nobody reads any more. */
static bool has_room(struct vcpu *vcpu)
{
	if (records_have_room(vcpu->core) ||
	    records_make_room(arena, vcpu->core))
		return true;
	switch_off(vcpu);
	return false;
}

/* Hands requests to the model. While there is one thread, this is where
 * invalidations take hold. */
static void put(struct vcpu *vcpu, const struct privcache_request *requests,
		unsigned num, bool is_dependent)
{
	struct arena_core *core = vcpu->core;
	struct arena_origin origin = {
		.address = (uintptr_t)follow_memory(vcpu->code),
		.pid = atomic_load_explicit(&vcpu->thread->pid,
					    memory_order_relaxed),
		.tid = vcpu->tid,
		.space = space,
	};
	uint64_t window;

	count(vcpu);
	vcpu->instructions = 0;
	vcpu->counted = 0;
	window = records_put(arena, core, requests, num, is_dependent, &origin);
	if (window && records_await(arena, core, window))
		invalidate_queued(vcpu, false, (uint32_t)window - 1);
}

void vcpu_pass_time(struct vcpu *vcpu)
{
	static const struct privcache_request nothing = {
		.kind = UNCORE_ACCESS_NONE,
	};

	if (vcpu->held && has_room(vcpu))
		put(vcpu, &nothing, 1, false);
	else
		vcpu->counted = vcpu->instructions = 0;
}

void vcpu_use(struct vcpu *vcpu, uint64_t vaddr, enum privcache_use use,
	      uint64_t code)
{
	struct privcache_request out[PRIVCACHE_MAX_REQUESTS];
	uint64_t vline = vaddr / 64;
	uint64_t line;
	unsigned num;

	if (!vcpu->held) {
		if (!vcpu->off)
			atomic_fetch_add(&arena->lost, 1);
		return;
	}
	if (!has_room(vcpu))
		return;
	vcpu->code = code;
	line = translate(vcpu, vline);
	num = privcache_access(&vcpu->core->cache, line, use, code, out);
	remember(vcpu, vline, line, use);
	if (num)
		put(vcpu, out, num,
		    out[0].kind == UNCORE_ACCESS_READ &&
			    out[0].prefetch != UNCORE_PREFETCH &&
			    depends(vcpu, vaddr));
}
