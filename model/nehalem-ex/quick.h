/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The classes of what the accesses of a socket's cores tell while time stands
 * (model/pmu/facts.h). Of an access that meets nobody all is told by the way it
 * goes: who asks, which slice, which home. Only what changes the state is done
 * of it then; the first of each class, and what meets somebody, goes the way of
 * the engine (at once), which is told as it goes.
 */
#ifndef UNCORE_QUICK_H
#define UNCORE_QUICK_H

#include "model/box/llc.h"
#include "model/nehalem-ex/ex.h"

enum {
	QUICK_HOMES = EX_MAX_SOCKETS * EX_SIDES,
	QUICK_KINDS = 3, /* READ, CODE, OWN */
	QUICK_STATES = LLC_F + 1,
};

/* A miss that memory answers; the state in which the line comes. */
struct quick_miss {
	struct facts facts;
	uint8_t state;
};

/* By slice, and by core where there is one. */
struct quick {
	struct facts writes[QUICK_HOMES][EX_MAX_CORES]; /* of victims */
	struct facts hits[QUICK_STATES][2][EX_MAX_CORES][EX_MAX_CORES];
	/* By the state of the line, and of the victim. */
	struct facts fills[QUICK_STATES][QUICK_STATES][EX_MAX_CORES]
			  [EX_MAX_CORES];
	struct facts leaves[2][EX_MAX_CORES]; /* victims; cores are asked */
	struct facts answers[2][EX_MAX_CORES][EX_MAX_CORES]; /* with a line */
	struct facts write_backs[EX_MAX_CORES][EX_MAX_CORES];
	struct quick_miss misses[QUICK_HOMES][QUICK_KINDS][EX_MAX_CORES]
				[EX_MAX_CORES];
};

/* B-Boxes have every second node id. */
static inline unsigned quick_home(unsigned node)
{
	return node / 2;
}

#endif
