/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Ends, stops and waits of many kinds, for ends.py: what each prints and its
 * exit status are the same wherever it runs.
 *
 *   exit N       exit status N
 *   traced       a child is traced, stops, and goes on
 *   debugged     a child is traced, and executes `exit 7`
 *   traceme      the program asks its parent to trace it, and stops
 *   attach       a child that computes is attached to and let go on
 *   stopped      a child that waits its turn is stopped by SIGSTOP, continued
 *   killed       a child that computes is killed
 *   thread-exec  a second thread executes `exit 7`
 *   vfork        as posix_spawn() does it
 *   leave        the first thread ends before the others, which wait for each
 *                other
 *   orphan       a child goes on when its parent has ended; a pipe tells
 *   pipe         two processes on one core wait for each other in read()
 *   odd          asks for a process of a kind that Valgrind does not know
 *   deaf         ignores SIGTERM, and never ends
 *   fault        one of four threads that compute stores to address 0
 *   prompt       computes for two seconds, asks for a name, and computes again
 *   spin, yield, poll, sleep
 *                two processes hand a word of shared memory over 200 times;
 *                who waits looks at it without pause, or calls sched_yield(),
 *                poll() or nanosleep() with no time in between
 */
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { STATUS = 7, HANDOVERS = 200, THREADS = 4, SHORT_NS = 50000000 };

static const char *self;
static _Atomic unsigned *word;

static void execute_exit(void)
{
	execl(self, self, "exit", "7", (char *)NULL);
	_exit(99);
}

static void compute(unsigned long rounds)
{
	volatile unsigned long sum = 0;

	for (unsigned long i = 0; i < rounds; i++)
		sum += i;
}

static void nap(void)
{
	nanosleep(&(struct timespec){ .tv_nsec = SHORT_NS }, NULL);
}

/* Lets a traced child go on until it ends. */
static int trace(pid_t child)
{
	int status = 0, stops = 0;

	while (waitpid(child, &status, 0) == child && WIFSTOPPED(status)) {
		int number = WSTOPSIG(status);

		stops++;
		if (number == SIGSTOP || number == SIGTRAP)
			number = 0;
		ptrace(PTRACE_CONT, child, NULL, number);
	}
	printf("stopped: %d\n", stops > 0);
	return WEXITSTATUS(status);
}

static int traced(int executes)
{
	pid_t child = fork();

	if (child)
		return trace(child);
	ptrace(PTRACE_TRACEME, 0, NULL, NULL);
	if (executes)
		execute_exit();
	raise(SIGSTOP);
	compute(100000);
	_exit(STATUS);
}

static void share_word(void)
{
	word = mmap(NULL, sizeof(*word), PROT_READ | PROT_WRITE,
		    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
}

/* A child that computes until the word is not 0. */
static pid_t start_until_told(void)
{
	pid_t child;

	share_word();
	child = fork();
	if (child)
		return child;
	while (!atomic_load(word))
		compute(10);
	_exit(STATUS);
}

static int attach(void)
{
	pid_t child = start_until_told();

	nap();
	if (ptrace(PTRACE_ATTACH, child, NULL, NULL) < 0)
		perror("ptrace");
	atomic_store(word, 1);
	return trace(child);
}

static int stopped(void)
{
	pid_t child = start_until_told();
	int status;

	kill(child, SIGSTOP);
	compute(1000000);
	waitpid(child, &status, WUNTRACED);
	printf("stopped: %d\n", WIFSTOPPED(status));
	atomic_store(word, 1);
	nap();
	kill(child, SIGCONT);
	waitpid(child, &status, 0);
	return WEXITSTATUS(status);
}

static int killed(void)
{
	pid_t child = fork();
	int status;

	if (!child)
		for (;;)
			compute(1000);
	nap();
	kill(child, SIGKILL);
	waitpid(child, &status, 0);
	printf("killed by %d\n", WTERMSIG(status));
	return STATUS;
}

static void *execute(void *argument)
{
	execute_exit();
	return argument;
}

static int thread_exec(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, execute, NULL);
	pause();
	return 99;
}

static int by_vfork(void)
{
	pid_t child = vfork();
	int status;

	if (!child)
		execute_exit();
	waitpid(child, &status, 0);
	return WEXITSTATUS(status);
}

static void *wait_and_end(void *number)
{
	static _Atomic unsigned turn;
	unsigned mine = (unsigned)(size_t)number;

	while (atomic_load(&turn) != mine)
		nap();
	atomic_fetch_add(&turn, 1);
	if (mine == THREADS - 1)
		exit(STATUS);
	return NULL;
}

static int leave(void)
{
	pthread_t thread;

	for (size_t i = 0; i < THREADS; i++)
		pthread_create(&thread, NULL, wait_and_end, (void *)i);
	pthread_exit(NULL);
}

static void *compute_for_ever(void *argument)
{
	for (;;)
		compute(1000);
	return argument;
}

static void *store_to_nowhere(void *argument)
{
	compute(100000);
	*(volatile int *)argument = 1;
	return argument;
}

static int fault(void)
{
	pthread_t thread;

	for (size_t i = 1; i < THREADS; i++)
		pthread_create(&thread, NULL, compute_for_ever, NULL);
	pthread_create(&thread, NULL, store_to_nowhere, NULL);
	pause();
	return 99;
}

static int orphan(void)
{
	int ends[2];

	if (pipe(ends))
		return 99;
	if (!fork()) { /* its child goes on */
		if (fork())
			_exit(0);
		nap();
		compute(100000);
		_exit(write(ends[1], "x", 1) != 1);
	}
	close(ends[1]);
	printf("read %d\n", (int)read(ends[0], &(char){ 0 }, 1));
	return STATUS;
}

static int by_pipe(void)
{
	char byte = 0;
	int there[2], back[2];
	cpu_set_t first;
	pid_t child;

	CPU_ZERO(&first);
	CPU_SET(0, &first);
	sched_setaffinity(0, sizeof(first), &first);
	if (pipe(there) || pipe(back))
		return 99;
	child = fork();
	for (unsigned i = 0; i < HANDOVERS / 10; i++) {
		compute(child ? 1000 : 30000);
		if (child && write(there[1], &byte, 1) != 1)
			return 99;
		if (read(child ? back[0] : there[0], &byte, 1) != 1)
			return 99;
		if (!child && write(back[1], &byte, 1) != 1)
			return 99;
	}
	if (!child)
		_exit(0);
	waitpid(child, NULL, 0);
	return STATUS;
}

static int odd(void)
{
	long child = syscall(SYS_clone,
			     CLONE_VM | CLONE_FS | CLONE_VFORK | CLONE_PARENT |
				     SIGCHLD,
			     0, 0, 0, 0);

	if (!child)
		_exit(0);
	return STATUS;
}

static void compute_for(time_t seconds)
{
	struct timespec now, start;

	clock_gettime(CLOCK_MONOTONIC, &start);
	do {
		compute(10000);
		clock_gettime(CLOCK_MONOTONIC, &now);
	} while (now.tv_sec - start.tv_sec < seconds + 1);
}

static int prompt(void)
{
	char name[16];

	compute_for(2);
	if (write(STDOUT_FILENO, "name? ", 6) < 0)
		return 99;
	compute_for(1);
	return read(STDIN_FILENO, name, sizeof(name)) > 0 ? STATUS : 99;
}

static void wait_for(unsigned value, char how)
{
	while (atomic_load(word) != value)
		switch (how) {
		case 'y': sched_yield(); break;
		case 'p': poll(NULL, 0, 0); break;
		case 'n': nanosleep(&(struct timespec){ 0, 0 }, NULL); break;
		default: break;
		}
}

static int hand_over(char how)
{
	pid_t child;

	share_word();
	child = fork();
	for (unsigned i = !child; i < HANDOVERS; i += 2) {
		wait_for(i, how);
		atomic_store(word, i + 1);
	}
	if (!child)
		_exit(0);
	waitpid(child, NULL, 0);
	printf("%u\n", atomic_load(word));
	return STATUS;
}

static int run(const char *what)
{
	if (!strcmp(what, "traced"))
		return traced(0);
	if (!strcmp(what, "debugged"))
		return traced(1);
	if (!strcmp(what, "attach"))
		return attach();
	if (!strcmp(what, "stopped"))
		return stopped();
	if (!strcmp(what, "killed"))
		return killed();
	if (!strcmp(what, "thread-exec"))
		return thread_exec();
	if (!strcmp(what, "vfork"))
		return by_vfork();
	if (!strcmp(what, "leave"))
		return leave();
	if (!strcmp(what, "orphan"))
		return orphan();
	if (!strcmp(what, "fault"))
		return fault();
	if (!strcmp(what, "deaf")) {
		signal(SIGTERM, SIG_IGN);
		for (;;)
			compute(1000);
	}
	if (!strcmp(what, "prompt"))
		return prompt();
	if (!strcmp(what, "pipe"))
		return by_pipe();
	if (!strcmp(what, "odd"))
		return odd();
	if (!strcmp(what, "spin"))
		return hand_over('s');
	if (!strcmp(what, "yield"))
		return hand_over('y');
	if (!strcmp(what, "poll"))
		return hand_over('p');
	if (!strcmp(what, "sleep"))
		return hand_over('n');
	if (strcmp(what, "traceme") != 0)
		return 99;
	ptrace(PTRACE_TRACEME, 0, NULL, NULL);
	raise(SIGSTOP);
	puts("goes on");
	return STATUS;
}

int main(int argc, char **argv)
{
	self = argv[0];
	if (argc == 3)
		return atoi(argv[2]);
	return argc == 2 ? run(argv[1]) : 99;
}
