/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What turns*.c, threads.c and settle.c share. The life of a thread:
 *
 *   COMES -> WAITS -> CHOSEN -> RUNS <-> IN_CALL -> BLOCKED -> WAITS
 *              ^------------------'(turn over)         any -> LEAVES -> ENDED
 */
#ifndef UNCORE_TURNS_H
#define UNCORE_TURNS_H

#include "bridge/valgrind/core.h"

enum { NAP_NS = 1000 * 1000 };

/* Of Valgrind's core. */
extern Bool vgPlain_is_exiting(ThreadId tid);
extern void vgPlain_release_BigLock(ThreadId tid, UInt state, const HChar *who);
extern void vgPlain_acquire_BigLock(ThreadId tid, const HChar *who);
enum { CORE_YIELDING = 4 };

/* turns_length.c: the turn that begins now. */
void turns_begin_length(const struct arena_thread *me);
/* Whether the present turn is; who spins may give it away here. */
bool turns_is_over(void);
/* It is when it is next looked at. */
void turns_cut(void);

/* turns_next.c: how far the thread is. */
uint64_t turns_clock_of(const struct arena_thread *thread);
uint64_t turns_host_ns(void);
/* Gives the turn to the next thread, if any waits and all have settled; false:
 * to be tried again. With the lock held; *chosen is to be woken without it. */
bool turns_decide(struct arena_thread **chosen);
/* The thread that has the turn loses it when it sleeps in its call, or was
 * stopped at its gate; that takes a while to look at, and is rare: once in some
 * `naps`. With the lock held. */
void turns_look_after_holder(unsigned naps);
/* Who has the turn is in a call that most often sleeps. */
bool turns_may_sleep(void);
/* Somebody who waits looks what there is to do. Without the lock. */
void turns_wake_next(void);

/* turns_gate.c: whether the thread has the turn; who was stopped at the gate,
 * and goes on, waits again. */
bool turns_takes(struct arena_thread *me);
/* Waits, without Valgrind's lock, until the thread has the turn, or has to go;
 * `chosen`, or NULL, is woken. */
void turns_wait_at_gate(ThreadId tid, struct arena_thread *me,
			struct arena_thread *chosen);

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
