/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The rows of docs/errata.md, made into a table by tools/generrata.py.
 */
#ifndef UNCORE_TABLE_ERRATA_H
#define UNCORE_TABLE_ERRATA_H

struct uc_erratum {
	const char *family;  /* xeon-e7: whose guide it is about */
	const char *section; /* C-Box */
	const char *number;  /* E43 */
	const char *where;
	const char *printed;
	const char *reading;
	const char *reason;
};

/* Ended by a row of NULLs. */
extern const struct uc_erratum uc_errata[];

#endif
