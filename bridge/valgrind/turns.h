/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What turns.c, threads.c and settle.c share. The life of a thread:
 *
 *   COMES -> WAITS -> CHOSEN -> RUNS <-> IN_CALL -> BLOCKED -> WAITS
 *              ^------------------'(turn over)         any -> LEAVES -> ENDED
 */
#ifndef UNCORE_TURNS_H
#define UNCORE_TURNS_H

#include "bridge/valgrind/core.h"

enum { NAP_NS = 1000 * 1000 };

/* turns.c: the present turn is over when it is next looked at. */
void turns_cut(void);
/* Somebody who waits looks what there is to do. Without the lock. */
void turns_wake_next(void);

/* threads.c: the arena's lock. */
void threads_lock(void);
void threads_unlock(void);
/* The thread's entry, made by who made the thread, or here for the first; NULL
 * if there is no room. */
struct arena_thread *threads_entry(ThreadId tid);
/* With the lock held; again does nothing. */
void threads_end(struct arena_thread *thread, enum arena_state state);

static inline uint32_t threads_number(const struct arena_thread *thread)
{
	return (uint32_t)(thread - arena->threads);
}

/* world.c: whether the call, if it waits, may end by what comes from outside of
 * the run. */
bool world_ends(UInt call, const UWord *args);

/* settle.c: whether every thread is either at its gate or asleep. With the lock
 * held. */
bool settle_all(void);
/* Whether a thread is in a call that ends by what comes from outside, as far as
 * can be told, or timers may send signals. */
bool settle_waits_for_world(void);
/* What a thread did may have woken any other. */
void settle_stir(void);
/* Asleep in its own call, and not in one of Valgrind's on the way back. */
bool settle_sleeps_in_call(const struct arena_thread *thread);
/* Stopped, by a signal or by who traces it. */
bool settle_is_stopped(const struct arena_thread *thread);
/* Whether there are threads that a call may have woken. */
bool settle_any_blocked(void);
bool settle_most_often_sleeps(UInt call);
bool settle_makes_thread(UInt call);
bool settle_sends_signal(UInt call);
/* Nobody can have been woken by it; `argument` is the second one. */
bool settle_is_quiet(UInt call, UWord argument);

#endif
