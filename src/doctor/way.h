/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The one place that decides where events are counted.
 */
#ifndef UNCORE_DOCTOR_WAY_H
#define UNCORE_DOCTOR_WAY_H

#include "doctor/facts.h"
#include "uncore/doctor.h"

/* Up to this kernel.perf_event_paranoid CAP_PERFMON helps. Debian's kernels
 * know 3, which only CAP_SYS_ADMIN passes. */
enum { WAY_PERFMON_HELPS = 2 };

/* Why a way is closed, as the part of a sentence, to be freed; NULL: it is
 * open. */
char *way_closed(const struct facts *facts, enum uncore_way way);

/* Whether msr-safe alone would do, and whether this process may use perf for
 * whole CPUs. */
bool way_has_msr_safe(const struct facts *facts);
bool way_may_perf(const struct facts *facts);

/* Whether the msr module's parameter (NULL: there is none) forbids writes. */
bool way_is_off(const char *allow_writes);

/* The best one, from why each of them is closed, and the part of a sentence on
 * why it is this one, to be freed. */
enum uncore_way way_best(const struct facts *facts, char *const *closed,
			 char **reason);

#endif
