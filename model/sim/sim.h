/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The event queue of a machine: things happen at uncore clock cycles, in order
 * of time and, within a cycle, in the order in which they were asked for. So
 * ties have one answer and the same input gives the same counts, bit for bit.
 */
#ifndef UNCORE_SIM_H
#define UNCORE_SIM_H

#include <stdint.h>

#define SIM_NEVER UINT64_MAX

struct sim;

/* What happens: object and argument are those given to sim_at(). */
typedef void sim_fn(void *object, uint64_t argument);

/* A queue at cycle 0, or NULL without memory; freed with sim_free(). */
struct sim *sim_new(void);
void sim_free(struct sim *sim);

/* The cycle that is being worked on. */
static inline uint64_t sim_now(const struct sim *sim)
{
	return *(const uint64_t *)sim; /* first member, see sim.c */
}

/* On whose behalf the present event happens, 0: on nobody's. What it asks for
 * happens on the same one's, so a requester travels with what it has caused. */
static inline uint64_t sim_requester(const struct sim *sim)
{
	return ((const uint64_t *)sim)[1]; /* second member */
}

/* On another one's behalf from now on, to the end of the event at most; returns
 * whose it was. */
static inline uint64_t sim_act_for(struct sim *sim, uint64_t requester)
{
	uint64_t before = sim_requester(sim);

	((uint64_t *)sim)[1] = requester;
	return before;
}

static inline uint64_t sim_later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* Calls fn(object, argument) in the cycle `time`, at the end of those asked for
 * earlier for that cycle; a time that has passed means the present cycle. */
void sim_at(struct sim *sim, uint64_t time, sim_fn *fn, void *object,
	    uint64_t argument);

/* Works off all events before the cycle `end`, or before the one that an event
 * asked to stop at; returns the cycle reached, which sim_now() is then. */
uint64_t sim_run_until(struct sim *sim, uint64_t end);

/* The cycle of the next event, or SIM_NEVER. */
uint64_t sim_next(const struct sim *sim);

/* From an event: the present run is to go no further than this cycle. */
void sim_stop_at(struct sim *sim, uint64_t time);

/* Number of events worked off since the start. */
uint64_t sim_num_events(const struct sim *sim);

#endif
