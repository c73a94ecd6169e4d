/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * From control registers to what a counter counts: the reading direction of the
 * event tables, whose writing direction is the library's encoder.
 */
#ifndef UNCORE_DECODE_H
#define UNCORE_DECODE_H

#include <stdbool.h>

#include "model/pmu/counter.h"
#include "model/pmu/register.h"
#include "table/select.h"
#include "table/table.h"

/* Fields of a control register that are looked at. */
enum decode_field {
	FIELD_STORAGE_MODE,
	FIELD_COUNT_MODE,
	FIELD_WRAP_MODE,
	FIELD_THRESHOLD,
	FIELD_INVERT,
	FIELD_EDGE_DETECT,
	FIELD_PMI_EN,
	FIELD_EN,
	DECODE_NUM_FIELDS,
};

/* A counter among its registers. The latter two are looked up once. */
struct decode_place {
	const struct register_file *registers;
	uint8_t box;
	uint8_t instance;
	uint8_t counter; /* fixed counters follow the general ones */
	const struct uc_register *control;
	const struct uc_field *fields[DECODE_NUM_FIELDS]; /* NULL: none */
};

/* What there is to complain about in a counter's programming. */
enum decode_fault {
	DECODE_FINE,
	DECODE_NO_EVENT, /* the code stands for no event of this counter */
	DECODE_MIXED,	 /* events that cannot be counted together */
	DECODE_UNDEFINED /* a field has a value the guide does not define */
};

/* The largest number of terms an expression of the box can have. */
unsigned decode_max_terms(const struct uc_box *box);

/* Reads the registers into *expression, whose terms have room for
 * decode_max_terms(). */
enum decode_fault decode(const struct decode_place *place,
			 struct expression *expression);

/* The slot that the control register points at, NULL: none. */
const struct uc_route *decode_route(const struct decode_place *place);

/* Whether what is counted by a route hangs on a sub-register of its box. */
static inline bool decode_is_on(const struct uc_family *family,
				const struct uc_route *route,
				const struct uc_register *reg)
{
	const struct uc_select *select = &family->selects[route->select];

	return select->registers >> reg->role & 1 &&
	       reg->index == uc_slot_index(select, route->port, route->slot);
}

/* Finds the control register of a place, and its fields. */
void decode_find_control(struct decode_place *place);

/* The value of a field of the control register; 0 where it has none. */
uint64_t decode_field(const struct decode_place *place,
		      enum decode_field field);

#endif
