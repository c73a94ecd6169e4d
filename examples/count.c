/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Counts two events for a second: on this machine's processors, or on a model
 * where they have no such counters or may not be used. Only the first lines of
 * main() know which.
 *
 *     cc count.c $(pkg-config --cflags --libs uncore-model)
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <uncore/model.h>
#include <uncore/uncore.h>

enum { NUM_EVENTS = 2, MODEL_CYCLES = 200000 };

static const char *const texts[NUM_EVENTS] = {
	"cbox/LLC_MISSES.ALL/",
	"wbox/FIXED_CTR/",
};

/* Says what went wrong and ends the program. */
static void fail(const char *error)
{
	fprintf(stderr, "count: %s\n", error ? error : "out of memory");
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

/* The counts of all boxes and sockets are added up. */
static void print_sums(const struct uncore_session *session)
{
	double sums[NUM_EVENTS] = { 0 };
	struct uncore_count count;

	for (size_t i = 0; uncore_session_count(session, i, &count); i++)
		if (count.valid)
			sums[count.event_index] += (double)count.value;
		else
			printf("%s: %s\n", texts[count.event_index],
			       count.reason);
	for (size_t i = 0; i < NUM_EVENTS; i++)
		printf("%14.0f  %s\n", sums[i], texts[i]);
}

int main(void)
{
	char *error = NULL;
	struct uncore_model *model = NULL;
	struct uncore_target *target = uncore_target_machine(&error);
	struct uncore_event *events[NUM_EVENTS];
	struct uncore_session *session;

	if (!target) {
		printf("%s\ncounting on a model instead:\n", error);
		free(error);
		model = new_model();
		target = uncore_target_model(model);
		if (!target)
			fail(NULL);
	}
	for (size_t i = 0; i < NUM_EVENTS; i++)
		if (uncore_event_parse(uncore_target_family(target), texts[i],
				       &events[i], &error))
			fail(error);
	if (uncore_session_open(target, events, NUM_EVENTS, &session, &error) ||
	    uncore_session_start(session, &error))
		fail(error);
	if (model)
		uncore_model_run(model, MODEL_CYCLES);
	else
		sleep(1);
	if (uncore_session_stop(session, &error) ||
	    uncore_session_read(session, &error))
		fail(error);
	print_sums(session);

	uncore_session_close(session);
	for (size_t i = 0; i < NUM_EVENTS; i++)
		uncore_event_free(events[i]);
	uncore_target_free(target);
	if (model)
		uncore_model_free(model);
	return 0;
}
