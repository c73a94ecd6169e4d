/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Programs with timers. Nanoseconds are those of CLOCK_MONOTONIC since the
 * timer was set, if nothing else is said.
 *
 *   file HOW   ten ticks of a timerfd, each 2 s; how often it was due and
 *              when it was read: at once (read), after poll(), after poll()
 *              with a time-out (limit), after epoll_wait() (epoll)
 *   stopped    how often a timerfd was due that is stopped, in 4 s; what
 *              is in a file that is opened in place of one that is set
 *   pause      when the signal of alarm(4) comes in pause(), what was left
 *              of it 2 s before
 *   busy       the same of 1 ms in a loop; how often it went round
 *   every HOW  signals of setitimer() each millisecond of a loop: of the time
 *              (real), of the processor's (virtual, profile); how long it took
 *              by CLOCK_PROCESS_CPUTIME_ID
 *   thread     the same of timer_create() and the time of one of two threads
 *              that compute, and how long that took by the time of this thread
 *   date       when the signal of timer_create(), set to a date that is 2 s
 *              ahead, comes to sigwaitinfo(), and the value that it brings
 *   missed     how often more a timer of 1 s was due while its signal was
 *              blocked for 10.5 s
 *   called     when the function of SIGEV_THREAD was called
 *   answer HOW a child answers a byte after 3 s, through a pipe (pipe), a pair
 *              of sockets (pair) or a socket of the Internet (port); what
 *              poll() gives in up to 1 s, when, and then in up to 10 s, when
 *   input MS   says so when it waits for input, up to so many milliseconds;
 *              what poll() gives, and when
 *   child      as busy, and when it has ended, where a timer of its parent is
 *              due in 3 s
 *   execute    alarm(5), then executes `sleep 50`
 */
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/tool/traffic.h"

enum { NS = 1000000000, TICK = 2, LOOPS = 4000000 };

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

static int set_file(time_t seconds)
{
	struct itimerspec each = { { seconds, 0 }, { seconds, 0 } };
	int file = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK * !seconds);

	if (file < 0 || timerfd_settime(file, 0, &each, NULL))
		exit(REFUSED);
	return file;
}

static void wait_for(int file, const char *how)
{
	struct pollfd pollfd = { .fd = file, .events = POLLIN };
	struct epoll_event event = { .events = EPOLLIN };
	int epoll;

	if (!strcmp(how, "poll"))
		poll(&pollfd, 1, -1);
	if (!strcmp(how, "limit"))
		poll(&pollfd, 1, 1000 * 1000);
	if (strcmp(how, "epoll"))
		return;
	epoll = epoll_create1(0);
	epoll_ctl(epoll, EPOLL_CTL_ADD, file, &event);
	epoll_wait(epoll, &event, 1, -1);
	close(epoll);
}

static int of_file(int argc, char **argv)
{
	long long start = read_clock(CLOCK_MONOTONIC);
	int file = set_file(TICK);
	unsigned i;

	(void)argc;
	for (i = 0; i < 10; i++) {
		uint64_t times;

		wait_for(file, argv[0]);
		if (read(file, &times, sizeof(times)) != sizeof(times))
			return WRONG;
		printf("%llu %lld ", (unsigned long long)times,
		       read_clock(CLOCK_MONOTONIC) - start);
	}
	return 0;
}

static int stopped(int argc, char **argv)
{
	const struct itimerspec never = { 0 };
	int file = set_file(TICK);
	FILE *other;
	struct pollfd pollfd = { .fd = file, .events = POLLIN };

	(void)argc;
	(void)argv;
	sleep(TICK + 1);
	printf("%d ", poll(&pollfd, 1, 0));
	if (timerfd_settime(file, 0, &never, NULL))
		return WRONG;
	sleep(2 * TICK);
	printf("%d ", poll(&pollfd, 1, 0));
	close(file);
	file = set_file(TICK);
	close(file);
	other = tmpfile();
	if (!other || fileno(other) != file)
		return REFUSED;
	sleep(2 * TICK);
	printf("%ld\n", lseek(file, 0, SEEK_END));
	return 0;
}

static int in_pause(int argc, char **argv)
{
	long long start = read_clock(CLOCK_MONOTONIC);
	unsigned left;

	(void)argc;
	(void)argv;
	signal(SIGALRM, note);
	alarm(50);
	alarm(4);
	sleep(2);
	left = alarm(2);
	pause();
	printf("%lld %u\n", read_clock(CLOCK_MONOTONIC) - start, left);
	return came == 1 ? 0 : WRONG;
}

static int busy(int argc, char **argv)
{
	long long start;
	unsigned long rounds = 0;

	(void)argc;
	(void)argv;
	signal(SIGALRM, note);
	start = read_clock(CLOCK_MONOTONIC);
	ualarm(1000, 0);
	while (!came)
		rounds++;
	printf("%lld %lu\n", read_clock(CLOCK_MONOTONIC) - start, rounds);
	return 0;
}

static void compute(unsigned rounds)
{
	volatile unsigned i;

	for (i = 0; i < rounds; i++)
		;
}

static int every(int argc, char **argv)
{
	const struct itimerval each = { { 0, 1000 }, { 0, 1000 } };
	const struct itimerval never = { { 0, 0 }, { 0, 0 } };
	int which = !strcmp(argv[0], "real")	  ? ITIMER_REAL
		    : !strcmp(argv[0], "virtual") ? ITIMER_VIRTUAL
						  : ITIMER_PROF;
	long long start;

	(void)argc;
	signal(SIGALRM, note);
	signal(SIGVTALRM, note);
	signal(SIGPROF, note);
	start = read_clock(CLOCK_PROCESS_CPUTIME_ID);
	setitimer(which, &each, NULL);
	compute(LOOPS);
	setitimer(which, &never, NULL);
	printf("%d %lld\n", (int)came,
	       read_clock(CLOCK_PROCESS_CPUTIME_ID) - start);
	return 0;
}

static void *compute_too(void *unused)
{
	compute(LOOPS);
	return unused;
}

static timer_t make(clockid_t clock, int how, int number)
{
	struct sigevent event = { .sigev_notify = how, .sigev_signo = number };
	timer_t timer;

	event.sigev_value.sival_int = 4711;
	if (timer_create(clock, &event, &timer))
		exit(REFUSED);
	return timer;
}

static int thread(int argc, char **argv)
{
	const struct itimerspec each = { { 0, NS / 1000 }, { 0, NS / 1000 } };
	timer_t timer = make(CLOCK_THREAD_CPUTIME_ID, SIGEV_SIGNAL, SIGUSR1);
	pthread_t other;
	long long start;

	(void)argc;
	(void)argv;
	signal(SIGUSR1, note);
	pthread_create(&other, NULL, compute_too, NULL);
	start = read_clock(CLOCK_THREAD_CPUTIME_ID);
	timer_settime(timer, 0, &each, NULL);
	compute(LOOPS);
	timer_delete(timer);
	printf("%d %lld\n", (int)came,
	       read_clock(CLOCK_THREAD_CPUTIME_ID) - start);
	pthread_join(other, NULL);
	return 0;
}

static int date(int argc, char **argv)
{
	timer_t timer = make(CLOCK_REALTIME, SIGEV_SIGNAL, SIGRTMIN);
	struct itimerspec at = { { 0, 0 }, { 0, 0 } };
	long long start = read_clock(CLOCK_MONOTONIC);
	siginfo_t info;
	sigset_t set;

	(void)argc;
	(void)argv;
	sigemptyset(&set);
	sigaddset(&set, SIGRTMIN);
	sigprocmask(SIG_BLOCK, &set, NULL);
	clock_gettime(CLOCK_REALTIME, &at.it_value);
	at.it_value.tv_sec += TICK;
	if (timer_settime(timer, TIMER_ABSTIME, &at, NULL) ||
	    sigwaitinfo(&set, &info) != SIGRTMIN || info.si_code != SI_TIMER)
		return WRONG;
	printf("%lld %d\n", read_clock(CLOCK_MONOTONIC) - start,
	       info.si_value.sival_int);
	timer_gettime(timer, &at);
	return at.it_value.tv_sec || at.it_value.tv_nsec ? WRONG : 0;
}

static int missed(int argc, char **argv)
{
	const struct itimerspec each = { { 1, 0 }, { 1, 0 } };
	timer_t timer = make(CLOCK_MONOTONIC, SIGEV_SIGNAL, SIGUSR1);
	sigset_t set;

	(void)argc;
	(void)argv;
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, NULL);
	timer_settime(timer, 0, &each, NULL);
	usleep(10500 * 1000);
	if (sigwaitinfo(&set, NULL) != SIGUSR1)
		return WRONG;
	printf("%d\n", timer_getoverrun(timer));
	return 0;
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;

static void call(union sigval value)
{
	pthread_mutex_lock(&lock);
	came = value.sival_int;
	pthread_cond_signal(&condition);
	pthread_mutex_unlock(&lock);
}

static int called(int argc, char **argv)
{
	struct sigevent event = { .sigev_notify = SIGEV_THREAD };
	const struct itimerspec once = { { 0, 0 }, { TICK, 0 } };
	long long start = read_clock(CLOCK_MONOTONIC);
	timer_t timer;

	(void)argc;
	(void)argv;
	event.sigev_notify_function = call;
	event.sigev_value.sival_int = 42;
	if (timer_create(CLOCK_MONOTONIC, &event, &timer))
		return REFUSED;
	timer_settime(timer, 0, &once, NULL);
	pthread_mutex_lock(&lock);
	while (!came)
		pthread_cond_wait(&condition, &lock);
	pthread_mutex_unlock(&lock);
	printf("%lld %d\n", read_clock(CLOCK_MONOTONIC) - start, (int)came);
	return 0;
}

static void answer_later(int from, int to)
{
	char byte;

	if (read(from, &byte, 1) != 1)
		_exit(WRONG);
	sleep(3);
	_exit(write(to, &byte, 1) != 1);
}

static void ask_pipe(int *ask, int *back)
{
	int there[2], here[2];

	if (pipe(there) || pipe(here))
		exit(REFUSED);
	if (!fork())
		answer_later(there[0], here[1]);
	*ask = there[1];
	*back = here[0];
}

static int ask_pair(void)
{
	int files[2];

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, files))
		exit(REFUSED);
	if (!fork())
		answer_later(files[1], files[1]);
	return files[0];
}

static int ask_port(void)
{
	struct sockaddr_in address = { .sin_family = AF_INET };
	struct sockaddr *at = (struct sockaddr *)&address;
	socklen_t size = sizeof(address);
	int server = socket(AF_INET, SOCK_STREAM, 0);
	int client = socket(AF_INET, SOCK_STREAM, 0);

	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (bind(server, at, size) || listen(server, 1) ||
	    getsockname(server, at, &size))
		exit(REFUSED);
	if (!fork()) {
		int file = accept(server, NULL, NULL);

		answer_later(file, file);
	}
	if (connect(client, at, size))
		exit(REFUSED);
	return client;
}

static int answer(int argc, char **argv)
{
	struct pollfd pollfd = { .events = POLLIN };
	long long start;
	int ask, i;

	(void)argc;
	if (!strcmp(argv[0], "pipe")) {
		ask_pipe(&ask, &pollfd.fd);
	} else {
		ask = strcmp(argv[0], "port") ? ask_pair() : ask_port();
		pollfd.fd = ask;
	}
	start = read_clock(CLOCK_MONOTONIC);
	if (write(ask, "?", 1) != 1)
		return WRONG;
	for (i = 0; i < 2; i++) {
		int found = poll(&pollfd, 1, i ? 10000 : 1000);

		printf("%d %lld ", found, read_clock(CLOCK_MONOTONIC) - start);
	}
	return 0;
}

static int input(int argc, char **argv)
{
	struct pollfd pollfd = { .fd = 0, .events = POLLIN };
	long long start;
	int found;

	(void)argc;
	puts("waits");
	fflush(stdout);
	start = read_clock(CLOCK_MONOTONIC);
	found = poll(&pollfd, 1, (int)number(argv[0]));
	printf("%d %lld\n", found, read_clock(CLOCK_MONOTONIC) - start);
	return 0;
}

static int execute(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	alarm(5);
	execlp("sleep", "sleep", "50", NULL);
	return REFUSED;
}

/* A child with an alarm of its own, whose parent's is due much later. */
static int child(int argc, char **argv)
{
	struct itimerspec far = { .it_value = { .tv_sec = 3 } };
	timer_t timer = make(CLOCK_MONOTONIC, SIGEV_SIGNAL, SIGUSR1);
	long long start = read_clock(CLOCK_MONOTONIC);
	pid_t made;

	if (timer_settime(timer, 0, &far, NULL))
		return REFUSED;
	made = fork();
	if (!made)
		return busy(argc, argv);
	if (made < 0 || waitpid(made, NULL, 0) != made)
		return REFUSED;
	printf("%lld\n", read_clock(CLOCK_MONOTONIC) - start);
	return 0;
}

static const struct deed deeds[] = {
	{ "file", of_file, 1 },	   { "stopped", stopped, 0 },
	{ "pause", in_pause, 0 },  { "busy", busy, 0 },
	{ "child", child, 0 },	   { "every", every, 1 },
	{ "thread", thread, 0 },   { "date", date, 0 },
	{ "missed", missed, 0 },   { "called", called, 0 },
	{ "execute", execute, 0 }, { "answer", answer, 1 },
	{ "input", input, 1 },	   { 0 },
};

int main(int argc, char **argv)
{
	return do_deed(deeds, argc, argv);
}
