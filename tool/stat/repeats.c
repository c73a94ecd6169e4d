/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Means and their standard errors, over runs.
 */
#include "stat.h"

#include <math.h>
#include <stdlib.h>

#include "tool/tool.h"
#include "uncore/session.h"

bool repeats_is_last(const struct repeats *repeats)
{
	return repeats->is_over || repeats->run + 1 == repeats->num;
}

static double mean(const double *values, unsigned num, double *error)
{
	double sum = 0, squares = 0;
	unsigned valid = 0;

	for (unsigned i = 0; i < num; i++)
		if (!isnan(values[i])) {
			sum += values[i];
			valid++;
		}
	for (unsigned i = 0; i < num; i++)
		if (!isnan(values[i]))
			squares += pow(values[i] - sum / valid, 2);
	*error = valid > 1 ? sqrt(squares / (valid - 1) / valid) : NAN;
	return valid ? sum / valid : NAN;
}

void repeats_rows(struct repeats *repeats, struct report_row *rows, size_t num)
{
	if (!repeats->values) {
		repeats->values =
			tool_new(num * repeats->num, sizeof(*repeats->values));
		repeats->num_rows = num;
	}
	repeats->failed |= num != repeats->num_rows;
	for (size_t i = 0; i < num && !repeats->failed; i++) {
		struct report_row *row = &rows[i];
		double *values = repeats->values + i * repeats->num;

		values[repeats->run] = row->valid ? row->value : NAN;
		if (!repeats_is_last(repeats))
			continue;
		row->value = mean(values, repeats->run + 1, &row->spread);
		if (row->is_metric)
			continue;
		row->count = row->valid ? (uint64_t)llround(row->value) : 0;
		row->value = (double)row->count;
	}
}

void repeats_detail(struct repeats *repeats,
		    const struct uncore_sampling *detail)
{
	if (!repeats->details)
		repeats->details =
			tool_new(repeats->num, sizeof(*repeats->details));
	repeats->details[repeats->num_details++] = *detail;
}

void repeats_free(struct repeats *repeats)
{
	free(repeats->values);
	free(repeats->details);
}
