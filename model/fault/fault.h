/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Fault injection: what goes wrong, when and how often. A box asks at each
 * opportunity (a frame, a flit, a read) whether the fault strikes now; while a
 * fault is not asked for that costs one test of a bit. Whether it strikes
 * depends on the seed, the place and the number of the opportunity alone, so
 * runs repeat. What was injected is counted, to be compared with the events.
 */
#ifndef UNCORE_FAULT_H
#define UNCORE_FAULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/sim/sim.h"

enum fault {
	FAULT_SMI_CRC,	 /* a frame on an SMI link: alert, fast reset, retry */
	FAULT_ECC,	 /* a read of memory: correctable */
	FAULT_ECC_FATAL, /* uncorrectable: poison, after retries */
	FAULT_ADDRESS_PARITY, /* a DRAM command's address parity */
	FAULT_QPI_CRC,	      /* a flit on a QPI link: link-level retry */
	FAULT_POISON,	      /* a line leaves a cache known to be bad */
	FAULT_SPARING,	      /* a rank's lines are copied to its spare */
	FAULT_PBOX_RESET,     /* a physical layer is initialised again */
	FAULT_HEAT,	      /* a DIMM is above its trip point for a while */
	FAULT_PROCHOT,	      /* the package's PROCHOT pin is asserted */
	FAULT_MC_RECOVERABLE, /* machine checks of a core */
	FAULT_MC_CORRECTED,
	FAULT_MC_UNCORRECTED,
	FAULT_MC_FATAL,
	FAULT_NUM
};

/* What was asked for; all sockets share it. */
struct fault_plan {
	uint32_t is_active; /* bit per enum fault */
	uint64_t seed;
	double rate[FAULT_NUM];	   /* per opportunity, */
	uint64_t first[FAULT_NUM]; /* not before this cycle, */
	uint64_t count[FAULT_NUM]; /* so often at most (per socket), */
	int socket[FAULT_NUM];	   /* in this socket, or -1: all */
	int box[FAULT_NUM];	   /* in this box or port, or -1 */
};

/* Of one socket. A box may ask for an opportunity in a cycle to come: what
 * strikes then counts as injected from that cycle on. */
struct faults {
	const struct fault_plan *plan;
	struct sim *sim; /* NULL: nobody asks ahead */
	unsigned socket;
	uint64_t opportunities[FAULT_NUM];
	uint64_t drawn[FAULT_NUM];
	uint64_t injected[FAULT_NUM];
};

void fault_plan_init(struct fault_plan *plan, uint64_t seed);

/* Adds "NAME:rate=P,at=CYCLE,count=N,socket=S,box=B"; all keys may be left out
 * (rate 1 with count 1; a given rate has no bound). NULL, or a sentence to be
 * freed that says what is wrong. */
char *fault_plan_add(struct fault_plan *plan, const char *spec);

/* Where a kind of processor can have a fault: the boxes of a socket, a bit each
 * or as many as a parameter of the machine says; what they are called. Without
 * a name it cannot have it. */
struct fault_place {
	const char *name;
	unsigned boxes;
	unsigned param; /* its number; 0: the bits hold */
};

/* Whether the machine can have what was asked for, where it was; NULL, or a
 * sentence to be freed. */
char *fault_plan_check(const struct fault_plan *plan,
		       const struct fault_place places[FAULT_NUM],
		       unsigned sockets, const double *param);

/* Name and help of a fault; false past the last one. */
bool fault_describe(size_t index, const char **name, const char **help);

/* Whether it strikes at this opportunity, in a cycle that is not past; and that
 * it does so in a cycle. */
bool fault_draw(struct faults *faults, enum fault fault, unsigned box,
		uint64_t cycle);
void fault_count(struct faults *faults, enum fault fault, uint64_t cycle);

/* Whether the fault is asked for at all: worth looking for opportunities. */
static inline bool fault_is_active(const struct faults *faults,
				   enum fault fault)
{
	return faults && faults->plan->is_active >> fault & 1;
}

/* Both of the above, at instance or port `box`. */
static inline bool fault_strikes(struct faults *faults, enum fault fault,
				 unsigned box, uint64_t cycle)
{
	if (!fault_is_active(faults, fault) ||
	    !fault_draw(faults, fault, box, cycle))
		return false;
	fault_count(faults, fault, cycle);
	return true;
}

#endif
