/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Programs that wait for something and for time. Nanoseconds are those of
 * CLOCK_MONOTONIC since the wait began.
 *
 *   rest HOW    what is left, in nanoseconds, of a sleep of 3 s that a signal
 *               ends after 1 s, and when: nanosleep(), clock_nanosleep(),
 *               select(); how long one of 1 s takes that is resumed after a
 *               signal each 0.3 s, and how many came
 *   misses N    four times: some N misses, then select() of 5 s, which
 *               setitimer() ends after 0.7 s; when; then how long N misses
 *               take, by the processor's time and by the other
 *   compute N   four times: some N misses, then divisions that take some 2 ms;
 *               then how long all of it took
 *   await HOW   what sigtimedwait() (signal) or semtimedop() (semaphore) of 2 s
 *               gives and when: if nothing comes, if a child sends something
 *               after 1 s, and if a signal ends it after 1 s
 */
#include <signal.h>
#include <sys/ipc.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/tool/traffic.h"

enum { NS = 1000000000, US = 1000000 };

static volatile sig_atomic_t came;

static void note(int signal)
{
	(void)signal;
	came++;
}

static long long read_clock(clockid_t clock)
{
	struct timespec time;

	if (clock_gettime(clock, &time))
		exit(REFUSED);
	return (long long)time.tv_sec * NS + time.tv_nsec;
}

static long long now(void)
{
	return read_clock(CLOCK_MONOTONIC);
}

/* A signal after so many milliseconds, and each of them if it is to go on. */
static void set_timer(long ms, int goes_on)
{
	struct timeval after = { ms / 1000, ms % 1000 * 1000 };
	struct itimerval each = { { 0, 0 }, after };

	if (goes_on)
		each.it_interval = after;
	if (setitimer(ITIMER_REAL, &each, NULL))
		exit(REFUSED);
}

static void tell_rest(long long start, long long rest)
{
	printf("%lld %lld ", rest, now() - start);
}

static void resume(void)
{
	struct timespec time = { 1, 0 };
	long long start = now();

	came = 0;
	set_timer(300, 1);
	while (nanosleep(&time, &time))
		;
	printf("%lld %d\n", now() - start, (int)came);
}

static int rest(int argc, char **argv)
{
	struct timespec time = { 3, 0 }, left = { 0, 0 };
	struct timeval limit = { 3, 0 };
	long long start = now();

	(void)argc;
	(void)argv;
	signal(SIGALRM, note);
	set_timer(1000, 0);
	nanosleep(&time, &left);
	tell_rest(start, left.tv_sec * NS + left.tv_nsec);
	start = now();
	set_timer(1000, 0);
	clock_nanosleep(CLOCK_MONOTONIC, 0, &time, &left);
	tell_rest(start, left.tv_sec * NS + left.tv_nsec);
	start = now();
	set_timer(1000, 0);
	select(0, NULL, NULL, NULL, &limit);
	tell_rest(start, (limit.tv_sec * US + limit.tv_usec) * 1000);
	resume();
	return 0;
}

/* Each line of some memory, in an order that nothing foresees. */
static void miss(volatile char *memory, size_t num)
{
	size_t i;

	for (i = 0; i < num; i++)
		memory[i * 7919 % num * LINE]++;
}

static int misses(int argc, char **argv)
{
	size_t num = (size_t)number(argv[0]);
	volatile char *memory = malloc(num * LINE);
	long long start, ran;
	unsigned i;

	(void)argc;
	if (!memory)
		return REFUSED;
	signal(SIGALRM, note);
	for (i = 0; i < 4; i++) {
		struct timeval limit = { 5, 0 };

		miss(memory, num);
		start = now();
		set_timer(700, 0);
		select(0, NULL, NULL, NULL, &limit);
		printf("%lld ", now() - start);
	}
	start = now();
	ran = read_clock(CLOCK_PROCESS_CPUTIME_ID);
	miss(memory, num);
	ran = read_clock(CLOCK_PROCESS_CPUTIME_ID) - ran;
	printf("%lld %lld\n", ran, now() - start);
	return 0;
}

static int await_signal(int unused)
{
	const struct timespec limit = { 2, 0 };
	sigset_t set;

	(void)unused;
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	return sigtimedwait(&set, NULL, &limit) < 0 ? errno : 0;
}

/* It takes of one semaphore, and wants that there is nothing of another. */
static int await_semaphore(int semaphores)
{
	struct sembuf operations[] = { { 0, -1, 0 }, { 1, 0, 0 } };
	const struct timespec limit = { 2, 0 };

	return semtimedop(semaphores, operations, 2, &limit) < 0 ? errno : 0;
}

static void send_later(int semaphores)
{
	struct sembuf give = { 0, 1, 0 };
	pid_t parent = getpid();

	if (fork())
		return;
	sleep(1);
	if (semaphores < 0)
		kill(parent, SIGUSR1);
	else
		semop(semaphores, &give, 1);
	_exit(0);
}

static int await(int argc, char **argv)
{
	int is_signal = !strcmp(argv[0], "signal");
	int (*wait_for)(int) = is_signal ? await_signal : await_semaphore;
	int semaphores = is_signal ? -1 : semget(IPC_PRIVATE, 2, 0600);
	sigset_t set;
	unsigned i;

	(void)argc;
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, NULL);
	signal(SIGALRM, note);
	for (i = 0; i < 3; i++) {
		long long start = now();
		int error;

		if (i == 1)
			send_later(semaphores);
		if (i == 2)
			set_timer(1000, 0);
		error = wait_for(semaphores);
		printf("%d %lld ", error, now() - start);
		if (i == 1)
			wait(NULL);
	}
	if (!is_signal)
		semctl(semaphores, 0, IPC_RMID);
	return 0;
}

static int compute(int argc, char **argv)
{
	size_t num = (size_t)number(argv[0]);
	volatile char *memory = malloc(num * LINE);
	volatile double sum = 0;
	long long start = now();

	(void)argc;
	if (!memory)
		return REFUSED;
	for (unsigned i = 0; i < 4; i++) {
		miss(memory, num);
		for (unsigned n = 1; n < 300000; n++)
			sum += 1. / n;
	}
	printf("%lld\n", now() - start);
	return 0;
}

static const struct deed deeds[] = {
	{ "rest", rest, 0 },
	{ "misses", misses, 1 },
	{ "compute", compute, 1 },
	{ "await", await, 1 },
	{ 0 },
};

int main(int argc, char **argv)
{
	return do_deed(deeds, argc, argv);
}
