/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Results of two runs, in JSON, and their comparison: a byte that says in which
 * order and form the rows are printed, then the files, of which the second one
 * begins behind a byte of 0. Where there is none, one result is compared with
 * itself.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json.h"
#include "table.h"
#include "tests/fuzz/fuzz.h"
#include "tool.h"
#include "tool/compare/compare.h"

enum { NUM_ORDERS = 3, FORM_AT = 2 };

static int read_side(struct results *side, const char *text)
{
	*side = (struct results){ .path = "fuzz" };
	return results_read_json(side, text);
}

static void check(const struct compare_list *list, bool is_one)
{
	for (size_t i = 0; i < list->num; i++) {
		const struct comparison *row = &list->rows[i];
		double p = row->significance.p;

		fuzz_must(compare_figure(row) && compare_verdict(row),
			  "a row without a figure or a verdict");
		fuzz_must(isnan(p) || (p >= 0 && p <= 1),
			  "%s: chance has p = %g", compare_figure(row)->name,
			  p);
		fuzz_must(!is_one || row->verdict != VERDICT_CHANGED,
			  "%s: a result differs from itself",
			  compare_figure(row)->name);
	}
}

static void print(struct compare_list *list, unsigned how, FILE *file)
{
	struct json json = { .file = file };
	struct table table;

	compare_sort(list, (enum compare_order)(how % NUM_ORDERS));
	table_init(&table, "compared", "compared");
	compare_columns(&table, how % 2);
	for (size_t i = 0; i < list->num; i++)
		compare_add(&table, &list->rows[i], how % 2);
	if (how >> FORM_AT & 1)
		table_print_json(&table, &json);
	else
		table_print_separated(&table, ",", file);
	table_free(&table);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static FILE *nowhere;
	struct fuzz_bytes bytes = { data, size };
	unsigned how = (unsigned)fuzz_number(&bytes, 1);
	size_t all = bytes.size, first;
	char *text = fuzz_text(&bytes);
	struct compare_list list = { 0 };
	struct results sides[2] = { 0 };
	int status;

	if (!nowhere)
		nowhere = stderr = fopen("/dev/null", "w");
	fuzz_must(nowhere, "no /dev/null");
	first = strlen(text);
	status = read_side(&sides[0], text);
	if (!status)
		status = read_side(&sides[1],
				   first < all ? text + first + 1 : text);
	if (!status) {
		compare_make(&list, &sides[0], &sides[1], 0.95);
		check(&list, first == all);
		print(&list, how, nowhere);
	}
	compare_free(&list);
	results_free(&sides[0]);
	results_free(&sides[1]);
	free(text);
	return 0;
}
