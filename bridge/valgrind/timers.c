/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Timers: alarm(), setitimer(), timer_create() and timerfd_create(). They
 * follow the time that the program reads.
 *
 * - What is due at a time is waited for as a sleep is (sleep.c): a thread more,
 *   the teller, which is none of the program's, naps at its gate until the
 *   first timer of its process is due. So time passes at once when all wait for
 *   it, and who runs is told when its turn is over.
 * - What is due when threads have run for so long is looked for when they do:
 *   their turns end then at the latest.
 * - A timerfd is an eventfd of the kernel's to which is written how often it
 *   was due, so that reading, waiting for it and handing it on is the kernel's.
 * - Signals are sent by the process to itself.
 *
 * The arena has the timers, since alarm() and setitimer() outlive what the
 * process executes.
 */
#include "bridge/valgrind/clock.h"
#include "bridge/valgrind/turns.h"

#include <pub_tool_aspacemgr.h>
#include <pub_tool_libcfile.h>
#include <pub_tool_vki.h>
#include <pub_tool_vkiscnums.h>

enum {
	NS = 1000 * 1000 * 1000,
	US = 1000 * 1000,
	LATE = 2000, /* cycles that somebody may be told to have reached */
	LEAST = 200, /* cycles of a nap */
	STACK_WORDS = 1 << 13,
	FIRST_ID = 1 << 20, /* of timers made; the kernel's are below */
	SET_BYTES = 8,
	LAST_SIGNAL = 64,
};

/* As the kernel numbers them. */
enum {
	REAL = 0, /* of setitimer() */
	VIRTUAL,
	PROFILE,
	NUM_OF_PROCESS,
	CLOCK_REALTIME = 0,
	CLOCK_MONOTONIC = 1,
	CLOCK_BOOT = 7,
	CLOCK_BOOT_ALARM = 9,
	TO_ANY = 0, /* of struct sigevent */
	TO_NOBODY = 1,
	TO_THREAD = 4,
	IS_ABSOLUTE = 1,
	FILE_FLAGS = 02004000, /* TFD_CLOEXEC, TFD_NONBLOCK */
	FROM_TIMER = -2,       /* SI_TIMER */
};

static struct arena_thread *teller;
static _Atomic uint32_t is_telling; /* its thread of the kernel's lives */
static bool has_looked;		    /* for what was left by who executed this */
static bool has_sent;		    /* a signal, since a thread began a turn */
/* Cycles of the estimate until threads have run for so long that a timer may be
 * due. */
static uint64_t cpu_left = ARENA_NEVER;

/* Of Valgrind's core. */
extern Long do_syscall_clone_amd64_linux(Word (*function)(void *), void *stack,
					 Long flags, void *argument, Int *child,
					 Int *parent, void *tls);
extern Int vgPlain_fd_hard_limit;

static SysRes call(UWord number, UWord a, UWord b, UWord c, UWord d)
{
	return VG_(do_syscall)(number, a, b, c, d, 0, 0, 0, 0);
}

static bool can(Addr address, SizeT size_bytes, UInt rights)
{
	return address &&
	       VG_(am_is_valid_for_client)(address, size_bytes, rights);
}

/* The table */

/* The next one of this process behind `timer`; NULL: the first. */
static struct arena_timer *next_timer(struct arena_timer *timer)
{
	timer = timer ? timer + 1 : arena->timers;
	for (; timer < arena->timers + arena->num_timers; timer++)
		if (timer->pid == front.pid)
			return timer;
	return NULL;
}

static struct arena_timer *find(enum arena_timer_kind kind, UWord number)
{
	struct arena_timer *timer = NULL;

	while ((timer = next_timer(timer)))
		if (timer->kind == kind && timer->number == (Int)number)
			return timer;
	return NULL;
}

/* One that is not set; NULL if there are too many. */
static struct arena_timer *add(enum arena_timer_kind kind, UWord number)
{
	struct arena_timer *timer = arena->timers;
	struct arena_timer *end = arena->timers + ARENA_MAX_TIMERS;

	while (timer < end && timer->pid)
		timer++;
	if (timer == end)
		return NULL;
	*timer = (struct arena_timer){
		.pid = front.pid,
		.kind = (uint8_t)kind,
		.number = (Int)number,
		.file = -1,
		.due = ARENA_NEVER,
	};
	if (timer - arena->timers >= arena->num_timers)
		arena->num_timers = (uint32_t)(timer - arena->timers) + 1;
	return timer;
}

static void drop(struct arena_timer *timer)
{
	if (timer->file >= 0)
		VG_(close)(timer->file);
	timer->pid = 0;
}

/* Time */

static uint64_t now_of(const struct arena_timer *timer)
{
	if (!timer->is_cpu)
		return clock_now(true);
	return clock_ran(timer->of_thread
				 ? &arena->threads[timer->of_thread - 1]
				 : NULL);
}

/* By the clock, not by a processor's time. */
static struct arena_timer *first_due(void)
{
	struct arena_timer *timer = NULL, *first = NULL;

	while ((timer = next_timer(timer)))
		if (!timer->is_cpu && (!first || timer->due < first->due))
			first = timer;
	return first && first->due != ARENA_NEVER ? first : NULL;
}

static uint64_t at_least(uint64_t cycles)
{
	return cycles < LEAST ? LEAST : cycles;
}

/* Which of the processor's times is due first depends on who runs: the least of
 * what is left is looked at again. */
static void plan_cpu(void)
{
	struct arena_timer *timer = NULL;

	cpu_left = ARENA_NEVER;
	while ((timer = next_timer(timer))) {
		uint64_t now, left;

		if (!timer->is_cpu || timer->due == ARENA_NEVER)
			continue;
		now = now_of(timer);
		left = timer->due > now ? clock_by_estimate(timer->due - now)
					: 0;
		if (cpu_left > left)
			cpu_left = at_least(left);
	}
	if (cpu_left != ARENA_NEVER)
		turns_limit(cpu_left);
}

static uint64_t to_ns(uint64_t cycles)
{
	uint64_t hz = arena->clock_hz;

	return cycles / hz * NS + cycles % hz * NS / hz;
}

static void plan_teller(void)
{
	const struct arena_timer *first = first_due();
	uint64_t now, left, cycles;

	if (!teller)
		return;
	if (!first) {
		turns_tell_at(teller, 0, ARENA_NEVER, 0);
		return;
	}
	now = clock_now(true);
	left = first->due > now ? first->due - now : 0;
	cycles = at_least(clock_by_estimate(left));
	turns_tell_at(teller, cycles, clock_in_model(first->due), to_ns(left));
	/* the present turn was given out before, up to what waited then */
	turns_limit(cycles);
}

/* Telling */

/* As the kernel has it. */
struct signal {
	Int number, error, code, unused;
	Int timer, missed;
	uint64_t value;
	uint64_t rest[12];
};

static bool is_pending(Int number)
{
	uint64_t pending = 0;

	call(__NR_rt_sigpending, (UWord)&pending, SET_BYTES, 0, 0);
	return pending >> (number - 1) & 1;
}

/* What was not taken yet does not come twice. */
static void send(struct arena_timer *timer, uint64_t times)
{
	struct signal signal = {
		.number = timer->signal,
		.code = FROM_TIMER,
		.timer = timer->number,
		.value = timer->value,
	};
	UWord pid = (UWord)VG_(getpid)();

	if (is_pending(timer->signal)) {
		timer->missed += times;
		return;
	}
	timer->missed = (uint32_t)times - 1;
	signal.missed = (Int)timer->missed;
	if (timer->kind == TIMER_OF_PROCESS)
		call(__NR_kill, pid, (UWord)timer->signal, 0, 0);
	else if (timer->target)
		call(__NR_rt_tgsigqueueinfo, pid, (UWord)timer->target,
		     (UWord)timer->signal, (UWord)&signal);
	else
		call(__NR_rt_sigqueueinfo, pid, (UWord)timer->signal,
		     (UWord)&signal, 0);
}

static void tell_of(struct arena_timer *timer, uint64_t now)
{
	uint64_t times = 1;

	if (timer->interval) {
		times += (now - timer->due) / timer->interval;
		timer->due += times * timer->interval;
	} else {
		timer->due = ARENA_NEVER;
	}
	if (timer->kind == TIMER_FILE)
		call(__NR_write, (UWord)timer->file, (UWord)&times,
		     sizeof(times), 0);
	else if (timer->signal)
		send(timer, times);
	has_sent = true;
}

/* Of those that are due the first; *now is its time. */
static struct arena_timer *next_due(bool is_cpu, uint64_t *now)
{
	struct arena_timer *timer = NULL, *next = NULL;

	while ((timer = next_timer(timer))) {
		uint64_t its_now;

		if (timer->is_cpu != is_cpu || timer->due == ARENA_NEVER ||
		    (next && next->due <= timer->due))
			continue;
		its_now = now_of(timer);
		if (its_now + LATE < timer->due)
			continue;
		next = timer;
		*now = its_now;
	}
	return next;
}

static void tell_due(bool is_cpu)
{
	struct arena_timer *timer;
	uint64_t now;

	while ((timer = next_due(is_cpu, &now))) {
		if (now < timer->due && !is_cpu)
			clock_reaches(timer->due);
		tell_of(timer, now < timer->due ? timer->due : now);
	}
	settle_stir();
	turns_look_again(true);
}

/* What is not counted any more takes the host's time. */
static void tell_uncounted(void)
{
	const struct arena_timer *first;

	front.is_off = 1;
	while (atomic_load(&teller->state) < THREAD_LEAVES &&
	       (first = first_due())) {
		uint64_t now = clock_now(true);

		if (now < first->due)
			front_wait(&teller->go, atomic_load(&teller->go),
				   at_least(to_ns(first->due - now)));
		else
			tell_due(false);
	}
}

static Word tell(void *unused)
{
	(void)unused;
	teller->tid = outside_tid();
	while (turns_tell(teller)) {
		tell_due(false);
		plan_teller();
	}
	if (atomic_load(&arena->stop))
		tell_uncounted();
	atomic_store(&is_telling, 0);
	return 0;
}

/* A thread of the kernel's that Valgrind does not know: no signal comes to it,
 * and it calls nothing of Valgrind's but with its lock. */
static void start_teller(void)
{
	static alignas(16) uint64_t stack[STACK_WORDS];
	const uint64_t all = UINT64_MAX;
	uint64_t before = 0;
	Long flags = VKI_CLONE_VM | VKI_CLONE_FS | VKI_CLONE_FILES |
		     VKI_CLONE_SIGHAND | VKI_CLONE_THREAD | VKI_CLONE_SYSVSEM;

	teller = threads_make_teller();
	if (!teller)
		return;
	atomic_store(&is_telling, 1);
	call(__NR_rt_sigprocmask, VKI_SIG_SETMASK, (UWord)&all, (UWord)&before,
	     SET_BYTES);
	if (do_syscall_clone_amd64_linux(tell, &stack[STACK_WORDS - 2], flags,
					 NULL, NULL, NULL, NULL) < 0) {
		threads_end(teller, THREAD_ENDED);
		atomic_store(&is_telling, 0);
		teller = NULL;
	}
	call(__NR_rt_sigprocmask, VKI_SIG_SETMASK, (UWord)&before, 0,
	     SET_BYTES);
}

static void end_teller(void)
{
	if (!teller)
		return;
	threads_lock();
	threads_end(teller, THREAD_ENDED);
	threads_unlock();
	atomic_fetch_add(&teller->go, 1);
	front_wake(&teller->go);
}

/* What is due has changed. */
static void plan(void)
{
	if (!teller && first_due())
		start_teller();
	plan_teller();
	plan_cpu();
}

/* Of the process */

void timers_begin_turn(void)
{
	struct arena_timer *timer = NULL;

	if (!has_looked) {
		has_looked = true;
		while ((timer = next_timer(timer)))
			if (timer->kind != TIMER_OF_PROCESS)
				timer->pid = 0;
		plan();
	}
	if (!cpu_left)
		tell_due(true);
	if (!cpu_left)
		plan_cpu();
	else if (cpu_left != ARENA_NEVER)
		turns_limit(cpu_left);
	if (has_sent)
		turns_cut();
	has_sent = false;
}

void timers_ran(uint64_t cycles)
{
	if (cpu_left != ARENA_NEVER)
		cpu_left -= cpu_left < cycles ? cpu_left : cycles;
}

void timers_pause(void)
{
	end_teller();
	while (atomic_load(&is_telling))
		call(__NR_sched_yield, 0, 0, 0, 0);
	teller = NULL;
}

void timers_forked(void)
{
	struct arena_timer *timer = NULL;

	while ((timer = next_timer(timer))) /* of one with this number before */
		timer->pid = 0;
	teller = NULL;
	atomic_store(&is_telling, 0);
	cpu_left = ARENA_NEVER;
	has_sent = false;
}

/* The kernel's is what a program gets that is not followed. */
static void hand_over(const struct arena_timer *timer)
{
	uint64_t now = clock_now(true);
	uint64_t ns = to_ns(timer->due > now ? timer->due - now : LATE);
	uint64_t interval_ns = to_ns(timer->interval);
	UWord values[] = { interval_ns / NS, interval_ns % NS / 1000, ns / NS,
			   ns % NS / 1000 + 1 };

	call(__NR_setitimer, REAL, (UWord)values, 0, 0);
}

void timers_leave(Bool lives_on)
{
	struct arena_timer *timer = find(TIMER_OF_PROCESS, REAL);

	if (lives_on && timer && timer->due != ARENA_NEVER)
		hand_over(timer);
	end_teller();
	for (timer = NULL; (timer = next_timer(timer));)
		timer->pid = 0;
}

/* Calls */

struct period {
	uint64_t interval, value; /* core cycles */
};

/* A time and a multiple of it, `units` in a second; false: it is none. */
static bool read_period(Addr address, Long units, bool of_date,
			struct period *period)
{
	const Long *numbers = (const Long *)address;

	if (numbers[0] < 0 || numbers[2] < 0 || numbers[1] < 0 ||
	    numbers[3] < 0 || numbers[1] >= units || numbers[3] >= units)
		return false;
	period->interval = sleep_cycles((uint64_t)numbers[0],
					(uint64_t)(numbers[1] * (NS / units)));
	period->value =
		sleep_cycles(of_date ? clock_of_date((uint64_t)numbers[2])
				     : (uint64_t)numbers[2],
			     (uint64_t)(numbers[3] * (NS / units)));
	if (!numbers[2] && !numbers[3])
		period->value = 0;
	return true;
}

/* What is left is more than nothing while the timer is set. */
static uint64_t left_of(const struct arena_timer *timer)
{
	uint64_t now;

	if (!timer || timer->due == ARENA_NEVER)
		return 0;
	now = now_of(timer);
	return timer->due > now + LATE ? timer->due - now : LATE;
}

static void write_period(Addr address, Long units,
			 const struct arena_timer *timer)
{
	uint64_t interval_ns = to_ns(timer ? timer->interval : 0);
	uint64_t left_ns = to_ns(left_of(timer));
	Long *numbers = (Long *)address;

	numbers[0] = (Long)(interval_ns / NS);
	numbers[1] = (Long)(interval_ns % NS) / (NS / units);
	numbers[2] = (Long)(left_ns / NS);
	numbers[3] = (Long)(left_ns % NS) / (NS / units);
}

enum { PERIOD_BYTES = 4 * sizeof(Long) };

static Long get_period(const struct arena_timer *timer, Addr address,
		       Long units)
{
	if (!can(address, PERIOD_BYTES, VKI_PROT_WRITE))
		return -VKI_EFAULT;
	write_period(address, units, timer);
	return 0;
}

static void arm(struct arena_timer *timer, const struct period *period,
		bool is_absolute)
{
	timer->interval = period->interval;
	timer->due = ARENA_NEVER;
	timer->missed = 0;
	if (period->value)
		timer->due = period->value + (is_absolute ? 0 : now_of(timer));
	plan();
}

static Long set_timer(struct arena_timer *timer, UWord flags, Addr new,
		      Addr old)
{
	struct period period;
	bool is_absolute = flags & IS_ABSOLUTE;

	if (!can(new, PERIOD_BYTES, VKI_PROT_READ) ||
	    (old && !can(old, PERIOD_BYTES, VKI_PROT_WRITE)))
		return -VKI_EFAULT;
	if (!read_period(new, NS, is_absolute && timer->is_date, &period))
		return -VKI_EINVAL;
	if (old)
		write_period(old, NS, timer);
	arm(timer, &period, is_absolute);
	return 0;
}

static struct arena_timer *of_process(UWord which)
{
	static const Int signals[NUM_OF_PROCESS] = { VKI_SIGALRM, VKI_SIGVTALRM,
						     VKI_SIGPROF };
	struct arena_timer *timer = find(TIMER_OF_PROCESS, which);

	if (timer)
		return timer;
	timer = add(TIMER_OF_PROCESS, which);
	if (!timer)
		return NULL;
	timer->signal = signals[which];
	timer->is_cpu = which != REAL;
	return timer;
}

static Long set_of_process(struct arena_timer *timer, Addr new, Addr old)
{
	struct period period = { 0 };

	if ((new && !can(new, PERIOD_BYTES, VKI_PROT_READ)) ||
	    (old && !can(old, PERIOD_BYTES, VKI_PROT_WRITE)))
		return -VKI_EFAULT;
	if (new && !read_period(new, US, false, &period))
		return -VKI_EINVAL;
	if (old)
		write_period(old, US, timer);
	arm(timer, &period, false);
	return 0;
}

static Long set_alarm(struct arena_timer *timer, UInt seconds)
{
	uint64_t left_ns = to_ns(left_of(timer));
	struct period period = { .value = sleep_cycles(seconds, 0) };

	arm(timer, &period, false);
	if (left_ns && left_ns < NS)
		return 1;
	return (Long)((left_ns + NS / 2) / NS);
}

/* struct sigevent; what is left out is a SIGALRM. */
static bool read_event(Addr address, struct arena_timer *timer)
{
	enum { NUMBER_AT = 2, HOW_AT, TARGET_AT };
	const Int *numbers = (const Int *)address;

	timer->signal = VKI_SIGALRM;
	timer->value = (uint64_t)timer->number;
	if (!address)
		return true;
	timer->value = *(const uint64_t *)address;
	timer->signal = numbers[NUMBER_AT];
	if (numbers[HOW_AT] == TO_THREAD)
		timer->target = numbers[TARGET_AT];
	else if (numbers[HOW_AT] == TO_NOBODY)
		timer->signal = 0;
	return timer->signal >= 0 && timer->signal <= LAST_SIGNAL &&
	       (timer->signal || numbers[HOW_AT] == TO_NOBODY);
}

/* By a clock that is no processor's. */
static bool is_of_time(UWord clock)
{
	return clock == CLOCK_REALTIME || clock == CLOCK_MONOTONIC ||
	       (clock >= CLOCK_BOOT && clock <= CLOCK_BOOT_ALARM);
}

/* False: the kernel is to, or to say what is wrong. */
static bool make(Int clock, Addr event, Addr place, Long *result)
{
	enum { EVENT_BYTES = 64 };
	const struct arena_thread *thread;
	bool is_of_processor = clock_is_of_processor((Int)clock, &thread);
	struct arena_timer *timer;

	if (!can(place, sizeof(Int), VKI_PROT_WRITE) ||
	    (event && !can(event, EVENT_BYTES, VKI_PROT_READ)) ||
	    !(is_of_processor || is_of_time((UWord)clock)))
		return false;
	timer = add(TIMER_MADE, 0);
	if (!timer)
		return false;
	timer->number = FIRST_ID + (Int)(timer - arena->timers);
	timer->is_date = sleep_is_date((UWord)clock);
	timer->is_cpu = is_of_processor;
	if (is_of_processor && thread)
		timer->of_thread = threads_number(thread) + 1;
	if (!read_event(event, timer)) {
		drop(timer);
		return false;
	}
	*(Int *)place = timer->number;
	*result = 0;
	return true;
}

/* Of a timer that was made. */
static Long use(UWord call, const UWord *args, struct arena_timer *timer)
{
	switch (call) {
	case __NR_timer_settime:
		return set_timer(timer, args[1], args[2], args[3]);
	case __NR_timer_gettime: return get_period(timer, args[1], NS);
	case __NR_timer_getoverrun: return timer->missed;
	default:
		drop(timer);
		plan();
		return 0;
	}
}

/* What was due before is not, any more. */
static Long set_file(struct arena_timer *timer, const UWord *args)
{
	struct vki_pollfd pollfd = { .fd = timer->file, .events = VKI_POLLIN };
	Long result = set_timer(timer, args[1], args[2], args[3]);
	uint64_t times = 0;

	if (!result && sr_Res(call(__NR_poll, (UWord)&pollfd, 1, 0, 0)) == 1)
		call(__NR_read, (UWord)timer->file, (UWord)&times,
		     sizeof(times), 0);
	return result;
}

static bool answer(UWord call, const UWord *args, Long *result)
{
	struct arena_timer *timer = NULL;

	switch (call) {
	case __NR_alarm:
	case __NR_setitimer:
	case __NR_getitimer:
		if (call != __NR_alarm && args[0] >= NUM_OF_PROCESS)
			return false;
		timer = of_process(call == __NR_alarm ? REAL : args[0]);
		break;
	case __NR_timer_create:
		return make((Int)args[0], args[1], args[2], result);
	case __NR_timer_settime:
	case __NR_timer_gettime:
	case __NR_timer_getoverrun:
	case __NR_timer_delete: timer = find(TIMER_MADE, args[0]); break;
	case __NR_timerfd_settime:
	case __NR_timerfd_gettime: timer = find(TIMER_FILE, args[0]); break;
	default: return false;
	}
	if (!timer)
		return false;
	switch (call) {
	case __NR_alarm: *result = set_alarm(timer, (UInt)args[0]); break;
	case __NR_setitimer:
		*result = set_of_process(timer, args[1], args[2]);
		break;
	case __NR_getitimer: *result = get_period(timer, args[1], US); break;
	case __NR_timerfd_settime: *result = set_file(timer, args); break;
	case __NR_timerfd_gettime:
		*result = get_period(timer, args[1], NS);
		break;
	default: *result = use(call, args, timer);
	}
	return true;
}

static bool is_counted(void)
{
	return clock_is_model() && !front.is_off && front.core;
}

bool timers_answer(ThreadId tid, UWord call, const UWord *args, Long *result)
{
	return is_counted() && front.thread == turns_thread(tid) &&
	       answer(call, args, result);
}

bool timers_take_file(const UWord *args)
{
	return is_counted() && is_of_time(args[0]) &&
	       !(args[1] & ~(UWord)FILE_FLAGS);
}

void timers_opened(UWord clock, Int file)
{
	struct arena_timer *timer = add(TIMER_FILE, (UWord)file);
	SysRes copy = call(__NR_fcntl, (UWord)file, VKI_F_DUPFD_CLOEXEC,
			   (UWord)vgPlain_fd_hard_limit, 0);

	if (!timer)
		return;
	timer->is_date = sleep_is_date(clock);
	timer->file = sr_isError(copy) ? file : (Int)sr_Res(copy);
}

void timers_closed(Int file)
{
	struct arena_timer *timer = find(TIMER_FILE, (UWord)file);

	if (!timer)
		return;
	drop(timer);
	plan();
}
