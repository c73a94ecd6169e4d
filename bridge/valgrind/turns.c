/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * One thread of all processes runs at a time: it has the turn. The next is the
 * one whose core's clock is furthest behind, so that cores advance together; a
 * turn ends when the clock is `skew` before the next one's. The skew is short
 * where lines go from core to core, and grows where they do not. A thread that
 * does not fall asleep in its system call keeps the turn; settle.c has what is
 * waited for before the next one is chosen.
 */
#include "bridge/valgrind/turns.h"

#include <pub_tool_vki.h>
#include <pub_tool_vkiscnums.h>

/* Of Valgrind's core, to which this is linked. */
extern void vgPlain_release_BigLock_LL(const HChar *who);
extern void vgPlain_acquire_BigLock_LL(const HChar *who);

static uint64_t entered; /* clock from which on run_cycles are to be added */
/* When the present call began: whoever it wakes may be at its gate before it
 * ends, or not. */
static bool others_sleep;

bool turns_is_own(void)
{
	return front.thread &&
	       atomic_load(&arena->turn) == threads_number(front.thread) + 1;
}

void turns_leave_core(void)
{
	uint64_t clock;

	if (!front.core)
		return;
	access_leave();
	clock = stream_clock();
	front.thread->run_cycles += clock - entered;
	front.core->run_cycles += clock - entered;
	timers_ran(clock - entered);
	entered = clock;
}

static void enter_core(struct arena_thread *thread, ThreadId tid)
{
	struct arena_core *core = &arena->cores[thread->core];

	front.core = core;
	front.thread = thread;
	front.tid = tid;
	front.core_number = thread->core;
	front.thread_number = threads_number(thread);
	front.socket = thread->core / arena->cores_per_socket;
	front.executed = 0;
	objects_resume(tid);
	if (thread->ready > core->clock + (uint64_t)core->ahead)
		core->clock = thread->ready - (uint64_t)core->ahead;
	entered = core->clock;
	access_enter();
}

static void await_turn(ThreadId tid, struct arena_thread *me,
		       struct arena_thread *chosen)
{
	vgPlain_release_BigLock(tid, CORE_YIELDING, "uncore");
	turns_wait_at_gate(tid, me, chosen);
	vgPlain_acquire_BigLock(tid, "uncore");
}

/* The thread's core is idle up to now; if all are time passes at once. */
static void wake_up(struct arena_thread *me)
{
	turns_tell_idle();
	if (front_counts())
		stream_event(ARENA_PASS, me->core, me->until);
	me->naps = false;
}

static void begin_turn(struct arena_thread *me, ThreadId tid)
{
	if (front.thread != me || arena->last != threads_number(me) + 1 ||
	    me->naps)
		enter_core(me, tid);
	waits_for(me->delay);
	me->delay = 0;
	arena->last = threads_number(me) + 1;
	turns_begin_length(me);
	region_look();
	if (me->naps)
		wake_up(me);
	turns_tell_idle();
	if (!me->is_teller)
		timers_begin_turn();
}

/* Only who has the turn knows: since it was lost here, others may have moved
 * the clock of this core. */
static void note_now(void)
{
	if (front.core)
		arena->now = front.core->clock + (uint64_t)front.core->ahead;
}

/* Comes to the gate: from outside, or with a turn that is over. Returns who has
 * the turn now and is to be woken. */
static struct arena_thread *come(struct arena_thread *me)
{
	struct arena_thread *chosen;

	threads_lock();
	if (atomic_load(&me->state) == THREAD_RUNS) {
		turns_leave_core();
		note_now();
		atomic_store(&arena->turn, 0);
	} else if (me->ready < arena->now) {
		me->ready = arena->now;
	}
	atomic_store(&me->state, THREAD_WAITS);
	atomic_fetch_add(&arena->num_waiting, 1);
	atomic_fetch_add(&arena->arrivals, 1);
	turns_decide(&chosen);
	threads_unlock();
	return chosen;
}

/* Waits for the turn, from the gate on. */
static void wait_for_turn(ThreadId tid, struct arena_thread *me)
{
	struct arena_thread *chosen = come(me);

	if (!turns_takes(me))
		await_turn(tid, me, chosen);
	if (atomic_load(&arena->stop))
		front.is_off = 1;
	else if (atomic_load(&me->state) == THREAD_RUNS)
		begin_turn(me, tid);
}

/* Until the model's time comes, or somebody wakes it: see struct arena_thread.
 * `cycles` are those of the estimate until then. */
static void nap(struct arena_thread *me, uint64_t cycles, uint64_t until,
		uint64_t ns)
{
	me->ready = stream_clock() + (uint64_t)front.core->ahead + cycles;
	me->until = until;
	me->until_ns = ns ? turns_host_ns() + ns : 0;
	me->is_woken = false;
	me->is_disturbed = false;
	me->calm_at = atomic_load(&me->go) - 1;
}

bool turns_nap(ThreadId tid, uint64_t cycles, uint64_t until, uint64_t ns,
	       uint64_t word)
{
	struct arena_thread *me = front.thread;

	nap(me, cycles, until, ns);
	me->word = word;
	me->naps = true;
	stream_publish();
	wait_for_turn(tid, me);
	me->word = 0;
	me->naps = false;
	return !me->is_disturbed && !front.is_off &&
	       atomic_load(&me->state) == THREAD_RUNS;
}

void turns_tell_at(struct arena_thread *me, uint64_t cycles, uint64_t until,
		   uint64_t ns)
{
	threads_lock();
	nap(me, cycles, until, ns);
	me->naps = true;
	threads_unlock();
	if (until != ARENA_NEVER)
		atomic_fetch_add(&arena->num_waiting, 1);
}

/* It waits for Valgrind's lock only when it has the turn, so that who has both
 * can have it end. */
bool turns_tell(struct arena_thread *me)
{
	struct arena_thread *chosen = NULL;

	if (atomic_load(&me->state) == THREAD_RUNS) {
		chosen = come(me);
		vgPlain_release_BigLock_LL("uncore");
	}
	turns_wait_at_gate(VG_INVALID_THREADID, me, chosen);
	if (atomic_load(&me->state) != THREAD_RUNS)
		return false;
	vgPlain_acquire_BigLock_LL("uncore");
	if (atomic_load(&me->state) == THREAD_RUNS) {
		begin_turn(me, VG_INVALID_THREADID);
		return true;
	}
	vgPlain_release_BigLock_LL("uncore");
	return false;
}

unsigned turns_wake(uint64_t word, uint32_t pid, unsigned most)
{
	uint64_t now = stream_clock() + (uint64_t)front.core->ahead;
	unsigned woken = 0;

	threads_lock();
	while (woken < most) {
		uint32_t num = atomic_load(&arena->num_threads);
		struct arena_thread *first = NULL;
		uint32_t i;

		for (i = 0; i < num; i++) {
			struct arena_thread *thread = &arena->threads[i];

			if (thread->naps && thread->word == word &&
			    (!pid || thread->pid == pid) &&
			    (!first || thread->turn < first->turn))
				first = thread;
		}
		if (!first)
			break;
		first->is_woken = true;
		first->naps = false;
		first->word = 0;
		if (first->ready > now)
			first->ready = now;
		woken++;
	}
	threads_unlock();
	if (woken)
		turns_cut();
	return woken;
}

void turns_start(ThreadId tid)
{
	struct arena_thread *me;
	uint32_t in_call = THREAD_IN_CALL;

	if (front.is_off)
		return;
	me = threads_entry(tid);
	if (!me) {
		front.is_off = 1;
		return;
	}
	atomic_compare_exchange_strong(&me->state, &in_call, THREAD_RUNS);
	if (front.thread == me && atomic_load(&me->state) == THREAD_RUNS) {
		stream_pass_time();
		if (!turns_is_over())
			return;
	}
	if (atomic_load(&me->state) == THREAD_RUNS)
		stream_publish();
	wait_for_turn(tid, me);
}

/* Calls */

void turns_call(ThreadId tid, UInt call, const UWord *args)
{
	struct arena_thread *me = turns_thread(tid);

	if (front.is_off || !me || me != front.thread)
		return;
	stream_pass_time();
	stream_publish();
	turns_leave_core();
	note_now();
	me->call = call;
	me->call_argument = (uint32_t)args[0];
	me->waits_for_world = world_ends(call, args);
	me->is_asleep = false;
	me->may_sleep = settle_most_often_sleeps(call);
	others_sleep = settle_any_blocked();
	if (call == __NR_sched_yield)
		front.wants_to_yield = 1;
	atomic_store(&me->state, THREAD_IN_CALL);
	if (!me->may_sleep || !atomic_load(&arena->num_waiting) ||
	    call == __NR_sched_yield)
		return;
	turns_wake_next();
}

void turns_called(ThreadId tid, UInt call, UWord argument, Bool is_ok,
		  UWord result)
{
	struct arena_thread *me = turns_thread(tid);

	if (front.is_off || !me || me != front.thread ||
	    settle_is_quiet(call, argument))
		return;
	if (call == __NR_futex && (!is_ok || !result))
		return;
	if (settle_sends_signal(call))
		turns_look_again(true);
	if (!others_sleep && !settle_makes_thread(call))
		return;
	settle_stir();
	turns_cut();
}
