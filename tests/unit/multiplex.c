/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Two hundred runs of steady workloads, in which events take turns, beside the
 * same runs in which each of them counts all the time: the true count lies
 * within the error that is told in at least 95 of 100, and the error is worth
 * telling.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "uncore/model.h"
#include "uncore/schedule.h"
#include "uncore/uncore.h"

enum { WARM_CYCLES = 16384, RUN_CYCLES = 65536, MAX_EVENTS = 16, OFTEN = 100 };

/* Three workloads of a third of the runs each. */
struct scene {
	const char *workload;
	const char *const *events;
	double most_error; /* mean of an event that happens often, relative */
};

/* Four and four: two halves that fit. */
static const char *const llc_events[] = {
	"cbox/LLC_MISSES.ALL/", "cbox/LLC_MISSES.I/",  "cbox/LLC_HITS.ALL/",
	"cbox/LLC_HITS.M/",	"cbox/LLC_VICTIMS.I/", "cbox/LLC_VICTIMS.M/",
	"cbox/ARB_WINS.AD_SB/", "cbox/SINKS_C2P.AK/",  NULL,
};
static const char *const queue_events[] = {
	"bbox/IMT_INSERTS_ALL/",
	"bbox/IMT_VALID_OCCUPANCY/",
	"bbox/IMT_INSERTS_NON_IOH/",
	"bbox/TF_ALL/",
	NULL,
};

static const struct scene scenes[] = {
	{ "stream:threads=2,size=4M,passes=100", llc_events, 0.1 },
	{ "random:threads=2,size=16M,count=1000000,write=30", llc_events, 0.1 },
	{ "random:threads=3,size=16M,count=1000000", queue_events, 0.1 },
};

struct run {
	struct uncore_model *model;
	struct uncore_target *target;
	struct uncore_event *events[MAX_EVENTS];
	size_t num_events;
	struct uncore_session *session;
};

static void open_run(struct run *run, const struct scene *scene, unsigned seed,
		     size_t first, size_t last)
{
	struct uncore_model_config *config =
		uncore_model_config_new("xeon-e7", NULL);
	struct uncore_session_options options = {
		.struct_size = sizeof(options),
		.takes_turns = true,
		.seed = seed,
	};
	char workload[128], *error = NULL;

	*run = (struct run){ 0 };
	assert_int_equal(uncore_model_config_sockets(config, 1, NULL), 0);
	run->model = uncore_model_new(config, &error);
	assert_non_null(run->model);
	uncore_model_config_free(config);
	run->target = uncore_target_model(run->model);
	snprintf(workload, sizeof(workload), "%s,seed=%u", scene->workload,
		 seed);
	assert_int_equal(uncore_model_set_workload(run->model, workload, NULL),
			 0);
	for (size_t i = first; i < last; i++)
		assert_int_equal(uncore_event_parse(
					 uncore_target_family(run->target),
					 scene->events[i],
					 &run->events[run->num_events++], NULL),
				 0);
	assert_int_equal(uncore_session_open_with(run->target, run->events,
						  run->num_events, &options,
						  &run->session, NULL),
			 0);
}

static void pass(struct run *run)
{
	uint64_t left = RUN_CYCLES;

	uncore_model_run(run->model, WARM_CYCLES);
	assert_int_equal(uncore_session_start(run->session, NULL), 0);
	while (left) {
		double seconds = uncore_session_turn_seconds(run->session);
		double clock_hz = uncore_model_clock_hz(run->model);
		uint64_t cycles = left;

		if (seconds * clock_hz < (double)left)
			cycles = (uint64_t)ceil(seconds * clock_hz);
		uncore_model_run(run->model, cycles);
		left -= cycles;
		if (left)
			uncore_session_rotate(run->session, NULL);
	}
	assert_int_equal(uncore_session_stop(run->session, NULL), 0);
	assert_int_equal(uncore_session_read(run->session, NULL), 0);
}

static void close_run(struct run *run)
{
	uncore_session_close(run->session);
	for (size_t i = 0; i < run->num_events; i++)
		uncore_event_free(run->events[i]);
	uncore_target_free(run->target);
	uncore_model_free(run->model);
}

/* An event in all boxes. */
static void sum_event(const struct run *run, size_t event,
		      struct uncore_count *sum)
{
	struct uncore_count count;
	size_t indices[64], num = 0;

	for (size_t i = 0; uncore_session_count(run->session, i, &count); i++)
		if (count.event_index == event)
			indices[num++] = i;
	assert_true(uncore_session_sum(run->session, indices, num, sum));
	assert_true(sum->valid);
}

static void measure_truth(const struct scene *scene, unsigned seed,
			  size_t first, size_t last, double *truth)
{
	struct uncore_count sum;
	struct run run;

	open_run(&run, scene, seed, first, last);
	assert_int_equal(
		uncore_schedule_slices(uncore_session_schedule(run.session)),
		1);
	pass(&run);
	for (size_t i = first; i < last; i++) {
		sum_event(&run, i - first, &sum);
		assert_false(sum.is_estimate);
		truth[i] = (double)sum.value;
	}
	close_run(&run);
}

struct tally {
	unsigned estimates, hits, often;
	double errors; /* relative ones */
};

static void compare(const struct scene *scene, unsigned seed, size_t num,
		    struct tally *tallies)
{
	double truth[MAX_EVENTS];
	struct uncore_count sum;
	struct run run;

	measure_truth(scene, seed, 0, num / 2, truth);
	measure_truth(scene, seed, num / 2, num, truth);
	open_run(&run, scene, seed, 0, num);
	assert_true(uncore_schedule_slices(
			    uncore_session_schedule(run.session)) > 1);
	pass(&run);
	for (size_t i = 0; i < num; i++) {
		sum_event(&run, i, &sum);
		if (!sum.is_estimate) {
			assert_true((double)sum.value == truth[i]);
			continue;
		}
		assert_true(sum.share > 0.2 && sum.share < 0.9);
		assert_true(isfinite(sum.error));
		tallies[i].estimates++;
		tallies[i].often += truth[i] >= OFTEN;
		if (truth[i] >= OFTEN)
			tallies[i].errors += sum.error / truth[i];
		tallies[i].hits +=
			fabs((double)sum.value - truth[i]) <= sum.error;
	}
	close_run(&run);
}

/* Of each scene; the suite `long` has more. */
static unsigned num_runs = 14;
static unsigned all_estimates, all_hits;

static void errors_hold(const struct scene *scene)
{
	struct tally tallies[MAX_EVENTS] = { 0 };
	unsigned estimates = 0, hits = 0;
	size_t num = 0;

	while (scene->events[num])
		num++;
	for (unsigned seed = 1; seed <= num_runs; seed++)
		compare(scene, seed, num, tallies);
	for (size_t i = 0; i < num; i++) {
		printf("%-36s %3u of %3u, mean error %.4f\n", scene->events[i],
		       tallies[i].hits, tallies[i].estimates,
		       tallies[i].errors / fmax(1, tallies[i].often));
		assert_true(tallies[i].errors <=
			    scene->most_error * tallies[i].often);
		estimates += tallies[i].estimates;
		hits += tallies[i].hits;
	}
	printf("%s: %u of %u\n", scene->workload, hits, estimates);
	assert_true(estimates >= num_runs);
	all_estimates += estimates;
	all_hits += hits;
}

static void misses_of_a_stream(void **state)
{
	(void)state;
	errors_hold(&scenes[0]);
}

static void misses_of_random_accesses(void **state)
{
	(void)state;
	errors_hold(&scenes[1]);
}

static void queues_of_the_home_agent(void **state)
{
	(void)state;
	errors_hold(&scenes[2]);
}

static void the_true_count_is_within_in_95_of_100(void **state)
{
	(void)state;
	assert_true(all_estimates >= 3 * num_runs);
	assert_true(100 * all_hits >= 95 * all_estimates);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(misses_of_a_stream),
		cmocka_unit_test(misses_of_random_accesses),
		cmocka_unit_test(queues_of_the_home_agent),
		cmocka_unit_test(the_true_count_is_within_in_95_of_100),
	};

	if (getenv("UNCORE_LONG"))
		num_runs = 67;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
