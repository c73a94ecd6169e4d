/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What is to be divided into slices: units (groups, and events that are in no
 * group), the places where they meet (box instances), and which of them fit
 * together. Sets of events are bits, event n is bit n.
 */
#ifndef UNCORE_SCHEDULE_PROBLEM_H
#define UNCORE_SCHEDULE_PROBLEM_H

#include "event/need.h"
#include "uncore/schedule.h"

struct unit {
	uint64_t *set; /* its events */
	size_t first;  /* its first event */
	size_t component;
	const char *name; /* of the group; NULL: none */
};

/* Box instances that have the same events. */
struct place {
	uint64_t *set;
	unsigned box, instance; /* the first such instance */
};

/* Events of a box that may have the same counters. */
struct choice_of {
	unsigned box;
	uint32_t counters;
	uint64_t *set;
};

struct problem {
	const struct uc_family *family;
	struct need *needs;
	size_t num_events;
	size_t num_words;    /* of a set */
	uint64_t *conflicts; /* per event the set of those it cannot run with */
	uint64_t *kinds;     /* per kind the set of its events */
	struct choice_of *choices;
	size_t num_choices;
	struct place *places;
	size_t num_places;
	uint64_t *steady; /* events that run all the time: part of all units
			   * of their box */
	struct unit *units;
	size_t num_units;
	size_t num_components; /* units of two never meet */
	const struct need **scratch;
	uint64_t *present; /* a set, as scratch */
	uint64_t *nothing; /* the empty set */
	uint64_t work;	   /* checks made: a measure of time that is no clock */
};

/* NULL without memory. The groups' events are below num_events. */
struct problem *problem_new(const struct uc_family *family,
			    struct uncore_event *const *events,
			    size_t num_events,
			    const struct uncore_group *groups,
			    size_t num_groups);
void problem_free(struct problem *problem);

/* Steady events run all the time, as many as leave room for each other event by
 * itself, and become part of the units of their boxes; groups that find no room
 * beside them are taken apart (steady.c). False without memory. */
bool problem_find_steady(struct problem *problem,
			 struct uncore_event *const *events);

/* Adds each event of a set as a unit of its own, for which there is room; false
 * without memory. */
bool problem_add_events(struct problem *problem, const uint64_t *set);

/* Whether a unit can run together with the events of a set, which can run
 * together. */
bool problem_fits(struct problem *problem, const uint64_t *set,
		  const uint64_t *unit);

/* After a unit has joined a set: adds to `shut` the events that it keeps out
 * from now on, those that are seen without a search. These are what a unit
 * contradicts, and of other kinds what may have no counters but those that are
 * taken, whichever kind has which. */
void problem_shut(struct problem *problem, const uint64_t *set,
		  const uint64_t *unit, uint64_t *shut);

/* The same as problem_fits(), of a unit that fits by itself, where it is known
 * what the set keeps out. */
bool problem_fits_beside(struct problem *problem, const uint64_t *set,
			 const uint64_t *shut, const struct unit *unit);

/* Needs of the events of a set at a place, in problem->scratch. */
size_t problem_gather(const struct problem *problem, const struct place *place,
		      const uint64_t *a, const uint64_t *b);

/* A number of slices that a component cannot do with fewer than. */
size_t problem_bound(struct problem *problem, size_t component);

static inline bool set_has(const uint64_t *set, size_t n)
{
	return set[n / 64] >> n % 64 & 1;
}

/* The first member from n on; SIZE_MAX: there is none. */
static inline size_t set_next(const uint64_t *set, size_t n, size_t words)
{
	for (size_t w = n / 64; w < words; w++) {
		uint64_t rest = set[w];

		if (w == n / 64)
			rest &= ~UINT64_C(0) << n % 64;
		if (rest)
			return w * 64 + (size_t)__builtin_ctzll(rest);
	}
	return SIZE_MAX;
}

static inline void set_add(uint64_t *set, size_t n)
{
	set[n / 64] |= UINT64_C(1) << n % 64;
}

static inline void set_remove(uint64_t *set, size_t n)
{
	set[n / 64] &= ~(UINT64_C(1) << n % 64);
}

static inline void set_join(uint64_t *set, const uint64_t *other, size_t words)
{
	for (size_t w = 0; w < words; w++)
		set[w] |= other[w];
}

static inline bool set_meets(const uint64_t *a, const uint64_t *b, size_t words)
{
	for (size_t w = 0; w < words; w++)
		if (a[w] & b[w])
			return true;
	return false;
}

/* Whether a is inside b. */
static inline bool set_within(const uint64_t *a, const uint64_t *b,
			      size_t words)
{
	for (size_t w = 0; w < words; w++)
		if (a[w] & ~b[w])
			return false;
	return true;
}

#endif
