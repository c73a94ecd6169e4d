/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Recognises loads whose address came out of the load before: pointer chases. A
 * processor cannot overlap such loads, so latency counts in full; registers are
 * not seen here, so addresses are compared with what was loaded.
 */
#ifndef UNCORE_CHASE_H
#define UNCORE_CHASE_H

#include <stdbool.h>
#include <stdint.h>

enum { CHASE_WORDS = 8 };

/* All zero at first. */
struct chase {
	uint64_t words[CHASE_WORDS]; /* the line that was loaded last */
	uint64_t value;		     /* in it, what lies at the address */
	uint64_t address;
	uint64_t distance;  /* to the address before it */
	uint64_t origin[3]; /* of an array, if the value is an index */
};

/* A load that leaves the core, and its line as the program has it. Returns
 * whether the load has probably waited for the one before. */
bool chase_note(struct chase *chase, uint64_t address, const void *line);

/* The same of one that is known to wait for another. */
void chase_pass(struct chase *chase, uint64_t address, const void *line);

#endif
