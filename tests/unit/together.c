/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * On a model each slice of a schedule has a PMU of its own: events that do not
 * fit together, counted in one session, give what each of them gives alone in a
 * run of its own. So do their sums; and a second session on the same model
 * begins at 0.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "uncore/model.h"
#include "uncore/uncore.h"

enum { MAX_EVENTS = 1024, CYCLES = 2000 };

struct run {
	struct uncore_model *model;
	struct uncore_target *target;
	struct uncore_event *events[MAX_EVENTS];
	size_t num_events;
	struct uncore_session *session;
};

static void begin(struct run *run, const char *machine)
{
	struct uncore_model_config *config =
		uncore_model_config_new(machine, NULL);

	memset(run, 0, sizeof(*run));
	assert_non_null(config);
	run->model = uncore_model_new(config, NULL);
	uncore_model_config_free(config);
	assert_non_null(run->model);
	run->target = uncore_target_model(run->model);
	assert_int_equal(uncore_model_set_workload(
				 run->model,
				 "random:threads=8,size=32M,place=scatter,"
				 "shared=1,write=30,count=100000000",
				 NULL),
			 0);
}

static void add(struct run *run, const char *text)
{
	struct uncore_event *event;

	if (run->num_events == MAX_EVENTS ||
	    uncore_event_parse(uncore_target_family(run->target), text, &event,
			       NULL))
		return;
	if (uncore_session_can_count(run->target, event, NULL))
		uncore_event_free(event);
	else
		run->events[run->num_events++] = event;
}

/* Each event of the family once, and each tenth with another unit mask. */
static void add_all(struct run *run)
{
	const struct uncore_family *family = uncore_target_family(run->target);
	struct uncore_event_info info;
	struct uncore_unit_mask mask;
	char text[256];

	for (size_t i = 0; uncore_family_event(family, i, &info); i++) {
		const char *port = strcmp(info.box, "rbox") ? "" : ",port=qpi0";

		/* which is what counter 0 counts beside it */
		if (!strcmp(info.name, "COUNTER0_OCCUPANCY"))
			continue;
		if (!info.num_unit_masks) {
			snprintf(text, sizeof(text), "%s/%s%s/", info.box,
				 info.name, port);
			add(run, text);
		}
		for (size_t m = 0; m < (i % 10 ? 1 : 2) &&
				   uncore_event_info_unit_mask(&info, m, &mask);
		     m++) {
			snprintf(text, sizeof(text), "%s/%s.%s%s/", info.box,
				 info.name, mask.name, port);
			add(run, text);
		}
	}
}

static void count(struct run *run, struct uncore_event *const *events,
		  size_t num)
{
	assert_int_equal(uncore_session_open(run->target, events, num,
					     &run->session, NULL),
			 0);
	assert_int_equal(uncore_session_start(run->session, NULL), 0);
	uncore_model_run(run->model, CYCLES);
	assert_int_equal(uncore_session_rotate(run->session, NULL), 0);
	uncore_model_run(run->model, CYCLES);
	assert_int_equal(uncore_session_stop(run->session, NULL), 0);
	assert_int_equal(uncore_session_read(run->session, NULL), 0);
}

static void end(struct run *run)
{
	uncore_session_close(run->session);
	for (size_t i = 0; i < run->num_events; i++)
		uncore_event_free(run->events[i]);
	uncore_target_free(run->target);
	uncore_model_free(run->model);
}

/* What one event counts alone, row by row, is what it counts among all;
 * whether that is anything. */
static bool check_alone(const struct run *all, size_t event, size_t *row,
			const char *machine)
{
	struct uncore_count alone, among;
	struct run run;
	bool has_counted = false;
	size_t i;

	begin(&run, machine);
	add(&run, uncore_event_text(all->events[event]));
	assert_int_equal(run.num_events, 1);
	count(&run, run.events, 1);
	for (i = 0; uncore_session_count(run.session, i, &alone); i++) {
		assert_true(uncore_session_count(all->session, *row, &among));
		assert_int_equal(among.event_index, event);
		assert_int_equal(among.socket, alone.socket);
		assert_int_equal(among.instance, alone.instance);
		assert_true(among.valid && !among.is_estimate);
		if (among.value != alone.value)
			fail_msg("%s, socket %u, box %u: %llu, alone %llu",
				 uncore_event_text(all->events[event]),
				 among.socket, among.instance,
				 (unsigned long long)among.value,
				 (unsigned long long)alone.value);
		has_counted |= alone.value > 0;
		++*row;
	}
	assert_true(i);
	end(&run);
	return has_counted;
}

static void events_count_what_they_count_alone(void **state)
{
	static struct run run;
	struct uncore_count count_;
	size_t row = 0, num_counted = 0;

	begin(&run, *state);
	add_all(&run);
	assert_true(run.num_events > 200);
	count(&run, run.events, run.num_events);
	assert_null(uncore_session_schedule(run.session));
	for (size_t i = 0; i < run.num_events; i++)
		num_counted += check_alone(&run, i, &row, *state);
	assert_true(num_counted > run.num_events / 3);
	assert_false(uncore_session_count(run.session, row, &count_));
	end(&run);
}

static void sums_are_of_one_event(void **state)
{
	static struct run run;
	const size_t rows[] = { 0, 1, 2, 3 }, mixed[] = { 0, 4 };
	struct uncore_count sum, one;
	uint64_t wanted = 0;

	(void)state;
	begin(&run, "xeon-e7");
	add(&run, "mbox/FVC_EV0.BBOX_CMDS.READS/");
	add(&run, "mbox/FVC_EV0.BBOX_CMDS.WRITES/");
	count(&run, run.events, run.num_events);
	for (size_t i = 0; i < 4; i++) {
		assert_true(uncore_session_count(run.session, i, &one));
		wanted += one.value;
	}
	assert_true(wanted);
	assert_true(uncore_session_sum(run.session, rows, 4, &sum));
	assert_int_equal(sum.value, wanted);
	assert_int_equal(sum.event_index, 0);
	assert_false(uncore_session_sum(run.session, mixed, 2, &sum));
	assert_false(uncore_session_sum(run.session, rows, 0, &sum));
	end(&run);
}

static void turns_are_taken_where_they_are_asked_for(void **state)
{
	const struct uncore_session_options turns = { .struct_size =
							      sizeof(turns),
						      .takes_turns = true };
	const struct uncore_session_options one = { .struct_size = sizeof(one),
						    .no_multiplex = true };
	static struct run run;

	(void)state;
	begin(&run, "xeon-e7");
	add(&run, "mbox/FVC_EV0.BBOX_CMDS.READS/");
	add(&run, "mbox/FVC_EV0.BBOX_CMDS.WRITES/");
	assert_int_equal(uncore_session_open_with(run.target, run.events, 2,
						  &turns, &run.session, NULL),
			 0);
	assert_non_null(uncore_session_schedule(run.session));
	uncore_session_close(run.session);
	run.session = NULL;
	assert_int_equal(uncore_session_open_with(run.target, run.events, 2,
						  &one, &run.session, NULL),
			 UNCORE_ERR_CONFLICT);
	end(&run);
}

static void a_second_session_begins_at_nothing(void **state)
{
	static struct run run;
	struct uncore_count count_;

	(void)state;
	begin(&run, "xeon-e7");
	add(&run, "mbox/FVC_EV0.BBOX_CMDS.READS/");
	add(&run, "mbox/FVC_EV0.BBOX_CMDS.WRITES/");
	count(&run, run.events, run.num_events);
	uncore_session_close(run.session);
	assert_false(uncore_model_is_counting(run.model));
	assert_int_equal(uncore_session_open(run.target, run.events, 2,
					     &run.session, NULL),
			 0);
	assert_int_equal(uncore_session_start(run.session, NULL), 0);
	assert_int_equal(uncore_session_read(run.session, NULL), 0);
	for (size_t i = 0; uncore_session_count(run.session, i, &count_); i++)
		assert_int_equal(count_.value, 0);
	end(&run);
}

#define TEST(test, family) cmocka_unit_test_prestate(test, family)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(events_count_what_they_count_alone, "xeon-e7"),
		TEST(events_count_what_they_count_alone, "xeon-e5-2600"),
		cmocka_unit_test(sums_are_of_one_event),
		cmocka_unit_test(turns_are_taken_where_they_are_asked_for),
		cmocka_unit_test(a_second_session_begins_at_nothing),
	};

	const struct CMUnitTest more[] = {
		TEST(events_count_what_they_count_alone, "xeon-7500"),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	return getenv("UNCORE_LONG")
		       ? failed + cmocka_run_group_tests(more, NULL, NULL)
		       : failed;
}
