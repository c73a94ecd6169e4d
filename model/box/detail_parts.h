/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What the files of detail.h share: windows, stretches (detail.c), and rests
 * (detail_rest.c).
 */
#ifndef UNCORE_DETAIL_PARTS_H
#define UNCORE_DETAIL_PARTS_H

#include "model/box/detail.h"
#include "model/box/socket.h"

/* A core when a look began. */
struct look {
	bool is_valid; /* it had traffic */
	uint64_t ready, gap_cycles, waited;
	uint64_t classes[CORE_NUM_CLASSES];
};

struct detail_core {
	struct detail_pace pace;	  /* beside all cores' */
	uint64_t costs[CORE_NUM_CLASSES]; /* of the stretch: cycles << 16 */
	struct look look;
	uint64_t busy;	 /* cycles << 16 of stretches */
	uint64_t rested; /* see rested_of(), */
	uint64_t of;	 /* of the access of this number */
	/* Of the look that ends: */
	double num, cycles, expected;
};

static inline struct core *core_of(const struct detail *detail, unsigned number)
{
	unsigned num = detail->sockets[0]->num_cores;

	return &detail->sockets[number / num]->cores[number % num];
}

/* Cycles << 16 before the core's latest access that were idle. */
static inline uint64_t *rested_of(const struct detail *detail,
				  const struct core *core)
{
	struct detail_core *own = &detail->cores[core->number];

	if (own->of != core->num_taken)
		own->rested = 0;
	own->of = core->num_taken;
	return &own->rested;
}

/* Tells who listens where a window or a rest begins or ends. */
void detail_tell(const struct detail *detail, enum uncore_model_seam seam);

/* Cores get nothing until all is over, or the model runs again. */
void detail_settle(struct detail *detail, uint64_t cycles);

/* A thread whose accesses are still to come may ask for something at any time.
 */
bool detail_is_any_awaited(const struct detail *detail);

/* Of the sleeper. */
void detail_begin_rest(struct detail *detail);

/* A stretch pauses until the first core that computes asks for something. */
void detail_lie_idle(struct detail *detail);

#endif
