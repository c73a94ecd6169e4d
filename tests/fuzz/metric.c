/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Files of metrics: a byte for the family, eight for the counts, then the file.
 * What is taken is looked at from all sides, and has values.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "metric/metric.h"
#include "tests/fuzz/fuzz.h"

enum { NUM_COUNTS = 32, NUM_SOCKETS = 2 };

/* Counts that are none at all, or 0, or too many, among others. */
static double count(uint64_t *state)
{
	static const double special[] = { 0, 1, NAN, INFINITY, -1, 1e308 };

	*state = *state * UINT64_C(6364136223846793005) + 1;
	if (*state >> 63)
		return special[(*state >> 40) % 6];
	return (double)(*state >> 30);
}

static void evaluate(const struct uncore_metrics *metrics, size_t index,
		     size_t num_events, uint64_t *state)
{
	static const struct uncore_metric_scope scopes[] = { { -1, -1 },
							     { 0, -1 },
							     { 1, 1 } };
	struct uncore_metric_count counts[NUM_COUNTS];
	const struct uncore_metric_counts all = {
		.counts = counts,
		.num = num_events ? NUM_COUNTS : 0,
		.num_sockets = NUM_SOCKETS,
		.seconds = count(state),
		.cycles = count(state),
		.share = 1,
	};

	for (unsigned i = 0; i < all.num; i++)
		counts[i] = (struct uncore_metric_count){
			.event = i % num_events,
			.socket = i / num_events % NUM_SOCKETS,
			.instance = (unsigned)(i / num_events / NUM_SOCKETS),
			.value = count(state),
		};
	for (size_t i = 0; i < sizeof(scopes) / sizeof(scopes[0]); i++) {
		struct uncore_metric_value value;

		uncore_metrics_value(metrics, index, &all, &scopes[i], &value);
		fuzz_must(!value.valid || isfinite(value.value),
			  "a value that is %g is valid", value.value);
		fuzz_must(value.valid || *value.reason,
			  "a value is not valid and nobody says why");
	}
}

static void look(const struct uncore_metrics *metrics, uint64_t state)
{
	struct uncore_metric metric;
	struct uncore_metric_fact fact;
	struct uncore_metric_key key;
	size_t *chosen = NULL, num = 0;

	for (size_t i = 0; uncore_metrics_at(metrics, i, &metric); i++) {
		for (size_t k = 0; uncore_metrics_key(metrics, i, k, &key); k++)
			fuzz_must(key.name && key.text, "a key without name");
		for (size_t e = 0; e < metric.num_events; e++)
			fuzz_must(uncore_metrics_event(metrics, i, e),
				  "an event without text");
		if (!uncore_metrics_choose(metrics, metric.name, &chosen, &num,
					   NULL))
			free(chosen);
		evaluate(metrics, i, metric.num_events, &state);
	}
	for (size_t i = 0; uncore_metrics_fact(metrics, i, &fact); i++)
		fuzz_must(fact.name && fact.unit, "a fact without name");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_bytes bytes = { data, size };
	struct uncore_metrics *metrics = calloc(1, sizeof(*metrics));
	uint64_t state;
	char *text, *error = NULL;
	int code;

	fuzz_must(metrics, "no memory");
	/* an empty set: the built-in ones take a hundred times as long */
	metrics->family = fuzz_family(&bytes);
	state = fuzz_number(&bytes, 8);
	text = fuzz_text(&bytes);
	if (!strstr(text, "base")) {
		code = uncore_metrics_read(
			metrics, fuzz_file(text, strlen(text)), &error);
		fuzz_must(!code == !error, "code %d, and %s", code,
			  error ? error : "no sentence");
		look(metrics, state);
	}
	free(error);
	free(text);
	uncore_metrics_free(metrics);
	return 0;
}
