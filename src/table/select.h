/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * How the control of a counter and the sub-registers beside it choose events,
 * by the rows of a family: read here for the library, which goes from registers
 * to texts, and for the model, which goes from registers to signals. Values are
 * by role: those of the registers that decide what one counter counts.
 */
#ifndef UNCORE_TABLE_SELECT_H
#define UNCORE_TABLE_SELECT_H

#include "table/table.h"

/* Whether all sets hold. */
bool uc_holds(const uint64_t value[UC_NUM_ROLES], const struct uc_set *sets,
	      unsigned num);

/* Whether a way to select counts at all, and whether it only says in which
 * cycles others do. */
bool uc_select_in_force(const struct uc_select *select,
			const uint64_t value[UC_NUM_ROLES]);
bool uc_select_gates(const struct uc_select *select,
		     const uint64_t value[UC_NUM_ROLES]);

/* Whether a box has it. */
static inline bool uc_select_is_of(const struct uc_select *select, unsigned box)
{
	return select->box == UC_BOX_NONE || select->box == box;
}

/* The code that an event is selected by, in a value of the control: in the
 * field that the select is called by, and in the one with more of it. Its bits
 * as a mask of codes, 0 where the control has no such field; the code there; a
 * value with it. */
uint64_t uc_select_bits(const struct uc_select *select,
			const struct uc_layout *control);
uint64_t uc_select_code(const struct uc_select *select,
			const struct uc_layout *control, uint64_t value);
uint64_t uc_select_put(const struct uc_select *select,
		       const struct uc_layout *control, uint64_t value,
		       uint64_t code);

/* The way through slots that the registers of a box with a role belong to, or
 * NULL; and their index for a slot. */
const struct uc_select *uc_slot_select(const struct uc_family *family,
				       unsigned box, enum uc_role role);
static inline unsigned uc_slot_index(const struct uc_select *select,
				     unsigned port, unsigned slot)
{
	return select->slot_shift ? port : port * select->num_slots + slot;
}

/* Where the control of a counter of a box with ports points; NULL: nowhere.
 * Each group of counters listens to its own ports. */
const struct uc_route *uc_route_of(const struct uc_family *family, unsigned box,
				   unsigned counter, uint64_t code);

/* Fills in the sub-registers beside a control: of a box with ports those of the
 * slot that it points at (NULL: none), as if it were slot 0. `read` gives what
 * the register of the box with that role and index holds. */
typedef uint64_t uc_read_fn(const void *object, enum uc_role role,
			    unsigned index);
void uc_read_view(const struct uc_family *family, unsigned box,
		  const struct uc_route *route, uc_read_fn *read,
		  const void *object, uint64_t value[UC_NUM_ROLES]);

#endif
