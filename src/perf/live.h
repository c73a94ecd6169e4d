/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The inside of a live family while it is made: its tables lie in an arena that
 * goes with it. fields.c has terms, layouts and registers, events.c the events,
 * family.c the rest.
 */
#ifndef UNCORE_PERF_LIVE_H
#define UNCORE_PERF_LIVE_H

#include "base/arena.h"
#include "perf/pmus.h"
#include "table/table.h"

struct live {
	struct uc_family family;
	struct perf_pmus pmus;
	struct arena arena;
	struct live *next;
	const char *note; /* or NULL */
};

/* fields.c: where terms are in the registers of a counter; those registers, of
 * all instances of a box, behind those that the family has already; how many a
 * counter has at most. */
enum { LIVE_REGISTERS = 4 };
void live_place_terms(struct perf_box *box);
void live_add_registers(struct live *live, unsigned index, struct uc_box *box,
			struct uc_register *registers);

/* Whether a term is the code of an event; and whether another one has all its
 * bits: then that one, else NULL. */
bool live_is_code(const struct perf_term *term);
const struct perf_term *live_term_around(const struct perf_box *box,
					 const struct perf_term *term);

/* events.c: of a box, with its options. */
void live_add_events(struct live *live, unsigned index, struct uc_box *box);

#endif
