/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The same traffic through the R-Box of the event engine, to compare with.
 */
#ifndef UNCORE_ROUTER_OLD_H
#define UNCORE_ROUTER_OLD_H

#include "model/box/rbox.h"

enum { OLD_BOXES = (RBOX_MAX_SOCKETS + 1) * 4 };

/* A packet, ready at a time; when it has come. */
struct letter {
	uint64_t ready, arrived;
	unsigned from, to, cls;
};

struct old;

/* Lets letters, in order of `ready`, take their way, until cycle `end`. */
struct old *old_run(unsigned num_sockets, unsigned num_hubs,
		    const struct rbox_config *config, struct letter *letters,
		    unsigned num, uint64_t end);
void old_free(struct old *old);

/* The sum of a signal over all cycles, in all sockets. */
uint64_t old_sum(struct old *old, unsigned signal);

#endif
