/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What both ends of the shared memory do with it.
 */
#include "bridge/qemu/arena.h"

#include <limits.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>

void arena_wait(_Atomic uint32_t *word, uint32_t value, uint64_t timeout_ns)
{
	struct timespec timeout = {
		.tv_sec = (time_t)(timeout_ns / 1000000000),
		.tv_nsec = (long)(timeout_ns % 1000000000),
	};

	syscall(SYS_futex, word, FUTEX_WAIT, value, &timeout, NULL, 0);
}

void arena_notify(_Atomic uint32_t *word)
{
	syscall(SYS_futex, word, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

void arena_wake(_Atomic uint32_t *word)
{
	atomic_fetch_add(word, 1);
	arena_notify(word);
}

void arena_release_thread(struct arena *arena, struct arena_thread *thread)
{
	struct arena_core *core = &arena->cores[atomic_load(&thread->core)];
	uint32_t tid = atomic_load(&thread->tid);

	/* Whoever gets the tid to 0 first also gives the place back. */
	if (tid)
		atomic_compare_exchange_strong(&core->lock, &tid, CORE_FREE);
	if (!atomic_exchange(&thread->pid, 0))
		return;
	atomic_fetch_sub(&arena->num_users, 1);
	if (atomic_fetch_sub(&core->users, 1) != 2)
		return;
	atomic_fetch_and(&core->attention, ~(uint32_t)CORE_SHARED);
	if (atomic_load(&core->users) > 1)
		atomic_fetch_or(&core->attention, CORE_SHARED);
}
