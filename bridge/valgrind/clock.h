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

/* A call that asks for the time is answered; false: it is none. */
bool clock_answers(ThreadId tid, UWord call, UWord a, UWord b, Long *result);

/* A call is done: times of processors are put right in what it gave. */
void clock_called(UInt call, const UWord *args);

/* RDTSC and RDTSCP, at this address, where Valgrind has put a call of its own
 * for them; whether it was one. */
bool clock_replace(IRDirty *dirty, Addr instruction);

#endif
