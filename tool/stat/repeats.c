/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Means and their standard errors, over runs.
 */
#include "repeats.h"

#include <math.h>
#include <stdlib.h>

#include "uncore/session.h"

void repeats_begin(struct repeats *repeats)
{
	if (repeats->values)
		repeats->run++;
	repeats->row = 0;
}

bool repeats_is_last(const struct repeats *repeats)
{
	return repeats->is_over || repeats->run + 1 == repeats->num;
}

static bool add_row(struct repeats *repeats)
{
	size_t num = repeats->num;
	double *values =
		reallocarray(repeats->values, (repeats->num_rows + 1) * num,
			     sizeof(*values));

	if (!values)
		return false;
	repeats->values = values;
	repeats->num_rows++;
	return true;
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

double repeats_take(struct repeats *repeats, bool valid, double *value)
{
	size_t row = repeats->row++;
	double error, *values;

	if (!repeats->run && !add_row(repeats))
		repeats->failed = true;
	if (row >= repeats->num_rows)
		repeats->failed = true;
	if (repeats->failed)
		return NAN;
	values = repeats->values + row * repeats->num;
	values[repeats->run] = valid ? *value : NAN;
	if (!repeats_is_last(repeats))
		return NAN;
	*value = mean(values, repeats->run + 1, &error);
	return error;
}

void repeats_sampling(struct repeats *repeats,
		      const struct uncore_sampling *sampling)
{
	if (!repeats->samplings)
		repeats->samplings =
			calloc(repeats->num, sizeof(*repeats->samplings));
	if (repeats->samplings)
		repeats->samplings[repeats->num_samplings++] = *sampling;
	else
		repeats->failed = true;
}

void repeats_free(struct repeats *repeats)
{
	free(repeats->values);
	free(repeats->samplings);
	*repeats = (struct repeats){ 0 };
}
