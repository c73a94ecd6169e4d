/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Every slice of the schedule of random events, programmed into the model while
 * a mixed workload runs, counts to the bit what each of its events counts in a
 * run of its own.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "rig.h"

enum {
#ifdef __SANITIZE_ADDRESS__
	NUM_SETS = 3,
	NUM_EVENTS = 12,
#else
	NUM_SETS = 3,
	NUM_EVENTS = 30,
#endif
	NUM_LONG = 8,
	SOCKETS = 2,
	MAX_INSTANCES = 16,
};

#define WORKLOAD                                                               \
	"random:threads=8,place=scatter,shared=1,size=256k,count=250,write=33"

static const char *machine;

static struct uncore_model *new_model(void)
{
	static const char *const settings[] = { "llc.slice=24", "llc.ways=4" };
	char *error = NULL;
	struct uncore_model_config *config =
		uncore_model_config_new(machine, &error);
	struct uncore_model *model;

	if (!config || uncore_model_config_sockets(config, SOCKETS, &error))
		fail_msg("%s", error);
	for (unsigned i = 0; i < 2; i++)
		if (uncore_model_config_set(config, settings[i], &error))
			fail_msg("%s", error);
	model = uncore_model_new(config, &error);
	if (!model || uncore_model_set_workload(model, WORKLOAD, &error))
		fail_msg("%s", error);
	uncore_model_config_free(config);
	return model;
}

/* The counts of a plan's events in one run, [event][socket][instance]. */
typedef uint64_t counts[SOCKETS][MAX_INSTANCES];

static void program(struct uncore_model *model, const struct uncore_plan *plan,
		    size_t num)
{
	struct uncore_write *writes;
	size_t num_writes;

	if (uncore_plan_writes(plan, 0, num - 1, &writes, &num_writes, NULL))
		fail_msg("no writes");
	for (unsigned s = 0; s < SOCKETS; s++)
		for (size_t i = 0; i < num_writes; i++)
			if (uncore_model_write(model, s, writes[i].address,
					       writes[i].value))
				fail_msg("%s refuses 0x%llx", writes[i].name,
					 (unsigned long long)writes[i].value);
	free(writes);
}

/* Instances of an event's box that it is for. */
static void instances(const struct rig *rig, const struct uncore_event *event,
		      unsigned *first, unsigned *last)
{
	int one = uncore_event_instance(event);
	struct uncore_box box;
	size_t b = 0;

	while (uncore_family_box(rig->family, b, &box) &&
	       strcmp(box.name, uncore_event_box(event)))
		b++;
	*first = one < 0 ? 0 : (unsigned)one;
	*last = one < 0 ? box.num_instances - 1 : (unsigned)one;
	assert_in_range(*last, 0, MAX_INSTANCES - 1);
}

static void run(const struct rig *rig, const struct uncore_plan *plan,
		struct uncore_event *const *events, size_t num, counts *values)
{
	struct uncore_model *model = new_model();

	program(model, plan, num);
	if (!uncore_model_finish(model, UINT64_C(20000000), NULL))
		fail_msg("the workload does not come to an end");
	for (size_t e = 0; e < num; e++) {
		unsigned first, last;

		instances(rig, events[e], &first, &last);
		for (unsigned s = 0; s < SOCKETS; s++)
			for (unsigned i = first; i <= last; i++)
				if (uncore_model_read(
					    model, s,
					    uncore_plan_counter_address(plan, e,
									i),
					    &values[e][s][i]))
					fail_msg("a counter cannot be read");
	}
	uncore_model_free(model);
}

static void run_alone(const struct rig *rig, size_t e, counts *values)
{
	struct uncore_event *event = rig->events[e];
	struct uncore_plan *plan;
	char *error = NULL;

	if (uncore_plan_new(rig->family, &event, 1, &plan, &error))
		fail_msg("%s", error);
	run(rig, plan, &event, 1, values);
	uncore_plan_free(plan);
}

static void compare_slice(const struct rig *rig,
			  const struct uncore_schedule *schedule, size_t slice,
			  counts *alone, unsigned *num_counted)
{
	struct uncore_event *events[RIG_MAX_EVENTS];
	counts *values = calloc(rig->num_events, sizeof(*values));
	size_t num = 0;

	for (size_t e = 0; e < rig->num_events; e++)
		if (uncore_schedule_item(schedule, slice, e) >= 0) {
			assert_int_equal(
				uncore_schedule_item(schedule, slice, e), num);
			events[num++] = rig->events[e];
		}
	run(rig, uncore_schedule_plan(schedule, slice), events, num, values);
	for (size_t e = 0; e < rig->num_events; e++) {
		long item = uncore_schedule_item(schedule, slice, e);

		if (item < 0)
			continue;
		*num_counted += values[item][0][0] != 0;
		if (memcmp(values[item], alone[e], sizeof(counts)))
			fail_msg("%s, slice %zu: %s counts %llu, alone %llu in "
				 "the first box",
				 machine, slice,
				 uncore_event_text(rig->events[e]),
				 (unsigned long long)values[item][0][0],
				 (unsigned long long)alone[e][0][0]);
	}
	free(values);
}

static void try_set(uint64_t seed)
{
	struct uncore_schedule *schedule;
	char *error = NULL;
	unsigned num_counted = 0;
	struct rig rig;
	counts *alone = calloc(NUM_EVENTS, sizeof(*alone));

	rig_start(&rig, machine, seed);
	while (rig.num_events < NUM_EVENTS)
		rig_add(&rig, 4, true);
	if (uncore_schedule_new(rig.family, rig.events, rig.num_events, NULL, 0,
				&schedule, &error))
		fail_msg("%s", error);
	for (size_t e = 0; e < rig.num_events; e++)
		run_alone(&rig, e, &alone[e]);
	for (size_t s = 0; s < uncore_schedule_slices(schedule); s++)
		compare_slice(&rig, schedule, s, alone, &num_counted);
	assert_true(num_counted > 0);
	uncore_schedule_free(schedule);
	free(alone);
	rig_end(&rig);
}

static void each_event_counts_what_it_counts_alone(void **state)
{
	uint64_t last = getenv("UNCORE_LONG") ? NUM_LONG : NUM_SETS;

	(void)state;
	for (uint64_t seed = 1; seed <= last; seed++)
		try_set(seed);
}

int main(void)
{
	static const char *const machines[] = { "xeon-e7", "xeon-7500",
						"xeon-e5-2600" };
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_event_counts_what_it_counts_alone),
	};
	int failed = 0;

	for (unsigned m = 0; m < 3; m++) {
		machine = machines[m];
		failed +=
			cmocka_run_group_tests_name(machine, tests, NULL, NULL);
	}
	return failed;
}
