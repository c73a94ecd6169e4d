/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Which threads there are, of all processes, and which core each is on. A
 * thread's entry in the arena is made by who makes the thread, before it runs;
 * its core is one of those with the fewest threads.
 */
#include "bridge/valgrind/turns.h"

#include "bridge/valgrind/policy.h"

enum { FIRST_TID = 1 };

static struct arena_thread *threads[TURNS_MAX_TIDS]; /* by tid */
/* Of who executed this: cores that it may run on, its memory policy. */
static struct arena_thread inherited;

/* A thread or a process is about to be made. */
static struct arena_thread *coming;

struct arena_thread *turns_thread(ThreadId tid)
{
	return tid < TURNS_MAX_TIDS ? threads[tid] : NULL;
}

struct arena_thread *turns_find(uint32_t number)
{
	uint32_t num = atomic_load(&arena->num_threads);
	uint32_t i;

	for (i = 0; i < num && front.pid == (uint32_t)VG_(getpid)(); i++)
		if (arena->threads[i].tid == number &&
		    atomic_load(&arena->threads[i].state) < THREAD_LEAVES)
			return &arena->threads[i];
	return NULL;
}

/* The lock */

/* Holds the process's number, and whether others wait for it. */
enum { LOCK_IS_WANTED = INT32_MIN };

void threads_lock(void)
{
	for (;;) {
		uint32_t holder = 0;

		if (atomic_compare_exchange_strong(&arena->lock, &holder,
						   front.pid))
			return;
		if (!(holder & (uint32_t)LOCK_IS_WANTED) &&
		    !atomic_compare_exchange_strong(
			    &arena->lock, &holder,
			    holder | (uint32_t)LOCK_IS_WANTED))
			continue;
		front_wait(&arena->lock, holder | (uint32_t)LOCK_IS_WANTED,
			   NAP_NS);
		outside_end_with_owner();
	}
}

void threads_unlock(void)
{
	if (atomic_exchange(&arena->lock, 0) & (uint32_t)LOCK_IS_WANTED)
		front_wake(&arena->lock);
}

/* Places on cores */

static unsigned core_in_order(unsigned n)
{
	if (!arena->scatter)
		return n;
	return n % arena->num_sockets * arena->cores_per_socket +
	       n / arena->num_sockets;
}

/* The first of the cores with the fewest threads, of those in `mask` (bit n of
 * word n / 64: core n; all when it is empty). */
static unsigned choose_core(const uint64_t mask[2])
{
	unsigned best = core_in_order(0);
	uint32_t least = UINT32_MAX;
	unsigned i;

	for (i = 0; i < front_num_cores(); i++) {
		unsigned core = core_in_order(i);

		if ((mask[0] | mask[1]) && !(mask[core / 64] >> core % 64 & 1))
			continue;
		if (arena->cores[core].users < least) {
			best = core;
			least = arena->cores[core].users;
		}
	}
	return best;
}

static void sit(struct arena_thread *thread, unsigned core)
{
	unsigned num_used = 0;
	unsigned i;

	thread->core = (uint16_t)core;
	arena->cores[core].users++;
	arena->cores[core].is_used = true;
	for (i = 0; i < front_num_cores(); i++)
		num_used += arena->cores[i].is_used;
	if (num_used > 1 && !arena->is_shared)
		holders_share();
}

/* Beginnings and ends */

static void inherit(struct arena_thread *thread,
		    const struct arena_thread *from)
{
	thread->mask[0] = from->mask[0];
	thread->mask[1] = from->mask[1];
	thread->policy_mode = from->policy_mode;
	thread->policy_nodes = from->policy_nodes;
}

static struct arena_thread *next_entry(void)
{
	uint32_t number = atomic_load(&arena->num_threads);

	if (number < ARENA_MAX_THREADS)
		return &arena->threads[number];
	atomic_fetch_add(&arena->lost, 1);
	return NULL;
}

/* A thread that will come to its gate. With the lock held. */
static struct arena_thread *new_thread(void)
{
	struct arena_thread *thread = next_entry();

	if (!thread)
		return NULL;
	inherit(thread, front.thread ? front.thread : &inherited);
	sit(thread, choose_core(thread->mask));
	if (front.core)
		thread->ready = arena->now;
	atomic_store(&thread->state, THREAD_COMES);
	atomic_fetch_add(&arena->num_live, 1);
	atomic_fetch_add(&arena->num_threads, 1);
	return thread;
}

/* It takes no core's time, so it is not counted among its users. */
struct arena_thread *threads_make_teller(void)
{
	struct arena_thread *teller;

	threads_lock();
	teller = next_entry();
	if (teller) {
		teller->core = (uint16_t)front.core_number;
		teller->is_teller = true;
		teller->delay = 0;
		teller->naps = true;
		teller->until = ARENA_NEVER;
		teller->pid = front.pid;
		atomic_store(&teller->state, THREAD_WAITS);
		atomic_fetch_add(&arena->num_threads, 1);
	}
	threads_unlock();
	return teller;
}

void threads_end(struct arena_thread *thread, enum arena_state state)
{
	if (atomic_load(&thread->state) >= THREAD_LEAVES)
		return;
	if (atomic_load(&arena->turn) == threads_number(thread) + 1)
		atomic_store(&arena->turn, 0);
	atomic_store(&thread->state, state);
	if (thread->is_teller)
		return;
	arena->cores[thread->core].users--;
	atomic_fetch_sub(&arena->num_live, 1);
}

/* With the lock held. */
static void enter(ThreadId tid)
{
	if (!threads[tid])
		threads[tid] = new_thread();
	if (!threads[tid] || threads[tid]->tid)
		return;
	threads[tid]->tid = outside_tid();
	/* others look at both as soon as they see this one */
	atomic_thread_fence(memory_order_release);
	threads[tid]->pid = front.pid;
}

struct arena_thread *threads_entry(ThreadId tid)
{
	if (!threads[tid] || !threads[tid]->tid) {
		threads_lock();
		enter(tid);
		threads_unlock();
	}
	return threads[tid];
}

void turns_make(ThreadId child)
{
	if (front.is_off || (child && turns_thread(child)))
		return;
	threads_lock();
	coming = new_thread();
	threads_unlock();
	if (child && child < TURNS_MAX_TIDS) /* not of a process */
		threads[child] = coming;
}

void turns_made(Bool is_ok)
{
	unsigned i;

	if (is_ok)
		coming = NULL;
	if (!coming)
		return;
	threads_lock();
	threads_end(coming, THREAD_ENDED);
	threads_unlock();
	for (i = 0; i < TURNS_MAX_TIDS; i++)
		if (threads[i] == coming)
			threads[i] = NULL;
	coming = NULL;
}

void turns_fork_child(ThreadId tid)
{
	VG_(memset)(threads, 0, sizeof(threads));
	threads[tid] = coming;
	coming = NULL;
	front.core = NULL;
	front.thread = NULL;
	front.pid = outside_pid();
	timers_forked();
}

static void leave(ThreadId tid, enum arena_state state)
{
	struct arena_thread *me = turns_thread(tid);
	uint32_t in_call = THREAD_IN_CALL;

	if (!me)
		return;
	if (me == front.thread)
		atomic_compare_exchange_strong(&me->state, &in_call,
					       THREAD_RUNS);
	if (me == front.thread && atomic_load(&me->state) == THREAD_RUNS) {
		stream_pass_time();
		stream_publish();
		turns_leave_core();
		arena->now = front.core->clock + (uint64_t)front.core->ahead;
	}
	if (me == front.thread) {
		front.core = NULL;
		front.thread = NULL;
	}
	threads[tid] = NULL;
	threads_lock();
	threads_end(me, state);
	settle_stir();
	threads_unlock();
	turns_wake_next();
}

void turns_end(ThreadId tid)
{
	leave(tid, THREAD_LEAVES);
}

void turns_leave(Bool lives_on)
{
	unsigned i;

	timers_leave(lives_on);
	for (i = 0; i < TURNS_MAX_TIDS; i++)
		leave(i, lives_on ? THREAD_ENDED : THREAD_LEAVES);
}

/* What this process left behind when it executed another program. */
void turns_drop_former_self(void)
{
	uint32_t num;
	uint32_t i;

	threads_lock();
	num = atomic_load(&arena->num_threads);
	for (i = 0; i < num; i++) {
		struct arena_thread *thread = &arena->threads[i];

		if (thread->pid != front.pid)
			continue;
		if (atomic_load(&thread->state) < THREAD_LEAVES)
			inherit(&inherited, thread);
		threads_end(thread, THREAD_ENDED);
		/* its number may be the present one's */
		atomic_store(&thread->state, THREAD_ENDED);
	}
	settle_stir();
	/* its first thread is waited for from now on, or time would pass */
	if (!atomic_load(&arena->stop))
		enter(FIRST_TID);
	threads_unlock();
	policy_bind(0, 0, inherited.policy_mode, inherited.policy_nodes);
}

void turns_pin(struct arena_thread *thread, const uint64_t mask[2])
{
	unsigned core = thread->core;

	thread->mask[0] = mask[0];
	thread->mask[1] = mask[1];
	if (mask[core / 64] >> core % 64 & 1)
		return;
	threads_lock();
	if (thread == front.thread) {
		stream_pass_time();
		turns_leave_core();
	}
	arena->cores[core].users--;
	sit(thread, choose_core(mask));
	thread->ready =
		arena->cores[core].clock + (uint64_t)arena->cores[core].ahead;
	if (thread == front.thread) {
		arena->last = 0;
		turns_cut();
	}
	threads_unlock();
}
