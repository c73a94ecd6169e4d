/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * A wait is first a short watch of the state, because the model often answers
 * within a microsecond or two, then sleep on the bell. It never lasts longer
 * than the other process: a thread of its own waits for that one's end, and
 * then ends QEMU.
 */
#include "link.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "src/base/clock.h"

enum {
	WATCH_NS = 20 * 1000,
	LOOKS_PER_TIME = 32, /* at the state, between looks at the clock */
	SLEEP_NS = 20 * 1000 * 1000,
	ALIVE_MS = 500, /* between looks where there are no pidfds */
};

static _Atomic bool owner_died;
static _Atomic bool ending;

/* As a user would: its terminal is left in order. */
static void end_qemu(void)
{
	if (!atomic_exchange(&ending, true))
		kill(getpid(), SIGTERM);
}

static bool lives(uint32_t owner)
{
	return kill((pid_t)owner, 0) == 0 || errno != ESRCH;
}

/* Returns when the process has ended. */
static void await_end(uint32_t owner)
{
	struct pollfd end = { .events = POLLIN };

	end.fd = (int)syscall(SYS_pidfd_open, owner, 0);
	if (end.fd >= 0) {
		while (poll(&end, 1, -1) < 0 && errno == EINTR)
			;
		close(end.fd);
		return;
	}
	while (lives(owner))
		poll(NULL, 0, ALIVE_MS);
}

static void *watch_owner(void *data)
{
	struct channel *channel = data;

	await_end(channel->owner);
	atomic_store(&owner_died, true);
	if (!atomic_load(&channel->stop))
		fprintf(stderr, "uncore: the process that ran the model has "
				"ended, and so must its guest\n");
	end_qemu();
	return NULL;
}

bool link_start_thread(void *(*run)(void *), void *data)
{
	pthread_t thread;
	sigset_t all, before;
	int code;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	code = pthread_create(&thread, NULL, run, data);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (code) {
		fprintf(stderr, "uncore: cannot start a thread: %s\n",
			strerror(code));
		return false;
	}
	pthread_detach(thread);
	return true;
}

static struct channel *map(int fd, const char *path)
{
	struct channel *channel;
	struct stat status;

	if (fstat(fd, &status) < 0 ||
	    status.st_size != (off_t)sizeof(struct channel)) {
		fprintf(stderr,
			"uncore: %s is not a guest's channel, or for "
			"another version of this plugin\n",
			path);
		return NULL;
	}
	channel = mmap(NULL, sizeof(*channel), PROT_READ | PROT_WRITE,
		       MAP_SHARED, fd, 0);
	if (channel == MAP_FAILED) {
		fprintf(stderr, "uncore: cannot map the channel %s: %s\n", path,
			strerror(errno));
		return NULL;
	}
	if (channel->magic != CHANNEL_MAGIC ||
	    channel->size_bytes != sizeof(*channel) ||
	    channel->num_cpus > CHANNEL_MAX_CPUS ||
	    channel->num_sockets > CHANNEL_MAX_SOCKETS ||
	    channel->num_registers > CHANNEL_MAX_REGISTERS) {
		fprintf(stderr,
			"uncore: the channel %s is for another version "
			"of this plugin\n",
			path);
		munmap(channel, sizeof(*channel));
		return NULL;
	}
	return channel;
}

struct channel *link_open(const char *path)
{
	struct channel *channel;
	int fd = open(path, O_RDWR | O_CLOEXEC);

	if (fd < 0) {
		fprintf(stderr, "uncore: cannot open the channel %s: %s\n",
			path, strerror(errno));
		return NULL;
	}
	channel = map(fd, path);
	close(fd);
	if (channel && !link_start_thread(watch_owner, channel)) {
		munmap(channel, sizeof(*channel));
		return NULL;
	}
	return channel;
}

void link_set(struct channel *channel, _Atomic uint32_t *state, uint32_t value)
{
	atomic_store(state, value);
	atomic_fetch_add(&channel->model_bell, 1);
	syscall(SYS_futex, &channel->model_bell, FUTEX_WAKE, INT_MAX, NULL,
		NULL, 0);
}

bool link_is_down(struct channel *channel)
{
	return atomic_load(&owner_died) || atomic_load(&channel->stop);
}

static bool watch(_Atomic uint32_t *state, uint32_t value)
{
	uint64_t end_ns = 0;
	unsigned looks = 0;

	for (;;) {
		if (atomic_load_explicit(state, memory_order_acquire) == value)
			return true;
		__builtin_ia32_pause();
		if (++looks % LOOKS_PER_TIME)
			continue;
		/* The model's thread may be waiting for this processor. */
		sched_yield();
		if (!end_ns)
			end_ns = clock_now_ns() + WATCH_NS;
		else if (clock_now_ns() > end_ns)
			return false;
	}
}

bool link_await(struct channel *channel, _Atomic uint32_t *state,
		uint32_t value)
{
	static const struct timespec timeout = { .tv_nsec = SLEEP_NS };

	while (!watch(state, value)) {
		uint32_t bell = atomic_load(&channel->plugin_bell);

		if (atomic_load(state) == value)
			return true;
		if (link_is_down(channel)) {
			end_qemu();
			return false;
		}
		syscall(SYS_futex, &channel->plugin_bell, FUTEX_WAIT, bell,
			&timeout, NULL, 0);
	}
	return true;
}

bool link_ask(struct channel *channel)
{
	struct channel_request *request = &channel->request;

	request->fault = 0;
	link_set(channel, &request->state, REQUEST_MADE);
	if (!link_await(channel, &request->state, REQUEST_ANSWERED))
		return false;
	atomic_store(&request->state, REQUEST_NONE);
	return true;
}
