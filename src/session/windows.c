/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What was pushed of a sampled run. A stretch between two windows belongs half
 * to each, so each window is near to some accesses; where all went the
 * detailed way windows follow each other and are near to none. When there are
 * too many windows each two become one, as cells of turns do.
 */
#include "session/windows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "session/spread.h"
#include "session/windows_parts.h"
#include "uncore/error.h"

struct windows *windows_new(size_t num_classes, size_t num_events)
{
	struct windows *windows = calloc(1, sizeof(*windows));

	if (!windows)
		return NULL;
	windows->num_classes = num_classes;
	windows->num_events = num_events;
	windows->per_window = 1;
	windows->start = calloc(num_events + 1, sizeof(*windows->start));
	windows->steps = calloc(num_events + 1, sizeof(*windows->steps));
	windows->doubts = calloc(num_events + 1, sizeof(*windows->doubts));
	if (!windows->start || !windows->steps || !windows->doubts) {
		windows_free(windows);
		return NULL;
	}
	for (size_t i = 0; i < num_events; i++)
		windows->steps[i] = 1;
	return windows;
}

void windows_free(struct windows *windows)
{
	if (!windows)
		return;
	weights_clear(&windows->weights);
	free(windows->start);
	free(windows->steps);
	free(windows->doubts);
	free(windows->near);
	free(windows->classes);
	free(windows->events);
	free(windows);
}

void windows_set_step(struct windows *windows, size_t event, unsigned step)
{
	windows->steps[event] = step;
}

void windows_set_doubt(struct windows *windows, size_t event, double part)
{
	windows->doubts[event] = part;
}

void windows_set_part(struct windows *windows)
{
	windows->is_part = true;
}

void windows_start(struct windows *windows, const uint64_t *classes,
		   const uint64_t *events)
{
	windows->detailed += (double)classes[WEIGHTS_ACCESSES];
	for (size_t i = 0; i < windows->num_events; i++)
		windows->start[i] += events[i];
}

static void add_total(struct windows *windows, const uint64_t *classes)
{
	for (size_t i = 0; i < windows->num_classes; i++)
		windows->totals[i] += (double)classes[i];
}

void windows_quick(struct windows *windows, const uint64_t *classes)
{
	double half = (double)classes[WEIGHTS_ACCESSES] / 2;

	add_total(windows, classes);
	windows->ahead += half;
	if (windows->num)
		windows->near[windows->num - 1] += half;
	else
		windows->ahead += half;
}

void windows_rest(struct windows *windows, const uint64_t *classes)
{
	add_total(windows, classes);
	windows->rest += (double)classes[WEIGHTS_ACCESSES];
}

static bool grow(void *array, size_t num, size_t size)
{
	void **to = array, *more = reallocarray(*to, num, size);

	if (more)
		*to = more;
	return more;
}

static bool make_room(struct windows *windows)
{
	size_t room = windows->room ? 2 * windows->room : 32;

	if (windows->num < windows->room)
		return true;
	if (!grow(&windows->near, room, sizeof(*windows->near)) ||
	    !grow(&windows->classes, room,
		  windows->num_classes * sizeof(*windows->classes)) ||
	    !grow(&windows->events, room,
		  (windows->num_events + 1) * sizeof(*windows->events)))
		return false;
	windows->room = room;
	return true;
}

static void add_window(struct windows *windows, size_t from, size_t to)
{
	const size_t num_classes = windows->num_classes;
	const size_t num_events = windows->num_events;

	windows->near[to] += windows->near[from];
	for (size_t i = 0; i < num_classes; i++)
		windows->classes[to * num_classes + i] +=
			windows->classes[from * num_classes + i];
	for (size_t i = 0; i < num_events; i++)
		windows->events[to * num_events + i] +=
			windows->events[from * num_events + i];
}

static void clear_window(struct windows *windows, size_t window)
{
	windows->near[window] = 0;
	memset(windows->classes + window * windows->num_classes, 0,
	       windows->num_classes * sizeof(*windows->classes));
	memset(windows->events + window * windows->num_events, 0,
	       windows->num_events * sizeof(*windows->events));
}

/* Each two become one. */
static void put_together(struct windows *windows)
{
	for (size_t i = 0; i < windows->num / 2; i++) {
		if (i) {
			clear_window(windows, i);
			add_window(windows, 2 * i, i);
		}
		add_window(windows, 2 * i + 1, i);
	}
	windows->num /= 2;
	windows->per_window *= 2;
}

int windows_add(struct windows *windows, const uint64_t *classes,
		const uint64_t *events)
{
	size_t last;

	if (!windows->filled) {
		if (windows->num == WINDOWS_MAX)
			put_together(windows);
		if (!make_room(windows))
			return UNCORE_ERR_NO_MEMORY;
		clear_window(windows, windows->num++);
	}
	windows->filled = (windows->filled + 1) % windows->per_window;
	last = windows->num - 1;
	windows->near[last] += windows->ahead;
	windows->ahead = 0;
	for (size_t i = 0; i < windows->num_classes; i++)
		windows->classes[last * windows->num_classes + i] +=
			(double)classes[i];
	for (size_t i = 0; i < windows->num_events; i++)
		windows->events[last * windows->num_events + i] += events[i];
	windows->detailed += (double)classes[WEIGHTS_ACCESSES];
	return 0;
}

/* What each window is near to, with what lies behind the last one, and its
 * part of what lies nobody knows where. */
static void share_rest(const struct windows *windows, double *near)
{
	double accesses = 0;

	for (size_t i = 0; i < windows->num; i++)
		accesses += windows->classes[i * windows->num_classes];
	for (size_t i = 0; i < windows->num; i++) {
		near[i] = windows->near[i];
		if (windows->rest > 0 && accesses > 0)
			near[i] += windows->rest / accesses *
				   windows->classes[i * windows->num_classes];
	}
	if (windows->num)
		near[windows->num - 1] += windows->ahead;
}

int windows_weigh(struct windows *windows)
{
	double *near = calloc(windows->num + 1, sizeof(*near));
	struct weights_counts counts = {
		.num = windows->num,
		.num_classes = windows->num_classes,
		.classes = windows->classes,
		.near = near,
		.totals = windows->totals,
	};
	int status;

	if (!near)
		return UNCORE_ERR_NO_MEMORY;
	share_rest(windows, near);
	weights_clear(&windows->weights);
	status = weights_make(&counts, &windows->weights);
	free(near);
	if (status)
		weights_clear(&windows->weights);
	else if (windows->weights.num_used > windows->weights.num_columns)
		windows->student =
			spread_student(windows->weights.num_used -
					       windows->weights.num_columns,
				       SPREAD_WINDOWS);
	return status;
}

size_t windows_num(const struct windows *windows)
{
	return windows->num;
}

double windows_weight(const struct windows *windows, size_t window)
{
	return windows->weights.weights[window];
}

double windows_accesses(const struct windows *windows)
{
	return windows->detailed + windows->totals[WEIGHTS_ACCESSES];
}

double windows_share(const struct windows *windows)
{
	double all = windows_accesses(windows);

	return all > 0 ? windows->detailed / all : 1;
}
