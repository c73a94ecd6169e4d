/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The clock of the host that never goes back.
 */
#ifndef UNCORE_BASE_CLOCK_H
#define UNCORE_BASE_CLOCK_H

#include <stdint.h>
#include <time.h>

#define CLOCK_NS_PER_SECOND UINT64_C(1000000000)

/* Nanoseconds since some moment in the past, the same for all processes. Here
 * as it stands: the plugin of guests is not linked with the library. */
static inline uint64_t clock_now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * CLOCK_NS_PER_SECOND +
	       (uint64_t)now.tv_nsec;
}

/* The same in seconds: less exact the longer the host runs. */
static inline double clock_now_seconds(void)
{
	return (double)clock_now_ns() / 1e9;
}

#endif
