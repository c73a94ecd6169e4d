/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * A run of which windows were looked at in detail, while in the stretches
 * between them accesses were counted by class only: what all events were in
 * the whole of it, and how far that may be off. docs/sampled.md derives it.
 *
 *     windows_new()                      for one run, region or interval
 *     windows_start()                    what came before the first stretch
 *     windows_quick(), windows_add()     stretches and windows, in their order
 *     windows_weigh()                    when all of them are there
 *     windows_count(), windows_estimate()
 *     windows_free()
 *
 * Counts are numbers of accesses by class: class 0 is all accesses, class 1
 * cycles of computing (weights.h); the others come in any order, may overlap,
 * be empty or be sums of others. Who counts one event more or less gets the
 * same figures of the others, to the last bit.
 */
#ifndef UNCORE_SESSION_WINDOWS_H
#define UNCORE_SESSION_WINDOWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "session/weights.h"
#include "uncore/session.h"

struct windows;

enum {
	WINDOWS_MAX = 2048, /* that are kept; more are put together in pairs */
};

/* For so many classes (1 to WEIGHTS_MAX_CLASSES) and events. NULL without
 * memory. To be freed with windows_free(), which takes NULL, too. */
struct windows *windows_new(size_t num_classes, size_t num_events);
void windows_free(struct windows *windows);

/* An event whose counts come in multiples of `step` (1 before), as those that
 * go through a sub-counter. */
void windows_set_step(struct windows *windows, size_t event, unsigned step);

/* Once they are weighed: the total of this event is off by so much, and so may
 * be those of all others, in their measure. */
void windows_doubt(struct windows *windows, size_t event, double off);

/* One of which all windows may have such a part more or fewer than what they
 * stand for: a standard error beside that of the windows. */
void windows_set_doubt(struct windows *windows, size_t event, double part);

/* It is of a part of the run, where most may lie in its first accesses, which
 * tell nothing of the others: too few windows are no estimate then. */
void windows_set_part(struct windows *windows);

/* What is exact and belongs to no window: the start of a run. `classes` and
 * `events` have a count for each; they are added, and taken as they are. */
void windows_start(struct windows *windows, const uint64_t *classes,
		   const uint64_t *events);

/* A stretch that went the quick way. One half of it is stood for, as far as it
 * can be chosen, by the window before it, the other by the one after. */
void windows_quick(struct windows *windows, const uint64_t *classes);

/* The same where it is not known which windows the stretches lay between: all
 * windows stand for it alike. */
void windows_rest(struct windows *windows, const uint64_t *classes);

/* The next window: its classes and its events. 0, or UNCORE_ERR_NO_MEMORY,
 * after which it is as if it had not been called. */
int windows_add(struct windows *windows, const uint64_t *classes,
		const uint64_t *events);

/* Makes the weights of what there is by now; more may come, and weights be
 * made again. 0, or UNCORE_ERR_NO_MEMORY. */
int windows_weigh(struct windows *windows);

/* How many windows there are, and how many times what happened in one of them
 * happened in the stretches between them (0 or more). After windows_weigh(),
 * as all that follows. */
size_t windows_num(const struct windows *windows);
double windows_weight(const struct windows *windows, size_t window);

/* All accesses, and the part of them that went the detailed way, 0 to 1. */
double windows_accesses(const struct windows *windows);
double windows_share(const struct windows *windows);

/* The sum of events number indices[0 to num - 1], such as those of one name in
 * all boxes: value, seen, share, standard_error and error (of 95 times in 100),
 * telling, is_estimate (false where nothing went the quick way), valid and
 * reason (a constant); the rest is left. Errors of events are not independent,
 * so a sum is asked for as one. */
void windows_count(const struct windows *windows, const size_t *indices,
		   size_t num, struct uncore_count *count);

/* The same as metrics want it: value, and what its cells have beyond what is
 * expected of them. Cells are the same windows for all events. False where
 * windows tell no error, or nothing was estimated. */
bool windows_estimate(const struct windows *windows, const size_t *indices,
		      size_t num, struct uncore_estimate *estimate);

#endif
