/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Who gets which core: the first of those with the fewest threads, in the order
 * that the placement gives.
 *
 * A thread never waits without an end for another thread's core: QEMU may have
 * stopped that thread until this one comes to rest. When that thread has not
 * moved for LOCK_NAPS, this one goes on uncounted (arena.lost).
 */
#include "bridge/qemu/place.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	LOCK_NAP_NS = 1000 * 1000,
	LOCK_NAPS = 200,
	NAP_YIELDS = 1000,
};

/* Entries that this process left behind when it executed another program. */
static void drop_former_self(struct arena *arena)
{
	uint32_t pid = (uint32_t)getpid();
	unsigned num = atomic_load(&arena->threads_made);
	unsigned i;

	for (i = 0; i < num && i < ARENA_MAX_THREADS; i++)
		if (atomic_load(&arena->threads[i].pid) == pid)
			arena_release_thread(arena, &arena->threads[i]);
}

struct arena *place_open_arena(const char *path)
{
	struct arena *arena;
	struct stat status;
	int fd = open(path, O_RDWR | O_CLOEXEC);

	if (fd < 0) {
		fprintf(stderr,
			"uncore: cannot open the shared memory %s: %s\n", path,
			strerror(errno));
		return NULL;
	}
	if (fstat(fd, &status) < 0 ||
	    status.st_size < (off_t)sizeof(struct arena)) {
		fprintf(stderr, "uncore: %s is not the shared memory\n", path);
		close(fd);
		return NULL;
	}
	arena = mmap(NULL, (size_t)status.st_size, PROT_READ | PROT_WRITE,
		     MAP_SHARED, fd, 0);
	close(fd);
	if (arena == MAP_FAILED) {
		fprintf(stderr, "uncore: cannot map the shared memory: %s\n",
			strerror(errno));
		return NULL;
	}
	if (arena->magic != ARENA_MAGIC) {
		fprintf(stderr, "uncore: %s is for another plugin\n", path);
		munmap(arena, (size_t)status.st_size);
		return NULL;
	}
	drop_former_self(arena);
	return arena;
}

/* The n-th core in the order in which cores are given to threads. */
static unsigned core_in_order(const struct arena *arena, unsigned n)
{
	if (!arena->scatter)
		return n;
	return n % arena->num_sockets * arena->cores_per_socket +
	       n / arena->num_sockets;
}

/* Takes a place on the first of the cores with the fewest threads. */
static unsigned choose_core(struct arena *arena)
{
	unsigned num = arena->num_sockets * arena->cores_per_socket;

	for (;;) {
		unsigned best = core_in_order(arena, 0);
		uint32_t least = atomic_load(&arena->cores[best].users);
		unsigned i;

		for (i = 1; i < num && least; i++) {
			unsigned core = core_in_order(arena, i);
			uint32_t users = atomic_load(&arena->cores[core].users);

			if (users < least) {
				best = core;
				least = users;
			}
		}
		if (atomic_compare_exchange_strong(&arena->cores[best].users,
						   &least, least + 1))
			return best;
	}
}

/* A free entry of the thread table, claimed for this process. */
static struct arena_thread *claim_thread(struct arena *arena)
{
	unsigned i;

	for (i = 0; i < ARENA_MAX_THREADS; i++) {
		struct arena_thread *thread = &arena->threads[i];
		uint32_t nobody = 0;

		if (atomic_load(&thread->pid))
			continue;
		if (i >= atomic_load(&arena->threads_made))
			atomic_store(&arena->threads_made, i + 1);
		if (atomic_compare_exchange_strong(&thread->pid, &nobody,
						   (uint32_t)getpid()))
			return thread;
	}
	return NULL;
}

/* From the second thread on, invalidations take hold at once. */
static void become_prompt(struct arena *arena)
{
	unsigned num = arena->num_sockets * arena->cores_per_socket;
	unsigned i;

	if (atomic_exchange(&arena->prompt, 1))
		return;
	for (i = 0; i < num; i++)
		atomic_fetch_or(&arena->cores[i].attention, CORE_INVALIDATE);
}

struct arena_thread *place_take(struct arena *arena)
{
	struct arena_thread *thread = claim_thread(arena);
	struct arena_core *core;
	unsigned index;

	if (!thread) {
		atomic_fetch_add(&arena->lost, 1);
		return NULL;
	}
	index = choose_core(arena);
	core = &arena->cores[index];
	atomic_store(&thread->core, index);
	atomic_store(&thread->tid, 0);
	if (atomic_load(&core->users) > 1)
		atomic_fetch_or(&core->attention, CORE_SHARED);
	if (atomic_fetch_add(&arena->num_users, 1) > 0)
		become_prompt(arena);
	return thread;
}

/* Whether the holder has executed something since the last question, or waits
 * for the model. */
static bool holder_moves(struct arena_core *core, uint64_t *seen)
{
	uint64_t before = *seen;

	*seen = atomic_load(&core->instructions);
	return *seen != before || atomic_load(&core->wake_at);
}

bool place_lock(struct arena *arena, struct arena_core *core, uint32_t tid)
{
	unsigned yields = 0;
	unsigned naps = 0;
	uint64_t seen = 0;

	while (naps < LOCK_NAPS && !atomic_load(&arena->stop)) {
		uint32_t holder = CORE_FREE;

		if (atomic_compare_exchange_strong(&core->lock, &holder, tid))
			return true;
		if (holder == CORE_MODEL) {
			/* It works on the caches for a moment. */
			sched_yield();
			naps += ++yields % NAP_YIELDS == 0;
			continue;
		}
		naps = holder_moves(core, &seen) ? 0 : naps + 1;
		atomic_fetch_or(&core->attention, CORE_SHARED | CORE_PUBLISH);
		atomic_fetch_add(&core->waiters, 1);
		arena_wait(&core->lock, holder, LOCK_NAP_NS);
		atomic_fetch_sub(&core->waiters, 1);
	}
	return false;
}
