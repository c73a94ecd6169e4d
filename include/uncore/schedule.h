/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Which of many events count at the same time. Events that fit together make a
 * slice; where one slice is not enough, slices take turns (multiplexing). A
 * schedule holds as few slices as possible, so that every event, and every
 * group of events that a figure is made from, is in at least one of them;
 * events that still find room are in more than one.
 *
 * Nothing is read or written but memory. Functions return 0 or a negative
 * UNCORE_ERR_*; see error.h for `char **error`.
 */
#ifndef UNCORE_SCHEDULE_H
#define UNCORE_SCHEDULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct uncore_event;
struct uncore_family;
struct uncore_plan;
struct uncore_schedule;

/* Events, by their index in the list, that must count in the same slice
 * because a ratio is made from them. */
struct uncore_group {
	const size_t *events;
	size_t num_events;
	const char *name; /* for messages: the metric; NULL: none */
};

/* A schedule of the events; groups may overlap, an event in no group is one by
 * itself. Room that is left is shared out, first to groups, then to single
 * events: an event may run in slices in which its group does not. A group that
 * can never run together is refused in words (UNCORE_ERR_CONFLICT,
 * UNCORE_ERR_NO_COUNTER). The events must outlive the schedule; free it with
 * uncore_schedule_free(). */
int uncore_schedule_new(const struct uncore_family *family,
			struct uncore_event *const *events, size_t num_events,
			const struct uncore_group *groups, size_t num_groups,
			struct uncore_schedule **schedule, char **error);
void uncore_schedule_free(struct uncore_schedule *schedule);

/* Number of slices, at least 1. */
size_t uncore_schedule_slices(const struct uncore_schedule *schedule);

/* Whether no smaller number of slices would do: proven, or only the best that
 * was found in the time a plan may take. */
bool uncore_schedule_is_optimal(const struct uncore_schedule *schedule);

/* The plan of a slice, as long as the schedule. Its items are the slice's
 * events in the order of the list. */
const struct uncore_plan *
uncore_schedule_plan(const struct uncore_schedule *schedule, size_t slice);

/* The item of an event in a slice's plan, or -1 where it does not run. */
long uncore_schedule_item(const struct uncore_schedule *schedule, size_t slice,
			  size_t event);

/* Part of the slices in which an event runs, 0 to 1. */
double uncore_schedule_share(const struct uncore_schedule *schedule,
			     size_t event);

/* Sentence number index on why events take turns ("A and B need different
 * FVC.bcmd; they take turns"), NULL past the last one; none if there is one
 * slice. As long as the schedule. */
const char *uncore_schedule_reason(const struct uncore_schedule *schedule,
				   size_t index);

/* How much was done to find it, in checks whether events fit together: a
 * measure that no clock and no other program changes. */
uint64_t uncore_schedule_work(const struct uncore_schedule *schedule);

#ifdef __cplusplus
}
#endif

#endif
