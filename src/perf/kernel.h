/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * perf_event_open() and what is done with the files that it opens: the calls of
 * the kernel, in a table so that a test can be one.
 */
#ifndef UNCORE_PERF_KERNEL_H
#define UNCORE_PERF_KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "perf/pmus.h"

enum { PERF_MAX_COUNTERS = 16 };

/* What a group's file reads: ns and one value for each event. */
struct perf_reading {
	uint64_t num, enabled, running, values[PERF_MAX_COUNTERS];
};

struct perf_kernel {
	/* A file, disabled if it leads a group (`group` -1); -1 and errno. */
	int (*open)(const struct perf_place *place,
		    const uint64_t words[PERF_NUM_WORDS], int group);
	void (*enable)(int file, bool is_on); /* the group that it leads */
	/* False and errno, 0 where the event has stopped for good. */
	bool (*read)(int file, struct perf_reading *reading);
	void (*close)(int file);
};

/* The kernel's own; a test puts its table there. */
extern const struct perf_kernel *perf_kernel;

/* How many of one event a PMU counts at a time: as many as the kernel lets run
 * in a group, up to `most`; 0 where it lets none, for want of rights say. */
unsigned perf_probe(const struct perf_place *place,
		    const uint64_t words[PERF_NUM_WORDS], unsigned most);

#endif
