/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The rows of data/<family>/errata.txt, made into a table by
 * tools/generrata.py.
 */
#ifndef UNCORE_TABLE_ERRATA_H
#define UNCORE_TABLE_ERRATA_H

/* One thing that a row is about: an event, a register, or all registers of a
 * layout. */
struct uc_about {
	const char *event;     /* BOX/NAME, or NULL */
	const char *unit_mask; /* of the event, or NULL: all of them */
	const char *reg;       /* its name, or NULL */
	const char *layout;    /* likewise */
	const char *field;     /* of the register as printed, or NULL: all */
};

struct uc_erratum {
	const char *family;  /* xeon-e7: whose guide it is about */
	const char *section; /* heading of the page */
	const char *number;  /* E43 */
	const char *where;
	const char *printed;
	const char *reading;
	const char *reason;
	const struct uc_about *about; /* ended by a row of NULLs */
};

/* Ended by a row of NULLs. */
extern const struct uc_erratum uc_errata[];

#endif
