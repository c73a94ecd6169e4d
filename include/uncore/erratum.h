/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Where the guide of a processor contradicts itself, and how it is read: the
 * rows of docs/errata.md. A row concerns the events and registers that it
 * names. All strings live as long as the program.
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
};

/* Row number index of a family's guide; false past the last one. */
bool uncore_family_erratum(const struct uncore_family *family, size_t index,
			   struct uncore_erratum *erratum);

/* Whether a row names the event, by any of its names; FVC_EV0 to 3 and TF_*
 * name several. With a unit mask: not if its place is that of other unit masks
 * only. */
bool uncore_erratum_names_event(const struct uncore_erratum *erratum,
				const struct uncore_family *family,
				const struct uncore_event_info *event,
				const char *unit_mask);

/* Whether a row is about the register: it gives its name, its address or the
 * name of its layout, or the table of its fields with one of these fields or
 * none. */
bool uncore_erratum_names_register(const struct uncore_erratum *erratum,
				   const struct uncore_register *reg);

/* Whether a row is about what a value sets in the register: it is about the
 * register, and names a field that is not 0, or a filter as a whole. */
bool uncore_erratum_names_setting(const struct uncore_erratum *erratum,
				  const struct uncore_register *reg,
				  uint64_t value);

#ifdef __cplusplus
}
#endif

#endif
