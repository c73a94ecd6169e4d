/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Calls that wait for time. The model's time is what a program reads, so it is
 * what it waits for: its thread stays at its gate until the others have come so
 * far; when all wait for time, time passes at once (turns.c).
 *
 * - A sleep is answered here.
 * - A futex with a time-out is waited for here, too, and woken from here: who
 *   wakes finds it by its address in the process, or by its place in memory if
 *   it may be shared.
 * - A wait for descriptors, signals or semaphores with a time-out is one for
 *   time that looks at them:
 *   at once when a thread of the run has done something, else now and then.
 *   When something has come the kernel is called. If it may come from the world
 *   (world.c) the host's time has to pass, too, before it is over.
 */
#include "bridge/valgrind/clock.h"
#include "bridge/valgrind/turns.h"

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

static uint64_t to_ns(uint64_t cycles)
{
	uint64_t hz = arena->clock_hz;

	return cycles / hz * NS + cycles % hz * NS / hz;
}

/* What is left of a sleep, where somebody wants to know, in nanoseconds or what
 * is `unit_ns` long. */
static void leave_rest(Addr address, uint64_t until, unsigned unit_ns)
{
	uint64_t now, ns;

	if (!turns_is_own()) /* the thread ends */
		return;
	now = clock_now(true);
	ns = to_ns(now < until ? until - now : 0);
	if (can(address, sizeof(struct vki_timespec), VKI_PROT_WRITE))
		*(struct vki_timespec *)address = (struct vki_timespec){
			.tv_sec = (long)(ns / NS),
			.tv_nsec = (long)(ns % NS / unit_ns),
		};
}

enum nap_end { TIME_IS_OVER, WAS_WOKEN, SIGNAL_CAME, IS_UNCOUNTED };

/* `word` may be 0. A handler of a signal finds that the call was interrupted.
 */
static enum nap_end nap(ThreadId tid, uint64_t until, uint64_t word)
{
	const struct arena_thread *me = front.thread;
	uint64_t now = clock_now(true);

	while (now < until) {
		uint64_t left = until - now;
		uint64_t cycles = clock_by_estimate(left);

		calls_answer(tid, -VKI_EINTR);
		if (!turns_nap(tid, cycles < LEAST ? LEAST : cycles,
			       clock_in_model(until), to_ns(left), word))
			return front.is_off ? IS_UNCOUNTED : SIGNAL_CAME;
		if (me->is_woken)
			return WAS_WOKEN;
		front.hears = true;
		now = clock_now(true);
		if (!front.hears)
			return SIGNAL_CAME;
		front.hears = false;
		if (now < until && until - now < LATE)
			clock_reaches(now = until);
	}
	return TIME_IS_OVER;
}

static bool sleeps(ThreadId tid, uint64_t until, Addr rest, Long *result,
		   bool *is_left)
{
	enum nap_end end = nap(tid, until, 0);

	if (end == SIGNAL_CAME)
		leave_rest(rest, until, 1);
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
	switch (nap(tid, cycles, word_of(args[0], args[1]))) {
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

/* Descriptors, signals, semaphores */

/* The time that the call waits at most; false: for ever, or not at all. */
static bool read_limit(UInt call, const UWord *args, uint64_t *cycles)
{
	const struct vki_timeval *time = (const struct vki_timeval *)args[4];
	Int ms = 0;

	switch (call) {
	case __NR_poll: ms = (Int)args[2]; break;
	case __NR_epoll_wait:
	case __NR_epoll_pwait: ms = (Int)args[3]; break;
	case __NR_ppoll:
	case __NR_rt_sigtimedwait: return read_timespec(args[2], cycles);
	case __NR_semtimedop: return read_timespec(args[3], cycles);
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

enum {
	MAX_FILES = 1024,
	SET_BYTES = 8,
	MAX_OPERATIONS = 500, /* SEMOPM */
	NO_WAIT = 04000,      /* IPC_NOWAIT */
};

static struct watch {
	UWord call;
	const UWord *args;
} watches[TURNS_MAX_TIDS];

static Long call_poll(Addr pollfds, UWord num, Int ms)
{
	SysRes res = VG_(do_syscall)(__NR_poll, pollfds, num, (UWord)ms, 0, 0,
				     0, 0, 0);

	return sr_isError(res) ? -1 : (Long)sr_Res(res);
}

static Long call_select(const UWord *args, Int ms)
{
	uint64_t sets[3][MAX_FILES / 64] = { { 0 } };
	struct vki_timeval limit = { .tv_usec = ms * 1000 };
	SizeT size_bytes = (args[0] + 63) / 64 * 8;
	unsigned i;
	SysRes res;

	for (i = 0; i < 3; i++)
		if (args[1 + i])
			VG_(memcpy)(sets[i], (void *)args[1 + i], size_bytes);
	res = VG_(do_syscall)(__NR_select, args[0], (UWord)sets[0],
			      (UWord)sets[1], (UWord)sets[2], (UWord)&limit, 0,
			      0, 0);
	return sr_isError(res) ? -1 : (Long)sr_Res(res);
}

static uint64_t pending_signals(void)
{
	uint64_t pending = 0;

	VG_(do_syscall)
	(__NR_rt_sigpending, (UWord)&pending, SET_BYTES, 0, 0, 0, 0, 0, 0);
	return pending;
}

/* As the kernel has it. */
struct operation {
	UShort semaphore;
	Short number;
	UShort flags;
};

/* Whether semop() would not wait: it does all or nothing. */
static bool can_operate(UWord set, const struct operation *operations,
			UWord num)
{
	enum { GET_VALUE = 12 }; /* GETVAL */
	UWord i, n;

	for (i = 0; i < num; i++) {
		SysRes res = VG_(do_syscall)(__NR_semctl, set,
					     operations[i].semaphore, GET_VALUE,
					     0, 0, 0, 0, 0);
		Long value = (Long)sr_Res(res);

		if (sr_isError(res) || (operations[i].flags & NO_WAIT))
			return true; /* or fails */
		for (n = 0; n < i; n++)
			if (operations[n].semaphore == operations[i].semaphore)
				value += operations[n].number;
		if (operations[i].number ? value + operations[i].number < 0
					 : value != 0)
			return false;
	}
	return true;
}

/* Whether the kernel would answer at once, or does within so long. */
static bool has_come(UWord call, const UWord *args, Int ms)
{
	struct vki_pollfd epoll = { .fd = (Int)args[0], .events = VKI_POLLIN };

	switch (call) {
	case __NR_poll:
	case __NR_ppoll: return call_poll(args[0], args[1], ms) != 0;
	case __NR_select:
	case __NR_pselect6: return call_select(args, ms) != 0;
	case __NR_rt_sigtimedwait:
		return (pending_signals() & *(const uint64_t *)args[0]) != 0;
	case __NR_semtimedop:
		return can_operate(args[0], (const struct operation *)args[1],
				   args[2]);
	default: return call_poll((Addr)&epoll, 1, ms) != 0;
	}
}

/* Signals that the call lets through; NULL: those of its thread. */
static const uint64_t *mask_of(UWord call, const UWord *args)
{
	switch (call) {
	case __NR_ppoll: return (const uint64_t *)args[3];
	case __NR_epoll_pwait: return (const uint64_t *)args[4];
	case __NR_pselect6:
		return args[5] ? *(const uint64_t *const *)args[5] : NULL;
	default: return NULL;
	}
}

bool sleep_sees(ThreadId tid, Int ms)
{
	const struct watch *watch = &watches[tid];
	const uint64_t *mask = mask_of(watch->call, watch->args);

	return (mask && (pending_signals() & ~*mask)) ||
	       has_come(watch->call, watch->args, ms);
}

static void leave_empty(UWord call, const UWord *args)
{
	SizeT size_bytes = (args[0] + 63) / 64 * 8;
	unsigned i;

	if (call != __NR_select && call != __NR_pselect6)
		return;
	for (i = 0; i < 3; i++)
		if (args[1 + i])
			VG_(memset)((void *)args[1 + i], 0, size_bytes);
}

static bool can_read(UWord call, const UWord *args)
{
	unsigned i;

	switch (call) {
	case __NR_poll:
	case __NR_ppoll:
		return !args[1] ||
		       can(args[0], args[1] * sizeof(struct vki_pollfd),
			   VKI_PROT_READ | VKI_PROT_WRITE);
	case __NR_select:
	case __NR_pselect6:
		for (i = 0; i < 3; i++)
			if (args[1 + i] &&
			    !can(args[1 + i], (args[0] + 63) / 64 * 8,
				 VKI_PROT_READ | VKI_PROT_WRITE))
				return false;
		return args[0] <= MAX_FILES;
	case __NR_rt_sigtimedwait:
		return args[3] == SET_BYTES &&
		       can(args[0], SET_BYTES, VKI_PROT_READ);
	case __NR_semtimedop:
		return args[2] && args[2] <= MAX_OPERATIONS &&
		       can(args[1], args[2] * sizeof(struct operation),
			   VKI_PROT_READ);
	default: return true;
	}
}

/* What has not come by then, and what is left of the time. */
static Long end_watch(UWord call, const UWord *args, uint64_t until,
		      enum nap_end end)
{
	if (end != IS_UNCOUNTED && call == __NR_select)
		leave_rest(args[4], until, 1000);
	else if (end != IS_UNCOUNTED &&
		 (call == __NR_pselect6 || call == __NR_ppoll))
		leave_rest(args[call == __NR_ppoll ? 2 : 4], until, 1);
	if (end == TIME_IS_OVER)
		leave_empty(call, args);
	return call == __NR_rt_sigtimedwait || call == __NR_semtimedop
		       ? -VKI_EAGAIN
		       : 0;
}

/* The thread naps until it sees something, which the kernel is to tell then. */
static bool watch(ThreadId tid, UWord call, const UWord *args, Long *result,
		  bool *is_left)
{
	struct arena_thread *me = front.thread;
	enum nap_end end;
	uint64_t until;

	if (!read_limit((UInt)call, args, &until) || !until ||
	    !can_read(call, args) || has_come(call, args, 0))
		return false;
	until += clock_now(true);
	watches[tid] = (struct watch){ call, args };
	me->is_masked = mask_of(call, args) != NULL;
	me->waits_for_world = world_ends((UInt)call, args);
	me->watches = true;
	end = nap(tid, until, 0);
	me->watches = false;
	me->is_masked = false;
	*result = end_watch(call, args, until, end);
	*is_left = end == SIGNAL_CAME;
	return end == TIME_IS_OVER || end == SIGNAL_CAME;
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
	case __NR_futex: return use_futex(tid, args, result, is_left);
	default: return watch(tid, call, args, result, is_left);
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
