/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Figures published for real machines, and the model's.
 */
#ifndef UNCORE_TOOL_VALIDATE_H
#define UNCORE_TOOL_VALIDATE_H

struct validate_row {
	const char *metric;
	const char *unit;
	const char *machine; /* what is modelled, and how it is measured */
	const char *source;
	double published_low, published_high;
	double low, high; /* accepted */
	unsigned digits;  /* to be printed behind the point */
	double value;	  /* of the model */
};

/* Measures the figures of a machine (NULL: of all); *rows ends with a row
 * without a metric and lives as long as the program. A TOOL_* status. */
int validate_measure(const char *machine, const struct validate_row **rows);

#endif
