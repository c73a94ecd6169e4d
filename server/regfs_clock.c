/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Writing to DIR/clock. A step may take long, so it runs in a thread of its own
 * and the writer is answered when it is over, while the registers stay
 * readable. A step ends early, with ECANCELED, when its writer is killed or
 * interrupted, and when the file system goes away: a process that waits for an
 * answer cannot even be killed before it has one. It is not EINTR, on which
 * many a library would write again though some of the cycles have passed.
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>

#include "server/regfs_parts.h"

struct regfs_step {
	struct regfs_step *next, **link;
	struct regfs_clock *clock;
	fuse_req_t request;
	uint64_t cycles;
	size_t length;
	volatile int stop;
};

void regfs_clock_init(struct regfs_clock *clock, struct uncore_live *live)
{
	*clock = (struct regfs_clock){ .live = live };
	pthread_mutex_init(&clock->lock, NULL);
	pthread_cond_init(&clock->done, NULL);
}

static void interrupt(fuse_req_t request, void *data)
{
	struct regfs_step *step = data;

	(void)request;
	__atomic_store_n(&step->stop, 1, __ATOMIC_RELAXED);
}

/* False when the clock is over and nothing may begin any more. */
static bool enter(struct regfs_clock *clock, struct regfs_step *step)
{
	bool is_over;

	pthread_mutex_lock(&clock->lock);
	is_over = clock->is_over;
	if (!is_over) {
		step->next = clock->steps;
		step->link = &clock->steps;
		if (step->next)
			step->next->link = &step->next;
		clock->steps = step;
	}
	pthread_mutex_unlock(&clock->lock);
	return !is_over;
}

static void leave(struct regfs_clock *clock, struct regfs_step *step)
{
	pthread_mutex_lock(&clock->lock);
	*step->link = step->next;
	if (step->next)
		step->next->link = step->link;
	if (!clock->steps)
		pthread_cond_broadcast(&clock->done);
	pthread_mutex_unlock(&clock->lock);
	free(step);
}

static void *run(void *argument)
{
	struct regfs_step *step = argument;
	int code =
		uncore_live_step(step->clock->live, step->cycles, &step->stop);
	int stopped = step->stop;

	/* Waits for an interrupt that is just being delivered: the step may
	 * be freed afterwards. */
	fuse_req_interrupt_func(step->request, NULL, NULL);
	if (code)
		fuse_reply_err(step->request, EPERM);
	else if (stopped)
		fuse_reply_err(step->request, ECANCELED);
	else
		fuse_reply_write(step->request, step->length);
	leave(step->clock, step);
	return NULL;
}

/* A thread that nobody waits for and that handles no signals. */
static int start(struct regfs_step *step)
{
	pthread_attr_t detached;
	sigset_t all, before;
	pthread_t thread;
	int code;

	sigfillset(&all);
	pthread_attr_init(&detached);
	pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	code = pthread_create(&thread, &detached, run, step);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	pthread_attr_destroy(&detached);
	return code;
}

void regfs_clock_step(struct regfs_clock *clock, fuse_req_t request,
		      uint64_t cycles, size_t length)
{
	struct regfs_step *step = calloc(1, sizeof(*step));

	if (!step) {
		fuse_reply_err(request, ENOMEM);
		return;
	}
	*step = (struct regfs_step){ .clock = clock,
				     .request = request,
				     .cycles = cycles,
				     .length = length };
	if (!enter(clock, step)) {
		free(step);
		fuse_reply_err(request, ECANCELED);
		return;
	}
	fuse_req_interrupt_func(request, interrupt, step);
	if (start(step)) {
		fuse_req_interrupt_func(request, NULL, NULL);
		fuse_reply_err(request, ENOMEM);
		leave(clock, step);
	}
}

void regfs_clock_fini(struct regfs_clock *clock)
{
	pthread_mutex_lock(&clock->lock);
	clock->is_over = true;
	for (struct regfs_step *step = clock->steps; step; step = step->next)
		__atomic_store_n(&step->stop, 1, __ATOMIC_RELAXED);
	while (clock->steps)
		pthread_cond_wait(&clock->done, &clock->lock);
	pthread_mutex_unlock(&clock->lock);
	pthread_cond_destroy(&clock->done);
	pthread_mutex_destroy(&clock->lock);
}
