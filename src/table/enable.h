/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What lets a counter count, as the family's domains say: its own control; its
 * box, by an *enable register*; the socket, by a *switch*. A box without either
 * has its enables in its controls.
 */
#ifndef UNCORE_TABLE_ENABLE_H
#define UNCORE_TABLE_ENABLE_H

#include "table/table.h"

struct enable {
	const struct uc_register *control; /* with its bit en */
	const struct uc_register *box;	   /* the enable register */
	uint64_t control_bit;
	uint64_t box_bits, box_on; /* it is on if these bits are so */
};

/* The registers and bits of a counter register; false where the tables have
 * none. */
bool enable_find(const struct uc_family *family,
		 const struct uc_register *counter, struct enable *enable);

/* The register that governs all boxes of a domain. */
bool enable_is_switch(const struct uc_family *family,
		      const struct uc_register *reg);

/* Whether a switch governs a box, or its enables alone do. */
bool enable_is_gated(const struct uc_family *family, unsigned box);

/* An enable register that is no switch, and its value that stops its box. */
bool enable_is_enable(const struct uc_family *family,
		      const struct uc_register *reg);
uint64_t enable_off(const struct uc_family *family,
		    const struct uc_register *reg);

/* The bits of a field; 0 without it, or without a register. */
uint64_t enable_bits(const struct uc_register *reg, const char *field);

/* Those that enable a counter in a register that enables counters of its box,
 * the nth of this register or a fixed one. */
uint64_t uc_enable_box_bits(const struct uc_register *box, bool is_fixed,
			    unsigned n);

bool enable_is_counter(const struct uc_register *reg);

#endif
