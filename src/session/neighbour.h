/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Who else counts.
 */
#ifndef UNCORE_SESSION_NEIGHBOUR_H
#define UNCORE_SESSION_NEIGHBOUR_H

#include <stdbool.h>

struct uncore_target;

/* UNCORE_ERR_IN_USE with a sentence where counters are enabled and move;
 * `force` takes it all the same. *is_shared: some are enabled, so nothing may
 * be reset that is not ours. */
int neighbour_check(struct uncore_target *target, bool force, bool *is_shared,
		    char **error);

#endif
