/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Where the guide of a processor contradicts itself, and how it is read: the
 * rows of docs/errata.md. Each row says which events, registers and fields it
 * is about (data/FORMAT.md). All strings live as long as the program; nothing
 * here fails or has to be freed.
 */
#ifndef UNCORE_ERRATUM_H
#define UNCORE_ERRATUM_H

#include <stdbool.h>
#include <stddef.h>

#include "uncore/family.h"

#ifdef __cplusplus
extern "C" {
#endif

struct uncore_erratum {
	const char *number;  /* E43 */
	const char *section; /* C-Box; All boxes */
	const char *where;   /* in the guide */
	const char *printed; /* the contradiction, gap or slip */
	const char *reading; /* what the library and the model do */
	const char *reason;
	const void *handle; /* for the library's functions */
};

/* Describes row number index of a family's guide, in the order of the document;
 * false past the last one. */
bool uncore_family_erratum(const struct uncore_family *family, size_t index,
			   struct uncore_erratum *erratum);

/* Whether a row is about the event, which must be of the row's family; with a
 * unit mask, an exact name: whether it is about the event counted with that
 * one. */
bool uncore_erratum_names_event(const struct uncore_erratum *erratum,
				const struct uncore_event_info *event,
				const char *unit_mask);

/* Whether a row is about the register, as a whole or about a field of it. */
bool uncore_erratum_names_register(const struct uncore_erratum *erratum,
				   const struct uncore_register *reg);

/* Whether a row is about what an event sets when it writes the value to the
 * register: about a field that is not 0 then, fields apart that every event
 * sets (enable, event select, unit mask), or about a filter as a whole. */
bool uncore_erratum_names_setting(const struct uncore_erratum *erratum,
				  const struct uncore_register *reg,
				  uint64_t value);

#ifdef __cplusplus
}
#endif

#endif
