/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Where a thread waits for its turn, without Valgrind's lock. Meanwhile it
 * looks for its signals, if it naps, and after the others.
 */
#include "bridge/valgrind/turns.h"

#include <pub_tool_guest.h>
#include <pub_tool_vki.h>
#include <pub_tool_vkiscnums.h>

enum {
	SETTLE_NS = 20 * 1000,
	YIELDS = 256,	 /* while others come; then they are waited for */
	OWNER_NAPS = 64, /* between two looks whether uncore lives */
};

bool turns_takes(struct arena_thread *me)
{
	uint32_t chosen = THREAD_CHOSEN;
	uint32_t blocked = THREAD_BLOCKED;

	if (atomic_compare_exchange_strong(&me->state, &blocked, THREAD_WAITS))
		atomic_fetch_add(&arena->arrivals, 1);
	return atomic_compare_exchange_strong(&me->state, &chosen,
					      THREAD_RUNS) ||
	       chosen == THREAD_RUNS;
}

/* Of Valgrind's core. */
extern void vgPlain_poll_signals(ThreadId tid);
enum { SIGNAL_SET_BYTES = 8 };

static uint64_t pending_signals(void)
{
	uint64_t pending = 0;

	VG_(do_syscall)
	(__NR_rt_sigpending, (UWord)&pending, SIGNAL_SET_BYTES, 0, 0, 0, 0, 0,
	 0);
	return pending;
}

bool turns_take_signals(ThreadId tid)
{
	Addr address = VG_(get_IP)(tid);

	if (!pending_signals())
		return false;
	vgPlain_poll_signals(tid);
	return vgPlain_is_exiting(tid) || VG_(get_IP)(tid) != address;
}

/* A thread that naps takes a signal, as its call would be interrupted by it:
 * what the call gives then is in its registers already. */
static void look_for_signals(ThreadId tid, struct arena_thread *me, uint32_t go)
{
	if (pending_signals()) {
		vgPlain_acquire_BigLock(tid, "uncore");
		me->is_disturbed = turns_take_signals(tid);
		vgPlain_release_BigLock(tid, CORE_YIELDING, "uncore");
	}
	threads_lock();
	me->calm_at = go;
	if (me->is_disturbed) {
		me->naps = false;
		if (me->ready > arena->now)
			me->ready = arena->now;
	}
	threads_unlock();
}

/* What it watches has come, if anything. */
static void look_at_files(ThreadId tid, struct arena_thread *me)
{
	if (!sleep_sees(tid, 0))
		return;
	threads_lock();
	me->is_woken = true;
	me->naps = false;
	if (me->ready > arena->now)
		me->ready = arena->now;
	threads_unlock();
}

static void look(ThreadId tid, struct arena_thread *me, uint32_t go)
{
	if (me->watches)
		look_at_files(tid, me);
	if (!me->is_masked && !me->is_woken)
		look_for_signals(tid, me, go);
	else
		me->calm_at = go;
}

void turns_look_again(bool for_signals)
{
	uint32_t num = atomic_load(&arena->num_threads);
	uint32_t i;

	for (i = 0; i < num; i++) {
		struct arena_thread *thread = &arena->threads[i];

		if (!thread->naps || !(for_signals || thread->watches) ||
		    thread->is_teller)
			continue;
		atomic_fetch_add(&thread->go, 1);
		front_wake(&thread->go);
	}
}

static void wake(struct arena_thread *chosen, const struct arena_thread *me)
{
	if (chosen && chosen != me)
		front_wake(&chosen->go);
}

static bool has_to_go(ThreadId tid, const struct arena_thread *me)
{
	return atomic_load(&arena->stop) ||
	       (me->is_teller ? atomic_load(&me->state) >= THREAD_LEAVES
			      : vgPlain_is_exiting(tid));
}

/* How long a thread waits before it looks after the others: so long that all
 * who wait do so about twice in NAP_NS, however many they are. Who naps looks
 * after itself, too. */
static uint64_t nap_ns(const struct arena_thread *me, unsigned naps)
{
	enum { CLOSE_LOOKS = 50 };

	if (turns_may_sleep() && naps < CLOSE_LOOKS)
		return SETTLE_NS;
	if (me->naps)
		return NAP_NS;
	return NAP_NS * (1 + (uint64_t)atomic_load(&arena->num_waiting) / 2);
}

void turns_wait_at_gate(ThreadId tid, struct arena_thread *me,
			struct arena_thread *chosen)
{
	unsigned naps = 0;

	wake(chosen, me);
	while (!turns_takes(me)) {
		uint32_t go = atomic_load(&me->go);
		bool is_decided;

		if (has_to_go(tid, me))
			break;
		if (me->naps && !me->is_teller)
			look(tid, me, go);
		threads_lock();
		turns_look_after_holder(naps);
		is_decided = turns_decide(&chosen);
		threads_unlock();
		wake(chosen, me);
		if (turns_takes(me))
			break;
		if (!is_decided && naps < YIELDS)
			VG_(do_syscall)
		(__NR_sched_yield, 0, 0, 0, 0, 0, 0, 0, 0);
		else if (!is_decided) front_wait(&me->go, go, SETTLE_NS);
		else if (me->watches && me->waits_for_world &&
			 !atomic_load(&arena->turn))
			sleep_sees(tid, NAP_NS / 1000000);
		else front_wait(&me->go, go, nap_ns(me, naps));
		if (naps++ % OWNER_NAPS == 0)
			outside_end_with_owner();
	}
}
