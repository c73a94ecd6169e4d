/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Who is next, and who has the turn but cannot use it.
 */
#include "bridge/valgrind/turns.h"

#include <pub_tool_vki.h>
#include <pub_tool_vkiscnums.h>

enum { STOPPED_NAPS = 8 };

uint64_t turns_clock_of(const struct arena_thread *thread)
{
	const struct arena_core *core = &arena->cores[thread->core];
	uint64_t clock = core->clock + (uint64_t)core->ahead;

	return clock > thread->ready ? clock : thread->ready;
}

/* Of two threads, whether `a` goes first: the one that is further behind; on
 * one core, the one that ran last until its slice is over; else who has waited
 * longest. */
static bool goes_first(const struct arena_thread *a,
		       const struct arena_thread *b)
{
	const struct arena_core *core = &arena->cores[a->core];
	uint64_t clock_a = turns_clock_of(a);
	uint64_t clock_b = turns_clock_of(b);

	if (clock_a != clock_b)
		return clock_a < clock_b;
	if (a->core == b->core && clock_a < core->slice_ends &&
	    (core->last_thread == threads_number(a) ||
	     core->last_thread == threads_number(b)))
		return core->last_thread == threads_number(a);
	return a->turn < b->turn;
}

uint64_t turns_host_ns(void)
{
	enum { MONOTONIC = 1 };
	struct vki_timespec time = { 0 };

	VG_(do_syscall)
	(__NR_clock_gettime, MONOTONIC, (UWord)&time, 0, 0, 0, 0, 0, 0);
	return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

static bool host_is_before(uint64_t ns)
{
	return ns && turns_host_ns() < ns;
}

static bool waits(const struct arena_thread *thread)
{
	return atomic_load(&thread->state) == THREAD_WAITS &&
	       !(thread->naps && thread->until == ARENA_NEVER);
}

/* The waiting thread that is next, if any: who waits for time while somebody
 * waits for the world waits for the host's time, too. *others is the clock of
 * the one that follows on another core, *shares whether one waits for the same
 * core. */
static struct arena_thread *next_thread(uint64_t *others, bool *shares)
{
	uint32_t num = atomic_load(&arena->num_threads);
	struct arena_thread *best = NULL;
	uint32_t i;

	*others = UINT64_MAX;
	*shares = false;
	for (i = 0; i < num; i++) {
		struct arena_thread *thread = &arena->threads[i];

		if (waits(thread) && (!best || goes_first(thread, best)))
			best = thread;
	}
	if (best && best->naps && best->ready > arena->now &&
	    host_is_before(best->until_ns) && settle_waits_for_world())
		return NULL;
	for (i = 0; best && i < num; i++) {
		struct arena_thread *thread = &arena->threads[i];

		if (thread == best || !waits(thread))
			continue;
		if (thread->core == best->core && !thread->naps)
			*shares = true;
		else if (turns_clock_of(thread) < *others)
			*others = turns_clock_of(thread);
	}
	return best;
}

/* Outside of regions nobody asks; who enters one tells all. */
void turns_tell_idle(void)
{
	uint32_t num = atomic_load(&arena->num_threads);
	uint8_t busy[ARENA_MAX_CORES] = { 0 };
	uint32_t i;

	if (front.is_outside)
		return;
	for (i = 0; i < num; i++) {
		uint32_t state = atomic_load(&arena->threads[i].state);

		if (arena->threads[i].naps || arena->threads[i].is_teller)
			continue;
		if (state == THREAD_RUNS || state == THREAD_CHOSEN ||
		    state == THREAD_WAITS || state == THREAD_IN_CALL ||
		    state == THREAD_COMES)
			busy[arena->threads[i].core] = 1;
	}
	for (i = 0; i < front_num_cores(); i++)
		if (arena->cores[i].is_used &&
		    arena->cores[i].is_busy != busy[i]) {
			arena->cores[i].is_busy = busy[i];
			stream_event(busy[i] ? ARENA_BUSY : ARENA_IDLE, i, 0);
		}
}

static unsigned num_waiting(void)
{
	uint32_t num = atomic_load(&arena->num_threads);
	unsigned waiting = 0;
	uint32_t i;

	for (i = 0; i < num; i++)
		waiting += waits(&arena->threads[i]);
	return waiting;
}

bool turns_decide(struct arena_thread **chosen)
{
	struct arena_thread *next;
	uint64_t others;
	bool shares;

	*chosen = NULL;
	if (atomic_load(&arena->turn))
		return true;
	if (!settle_all())
		return false;
	next = next_thread(&others, &shares);
	if (!next)
		return true;
	next->turn = ++arena->turns;
	arena->others = others;
	arena->shares = shares;
	atomic_store(&next->state, THREAD_CHOSEN);
	atomic_store(&arena->num_waiting, num_waiting());
	atomic_store(&arena->turn, threads_number(next) + 1);
	atomic_fetch_add(&next->go, 1);
	*chosen = next;
	return true;
}

void turns_wake_next(void)
{
	struct arena_thread *next;
	uint64_t others;
	bool shares;

	threads_lock();
	next = next_thread(&others, &shares);
	if (next)
		atomic_fetch_add(&next->go, 1);
	threads_unlock();
	if (next)
		front_wake(&next->go);
}

void turns_look_after_holder(unsigned naps)
{
	uint32_t turn = atomic_load(&arena->turn);
	struct arena_thread *holder;
	uint32_t state;

	if (!turn)
		return;
	holder = &arena->threads[turn - 1];
	state = atomic_load(&holder->state);
	if ((state == THREAD_IN_CALL && settle_sleeps_in_call(holder)) ||
	    (state == THREAD_CHOSEN &&
	     naps % STOPPED_NAPS == STOPPED_NAPS - 1 &&
	     settle_is_stopped(holder)))
		if (atomic_compare_exchange_strong(&holder->state, &state,
						   THREAD_BLOCKED))
			atomic_store(&arena->turn, 0);
}

bool turns_may_sleep(void)
{
	uint32_t turn = atomic_load(&arena->turn);
	const struct arena_thread *holder = &arena->threads[turn - 1];

	return turn && holder->may_sleep &&
	       atomic_load(&holder->state) == THREAD_IN_CALL;
}
