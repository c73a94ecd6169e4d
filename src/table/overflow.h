/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Where an overflow of a counter shows, as the family's rows say: in the status
 * register of its box, and in what tells the socket.
 */
#ifndef UNCORE_TABLE_OVERFLOW_H
#define UNCORE_TABLE_OVERFLOW_H

#include "table/table.h"

struct overflow_place {
	const struct uc_register *status; /* of the box; NULL: it has none, */
	uint64_t bit;			  /* 0: nor has the counter there */
	const struct uc_register *clear;  /* what clears it, by writing 1: */
	uint64_t clear_bit;		  /* the overflow control, or status */
	const struct uc_overflow *row;	  /* where else it is told; NULL */
	uint64_t told;			  /* in the status of a freeze */
};

/* Of counter n of a box, where fixed ones follow the general ones. */
struct overflow_place uc_overflow_place(const struct uc_family *family,
					unsigned box, unsigned instance,
					unsigned n);

#endif
