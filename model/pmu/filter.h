/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Packet filters: match and mask registers, with rules of its own in each
 * box, compiled into one form that a packet is held against.
 */
#ifndef UNCORE_FILTER_H
#define UNCORE_FILTER_H

#include <stdbool.h>
#include <stdint.h>

#include "model/pmu/register.h"
#include "model/pmu/signal.h"
#include "table/table.h"

enum { FILTER_CLASSES = 16, FILTER_OPCODES = 2 };

struct filter {
	/* A packet passes if it has the bits of match wherever care is 1, */
	struct sig_header match, care;
	/* and bit `opcode` of opcodes[class] is 1, and bit `state` of states */
	uint16_t opcodes[FILTER_CLASSES];
	uint16_t states;
	uint32_t no_nodes; /* and bit `home_node` of these is 0 */
	uint8_t no_traits; /* and it has none of these */
	uint8_t num_some; /* and its opcode is one of these, if there are any */
	uint16_t some[FILTER_OPCODES];
	uint8_t min_flits; /* passes from this length on */
	bool each_flit;	   /* counts the flits of a packet, not the packet */
};

/* Compiles what the registers say for filters of the box (bits of its looks);
 * `value` has those of the slot or box by their roles, and 0 for none. Every
 * byte of *filter is set, so that two may be compared by memcmp(). */
void filter_compile(struct filter *filter, const struct uc_family *family,
		    unsigned box, const uint64_t value[UC_NUM_ROLES],
		    uint8_t filters);

/* Whether it lets every packet pass, as one event. */
bool filter_is_open(const struct filter *filter);

bool filter_passes(const struct filter *filter,
		   const struct sig_header *header);

/* The number of events that a packet is: 0, 1, or its flits. */
unsigned filter_count(const struct filter *filter,
		      const struct sig_header *header);

#endif
