/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What the model has worked off has its time; what it has not got or not given
 * back yet has the mean time of as many instructions, which is never longer.
 * The CPUs' turns in a round are meant to happen at the same time, so a round
 * that is not over is as long as its longest turn so far.
 *
 * While all CPUs are halted, a thread of ours moves time: to the next timer at
 * once, or as the host's time goes, never past a timer. It does so with QEMU's
 * big lock in hand, so that none of the CPUs wakes up within a step.
 *
 * The time stamp counter is the unit, so that it and the clocks of timers agree
 * for ever. The thread that waits for QEMU's timers sees the time of the CPUs'
 * latest turn.
 *
 * QEMU asks its accelerator for the time, by functions that TCG leaves out.
 * Where their places are is found by trying: the one whose function is called
 * when the time is asked for.
 */
#include "clock.h"

#include <limits.h>
#include <linux/futex.h>
#include <malloc.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "link.h"
#include "qemu_symbols.h"
#include "src/base/clock.h"
#include "turn.h"

#define ACCELERATOR  "tcg-accel-ops"
#define NS_TIMES_KHZ 1000000 /* 1 s is 10^9 ns and 10^3 ticks for each kHz */

enum {
	VIRTUAL = 1,	/* QEMU's number of the clock that we are asked for */
	ALL_KINDS = -1, /* of timers */
	/* Between two steps of the host's time; in one nothing longer passes:
	 * what the model cannot keep up with is dropped. */
	NAP_NS = 1000 * 1000,
	MOST_NS = 20 * 1000 * 1000,
	/* What QEMU gets to run a timer that is due. */
	SHORT_NAP_NS = 20 * 1000,
};

static struct channel *channel;

/* Of the CPUs' thread. */
static pthread_t cpus;
static bool has_cpus;
static uint64_t base;	     /* ticks, of all that was given back */
static uint64_t in_model[2]; /* instructions, of a round that the model has */
static uint64_t longest;     /* turn that is over of the present round */
static uint64_t place;	     /* of the next reader; UINT64_MAX: unknown */

static _Atomic uint64_t latest;	  /* time never goes back behind it */
static _Atomic uint64_t unserved; /* ticks when all halted, not the model's */

void clock_start(struct channel *with)
{
	channel = with;
	place = UINT64_MAX;
}

static uint64_t ticks_of(uint64_t instructions)
{
	return (uint64_t)((double)instructions *
			  channel->ticks_per_instruction);
}

static uint64_t advance(uint64_t ticks)
{
	uint64_t before = atomic_load(&latest);

	while (before < ticks &&
	       !atomic_compare_exchange_weak(&latest, &before, ticks))
		;
	return before < ticks ? ticks : before;
}

/* What the model has not given back yet. */
static uint64_t pending(uint64_t executed)
{
	return ticks_of(in_model[0] + in_model[1] +
			(executed > longest ? executed : longest));
}

uint64_t clock_ticks(uint64_t executed)
{
	return advance(base + pending(executed));
}

void clock_place(uint64_t executed)
{
	place = executed;
}

void clock_turn(uint64_t executed)
{
	cpus = pthread_self();
	has_cpus = true;
	if (executed > longest)
		longest = executed;
	advance(base + pending(0));
}

void clock_hand_over(unsigned round, uint64_t instructions)
{
	in_model[round] = instructions;
	longest = 0;
}

void clock_take_back(unsigned round, uint64_t end_ticks)
{
	base += ticks_of(in_model[round]);
	if (base < end_ticks)
		base = end_ticks;
	in_model[round] = 0;
}

void clock_sleep(void)
{
	atomic_store(&unserved,
		     pending(0) - ticks_of(in_model[0] + in_model[1]));
	atomic_store(&channel->idle, 1);
	syscall(SYS_futex, &channel->idle, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

void clock_wake(void)
{
	uint64_t now;

	atomic_store(&channel->idle, 0);
	now = atomic_load(&channel->now_ticks);
	base += ticks_of(in_model[0] + in_model[1]);
	in_model[0] = in_model[1] = 0;
	if (base < now)
		base = now;
}

/* Now, for any thread. */
static uint64_t now_ticks(uint64_t executed)
{
	if (atomic_load(&channel->idle))
		return advance(atomic_load(&channel->now_ticks) +
			       atomic_load(&unserved));
	if (has_cpus && pthread_equal(cpus, pthread_self()))
		return clock_ticks(executed);
	return atomic_load(&latest);
}

static int64_t answer_ns(void)
{
	return (int64_t)((unsigned __int128)now_ticks(turn_executed()) *
			 NS_TIMES_KHZ / channel->tick_khz);
}

static int64_t answer_ticks(void)
{
	uint64_t executed = place == UINT64_MAX ? turn_executed() : place;

	place = UINT64_MAX;
	return (int64_t)now_ticks(executed);
}

/* While all CPUs are halted */

/* The model lets so much time pass. False when nobody listens any more. */
static bool pass(uint64_t ns)
{
	uint64_t end_ns = (uint64_t)answer_ns() + ns;
	uint64_t end_ticks =
		(uint64_t)(((unsigned __int128)end_ns * channel->tick_khz +
			    NS_TIMES_KHZ - 1) /
			   NS_TIMES_KHZ);

	channel->request.kind = REQUEST_PASS;
	channel->request.value = end_ticks - atomic_load(&unserved);
	return link_ask(channel);
}

/* One step, QEMU's lock in hand, after so much of the host's time. Returns when
 * to look again, 0 when nobody listens any more. */
static long step(uint64_t passed_ns)
{
	int64_t left_ns;

	if (!atomic_load(&channel->idle) || !qemu.all_halted())
		return NAP_NS;
	left_ns = qemu.next_timer_ns(VIRTUAL, ALL_KINDS);
	if (!left_ns)
		return SHORT_NAP_NS;
	if (channel->skips)
		passed_ns = left_ns < 0 ? 0 : (uint64_t)left_ns;
	if (passed_ns > MOST_NS)
		passed_ns = MOST_NS;
	if (left_ns > 0 && passed_ns > (uint64_t)left_ns)
		passed_ns = (uint64_t)left_ns;
	if (passed_ns && !pass(passed_ns))
		return 0;
	if (left_ns < 0)
		return NAP_NS;
	left_ns -= (int64_t)passed_ns;
	if (!left_ns)
		qemu.tell_timers(VIRTUAL);
	if (!left_ns || channel->skips)
		return SHORT_NAP_NS;
	return left_ns < NAP_NS ? (long)left_ns : NAP_NS;
}

static void *pass_time(void *data)
{
	uint64_t seen_ns = clock_now_ns(), now_ns;
	struct timespec nap = { 0 };

	(void)data;
	do {
		if (!atomic_load(&channel->idle)) {
			syscall(SYS_futex, &channel->idle, FUTEX_WAIT, 0, NULL,
				NULL, 0);
			seen_ns = clock_now_ns();
		}
		qemu.lock(__FILE__, __LINE__);
		now_ns = clock_now_ns();
		nap.tv_nsec = step(now_ns - seen_ns);
		qemu.unlock();
		seen_ns = now_ns;
		nanosleep(&nap, NULL);
	} while (nap.tv_nsec);
	return NULL;
}

/* Attaching */

static bool was_asked;

static int64_t notice(void)
{
	was_asked = true;
	return 0;
}

/* Puts a function where QEMU's own one, `ask`, calls it. */
static bool put(int64_t (*function)(void), int64_t (*ask)(void))
{
	int64_t (**places)(void) = qemu.find_class(ACCELERATOR);
	size_t i = places ? malloc_usable_size(places) / sizeof(*places) : 0;

	for (was_asked = false; i-- > 0;) {
		if (places[i])
			continue;
		places[i] = notice;
		ask();
		places[i] = was_asked ? function : NULL;
		if (was_asked)
			return true;
	}
	return false;
}

bool clock_attach(void)
{
	static bool is_attached;

	if (!is_attached && (!put(answer_ns, qemu.ask_ns) ||
			     !put(answer_ticks, qemu.ask_ticks))) {
		fprintf(stderr, "uncore: this QEMU's clocks cannot be made "
				"those of the model\n");
		return false;
	}
	if (!is_attached && !link_start_thread(pass_time, NULL))
		return false;
	is_attached = true;
	return true;
}
