/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Two sides, figure by figure, and whether chance alone explains what is
 * different: docs/compare.md.
 */
#ifndef UNCORE_TOOL_COMPARE_H
#define UNCORE_TOOL_COMPARE_H

#include <stdbool.h>
#include <stddef.h>

#include "results.h"

struct table;

/* In the order in which rows are shown. */
enum compare_verdict {
	VERDICT_CHANGED, /* told apart from chance */
	VERDICT_EXACT,	 /* different, and any other runs would be as these */
	VERDICT_ONE_RUN, /* exact and different; what chance does to such a
			  * run is not known from one on each side */
	VERDICT_ONLY_A,
	VERDICT_ONLY_B,
	VERDICT_UNKNOWN, /* an estimate whose error nobody knows */
	VERDICT_CHANCE,	 /* not told apart */
	VERDICT_SAME,	 /* to the last digit */
	VERDICT_NONE,	 /* there is no value */
};

struct comparison {
	const struct figure *a, *b; /* NULL: only the other side has it */
	enum compare_verdict verdict;
	double first, second; /* NAN: none */
	struct significance
		significance; /* difference NAN: none; p NAN: not tested */
	double error;	      /* half width of the interval; NAN: not known */
	double ratio, ratio_error;
};

struct compare_list {
	struct comparison *rows;
	size_t num;
	double confidence; /* 0 to 1 */
	/* Another run of either side would count the same, to the digit; and
	 * if not, it is since random bytes were asked for. */
	bool repeats, is_random;
	bool is_mixed; /* one side was sampled, the other was not */
};

/* All rows. Both sides must outlive the list, which is to be freed. */
void compare_make(struct compare_list *list, struct results *a,
		  struct results *b, double confidence);
void compare_free(struct compare_list *list);

/* The figure that both sides have, or the one. */
const struct figure *compare_figure(const struct comparison *row);

/* How much it grew, in parts of A; infinite from 0, NAN where not known. */
double compare_growth(const struct comparison *row);

enum compare_order { ORDER_SIGNIFICANCE, ORDER_SIZE, ORDER_NAME };
void compare_sort(struct compare_list *list, enum compare_order order);

/* "changed", "one run", ... */
const char *compare_verdict(const struct comparison *row);

/* Adds the columns for people, or all of them; and a row. */
void compare_columns(struct table *table, bool all);
void compare_add(struct table *table, const struct comparison *row, bool all);

#endif
