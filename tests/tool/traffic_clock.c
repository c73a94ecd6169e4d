/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Programs that read the time:
 *
 *   triad N     a[i] = b[i] + 3 c[i] for N doubles each, in region `triad`;
 *               nanoseconds and ticks of the time stamp counter of that
 *   adds        ticks of RDTSC for 1,000 and for 6,000 additions, each of which
 *               needs the one before
 *   short       the same from one reading to the next, and with ten divisions
 *               between the two, then behind both
 *   threads N   N threads read the time in turn and alone; how often it went
 *               back for one of them, or between two
 *   clocks      seconds of CLOCK_MONOTONIC, CLOCK_REALTIME, time(), and
 *               gettimeofday(), then CLOCK_MONOTONIC in nanoseconds again
 *   sleep       nanoseconds by CLOCK_MONOTONIC of half a second each: asked
 *               for, at a given time, in poll() without and with a descriptor,
 *               and for a condition that nobody signals
 *   signalled   the same of a wait of up to 2 s for a condition that is
 *               signalled after 0.3 s, and of a sleep of 0.1 ms while another
 *               thread computes
 *   cpu         nanoseconds of computing, by CLOCK_MONOTONIC, CLOCK_PROCESS_...
 *               and CLOCK_THREAD_CPUTIME_ID and by getrusage()
 *   children    the same of a child, by CLOCK_PROCESS_CPUTIME_ID, and what the
 *               one who waited for it is told by wait4(), getrusage() and, in
 *               hundredths of seconds, times()
 */
#include "uncore/mark.h"

#include <poll.h>
#include <pthread.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/times.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/tool/traffic.h"

enum { NS = 1000000000, READINGS = 500, SPINS = 200 };

static long long read_clock(clockid_t clock)
{
	struct timespec time;

	if (clock_gettime(clock, &time))
		exit(REFUSED);
	return (long long)time.tv_sec * NS + time.tv_nsec;
}

static uint64_t ticks(void)
{
	uint32_t low, high;

	__asm__ volatile("rdtsc" : "=a"(low), "=d"(high)::"memory");
	return (uint64_t)high << 32 | low;
}

static uint64_t ticks_in_order(void)
{
	uint32_t low, high, place;

	__asm__ volatile("rdtscp"
			 : "=a"(low), "=d"(high), "=c"(place)::"memory");
	return (uint64_t)high << 32 | low;
}

static double *filled(size_t num, double value)
{
	double *array = malloc(num * sizeof(*array));
	size_t i;

	if (!array)
		exit(REFUSED);
	for (i = 0; i < num; i++)
		array[i] = value;
	return array;
}

static int triad(int argc, char **argv)
{
	size_t num = number(argv[0]), i;
	double *a = filled(num, 0), *b = filled(num, 1), *c = filled(num, 2);
	long long start, end;
	uint64_t first, last;

	(void)argc;
	uncore_region_begin("triad");
	start = read_clock(CLOCK_MONOTONIC);
	first = ticks_in_order();
	for (i = 0; i < num; i++)
		a[i] = b[i] + 3 * c[i];
	last = ticks_in_order();
	end = read_clock(CLOCK_MONOTONIC);
	uncore_region_end("triad");
	printf("%lld %llu\n", end - start, (unsigned long long)(last - first));
	return a[num / 2] == 7 ? 0 : WRONG;
}

/* Ticks of so many additions; the code is there once. */
#define ADDS(NUM)                                                              \
	static __attribute__((noinline)) uint64_t adds_##NUM(uint64_t *sum)    \
	{                                                                      \
		uint64_t start = ticks();                                      \
		__asm__ volatile(".rept " #NUM "\n\tadd $1, %0\n\t.endr"       \
				 : "+r"(*sum));                                \
		return ticks() - start;                                        \
	}

ADDS(1000)
ADDS(6000)

static int adds(int argc, char **argv)
{
	uint64_t sum = 0, few = 0, many = 0;
	volatile unsigned i;

	(void)argc;
	(void)argv;
	for (i = 0; i < 2; i++) /* the second time all code is near */
		few = adds_1000(&sum);
	for (i = 0; i < 2; i++)
		many = adds_6000(&sum);
	printf("%llu %llu\n", (unsigned long long)few,
	       (unsigned long long)many);
	return sum == 14000 ? 0 : WRONG;
}

#define DIVISIONS ".rept 10\n\tdivsd %%xmm1, %%xmm1\n\t.endr\n\t"
#define READ	  "rdtsc\n\tshl $32, %%rdx\n\tor %%rdx, %%rax\n\t"

/* What is in one block of code, and read in the midst of it. */
#define TICKS_OF(between, behind)                                              \
	__asm__ volatile(READ "mov %%rax, %%rcx\n\t" between READ behind       \
			      "sub %%rcx, %%rax"                               \
			 : "=a"(passed)::"rcx", "rdx", "xmm1", "cc")

static int short_ticks(int argc, char **argv)
{
	uint64_t passed, ticks_of[3] = { 0 };
	volatile unsigned i;

	(void)argc;
	(void)argv;
	for (i = 0; i < 2; i++) { /* the second time all code is near */
		TICKS_OF("", "");
		ticks_of[0] = passed;
		TICKS_OF(DIVISIONS, "");
		ticks_of[1] = passed;
		TICKS_OF("", DIVISIONS);
		ticks_of[2] = passed;
	}
	for (i = 0; i < 3; i++)
		printf("%llu ", (unsigned long long)ticks_of[i]);
	return 0;
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long long latest; /* of all threads */
static unsigned went_back;

static void *read_often(void *unused)
{
	long long mine = 0;
	unsigned i;

	for (i = 0; i < READINGS; i++) {
		long long now = read_clock(CLOCK_MONOTONIC);
		volatile unsigned spin;

		pthread_mutex_lock(&lock);
		went_back += now < mine;
		mine = read_clock(CLOCK_MONOTONIC);
		went_back += mine < latest || mine < now;
		latest = mine;
		pthread_mutex_unlock(&lock);
		for (spin = 0; spin < SPINS; spin++)
			;
	}
	return unused;
}

static int threads(int argc, char **argv)
{
	size_t num = number(argv[0]), i;
	pthread_t made[MAX_THREADS];

	(void)argc;
	for (i = 0; i < num; i++)
		if (pthread_create(&made[i], NULL, read_often, NULL))
			return REFUSED;
	for (i = 0; i < num; i++)
		pthread_join(made[i], NULL);
	printf("%u %lld\n", went_back, latest);
	return 0;
}

static int clocks(int argc, char **argv)
{
	struct timeval day;
	int zone[2] = { 1, 1 };

	(void)argc;
	(void)argv;
	/* the call itself: the library asks for no zone */
	if (syscall(SYS_gettimeofday, &day, zone) || zone[0] || zone[1])
		return REFUSED;
	printf("%lld %lld %lld %lld %lld\n", read_clock(CLOCK_MONOTONIC) / NS,
	       read_clock(CLOCK_REALTIME) / NS, (long long)time(NULL),
	       (long long)day.tv_sec, read_clock(CLOCK_MONOTONIC));
	return 0;
}

static int cpu(int argc, char **argv)
{
	static const clockid_t which[] = { CLOCK_MONOTONIC,
					   CLOCK_PROCESS_CPUTIME_ID,
					   CLOCK_THREAD_CPUTIME_ID };
	long long start[3], end[3];
	struct rusage before, after;
	volatile unsigned i;
	unsigned c;

	(void)argc;
	(void)argv;
	getrusage(RUSAGE_SELF, &before);
	for (c = 0; c < 3; c++)
		start[c] = read_clock(which[c]);
	for (i = 0; i < 300000; i++)
		;
	for (c = 0; c < 3; c++)
		end[c] = read_clock(which[c]);
	getrusage(RUSAGE_SELF, &after);
	printf("%lld %lld %lld %lld\n", end[0] - start[0], end[1] - start[1],
	       end[2] - start[2],
	       (long long)(after.ru_utime.tv_usec - before.ru_utime.tv_usec +
			   (after.ru_utime.tv_sec - before.ru_utime.tv_sec) *
				   1000000) *
		       1000);
	return 0;
}

static long long ns_of(const struct rusage *usage)
{
	return usage->ru_utime.tv_sec * (long long)NS +
	       usage->ru_utime.tv_usec * 1000LL;
}

static int children(int argc, char **argv)
{
	struct rusage before, child, all;
	struct tms times_of;
	long long ran;
	int files[2];
	volatile unsigned i;

	(void)argc;
	(void)argv;
	getrusage(RUSAGE_CHILDREN, &before);
	if (pipe(files))
		return REFUSED;
	if (!fork()) {
		for (i = 0; i < 12000000; i++)
			;
		ran = read_clock(CLOCK_PROCESS_CPUTIME_ID);
		_exit(write(files[1], &ran, sizeof(ran)) != sizeof(ran));
	}
	if (read(files[0], &ran, sizeof(ran)) != sizeof(ran) ||
	    wait4(-1, NULL, 0, &child) < 0 || ns_of(&before))
		return WRONG;
	getrusage(RUSAGE_CHILDREN, &all);
	times(&times_of);
	printf("%lld %lld %lld %ld\n", ran, ns_of(&child), ns_of(&all),
	       (long)times_of.tms_cutime);
	return 0;
}

static struct timespec later(clockid_t clock, long ms)
{
	long long at = read_clock(clock) + ms * 1000000LL;

	return (struct timespec){ .tv_sec = at / NS, .tv_nsec = at % NS };
}

static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;

static void poll_in(int file)
{
	struct pollfd pollfd = { .fd = file, .events = POLLIN };

	poll(file < 0 ? NULL : &pollfd, file >= 0, 500);
}

static int sleep_half(int argc, char **argv)
{
	const struct timespec half = { .tv_nsec = NS / 2 };
	long long at[6];
	int files[2];
	unsigned i;

	(void)argc;
	(void)argv;
	if (pipe(files))
		return REFUSED;
	for (i = 0; i < 6; i++) {
		struct timespec end =
			later(i == 1 ? CLOCK_MONOTONIC : CLOCK_REALTIME, 500);

		at[i] = read_clock(CLOCK_MONOTONIC);
		switch (i) {
		case 0: nanosleep(&half, NULL); break;
		case 1:
			clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &end,
					NULL);
			break;
		case 2: poll_in(-1); break;
		case 3: poll_in(files[0]); break;
		case 4:
			pthread_mutex_lock(&lock);
			pthread_cond_timedwait(&condition, &lock, &end);
			break;
		default: break;
		}
	}
	for (i = 0; i < 5; i++)
		printf("%lld ", at[i + 1] - at[i]);
	return 0;
}

static void *signal_later(void *unused)
{
	usleep(300000);
	pthread_mutex_lock(&lock);
	pthread_cond_signal(&condition);
	pthread_mutex_unlock(&lock);
	return unused;
}

static void *compute(void *unused)
{
	volatile unsigned i;

	for (i = 0; i < 200000; i++)
		;
	return unused;
}

static int signalled(int argc, char **argv)
{
	struct timespec end = later(CLOCK_REALTIME, 2000);
	long long start = read_clock(CLOCK_MONOTONIC), waited;
	pthread_t thread;

	(void)argc;
	(void)argv;
	pthread_mutex_lock(&lock);
	pthread_create(&thread, NULL, signal_later, NULL);
	if (pthread_cond_timedwait(&condition, &lock, &end))
		return WRONG;
	waited = read_clock(CLOCK_MONOTONIC) - start;
	pthread_mutex_unlock(&lock);
	pthread_join(thread, NULL);
	pthread_create(&thread, NULL, compute, NULL);
	start = read_clock(CLOCK_MONOTONIC);
	usleep(100);
	printf("%lld %lld\n", waited, read_clock(CLOCK_MONOTONIC) - start);
	pthread_join(thread, NULL);
	return 0;
}

static const struct deed deeds[] = {
	{ "triad", triad, 1 },	     { "adds", adds, 0 },
	{ "short", short_ticks, 0 }, { "threads", threads, 1 },
	{ "sleep", sleep_half, 0 },  { "signalled", signalled, 0 },
	{ "clocks", clocks, 0 },     { "cpu", cpu, 0 },
	{ "children", children, 0 }, { 0 },
};

int main(int argc, char **argv)
{
	return do_deed(deeds, argc, argv);
}
