/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Samples on overflow: each time that a home agent has taken in so many
 * requests, a counter runs over and interrupts a core; the PMU freezes and all
 * counts are taken. On a model that is the very cycle of the interrupt.
 *
 *     cc sample.c $(pkg-config --cflags --libs uncore-model)
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <uncore/model.h>
#include <uncore/uncore.h>

enum { NUM_EVENTS = 2, PERIOD = 500, MODEL_CYCLES = 50000 };

static const char *const texts[NUM_EVENTS] = {
	"bbox/IMT_INSERTS_ALL/", /* samples */
	"cbox/LLC_MISSES.ALL/",	 /* is read along */
};

static void fail(const char *error)
{
	fprintf(stderr, "sample: %s\n", error ? error : "out of memory");
	exit(1);
}

static struct uncore_model *new_model(void)
{
	char *error = NULL;
	struct uncore_model_config *config =
		uncore_model_config_new("xeon-e7", &error);
	struct uncore_model *model =
		config ? uncore_model_new(config, &error) : NULL;

	if (!model ||
	    uncore_model_set_workload(model, "stream:threads=4", &error))
		fail(error);
	uncore_model_config_free(config);
	return model;
}

static void print_samples(struct uncore_sampler *sampler)
{
	const struct uncore_sample_count *counts;
	struct uncore_sample sample;
	size_t num_counts;
	const void *note;

	while (uncore_sampler_take(sampler, &sample, &counts, &num_counts,
				   &note) == 1) {
		uint64_t sums[NUM_EVENTS] = { 0 };

		for (size_t i = 0; i < num_counts; i++)
			sums[counts[i].event] += counts[i].value;
		printf("cycle %7" PRIu64, sample.cycle);
		if (sample.kind == UNCORE_SAMPLE_PERIOD)
			printf("  B-Box %ld overflow", sample.instance);
		else
			printf("  %-16s", "the rest");
		for (size_t i = 0; i < NUM_EVENTS; i++)
			printf("  %5" PRIu64 " %s", sums[i], texts[i]);
		printf("\n");
	}
}

int main(void)
{
	char *error = NULL;
	struct uncore_model *model = new_model();
	struct uncore_target *target = uncore_target_model(model);
	struct uncore_sampled events[NUM_EVENTS] = { { .period = PERIOD } };
	const struct uncore_sampler_options options = {
		.struct_size = sizeof(options),
		.clock_hz = uncore_model_clock_hz(model),
	};
	struct uncore_sampler *sampler;

	if (!target)
		fail(NULL);
	for (size_t i = 0; i < NUM_EVENTS; i++)
		if (uncore_event_parse(uncore_target_family(target), texts[i],
				       &events[i].event, &error))
			fail(error);
	if (uncore_sampler_open(target, events, NUM_EVENTS, &options, &sampler,
				&error) ||
	    uncore_sampler_start(sampler, &error))
		fail(error);
	uncore_model_run(model, MODEL_CYCLES);
	if (uncore_sampler_stop(sampler, &error))
		fail(error);
	print_samples(sampler);

	uncore_sampler_close(sampler);
	for (size_t i = 0; i < NUM_EVENTS; i++)
		uncore_event_free(events[i].event);
	uncore_target_free(target);
	uncore_model_free(model);
	return 0;
}
