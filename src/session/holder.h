/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Who may have programmed counters that are in use.
 */
#ifndef UNCORE_SESSION_HOLDER_H
#define UNCORE_SESSION_HOLDER_H

struct uncore_target;

/* Words such as "perhaps by process 97 (perf stat -a), through the kernel's
 * driver", to be freed; NULL if nobody is known. */
char *holder_find(const struct uncore_target *target);

#endif
