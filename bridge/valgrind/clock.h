/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The clock that a program sees: the model's time, or the host's.
 */
#ifndef UNCORE_CLOCK_H
#define UNCORE_CLOCK_H

#include "bridge/valgrind/core.h"

/* Whether it is the model's. */
static inline bool clock_is_model(void)
{
	return arena->clock_hz != 0;
}

/* The time of the present thread in core cycles, as programs read it: never
 * earlier than what any of them was told before. `waits`: of when the loads
 * before are done. */
uint64_t clock_now(bool waits);

/* Core cycles in which one thread, or those of this process (NULL), have run.
 */
uint64_t clock_ran(const struct arena_thread *thread);

/* Whether a clock, as the kernel numbers it, is of a thread of this process or
 * (NULL) of all of them. */
bool clock_is_of_processor(Int clock, const struct arena_thread **thread);

/* How many cycles of the estimate so many of the model's time are. */
uint64_t clock_by_estimate(uint64_t cycles);

/* What programs read as the model has it. */
uint64_t clock_in_model(uint64_t cycles);

/* No program is told an earlier time any more. */
void clock_reaches(uint64_t cycles);

/* Seconds of the clocks that are no dates, from those of a date. */
uint64_t clock_of_date(uint64_t seconds);

/* sleep.c: a call that waits for time, or wakes who does, is answered; false:
 * the kernel is to. *result is what it gives, unless *is_left: a signal has
 * come, and the registers are those of its handler. */
bool sleep_answers(ThreadId tid, UWord call, const UWord *args, Long *result,
		   bool *is_left);

/* sleep.c: in core cycles; what is too long is shortened. */
uint64_t sleep_cycles(uint64_t seconds, uint64_t ns);
/* sleep.c: whether this clock, as the kernel numbers it, tells dates. */
bool sleep_is_date(UWord clock);

/* timers.c: a call that sets a timer or asks for one is answered, as above. */
bool timers_answer(ThreadId tid, UWord call, const UWord *args, Long *result);
/* timers.c: whether timerfd_create(), with these arguments, is the model's; it
 * gave this descriptor. */
bool timers_take_file(const UWord *args);
void timers_opened(UWord clock, Int file);
void timers_closed(Int file);

/* A call that asks for the time is answered; false: it is none. */
bool clock_answers(UWord call, const UWord *args, Long *result);

/* A call is done: times of processors are put right in what it gave, or when
 * its thread goes on. */
void clock_called(ThreadId tid, UInt call, const UWord *args, UWord result);
void clock_goes_on(ThreadId tid);

/* Whether a call of Valgrind's own is one for RDTSC or RDTSCP, which are to
 * read the model's time; if so it becomes one of ours, for the instruction at
 * this address. */
bool clock_reads(const IRDirty *dirty);
bool clock_replace(IRDirty *dirty, Addr instruction);

#endif
