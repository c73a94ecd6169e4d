/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Traffic that comes in portions: in a portion every CPU has a list of
 * accesses, and the lists are meant to happen at the same time. A guest's
 * rounds are portions, and so is what a recording has kept of them; both run
 * here, so that they make the same counts.
 */
#ifndef SERVER_PORTION_H
#define SERVER_PORTION_H

#include <stdbool.h>
#include <stdint.h>

#include "uncore/model.h"

enum { PORTION_MAX_CPUS = 128 };

struct portion_turn {
	const struct uncore_access *records;
	uint32_t num_records;
	uint32_t next;		   /* of them, to be handed out */
	struct uncore_access time; /* where only time passes */
	/* What the CPU's private caches have counted, if that is told. */
	uint64_t counts[UNCORE_NUM_CORE_COUNTS];
};

struct portion {
	unsigned num_cpus;
	uint64_t num_lines;	/* of the machine */
	uint64_t accesses, bad; /* so far; bad: no such line or kind */
	uint32_t tells;		/* as in struct uncore_traffic; 0: nothing */
	struct portion_turn turns[PORTION_MAX_CPUS];
	/* May be NULL: see struct uncore_traffic. */
	void (*invalidate)(void *context, unsigned cpu, uint64_t line,
			   bool downgrade);
	void *context;
};

/* Whether a guest's traffic has such an access. */
static inline bool portion_has(unsigned kind)
{
	return kind < UNCORE_ACCESS_NONE || kind == UNCORE_ACCESS_NT_WRITE ||
	       kind == UNCORE_ACCESS_NT_PART;
}

/* For a model that has no traffic yet; invalidate may be NULL, and nothing is
 * told of private caches until the owner says so. */
void portion_init(struct portion *portion, const struct uncore_model *model);

/* The model's traffic comes from here from now on. */
void portion_attach(struct portion *portion, struct uncore_model *model);

/* What a CPU does in the portion to come. The records stay the caller's until
 * the portion is used up. */
void portion_add(struct portion *portion, unsigned cpu,
		 const struct uncore_access *records, uint32_t num_records);

/* The CPU only executes instructions. */
void portion_add_time(struct portion *portion, unsigned cpu,
		      uint64_t instructions);

/* Begins the portion that was added. */
void portion_begin(struct portion *portion, struct uncore_model *model);

/* Works on it for a while; true when it is used up. */
bool portion_work(struct portion *portion, struct uncore_model *model);

#endif
