/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * A program that asks for the time gets the model's: of its own core, when the
 * model has worked off all that was written to the stream, and what the
 * instructions since take by the estimate. So the answer depends on nothing but
 * the stream. Where other cores keep the model from coming so far, the estimate
 * has to do for more.
 *
 * Programs read one time, the core's at its nominal clock. It is one for all
 * threads and never goes back: who is behind is told what was told last, as on
 * machines whose cores share the clock.
 *
 * The date begins at the host's when uncore starts, at a whole second; with
 * repeatable random bytes at a fixed one. All other clocks begin at ORIGIN.
 *
 * A call waits for the loads before it, and so does RDTSCP; RDTSC does where a
 * fence is in front of it.
 */
#include "bridge/valgrind/clock.h"

#include <pub_tool_aspacemgr.h>
#include <pub_tool_vki.h>
#include <pub_tool_vkiscnums.h>

enum {
	ORIGIN = 1000, /* seconds */
	TICKS_HZ = 100,
	NS = 1000 * 1000 * 1000,
	FENCE_BYTES = 3,
	NODE_SHIFT = 12, /* in what RDTSCP says of its place */
};

/* As the kernel numbers them. */
enum {
	CLOCK_REALTIME,
	CLOCK_MONOTONIC,
	CLOCK_PROCESS,
	CLOCK_THREAD,
	CLOCK_RAW,
	CLOCK_REALTIME_COARSE,
	CLOCK_MONOTONIC_COARSE,
	CLOCK_BOOT,
	CLOCK_REALTIME_ALARM,
	CLOCK_BOOT_ALARM,
	CLOCK_TAI = 11,
	/* Negative ones: of a process or thread, by its number. */
	OF_THREAD = 4,
	OF_SHIFT = 3,
};

/* Of Valgrind's core. */
extern ULong amd64g_dirtyhelper_RDTSC(void);
extern void amd64g_dirtyhelper_RDTSCP(VexGuestAMD64State *state);
extern ThreadId vgPlain_lwpid_to_vgtid(Int lwpid);

/* Now */

/* Time that the present core has passed in no region, where only these are
 * counted. */
static uint64_t outside(void)
{
	uint64_t cycles = front.core->out_clock;

	return front.is_outside ? cycles + stream_clock() : cycles;
}

/* The core stands until its loads are done, once for all that asks then. */
static void wait_for_loads(void)
{
	static const struct privcache_request nothing = {
		.kind = UNCORE_ACCESS_NONE,
	};

	if (!front_counts() || arena->asked_at == arena->next)
		return;
	stream_put(&nothing, 1, 0, 0, ARENA_LOAD, true);
	arena->asked_at = arena->next;
}

/* Of the present core: what it has done since it took its last record is
 * estimated. False: the model does not tell. */
static bool read_time(struct arena_time *time)
{
	uint64_t clock = stream_clock() - outside();

	if (!arena->next || !stream_catch_up())
		return false;
	*time = arena->times[front.core_number];
	if (!time->clock || clock <= time->clock)
		return true;
	time->cycles += clock - time->clock;
	time->busy += clock - time->clock;
	return true;
}

static uint64_t now(void)
{
	struct arena_time time;

	return read_time(&time) ? time.cycles + outside() : stream_clock();
}

/* Of what is not counted any more, time passes as on the host. */
static uint64_t now_uncounted(void)
{
	static uint64_t began_ns, latest;
	struct vki_timespec host = { 0 };
	uint64_t ns;

	VG_(do_syscall)
	(__NR_clock_gettime, CLOCK_MONOTONIC, (UWord)&host, 0, 0, 0, 0, 0, 0);
	ns = (uint64_t)host.tv_sec * NS + (uint64_t)host.tv_nsec;
	if (!began_ns) {
		began_ns = ns;
		latest = arena->latest;
	}
	ns -= began_ns;
	return latest + ns / NS * arena->clock_hz +
	       ns % NS * (arena->clock_hz / 1000) / (NS / 1000);
}

uint64_t clock_now(bool waits)
{
	uint64_t cycles;

	if (front.is_off || !front.core)
		return now_uncounted();
	if (waits)
		wait_for_loads();
	cycles = ORIGIN * arena->clock_hz + now();
	if (arena->latest < cycles)
		arena->latest = cycles;
	return arena->latest;
}

uint64_t clock_by_estimate(uint64_t cycles)
{
	unsigned num = front_num_cores();
	uint64_t busy = 0, run = 0;
	unsigned i;

	turns_leave_core();
	for (i = 0; i < num; i++) {
		busy += arena->times[i].busy;
		run += arena->cores[i].run_cycles;
	}
	if (busy <= run || arena->starts_off)
		return cycles;
	return (uint64_t)((double)cycles * (double)run / (double)busy) + 1;
}

uint64_t clock_in_model(uint64_t cycles)
{
	return cycles - ORIGIN * arena->clock_hz - outside();
}

void clock_reaches(uint64_t cycles)
{
	if (arena->latest < cycles)
		arena->latest = cycles;
}

uint64_t clock_of_date(uint64_t seconds)
{
	uint64_t zero = arena->start_date - ORIGIN;

	return seconds < zero ? 0 : seconds - zero;
}

static uint64_t to_ns(uint64_t cycles)
{
	uint64_t hz = arena->clock_hz;

	return cycles / hz * NS + cycles % hz * NS / hz;
}

/* Of processors */

/* Of the cycles in which its core had something to do those in which this
 * thread ran: the model has the sum, the estimate the part. */
static double ran(const struct arena_thread *thread)
{
	const struct arena_core *core = &arena->cores[thread->core];
	struct arena_time time = arena->times[thread->core];

	if (core == front.core && !read_time(&time))
		return 0;
	if (!core->run_cycles || arena->starts_off)
		return (double)thread->run_cycles;
	return (double)time.busy * (double)thread->run_cycles /
	       (double)core->run_cycles;
}

/* Core cycles in which those threads have run that were of this process when it
 * was waited for by this one (0: has not been; ANY: of whichever). */
enum { ANY = UINT32_MAX };

static uint64_t sum_of(const struct arena_thread *thread, uint32_t pid,
		       uint32_t waiter)
{
	uint32_t num = atomic_load(&arena->num_threads);
	double cycles = 0;
	uint32_t i;

	turns_leave_core(); /* what was run is written down */
	wait_for_loads();
	if (!stream_catch_up())
		return 0;
	for (i = 0; i < num; i++) {
		const struct arena_thread *other = &arena->threads[i];
		uint32_t its = other->waiter ? other->waited_as : other->pid;

		if (thread ? other == thread
			   : other->waiter == waiter &&
				     (pid == ANY || its == pid))
			cycles += ran(other);
	}
	return (uint64_t)cycles;
}

uint64_t clock_ran(const struct arena_thread *thread)
{
	return sum_of(thread, front.pid, 0);
}

/* Children that were waited for */

static Addr usages[TURNS_MAX_TIDS]; /* to be written when the thread goes on */
static uint32_t waited[TURNS_MAX_TIDS];

/* A process has ended, and what it had waited for is now this one's. */
static void note_child(ThreadId tid, uint32_t pid, Addr usage)
{
	uint32_t num = atomic_load(&arena->num_threads);
	uint32_t i;

	for (i = 0; i < num; i++) {
		struct arena_thread *thread = &arena->threads[i];

		if (atomic_load(&thread->state) < THREAD_LEAVES ||
		    (thread->waiter ? thread->waiter : thread->pid) != pid)
			continue;
		thread->waiter = front.pid;
		thread->waited_as = pid;
	}
	usages[tid] = usage;
	waited[tid] = pid;
}

/* Calls */

static bool can_write(Addr address, SizeT size_bytes)
{
	return VG_(am_is_valid_for_client)(address, size_bytes, VKI_PROT_WRITE);
}

bool clock_is_of_processor(Int clock, const struct arena_thread **thread)
{
	Int number = ~(clock >> OF_SHIFT);

	*thread = clock == CLOCK_THREAD ? front.thread : NULL;
	if (clock >= 0)
		return clock == CLOCK_THREAD || clock == CLOCK_PROCESS;
	if (!(clock & OF_THREAD))
		return !number || number == VG_(getpid)();
	*thread = number ? turns_thread(vgPlain_lwpid_to_vgtid(number))
			 : front.thread;
	return *thread;
}

/* The time of a clock in nanoseconds; false: only the kernel knows. */
static bool read_clock(Int clock, uint64_t *ns)
{
	const struct arena_thread *thread;

	switch (clock) {
	case CLOCK_REALTIME:
	case CLOCK_REALTIME_COARSE:
	case CLOCK_REALTIME_ALARM:
	case CLOCK_TAI:
		*ns = to_ns(clock_now(true)) +
		      (arena->start_date - ORIGIN) * NS;
		return true;
	case CLOCK_MONOTONIC:
	case CLOCK_MONOTONIC_COARSE:
	case CLOCK_RAW:
	case CLOCK_BOOT:
	case CLOCK_BOOT_ALARM: *ns = to_ns(clock_now(true)); return true;
	default: break;
	}
	if (!clock_is_of_processor(clock, &thread))
		return false;
	if (front.is_off || !front.core)
		return false;
	*ns = to_ns(clock_ran(thread));
	return true;
}

static bool get_time(Int clock, Addr address, Long *result)
{
	uint64_t ns;

	if (!can_write(address, sizeof(struct vki_timespec)) ||
	    !read_clock(clock, &ns))
		return false;
	*(struct vki_timespec *)address = (struct vki_timespec){
		.tv_sec = (long)(ns / NS),
		.tv_nsec = (long)(ns % NS),
	};
	*result = 0;
	return true;
}

/* The zone is UTC, as the kernel has it where nobody told it of another. */
static bool get_time_of_day(Addr address, Addr zone, Long *result)
{
	enum { ZONE_BYTES = 2 * sizeof(Int) };
	uint64_t ns;

	if (!address || !can_write(address, sizeof(struct vki_timeval)) ||
	    (zone && !can_write(zone, ZONE_BYTES)))
		return false;
	if (zone)
		VG_(memset)((void *)zone, 0, ZONE_BYTES);
	read_clock(CLOCK_REALTIME, &ns);
	*(struct vki_timeval *)address = (struct vki_timeval){
		.tv_sec = (long)(ns / NS),
		.tv_usec = (long)(ns % NS / 1000),
	};
	*result = 0;
	return true;
}

static bool get_seconds(Addr address, Long *result)
{
	uint64_t ns;

	if (address && !can_write(address, sizeof(Long)))
		return false;
	read_clock(CLOCK_REALTIME, &ns);
	*result = (Long)(ns / NS);
	if (address)
		*(Long *)address = *result;
	return true;
}

/* struct tms: of this process, in the kernel, of its children, there. */
static bool get_times(Addr address, Long *result)
{
	uint64_t ns;

	if (!address || !can_write(address, 4 * sizeof(Long)) ||
	    !read_clock(CLOCK_PROCESS, &ns))
		return false;
	VG_(memset)((void *)address, 0, 4 * sizeof(Long));
	*(Long *)address = (Long)(ns / (NS / TICKS_HZ));
	((Long *)address)[2] =
		(Long)(to_ns(sum_of(NULL, ANY, front.pid)) / (NS / TICKS_HZ));
	read_clock(CLOCK_MONOTONIC, &ns);
	*result = (Long)(ns / (NS / TICKS_HZ));
	return true;
}

/* What fails, fails in the kernel. */
bool clock_answers(UWord call, const UWord *args, Long *result)
{
	if (!clock_is_model())
		return false;
	switch (call) {
	case __NR_clock_gettime: return get_time((Int)args[0], args[1], result);
	case __NR_gettimeofday:
		return get_time_of_day(args[0], args[1], result);
	case __NR_time: return get_seconds(args[0], result);
	case __NR_times: return get_times(args[0], result);
	default: return false;
	}
}

static void write_usage(Addr usage, uint64_t ns)
{
	struct vki_timeval *times = (struct vki_timeval *)usage;

	times[0] = (struct vki_timeval){
		.tv_sec = (long)(ns / NS),
		.tv_usec = (long)(ns % NS / 1000),
	};
	times[1] = (struct vki_timeval){ 0 };
}

static void get_usage(Int whose, Addr usage)
{
	enum { CHILDREN = -1, SELF, THREAD };
	uint64_t ns;

	if (front.is_off || !front.core)
		return;
	switch (whose) {
	case CHILDREN: ns = to_ns(sum_of(NULL, ANY, front.pid)); break;
	case SELF: ns = to_ns(clock_ran(NULL)); break;
	case THREAD: ns = to_ns(clock_ran(front.thread)); break;
	default: return;
	}
	write_usage(usage, ns);
}

void clock_called(ThreadId tid, UInt call, const UWord *args, UWord result)
{
	enum { DOES_NOT_WAIT = 0x1000000, PID_AT = 3 }; /* WNOWAIT */

	if (!clock_is_model() || tid >= TURNS_MAX_TIDS)
		return;
	switch (call) {
	case __NR_getrusage: get_usage((Int)args[0], args[1]); break;
	case __NR_wait4:
		if (result)
			note_child(tid, (uint32_t)result, args[3]);
		break;
	case __NR_waitid:
		if (args[2] && !(args[3] & DOES_NOT_WAIT) &&
		    ((const Int *)args[2])[PID_AT])
			note_child(tid, ((const uint32_t *)args[2])[PID_AT],
				   args[4]);
		break;
	default: break;
	}
}

void clock_goes_on(ThreadId tid)
{
	if (tid >= TURNS_MAX_TIDS || !usages[tid])
		return;
	if (!front.is_off && front.core)
		write_usage(usages[tid],
			    to_ns(sum_of(NULL, waited[tid], front.pid)));
	usages[tid] = 0;
}

/* Instructions */

static ULong rdtsc(void)
{
	return clock_now(false);
}

static ULong rdtsc_behind_fence(void)
{
	return clock_now(true);
}

static void rdtscp(VexGuestAMD64State *state)
{
	uint64_t cycles = clock_now(true);

	state->guest_RAX = (uint32_t)cycles;
	state->guest_RDX = cycles >> 32;
	state->guest_RCX = front.core_number | front.socket << NODE_SHIFT;
}

/* LFENCE or MFENCE. */
static bool is_behind_fence(Addr instruction)
{
	const UChar *at = (const UChar *)instruction - FENCE_BYTES;

	return VG_(am_is_valid_for_client)((Addr)at, FENCE_BYTES,
					   VKI_PROT_READ) &&
	       at[0] == 0x0f && at[1] == 0xae &&
	       (at[2] == 0xe8 || at[2] == 0xf0);
}

bool clock_reads(const IRDirty *dirty)
{
	return clock_is_model() &&
	       (dirty->cee->addr == (void *)amd64g_dirtyhelper_RDTSC ||
		dirty->cee->addr == (void *)amd64g_dirtyhelper_RDTSCP);
}

bool clock_replace(IRDirty *dirty, Addr instruction)
{
	void *function = (void *)rdtscp;

	if (!clock_reads(dirty))
		return false;
	if (dirty->cee->addr == (void *)amd64g_dirtyhelper_RDTSC)
		function = is_behind_fence(instruction)
				   ? (void *)rdtsc_behind_fence
				   : (void *)rdtsc;
	dirty->cee->addr = VG_(fnptr_to_fnentry)(function);
	return true;
}
