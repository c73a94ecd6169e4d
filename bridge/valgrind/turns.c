/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * One thread of all processes runs at a time: it has the turn. The next is the
 * one whose core's clock is furthest behind, so that cores advance together; a
 * turn ends when the clock is `skew` before the next one's. The skew is short
 * where lines go from core to core, and grows where they do not.
 *
 * Who may run must not depend on how fast things happen here. So before the
 * next thread is chosen, every thread that is in a system call has to be seen
 * either asleep in it, by what the kernel says, or back at its gate: a thread
 * that was woken by what another did is then always there. A thread that does
 * not fall asleep in its call keeps the turn.
 *
 *   COMES -> WAITS -> RUNS <-> IN_CALL -> BLOCKED -> WAITS
 *              ^-------'(turn over)            any -> LEAVES -> ENDED
 */
#include "bridge/valgrind/core.h"

#include <pub_tool_libcfile.h>
#include <pub_tool_threadstate.h>
#include <pub_tool_vki.h>
#include <pub_tool_vkiscnums.h>

enum {
	SHORT_SKEW = 10,	 /* core cycles */
	SLICE_CYCLES = 200000,	 /* on a core that others wait for, too */
	BLOCK_INSTRUCTIONS = 24, /* of a long block */
	SHORT_TURN = 300,	 /* core cycles; in these a miss counts */
	MIN_BLOCKS = 2,
	MAX_BLOCKS = 10000,
	NAP_NS = 1000 * 1000,
	LONG_NAP_NS = 20 * 1000 * 1000,
	SETTLE_NS = 20 * 1000,
};

/* Of Valgrind's core, to which this is linked. */
extern void vgPlain_release_BigLock(ThreadId tid, UInt state, const HChar *who);
extern void vgPlain_acquire_BigLock(ThreadId tid, const HChar *who);
extern Bool vgPlain_is_exiting(ThreadId tid);
enum { CORE_YIELDING = 4 };

static struct arena_thread *threads[TURNS_MAX_TIDS]; /* by tid */
static uint64_t turn_ends;			     /* clock */
static uint64_t inherited[2]; /* cores that who executed this may run on */
static bool others_wait;

static unsigned num_cores(void)
{
	return arena->num_sockets * arena->cores_per_socket;
}

struct arena_thread *turns_thread(ThreadId tid)
{
	return tid < TURNS_MAX_TIDS ? threads[tid] : NULL;
}

static uint32_t number_of(const struct arena_thread *thread)
{
	return (uint32_t)(thread - arena->threads);
}

/* The lock */

/* Holds the process's number, and whether others wait for it. */
enum { LOCK_IS_WANTED = INT32_MIN };

static void lock(void)
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
	}
}

static void unlock(void)
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

	for (i = 0; i < num_cores(); i++) {
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
	for (i = 0; i < num_cores(); i++)
		num_used += arena->cores[i].is_used;
	if (num_used > 1 && !arena->is_shared)
		access_share();
}

/* A thread that will come to its gate. With the lock held. */
static struct arena_thread *new_thread(void)
{
	uint32_t number = atomic_load(&arena->num_threads);
	struct arena_thread *thread = &arena->threads[number];

	if (number >= ARENA_MAX_THREADS) {
		atomic_fetch_add(&arena->lost, 1);
		return NULL;
	}
	thread->space = front.space;
	if (!front.thread) {
		thread->mask[0] = inherited[0];
		thread->mask[1] = inherited[1];
	} else {
		thread->mask[0] = front.thread->mask[0];
		thread->mask[1] = front.thread->mask[1];
	}
	sit(thread, choose_core(thread->mask));
	if (front.core)
		thread->ready = stream_clock() + (uint64_t)front.core->ahead;
	atomic_store(&thread->state, THREAD_COMES);
	atomic_fetch_add(&arena->num_live, 1);
	atomic_store(&arena->num_threads, number + 1);
	return thread;
}

static void end_thread(struct arena_thread *thread, enum arena_state state)
{
	if (atomic_load(&thread->state) >= THREAD_LEAVES)
		return;
	if (atomic_load(&arena->turn) == number_of(thread) + 1)
		atomic_store(&arena->turn, 0);
	atomic_store(&thread->state, state);
	arena->cores[thread->core].users--;
	atomic_fetch_sub(&arena->num_live, 1);
}

/* What the kernel says */

static Int read_file(const HChar *path, HChar *text, Int size_bytes)
{
	SysRes opened = VG_(open)(path, VKI_O_RDONLY, 0);
	Int length;

	if (sr_isError(opened))
		return -1;
	length = VG_(read)((Int)sr_Res(opened), text, size_bytes - 1);
	VG_(close)((Int)sr_Res(opened));
	text[length > 0 ? length : 0] = '\0';
	return length;
}

/* Asleep by its state; also when it is gone. */
static bool sleeps(const struct arena_thread *thread)
{
	HChar path[64];
	HChar text[512];
	const HChar *state;

	VG_(sprintf)(path, "/proc/%u/task/%u/stat", thread->pid, thread->tid);
	if (read_file(path, text, sizeof(text)) <= 0)
		return true;
	state = VG_(strrchr)(text, ')');
	return state && (state[2] == 'S' || state[2] == 'T' ||
			 state[2] == 't' || state[2] == 'Z' || state[2] == 'X');
}

/* Asleep in its own call, and not in one of Valgrind's on the way back. */
static bool sleeps_in_call(const struct arena_thread *thread)
{
	HChar path[64];
	HChar text[256];
	HChar *end;

	if (!sleeps(thread))
		return false;
	VG_(sprintf)
	(path, "/proc/%u/task/%u/syscall", thread->pid, thread->tid);
	if (read_file(path, text, sizeof(text)) <= 0)
		return true; /* the kernel does not tell */
	if (text[0] < '0' || text[0] > '9')
		return false;
	if (VG_(strtoll10)(text, &end) == __NR_restart_syscall)
		return true;
	if (VG_(strtoll10)(text, &end) != (Long)thread->call)
		return false;
	return thread->call != __NR_futex ||
	       (uint32_t)VG_(strtoull16)(end + 1, NULL) ==
		       thread->call_argument;
}

static bool is_gone(const struct arena_thread *thread)
{
	HChar path[64];
	HChar text[512];
	const HChar *state;

	VG_(sprintf)(path, "/proc/%u/task/%u/stat", thread->pid, thread->tid);
	if (read_file(path, text, sizeof(text)) <= 0)
		return true;
	state = VG_(strrchr)(text, ')');
	return state && (state[2] == 'Z' || state[2] == 'X');
}

/* What a thread did may have woken any other. */
static void stir(void)
{
	uint32_t num = atomic_load(&arena->num_threads);
	uint32_t i;

	for (i = 0; i < num; i++)
		arena->threads[i].is_asleep = false;
}

/* Whether every thread is either at its gate or asleep. With the lock held. */
static bool all_settled(void)
{
	uint32_t num = atomic_load(&arena->num_threads);
	uint32_t before = atomic_load(&arena->arrivals);
	uint32_t i;

	for (i = 0; i < num; i++) {
		struct arena_thread *thread = &arena->threads[i];

		switch (atomic_load(&thread->state)) {
		case THREAD_COMES:
			if (!thread->pid || !is_gone(thread))
				return false;
			end_thread(thread, THREAD_ENDED);
			break;
		case THREAD_LEAVES:
			if (!is_gone(thread))
				return false;
			atomic_store(&thread->state, THREAD_ENDED);
			stir();
			return false;
		case THREAD_BLOCKED:
			if (thread->is_asleep)
				break;
			if (!sleeps_in_call(thread))
				return false;
			thread->is_asleep = true;
			break;
		default: break;
		}
	}
	return atomic_load(&arena->arrivals) == before;
}

/* Turns */

static uint64_t clock_of(const struct arena_thread *thread)
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
	uint64_t clock_a = clock_of(a);
	uint64_t clock_b = clock_of(b);

	if (clock_a != clock_b)
		return clock_a < clock_b;
	if (a->core == b->core && clock_a < core->slice_ends &&
	    (core->last_thread == number_of(a) ||
	     core->last_thread == number_of(b)))
		return core->last_thread == number_of(a);
	return a->turn < b->turn;
}

/* The waiting thread that is next; *others is the clock of the one that follows
 * on another core, *shares whether one waits for the same core. */
static struct arena_thread *next_thread(uint64_t *others, bool *shares)
{
	uint32_t num = atomic_load(&arena->num_threads);
	struct arena_thread *best = NULL;
	uint32_t i;

	*others = UINT64_MAX;
	*shares = false;
	for (i = 0; i < num; i++) {
		struct arena_thread *thread = &arena->threads[i];

		if (atomic_load(&thread->state) == THREAD_WAITS &&
		    (!best || goes_first(thread, best)))
			best = thread;
	}
	for (i = 0; best && i < num; i++) {
		struct arena_thread *thread = &arena->threads[i];

		if (thread == best ||
		    atomic_load(&thread->state) != THREAD_WAITS)
			continue;
		if (thread->core == best->core)
			*shares = true;
		else if (clock_of(thread) < *others)
			*others = clock_of(thread);
	}
	return best;
}

/* The present thread's core gets what was counted for it. */
static void leave_core(void)
{
	if (!front.core)
		return;
	access_leave();
	front.core->clock = stream_clock();
	front.core->clock_instructions = front.instructions;
	atomic_store(&front.core->instructions, front.instructions);
}

static void enter_core(struct arena_thread *thread, ThreadId tid)
{
	struct arena_core *core = &arena->cores[thread->core];

	front.core = core;
	front.thread = thread;
	front.tid = tid;
	front.core_number = thread->core;
	front.thread_number = number_of(thread);
	front.socket = thread->core / arena->cores_per_socket;
	front.instructions = atomic_load(&core->instructions);
	if (thread->ready > core->clock + (uint64_t)core->ahead)
		core->clock = thread->ready - (uint64_t)core->ahead;
	access_enter();
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

		if (state == THREAD_RUNS || state == THREAD_WAITS ||
		    state == THREAD_IN_CALL || state == THREAD_COMES)
			busy[arena->threads[i].core] = 1;
	}
	for (i = 0; i < num_cores(); i++)
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
		waiting +=
			atomic_load(&arena->threads[i].state) == THREAD_WAITS;
	return waiting;
}

/* Gives the turn to the next thread, if any waits and all have settled; false:
 * to be tried again. With the lock held; *chosen is to be woken without it. */
static bool decide(struct arena_thread **chosen)
{
	struct arena_thread *next;
	uint64_t others;
	bool shares;

	*chosen = NULL;
	if (atomic_load(&arena->turn))
		return true;
	if (!all_settled())
		return false;
	next = next_thread(&others, &shares);
	if (!next)
		return true;
	next->turn = ++arena->turns;
	arena->others = others;
	arena->shares = shares;
	atomic_store(&next->state, THREAD_RUNS);
	atomic_store(&arena->num_waiting, num_waiting());
	atomic_store(&arena->turn, number_of(next) + 1);
	atomic_fetch_add(&next->go, 1);
	*chosen = next;
	return true;
}

static void wake(struct arena_thread *chosen, const struct arena_thread *me)
{
	if (chosen && chosen != me)
		front_wake(&chosen->go);
}

/* Somebody who waits looks what there is to do. */
static void wake_next(void)
{
	struct arena_thread *next;
	uint64_t others;
	bool shares;

	lock();
	next = next_thread(&others, &shares);
	if (next)
		atomic_fetch_add(&next->go, 1);
	unlock();
	if (next)
		front_wake(&next->go);
}

/* The thread that has the turn is in a call: when it sleeps there, it loses
 * the turn. With the lock held. */
static void look_after_holder(void)
{
	uint32_t turn = atomic_load(&arena->turn);
	struct arena_thread *holder;
	uint32_t in_call = THREAD_IN_CALL;

	if (!turn)
		return;
	holder = &arena->threads[turn - 1];
	if (atomic_load(&holder->state) != THREAD_IN_CALL ||
	    !sleeps_in_call(holder))
		return;
	if (atomic_compare_exchange_strong(&holder->state, &in_call,
					   THREAD_BLOCKED))
		atomic_store(&arena->turn, 0);
}

static bool may_sleep(void)
{
	uint32_t turn = atomic_load(&arena->turn);

	return turn && arena->threads[turn - 1].may_sleep;
}

/* Waits, without Valgrind's lock, until the thread has the turn. */
static void await_turn(ThreadId tid, struct arena_thread *me,
		       struct arena_thread *chosen)
{
	unsigned naps = 0;

	vgPlain_release_BigLock(tid, CORE_YIELDING, "uncore");
	wake(chosen, me);
	while (atomic_load(&me->state) != THREAD_RUNS) {
		uint32_t go = atomic_load(&me->go);
		bool is_decided;

		if (atomic_load(&arena->stop) || vgPlain_is_exiting(tid))
			break;
		lock();
		look_after_holder();
		is_decided = decide(&chosen);
		unlock();
		wake(chosen, me);
		if (atomic_load(&me->state) == THREAD_RUNS)
			break;
		if (!is_decided)
			VG_(do_syscall)
			(__NR_sched_yield, 0, 0, 0, 0, 0, 0, 0, 0);
		else
			front_wait(&me->go, go,
				   may_sleep() && naps < 50 ? SETTLE_NS
							    : NAP_NS);
		naps++;
	}
	vgPlain_acquire_BigLock(tid, "uncore");
}

static void begin_turn(struct arena_thread *me, ThreadId tid)
{
	struct arena_core *core = &arena->cores[me->core];
	uint32_t skew = core->skew < SHORT_SKEW ? SHORT_SKEW : core->skew;

	if (front.thread != me || arena->last != number_of(me) + 1)
		enter_core(me, tid);
	arena->last = number_of(me) + 1;
	core->skew = skew * 2 < arena->max_skew ? skew * 2 : arena->max_skew;
	others_wait = arena->others != UINT64_MAX || arena->shares;
	turn_ends = UINT64_MAX;
	if (arena->others != UINT64_MAX)
		turn_ends = arena->others + skew;
	if (core->last_thread != number_of(me) ||
	    clock_of(me) >= core->slice_ends) {
		core->last_thread = number_of(me);
		core->slice_ends = clock_of(me) + SLICE_CYCLES;
	}
	if (arena->shares && turn_ends > core->slice_ends)
		turn_ends = core->slice_ends;
	region_look();
	turns_tell_idle();
}

/* A spin-wait, or sched_yield(): time passes until the others have had theirs.
 */
static void yield(void)
{
	front.wants_to_yield = 0;
	if (!others_wait)
		return;
	if (arena->others != UINT64_MAX &&
	    stream_clock() + (uint64_t)front.core->ahead <= arena->others) {
		front.core->clock =
			arena->others + 1 - (uint64_t)front.core->ahead;
		front.core->clock_instructions = front.instructions;
	}
	front.core->slice_ends = 0;
	turn_ends = 0;
}

static bool turn_is_over(void)
{
	if (front.wants_to_yield)
		yield();
	if (!others_wait && !atomic_load(&arena->num_waiting))
		return false;
	if (!others_wait) /* somebody has come since */
		return true;
	return stream_clock() + (uint64_t)front.core->ahead >= turn_ends;
}

/* Comes to the gate: from outside, or with a turn that is over. Returns who has
 * the turn now and is to be woken. */
static struct arena_thread *come(struct arena_thread *me)
{
	struct arena_thread *chosen;

	lock();
	if (front.core)
		arena->now = stream_clock() + (uint64_t)front.core->ahead;
	if (atomic_load(&me->state) == THREAD_RUNS) {
		leave_core();
		atomic_store(&arena->turn, 0);
	} else if (me->ready < arena->now) {
		me->ready = arena->now;
	}
	atomic_store(&me->state, THREAD_WAITS);
	atomic_fetch_add(&arena->num_waiting, 1);
	atomic_fetch_add(&arena->arrivals, 1);
	decide(&chosen);
	unlock();
	return chosen;
}

/* The thread's entry, made by who made the thread, or here for the first. */
static struct arena_thread *entry_of(ThreadId tid)
{
	if (!threads[tid]) {
		lock();
		threads[tid] = new_thread();
		unlock();
	}
	if (threads[tid] && !threads[tid]->tid) {
		threads[tid]->tid = (uint32_t)VG_(gettid)();
		/* others look at both as soon as they see this one */
		atomic_thread_fence(memory_order_release);
		threads[tid]->pid = front.pid;
	}
	return threads[tid];
}

void turns_start(ThreadId tid)
{
	struct arena_thread *me, *chosen;
	uint32_t in_call = THREAD_IN_CALL;

	if (front.is_off)
		return;
	me = entry_of(tid);
	if (!me) {
		front.is_off = 1;
		return;
	}
	atomic_compare_exchange_strong(&me->state, &in_call, THREAD_RUNS);
	if (front.thread == me && atomic_load(&me->state) == THREAD_RUNS) {
		stream_pass_time();
		if (!turn_is_over())
			return;
	}
	stream_publish();
	chosen = come(me);
	if (atomic_load(&me->state) != THREAD_RUNS)
		await_turn(tid, me, chosen);
	if (atomic_load(&arena->stop))
		front.is_off = 1;
	else if (atomic_load(&me->state) == THREAD_RUNS)
		begin_turn(me, tid);
}

/* Calls */

static bool most_often_sleeps(UInt call)
{
	switch (call) {
	case __NR_futex:
	case __NR_nanosleep:
	case __NR_clock_nanosleep:
	case __NR_poll:
	case __NR_ppoll:
	case __NR_select:
	case __NR_pselect6:
	case __NR_epoll_wait:
	case __NR_epoll_pwait:
	case __NR_wait4:
	case __NR_waitid:
	case __NR_pause:
	case __NR_rt_sigsuspend:
	case __NR_rt_sigtimedwait:
	case __NR_accept:
	case __NR_accept4:
	case __NR_recvfrom:
	case __NR_recvmsg:
	case __NR_sched_yield: return true;
	default: return false;
	}
}

/* Calls after which nobody can have been woken. */
static bool is_quiet(UInt call, UWord argument)
{
	switch (call) {
	case __NR_futex: /* FUTEX_WAIT and its like */
		argument &= 0x7f;
		return argument == 0 || argument == 9 || argument == 11;
	case __NR_read:
	case __NR_pread64:
	case __NR_readv:
	case __NR_open:
	case __NR_openat:
	case __NR_stat:
	case __NR_fstat:
	case __NR_lstat:
	case __NR_newfstatat:
	case __NR_lseek:
	case __NR_mmap:
	case __NR_munmap:
	case __NR_mprotect:
	case __NR_mremap:
	case __NR_madvise:
	case __NR_brk:
	case __NR_rt_sigaction:
	case __NR_rt_sigprocmask:
	case __NR_rt_sigreturn:
	case __NR_sigaltstack:
	case __NR_access:
	case __NR_getpid:
	case __NR_gettid:
	case __NR_getrandom:
	case __NR_getrusage:
	case __NR_gettimeofday:
	case __NR_clock_gettime:
	case __NR_times:
	case __NR_uname:
	case __NR_getcpu:
	case __NR_nanosleep:
	case __NR_clock_nanosleep:
	case __NR_poll:
	case __NR_select:
	case __NR_sched_yield:
	case __NR_set_robust_list:
	case __NR_arch_prctl:
	case __NR_prctl:
	case __NR_wait4: return true;
	default: return false;
	}
}

static bool any_blocked(void)
{
	uint32_t num = atomic_load(&arena->num_threads);
	uint32_t i;

	if (atomic_load(&arena->num_live) < 2)
		return false;
	for (i = 0; i < num; i++) {
		uint32_t state = atomic_load(&arena->threads[i].state);

		if (state == THREAD_BLOCKED || state == THREAD_COMES ||
		    state == THREAD_LEAVES)
			return true;
	}
	return false;
}

void turns_call(ThreadId tid, UInt call, UWord argument)
{
	struct arena_thread *me = turns_thread(tid);

	if (front.is_off || !me || me != front.thread)
		return;
	stream_pass_time();
	stream_publish();
	leave_core();
	me->call = call;
	me->call_argument = (uint32_t)argument;
	me->is_asleep = false;
	me->may_sleep = most_often_sleeps(call);
	if (call == __NR_sched_yield)
		front.wants_to_yield = 1;
	atomic_store(&me->state, THREAD_IN_CALL);
	if (!me->may_sleep || !atomic_load(&arena->num_waiting) ||
	    call == __NR_sched_yield)
		return;
	wake_next();
}

void turns_called(ThreadId tid, UInt call, UWord argument, Bool is_ok,
		  UWord result)
{
	struct arena_thread *me = turns_thread(tid);

	if (front.is_off || !me || me != front.thread ||
	    is_quiet(call, argument))
		return;
	if (call == __NR_futex && (!is_ok || !result))
		return;
	if (!any_blocked())
		return;
	stir();
	others_wait = true;
	turn_ends = 0;
}

/* A thread or a process is about to be made. */
static struct arena_thread *coming;

void turns_make(ThreadId child)
{
	if (front.is_off)
		return;
	lock();
	coming = new_thread();
	unlock();
	if (child < TURNS_MAX_TIDS)
		threads[child] = coming;
}

void turns_made(Bool is_ok)
{
	unsigned i;

	if (is_ok)
		coming = NULL;
	if (!coming)
		return;
	lock();
	end_thread(coming, THREAD_ENDED);
	unlock();
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
	front.pid = (uint32_t)VG_(getpid)();
}

void turns_end(ThreadId tid)
{
	struct arena_thread *me = turns_thread(tid);

	if (!me)
		return;
	if (me == front.thread) {
		stream_pass_time();
		stream_publish();
		leave_core();
		arena->now = front.core->clock + (uint64_t)front.core->ahead;
		front.core = NULL;
		front.thread = NULL;
	}
	threads[tid] = NULL;
	lock();
	end_thread(me, THREAD_LEAVES);
	stir();
	unlock();
	wake_next();
}

/* The process ends, with all its threads. */
void turns_leave(void)
{
	unsigned i;

	for (i = 0; i < TURNS_MAX_TIDS; i++)
		turns_end(i);
}

/* What this process left behind when it executed another program. */
void turns_drop_former_self(void)
{
	uint32_t num = atomic_load(&arena->num_threads);
	uint32_t i;

	lock();
	for (i = 0; i < num; i++) {
		struct arena_thread *thread = &arena->threads[i];

		if (thread->pid != front.pid)
			continue;
		if (atomic_load(&thread->state) < THREAD_LEAVES) {
			inherited[0] = thread->mask[0];
			inherited[1] = thread->mask[1];
		}
		end_thread(thread, THREAD_ENDED);
	}
	stir();
	unlock();
}

void turns_pin(struct arena_thread *thread, const uint64_t mask[2])
{
	unsigned core = thread->core;

	thread->mask[0] = mask[0];
	thread->mask[1] = mask[1];
	if (mask[core / 64] >> core % 64 & 1)
		return;
	lock();
	if (thread == front.thread) {
		stream_pass_time();
		leave_core();
	}
	arena->cores[core].users--;
	sit(thread, choose_core(mask));
	thread->ready =
		arena->cores[core].clock + (uint64_t)arena->cores[core].ahead;
	if (thread == front.thread) {
		arena->last = 0;
		others_wait = true;
		turn_ends = 0;
	}
	unlock();
}

/* Of late. Pieces of a long turn are as long as it is expected to last, and one
 * block too many does not matter; those of a short one are shorter, since one
 * miss may be the rest of it. */
static uint64_t block_instructions = BLOCK_INSTRUCTIONS;

void turns_ran(uint64_t blocks, uint64_t instructions)
{
	if (blocks && instructions >= blocks)
		block_instructions = (3 * block_instructions +
				      instructions / blocks + 2) /
				     4;
}

Int turns_blocks(void)
{
	uint64_t now, left, blocks;

	if (front.is_off || !others_wait)
		return MAX_BLOCKS;
	now = stream_clock() + (uint64_t)front.core->ahead;
	if (turn_ends <= now)
		return MIN_BLOCKS;
	left = turn_ends - now;
	blocks = (left << 16) / arena->cycles_per_instruction /
		 (left < SHORT_TURN ? BLOCK_INSTRUCTIONS : block_instructions);
	if (blocks < MIN_BLOCKS)
		return MIN_BLOCKS;
	return blocks < MAX_BLOCKS ? (Int)blocks : MAX_BLOCKS;
}
