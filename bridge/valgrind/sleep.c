/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Calls that wait for time. The model's time is what a program reads, so it is
 * what it waits for: its thread stays at its gate until the others have come so
 * far; when all wait for time, time passes at once (turns.c).
 *
 * - A sleep, or a wait for no descriptor with a time-out, is answered here.
 * - A futex with a time-out is waited for here, too, and woken from here: who
 *   wakes finds it by its address in the process, or by its place in memory if
 *   it may be shared.
 * - A wait for descriptors with a time-out is the kernel's, since nobody here
 *   knows when something comes. If nothing does, its time passes in the model
 *   as well.
 */
#include "bridge/valgrind/clock.h"

#include <pub_tool_aspacemgr.h>
#include <pub_tool_vki.h>
#include <pub_tool_vkiscnums.h>

enum {
	NS = 1000 * 1000 * 1000,
	LATE = 2000, /* cycles that a sleep may be told to have reached */
	LEAST = 200, /* cycles of a nap */
	LONGEST = 1000000000, /* seconds: longer ones are shortened */
	MOST = 0x7fffffff,
	TIMED_OUT = 110, /* ETIMEDOUT */
};

/* As the kernel numbers them. */
enum {
	WAIT = 0,
	WAKE = 1,
	REQUEUE = 3,
	REQUEUE_IF = 4,
	WAKE_BOTH = 5,
	WAIT_BITS = 9,
	WAKE_BITS = 10,
	IS_PRIVATE = 128,
	IS_DATE = 256,
	OPERATION = 0x7f,
	IS_ABSOLUTE = 1,
	CLOCK_REALTIME = 0,
	CLOCK_PROCESS = 2,
	CLOCK_THREAD = 3,
	CLOCK_REALTIME_ALARM = 8,
	CLOCK_TAI = 11,
};

static bool can(Addr address, SizeT size_bytes, UInt rights)
{
	return address &&
	       VG_(am_is_valid_for_client)(address, size_bytes, rights);
}

uint64_t sleep_cycles(uint64_t seconds, uint64_t ns)
{
	uint64_t hz = arena->clock_hz;

	if (seconds > LONGEST)
		seconds = LONGEST;
	return seconds * hz + (ns * (hz / 1000) + NS / 1000 - 1) / (NS / 1000);
}

/* In cycles; false: the kernel is to say what is wrong with it. */
static bool read_timespec(Addr address, uint64_t *cycles)
{
	const struct vki_timespec *time = (const struct vki_timespec *)address;

	if (!can(address, sizeof(*time), VKI_PROT_READ) || time->tv_sec < 0 ||
	    time->tv_nsec < 0 || time->tv_nsec >= NS)
		return false;
	*cycles = sleep_cycles((uint64_t)time->tv_sec, (uint64_t)time->tv_nsec);
	return true;
}

bool sleep_is_date(UWord clock)
{
	return clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_ALARM ||
	       clock == CLOCK_TAI;
}

/* When a program reads this time. */
static bool read_moment(Addr address, bool of_date, uint64_t *cycles)
{
	const struct vki_timespec *time = (const struct vki_timespec *)address;

	if (!read_timespec(address, cycles))
		return false;
	if (of_date)
		*cycles = sleep_cycles(clock_of_date((uint64_t)time->tv_sec),
				       (uint64_t)time->tv_nsec);
	return true;
}

/* What is left of a sleep, where somebody wants to know. */
static void leave_rest(Addr address, uint64_t cycles)
{
	uint64_t hz = arena->clock_hz;

	if (can(address, sizeof(struct vki_timespec), VKI_PROT_WRITE))
		*(struct vki_timespec *)address = (struct vki_timespec){
			.tv_sec = (long)(cycles / hz),
			.tv_nsec = (long)(cycles % hz * NS / hz),
		};
}

enum nap_end { TIME_IS_OVER, WAS_WOKEN, SIGNAL_CAME, IS_UNCOUNTED };

/* `word` and `rest` may be 0. A handler of a signal finds that the call was
 * interrupted. */
static enum nap_end nap(ThreadId tid, uint64_t until, uint64_t word, Addr rest)
{
	const struct arena_thread *me = front.thread;
	uint64_t now = clock_now(true);

	while (now < until) {
		uint64_t left = until - now;
		uint64_t cycles = clock_by_estimate(left);

		calls_answer(tid, -VKI_EINTR);
		leave_rest(rest, left);
		if (!turns_nap(tid, cycles < LEAST ? LEAST : cycles,
			       clock_in_model(until),
			       left / arena->clock_hz * NS +
				       left % arena->clock_hz * NS /
					       arena->clock_hz,
			       word))
			return front.is_off ? IS_UNCOUNTED : SIGNAL_CAME;
		if (me->is_woken)
			return WAS_WOKEN;
		now = clock_now(true);
		if (now < until && until - now < LATE)
			clock_reaches(now = until);
	}
	return TIME_IS_OVER;
}

static bool sleeps(ThreadId tid, uint64_t until, Addr rest, Long *result,
		   bool *is_left)
{
	enum nap_end end = nap(tid, until, 0, rest);

	*result = 0;
	*is_left = end == SIGNAL_CAME;
	return end != IS_UNCOUNTED;
}

static bool sleep_for(ThreadId tid, uint64_t cycles, Addr rest, Long *result,
		      bool *is_left)
{
	return sleeps(tid, clock_now(true) + cycles, rest, result, is_left);
}

static bool sleep_by_clock(ThreadId tid, const UWord *args, Long *result,
			   bool *is_left)
{
	uint64_t cycles;

	if ((Int)args[0] < 0 || args[0] == CLOCK_PROCESS ||
	    args[0] == CLOCK_THREAD || args[0] > CLOCK_TAI)
		return false;
	if (!(args[1] & IS_ABSOLUTE))
		return read_timespec(args[2], &cycles) &&
		       sleep_for(tid, cycles, args[3], result, is_left);
	return read_moment(args[2], sleep_is_date(args[0]), &cycles) &&
	       sleeps(tid, cycles, 0, result, is_left);
}

static bool sleep_for_ms(ThreadId tid, Int ms, Long *result, bool *is_left)
{
	return ms > 0 &&
	       sleep_for(tid,
			 sleep_cycles((uint64_t)ms / 1000,
				      (uint64_t)ms % 1000 * (NS / 1000)),
			 0, result, is_left);
}

static bool sleep_for_timeval(ThreadId tid, Addr address, Long *result,
			      bool *is_left)
{
	struct vki_timeval *time = (struct vki_timeval *)address;

	if (!can(address, sizeof(*time), VKI_PROT_READ | VKI_PROT_WRITE) ||
	    time->tv_sec < 0 || time->tv_usec < 0 || time->tv_usec >= 1000000)
		return false;
	return sleep_for(tid,
			 sleep_cycles((uint64_t)time->tv_sec,
				      (uint64_t)time->tv_usec * 1000),
			 0, result, is_left);
}

/* Futexes */

/* Of one that processes may share, its place in memory. */
static uint64_t word_of(Addr address, UWord operation)
{
	if (operation & IS_PRIVATE)
		return address;
	return (UINT64_C(1) << 63) | pages_line(address, True) * LINE_BYTES |
	       address % LINE_BYTES;
}

static bool waits(ThreadId tid, const UWord *args, Long *result, bool *is_left)
{
	bool is_bits = (args[1] & OPERATION) == WAIT_BITS;
	uint64_t cycles;

	if (!args[3] || args[0] % 4 ||
	    !can(args[0], 4, VKI_PROT_READ | VKI_PROT_WRITE) ||
	    !(is_bits ? read_moment(args[3], args[1] & IS_DATE, &cycles)
		      : read_timespec(args[3], &cycles)))
		return false;
	*result = -VKI_EAGAIN;
	if (*(const Int *)args[0] != (Int)args[2])
		return true;
	if (!is_bits)
		cycles += clock_now(true);
	switch (nap(tid, cycles, word_of(args[0], args[1]), 0)) {
	case TIME_IS_OVER: *result = -TIMED_OUT; break;
	case WAS_WOKEN: *result = 0; break;
	case SIGNAL_CAME: *is_left = true; break;
	case IS_UNCOUNTED: return false;
	}
	return true;
}

static unsigned wake(Addr address, UWord operation, unsigned most)
{
	if (!can(address, 4, VKI_PROT_READ))
		return 0;
	return turns_wake(word_of(address, operation),
			  operation & IS_PRIVATE ? front.pid : 0, most);
}

/* Who waits without a time-out waits in the kernel. */
static bool use_futex(ThreadId tid, const UWord *args, Long *result,
		      bool *is_left)
{
	unsigned woken;

	switch (args[1] & OPERATION) {
	case WAIT:
	case WAIT_BITS: return waits(tid, args, result, is_left);
	case WAKE:
	case WAKE_BITS:
		woken = wake(args[0], args[1], (unsigned)args[2]);
		*result = woken;
		return woken && woken >= args[2];
	case WAKE_BOTH: wake(args[4], args[1], MOST); /* fall through */
	case REQUEUE:
	case REQUEUE_IF: wake(args[0], args[1], MOST); return false;
	default: return false;
	}
}

static bool answers(ThreadId tid, UWord call, const UWord *args, Long *result,
		    bool *is_left)
{
	uint64_t cycles;

	switch (call) {
	case __NR_nanosleep:
		return read_timespec(args[0], &cycles) &&
		       sleep_for(tid, cycles, args[1], result, is_left);
	case __NR_clock_nanosleep:
		return sleep_by_clock(tid, args, result, is_left);
	case __NR_poll:
		return !args[1] &&
		       sleep_for_ms(tid, (Int)args[2], result, is_left);
	case __NR_select:
		return !args[0] &&
		       sleep_for_timeval(tid, args[4], result, is_left);
	case __NR_futex: return use_futex(tid, args, result, is_left);
	default: return false;
	}
}

/* The register of the call's number is that of its result. */
bool sleep_answers(ThreadId tid, UWord call, const UWord *args, Long *result,
		   bool *is_left)
{
	if (!clock_is_model() || front.is_off || !front.core ||
	    front.thread != turns_thread(tid))
		return false;
	if (answers(tid, call, args, result, is_left))
		return true;
	calls_answer(tid, (Long)call);
	return false;
}

/* Descriptors */

/* The time that the call waits at most; false: for ever, or not at all. */
static bool read_limit(UInt call, const UWord *args, uint64_t *cycles)
{
	const struct vki_timeval *time = (const struct vki_timeval *)args[4];
	Int ms = 0;

	switch (call) {
	case __NR_poll: ms = (Int)args[2]; break;
	case __NR_epoll_wait:
	case __NR_epoll_pwait: ms = (Int)args[3]; break;
	case __NR_ppoll: return read_timespec(args[2], cycles);
	case __NR_pselect6: return read_timespec(args[4], cycles);
	case __NR_select:
		if (!can(args[4], sizeof(*time), VKI_PROT_READ))
			return false;
		*cycles = sleep_cycles((uint64_t)time->tv_sec,
				       (uint64_t)time->tv_usec * 1000);
		return true;
	default: return false;
	}
	*cycles = sleep_cycles((uint64_t)ms / 1000,
			       (uint64_t)ms % 1000 * (NS / 1000));
	return ms > 0;
}

void sleep_call(UInt call, const UWord *args)
{
	uint64_t cycles;

	if (!clock_is_model() || front.is_off || !front.thread)
		return;
	front.thread->until = 0;
	if (!read_limit(call, args, &cycles) || !cycles)
		return;
	turns_wait_in_call(clock_by_estimate(cycles),
			   clock_in_model(clock_now(true) + cycles));
}

void sleep_called(ThreadId tid, bool is_ok, UWord result)
{
	struct arena_thread *me = turns_thread(tid);

	if (!me || !me->until || front.is_off)
		return;
	me->naps = is_ok && !result && me->has_passed;
	if (me->naps || !me->has_passed)
		return;
	me->ready = 0;
	me->has_passed = false;
}
