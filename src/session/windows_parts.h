/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What the files of windows.h have in common.
 */
#ifndef UNCORE_SESSION_WINDOWS_PARTS_H
#define UNCORE_SESSION_WINDOWS_PARTS_H

#include "session/windows.h"

struct windows {
	size_t num_classes, num_events;
	bool is_part;
	uint64_t *start; /* num_events */
	unsigned *steps; /* num_events: what a count is a multiple of, */
	double *doubts;	 /* and the part of it that windows may have too many */
	size_t num, room; /* windows */
	double *classes;  /* num x num_classes */
	uint64_t *events; /* num x num_events */
	double *near;	  /* num: accesses of stretches beside a window */
	unsigned per_window, filled; /* that were pushed, in one and in the
				      * last one; 0: all of them are there */
	double ahead;	 /* accesses that the next window is near to */
	double rest;	 /* accesses of which no window is known to be near */
	double detailed; /* accesses of start and windows */
	double totals[WEIGHTS_MAX_CLASSES]; /* of all stretches */
	struct weights weights;
	double student; /* of the weights' degrees of freedom */
};

#endif
