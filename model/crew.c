/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * A window is short (some twenty nanoseconds of modelled time), so threads wait
 * for the next one by looking, and sleep only when none comes for a while. The
 * sleepers' flag and the number of the window are both sequentially consistent:
 * either the sleeper sees the new window or the boss sees the sleeper.
 */
#include "model/crew.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

#include "model/box/socket.h"

/* Looks at the window's number before a thread gives its processor away, and
 * before it sleeps. */
enum { LOOKS_BEFORE_YIELD = 500, LOOKS_BEFORE_SLEEP = 2000 };

struct member {
	struct crew *crew;
	unsigned index;
	pthread_t thread;
};

struct crew {
	struct socket *const *sockets;
	unsigned num_sockets, num_threads, num_started;
	struct member *members; /* but for the caller */
	uint64_t end;		/* of the present window */
	_Alignas(64) atomic_uint window;
	atomic_uint num_asleep;
	atomic_bool is_over;
	_Alignas(64) atomic_uint num_busy;
	pthread_mutex_t mutex;
	pthread_cond_t wake;
};

static void run_share(struct crew *crew, unsigned index)
{
	for (unsigned i = index; i < crew->num_sockets; i += crew->num_threads)
		sim_run_until(crew->sockets[i]->sim, crew->end);
}

static void breathe(unsigned looks)
{
	if (looks >= LOOKS_BEFORE_YIELD)
		sched_yield();
#if defined(__x86_64__)
	else
		__builtin_ia32_pause();
#endif
}

static void sleep_until_window(struct crew *crew, unsigned last)
{
	pthread_mutex_lock(&crew->mutex);
	atomic_fetch_add(&crew->num_asleep, 1);
	while (atomic_load(&crew->window) == last)
		pthread_cond_wait(&crew->wake, &crew->mutex);
	atomic_fetch_sub(&crew->num_asleep, 1);
	pthread_mutex_unlock(&crew->mutex);
}

static void wait_for_window(struct crew *crew, unsigned last)
{
	for (unsigned looks = 0; looks < LOOKS_BEFORE_SLEEP; looks++) {
		if (atomic_load(&crew->window) != last)
			return;
		breathe(looks);
	}
	sleep_until_window(crew, last);
}

static void *work(void *argument)
{
	struct member *member = argument;
	struct crew *crew = member->crew;
	unsigned window = 0;

	for (;;) {
		wait_for_window(crew, window++);
		if (atomic_load(&crew->is_over))
			return NULL;
		run_share(crew, member->index);
		atomic_fetch_sub(&crew->num_busy, 1);
	}
}

static void begin_window(struct crew *crew)
{
	atomic_fetch_add(&crew->window, 1);
	if (!atomic_load(&crew->num_asleep))
		return;
	pthread_mutex_lock(&crew->mutex);
	pthread_cond_broadcast(&crew->wake);
	pthread_mutex_unlock(&crew->mutex);
}

void crew_run(struct crew *crew, uint64_t end)
{
	crew->end = end;
	atomic_store(&crew->num_busy, crew->num_threads - 1);
	begin_window(crew);
	run_share(crew, 0);
	for (unsigned looks = 0; atomic_load(&crew->num_busy); looks++)
		breathe(looks);
}

struct crew *crew_new(struct socket *const *sockets, unsigned num_sockets,
		      unsigned num_threads)
{
	struct crew *crew = aligned_alloc(64, sizeof(*crew));

	if (!crew)
		return NULL;
	*crew = (struct crew){ .sockets = sockets,
			       .num_sockets = num_sockets,
			       .num_threads = num_threads };
	pthread_mutex_init(&crew->mutex, NULL);
	pthread_cond_init(&crew->wake, NULL);
	crew->members = calloc(num_threads, sizeof(*crew->members));
	for (unsigned i = 1; crew->members && i < num_threads; i++) {
		struct member *member = &crew->members[i - 1];

		*member = (struct member){ .crew = crew, .index = i };
		if (pthread_create(&member->thread, NULL, work, member))
			break;
		crew->num_started++;
	}
	if (crew->num_started == num_threads - 1)
		return crew;
	crew_free(crew);
	return NULL;
}

void crew_free(struct crew *crew)
{
	if (!crew)
		return;
	atomic_store(&crew->is_over, true);
	begin_window(crew);
	for (unsigned i = 0; i < crew->num_started; i++)
		pthread_join(crew->members[i].thread, NULL);
	pthread_cond_destroy(&crew->wake);
	pthread_mutex_destroy(&crew->mutex);
	free(crew->members);
	free(crew);
}
