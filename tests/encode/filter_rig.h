/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What tests of filter options share: an event's text on one side, the contents
 * of match, mask and configuration on the other, and the guide's rules of who
 * passes them, written down once more.
 */
#ifndef UNCORE_TESTS_FILTER_RIG_H
#define UNCORE_TESTS_FILTER_RIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "uncore/uncore.h"

struct filter_regs {
	uint64_t match, mask, config;
};

/* The registers of instance 0 (R-Box: port 0, slot 0); false, and *error to be
 * freed, where the text is refused. */
bool filter_encode_text(const char *machine, const char *text,
			struct filter_regs *regs, char **error);

/* All writes, the control register first; to be freed. */
struct uncore_write *filter_writes(const char *machine, const char *text,
				   size_t *num, char **canonical);

/* Pairs of class and opcode that occur, as class * 16 + opcode, and names;
 * returns how many. */
unsigned filter_pairs(const char *machine, uint8_t *pairs,
		      const char *names[256]);

/* A number from 0 to limit - 1, the same in every run. */
uint64_t filter_random(uint64_t limit);

#endif
