/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Packet filters: the match and mask registers of the S-, R-, B- and M-Box,
 * each with rules of its own, compiled into one form that a packet is held
 * against.
 */
#ifndef UNCORE_FILTER_H
#define UNCORE_FILTER_H

#include <stdbool.h>
#include <stdint.h>

#include "model/pmu/register.h"
#include "model/pmu/signal.h"
#include "table/table.h"

enum { FILTER_CLASSES = 16 };

struct filter {
	/* A packet passes if it has the bits of match wherever care is 1, */
	struct sig_header match, care;
	/* and bit `opcode` of opcodes[class] is 1, and bit `state` of states */
	uint16_t opcodes[FILTER_CLASSES];
	uint16_t states;
	uint8_t min_flits; /* passes from this length on */
	bool each_flit;	   /* counts the flits of a packet, not the packet */
};

/* Where the filter's registers are: box instance, and index of the match and
 * mask registers within it (R-Box: port * 2 + set). */
struct filter_place {
	const struct register_file *registers;
	uint8_t box;
	uint8_t instance;
	uint8_t index;
};

/* Compiles what the registers say for a code of enum uc_filter; every byte of
 * *filter is set, so that two may be compared by memcmp(). */
void filter_compile(struct filter *filter, const struct filter_place *place,
		    uint8_t code);

/* The number of events that a packet is: 0, 1, or its flits. */
unsigned filter_count(const struct filter *filter,
		      const struct sig_header *header);

#endif
