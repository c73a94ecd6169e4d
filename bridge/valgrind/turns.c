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

enum {
	SHORT_SKEW = 10,	 /* core cycles */
	CALM_SHARE = 2,		 /* of the time since a line went by */
	SLICE_CYCLES = 200000,	 /* on a core that others wait for, too */
	BLOCK_CYCLES = 24,	 /* of a long block without a miss */
	SHORT_TURN = 300,	 /* core cycles; in these a miss counts */
	SPIN_INSTRUCTIONS = 256, /* in a round of one at most */
	SPIN_PATIENCE = 2000,	 /* core cycles that are looked at closely */
	SPIN_PART = 8,	   /* of longer ones a round may be one in so many */
	ONE_BY_ONE = 1000, /* core cycles, where lines are fought for */
	MIN_BLOCKS = 2,
	SETTLE_NS = 20 * 1000,
	STOPPED_NAPS = 8,
	YIELDS = 256,	     /* while others come; then they are waited for */
	OWNER_NAPS = 64,     /* between two looks whether uncore lives */
	OWNER_PIECES = 1024, /* the same */
};

/* Of Valgrind's core, to which this is linked. */
extern void vgPlain_release_BigLock(ThreadId tid, UInt state, const HChar *who);
extern void vgPlain_acquire_BigLock(ThreadId tid, const HChar *who);
extern void vgPlain_release_BigLock_LL(const HChar *who);
extern void vgPlain_acquire_BigLock_LL(const HChar *who);
extern Bool vgPlain_is_exiting(ThreadId tid);
enum { CORE_YIELDING = 4 };

static uint64_t turn_ends; /* clock */
static uint64_t entered;   /* clock from which on run_cycles are to be added */
static bool others_wait;
static bool is_begun;	     /* the turn, and nothing of it has run */
static uint64_t piece_began; /* clock */
/* When the present call began: whoever it wakes may be at its gate before it
 * ends, or not. */
static bool others_sleep;

/* Clocks and cores */

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
	    (core->last_thread == threads_number(a) ||
	     core->last_thread == threads_number(b)))
		return core->last_thread == threads_number(a);
	return a->turn < b->turn;
}

static uint64_t host_ns(void)
{
	enum { MONOTONIC = 1 };
	struct vki_timespec time = { 0 };

	VG_(do_syscall)
	(__NR_clock_gettime, MONOTONIC, (UWord)&time, 0, 0, 0, 0, 0, 0);
	return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

static bool host_is_before(uint64_t ns)
{
	return ns && host_ns() < ns;
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
		else if (clock_of(thread) < *others)
			*others = clock_of(thread);
	}
	return best;
}

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
	if (thread->ready > core->clock + (uint64_t)core->ahead)
		core->clock = thread->ready - (uint64_t)core->ahead;
	entered = core->clock;
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

/* Who is next */

static unsigned num_waiting(void)
{
	uint32_t num = atomic_load(&arena->num_threads);
	unsigned waiting = 0;
	uint32_t i;

	for (i = 0; i < num; i++)
		waiting += waits(&arena->threads[i]);
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

static void wake(struct arena_thread *chosen, const struct arena_thread *me)
{
	if (chosen && chosen != me)
		front_wake(&chosen->go);
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

/* The thread that has the turn loses it when it sleeps in its call, or was
 * stopped at its gate; that takes a while to look at, and is rare. With the
 * lock held. */
static void look_after_holder(unsigned naps)
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

/* Whether the thread has the turn; who was stopped here, and goes on, waits
 * again. */
static bool takes_turn(struct arena_thread *me)
{
	uint32_t chosen = THREAD_CHOSEN;
	uint32_t blocked = THREAD_BLOCKED;

	if (atomic_compare_exchange_strong(&me->state, &blocked, THREAD_WAITS))
		atomic_fetch_add(&arena->arrivals, 1);
	return atomic_compare_exchange_strong(&me->state, &chosen,
					      THREAD_RUNS) ||
	       chosen == THREAD_RUNS;
}

/* Who has the turn is in a call that most often sleeps. */
static bool may_sleep(void)
{
	uint32_t turn = atomic_load(&arena->turn);
	const struct arena_thread *holder = &arena->threads[turn - 1];

	return turn && holder->may_sleep &&
	       atomic_load(&holder->state) == THREAD_IN_CALL;
}

/* Signals */

/* Of Valgrind's core. */
extern void vgPlain_poll_signals(ThreadId tid);
enum { SIGNAL_SET_BYTES = 8 };

/* A thread that naps takes a signal, as its call would be interrupted by it:
 * what the call gives then is in its registers already. */
static void look_for_signals(ThreadId tid, struct arena_thread *me)
{
	uint64_t pending = 0;
	Addr address;

	VG_(do_syscall)
	(__NR_rt_sigpending, (UWord)&pending, SIGNAL_SET_BYTES, 0, 0, 0, 0, 0,
	 0);
	if (pending) {
		vgPlain_acquire_BigLock(tid, "uncore");
		address = VG_(get_IP)(tid);
		vgPlain_poll_signals(tid);
		me->is_disturbed =
			vgPlain_is_exiting(tid) || VG_(get_IP)(tid) != address;
		vgPlain_release_BigLock(tid, CORE_YIELDING, "uncore");
	}
	threads_lock();
	me->is_calm = true;
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

static void look(ThreadId tid, struct arena_thread *me)
{
	if (me->watches)
		look_at_files(tid, me);
	if (!me->is_masked)
		look_for_signals(tid, me);
	else
		me->is_calm = true;
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
		thread->is_calm = false;
		atomic_fetch_add(&thread->go, 1);
		front_wake(&thread->go);
	}
}

/* The gate */

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

	if (may_sleep() && naps < CLOSE_LOOKS)
		return SETTLE_NS;
	if (me->naps)
		return NAP_NS;
	return NAP_NS * (1 + (uint64_t)atomic_load(&arena->num_waiting) / 2);
}

/* Waits, without Valgrind's lock, until the thread has the turn. */
static void wait_at_gate(ThreadId tid, struct arena_thread *me,
			 struct arena_thread *chosen)
{
	unsigned naps = 0;

	wake(chosen, me);
	while (!takes_turn(me)) {
		uint32_t go = atomic_load(&me->go);
		bool is_decided;

		if (has_to_go(tid, me))
			break;
		if (me->naps && !me->is_teller)
			look(tid, me);
		threads_lock();
		look_after_holder(naps);
		is_decided = decide(&chosen);
		threads_unlock();
		wake(chosen, me);
		if (takes_turn(me))
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

static void await_turn(ThreadId tid, struct arena_thread *me,
		       struct arena_thread *chosen)
{
	vgPlain_release_BigLock(tid, CORE_YIELDING, "uncore");
	wait_at_gate(tid, me, chosen);
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

/* A request takes so long to reach a core: as long as none runs further before
 * the others, nobody is asked for what was used in the meantime. */
static uint32_t contested_skew(void)
{
	uint32_t skew = arena->peer_cycles / 2;

	return skew > SHORT_SKEW ? skew : SHORT_SKEW;
}

/* How far a core may run before the others: twice as far from turn to turn; but
 * no farther than a part of the time since lines have come or gone. */
static uint32_t next_skew(struct arena_core *core)
{
	uint32_t least = core->fought ? contested_skew() : SHORT_SKEW;
	uint32_t skew = core->skew < least ? least : core->skew;
	uint64_t clock = core->clock + (uint64_t)core->ahead;
	uint64_t calm = clock > core->fought ? clock - core->fought : 0;

	calm /= CALM_SHARE;
	if (core->fought && skew > calm)
		skew = calm < least ? least : (uint32_t)calm;
	if (calm > arena->max_skew)
		core->fought = 0;
	core->skew = skew * 2 < arena->max_skew ? skew * 2 : arena->max_skew;
	return skew;
}

static void begin_turn(struct arena_thread *me, ThreadId tid)
{
	struct arena_core *core = &arena->cores[me->core];
	uint32_t skew;

	if (front.thread != me || arena->last != threads_number(me) + 1 ||
	    me->naps)
		enter_core(me, tid);
	waits_for(me->delay);
	me->delay = 0;
	arena->last = threads_number(me) + 1;
	is_begun = true;
	piece_began = core->clock;
	skew = next_skew(core);
	others_wait = arena->others != UINT64_MAX || arena->shares;
	turn_ends = UINT64_MAX;
	if (arena->others != UINT64_MAX)
		turn_ends = arena->others + skew;
	if (core->last_thread != threads_number(me) ||
	    clock_of(me) >= core->slice_ends) {
		core->last_thread = threads_number(me);
		core->slice_ends = clock_of(me) + SLICE_CYCLES;
	}
	if (arena->shares && turn_ends > core->slice_ends)
		turn_ends = core->slice_ends;
	region_look();
	if (me->naps)
		wake_up(me);
	turns_tell_idle();
	if (!me->is_teller)
		timers_begin_turn();
}

/* How long the present thread has been in a spin-wait. Who has asked for a line
 * since has seen something new. */
static uint64_t waited(struct arena_thread *me, uint64_t now)
{
	uint64_t done = atomic_load_explicit(&front.core->instructions,
					     memory_order_relaxed);

	if (done - me->spun_at > SPIN_INSTRUCTIONS || me->spins_since > now ||
	    me->spun_records != front.core->num_records)
		me->spins_since = now;
	me->spun_at = done;
	me->spun_records = front.core->num_records;
	return now - me->spins_since;
}

/* A spin-wait, or sched_yield(): time passes until the others have had theirs.
 * Others that spin are no further than the present thread, and would look in
 * turns at what they wait for, thousands of times; so who spins notices what
 * has happened an eighth of what it has waited late. At first it runs so far
 * ahead of the others; later it stands for so long. */
static void yield(void)
{
	uint64_t now = stream_clock() + (uint64_t)front.core->ahead;
	uint64_t late = waited(front.thread, now) / SPIN_PART;
	uint64_t until = now;

	front.wants_to_yield = 0;
	if (!others_wait)
		return;
	if (late <= SPIN_PATIENCE / SPIN_PART && !arena->shares &&
	    now < arena->others + late) {
		if (turn_ends > arena->others + late)
			turn_ends = arena->others + late;
		return;
	}
	if (late > SPIN_PATIENCE / SPIN_PART)
		until += late - SPIN_PATIENCE / SPIN_PART;
	if (arena->others != UINT64_MAX && until <= arena->others)
		until = arena->others + 1;
	if (arena->others != UINT64_MAX)
		front.core->clock = until - (uint64_t)front.core->ahead;
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

bool turns_go_on(void)
{
	if (front.is_off || !front.core || is_begun) {
		is_begun = false;
		return false;
	}
	stream_pass_time();
	return !turn_is_over();
}

void turns_shorten(void)
{
	if (arena->others == UINT64_MAX ||
	    turn_ends <= arena->others + contested_skew())
		return;
	turn_ends = arena->others + contested_skew();
	front_cut();
}

void turns_look(void)
{
	if (front.core->fought && others_wait &&
	    stream_clock() + (uint64_t)front.core->ahead >= turn_ends)
		front_cut();
}

void turns_cut(void)
{
	others_wait = true;
	turn_ends = 0;
}

void turns_limit(uint64_t cycles)
{
	uint64_t end = stream_clock() + (uint64_t)front.core->ahead + cycles;

	others_wait = true;
	if (turn_ends > end)
		turn_ends = end;
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
	decide(&chosen);
	threads_unlock();
	return chosen;
}

/* Waits for the turn, from the gate on. */
static void wait_for_turn(ThreadId tid, struct arena_thread *me)
{
	struct arena_thread *chosen = come(me);

	if (!takes_turn(me))
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
	me->until_ns = ns ? host_ns() + ns : 0;
	me->is_woken = false;
	me->is_disturbed = false;
	me->is_calm = false;
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
	wait_at_gate(VG_INVALID_THREADID, me, chosen);
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
		if (!turn_is_over())
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

/* How much of a turn Valgrind may run at once */

/* Core cycles of a block of late, waiting for memory included. Pieces of a long
 * turn are as long as it is expected to last, and one block too many does not
 * matter; those of a short one are shorter, since one miss may be the rest of
 * it. */
static uint64_t block_cycles = BLOCK_CYCLES;

void turns_ran(uint64_t blocks)
{
	if (blocks && front.core && !front.is_off)
		block_cycles = (3 * block_cycles +
				(stream_clock() - piece_began) / blocks + 2) /
			       4;
}

Int turns_blocks(void)
{
	static unsigned pieces;
	uint64_t now, left, blocks;

	if (pieces++ % OWNER_PIECES == 0)
		outside_end_with_owner();
	if (front.is_off || !front.core)
		return TURNS_MAX_BLOCKS;
	piece_began = stream_clock();
	if (!others_wait)
		return TURNS_MAX_BLOCKS;
	now = piece_began + (uint64_t)front.core->ahead;
	if (turn_ends <= now)
		return front.core->fought ? 1 : MIN_BLOCKS;
	left = turn_ends - now;
	if (front.core->fought && left < ONE_BY_ONE)
		return 1;
	blocks = left / (left < SHORT_TURN || block_cycles < BLOCK_CYCLES
				 ? BLOCK_CYCLES
				 : block_cycles);
	if (blocks < MIN_BLOCKS)
		return MIN_BLOCKS;
	return blocks < TURNS_MAX_BLOCKS ? (Int)blocks : TURNS_MAX_BLOCKS;
}
