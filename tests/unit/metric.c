/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Figures from counts that are set by hand, and when there
 * is no figure.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "access/access.h"
#include "uncore/uncore.h"

#define FIGURES                                                                \
	"llc_lookups,llc_hit_ratio,llc_misses,llc_miss_latency,cbox_spread,"   \
	"home_agent_latency,memory_read,memory_write,memory_read_bandwidth,"   \
	"page_hit,page_empty,page_miss,qpi_data_received,uncore_cycles,"       \
	"simulated_time"

enum { NUM_ADDRESSES = 0x1000, NUM_SOCKETS = 2, MAX_EVENTS = 64 };

struct rig {
	uint64_t value[NUM_SOCKETS][NUM_ADDRESSES];
	const struct uncore_family *family;
	struct uncore_metrics *metrics;
	struct uncore_target *target;
	struct uncore_event *events[MAX_EVENTS];
	size_t num_events;
	struct uncore_plan *plan;
	struct uncore_session *session;
};

static int read_memory(void *context, unsigned socket, uint64_t address,
		       uint64_t *value)
{
	struct rig *rig = context;

	*value = rig->value[socket][address];
	return 0;
}

static int write_memory(void *context, unsigned socket, uint64_t address,
			uint64_t value)
{
	struct rig *rig = context;

	rig->value[socket][address] = value;
	return 0;
}

static const struct access_ops ops = {
	.name = "memory",
	.read = read_memory,
	.write = write_memory,
};

static bool has_event(const struct rig *rig, const char *text)
{
	for (size_t i = 0; i < rig->num_events; i++)
		if (!strcmp(uncore_event_text(rig->events[i]), text))
			return true;
	return false;
}

/* All events of the figures but one (NULL: all). */
static void add_events(struct rig *rig, const char *without)
{
	size_t *chosen, num;
	const char *text;

	assert_int_equal(uncore_metrics_choose(rig->metrics, FIGURES, &chosen,
					       &num, NULL),
			 0);
	for (size_t m = 0; m < num; m++)
		for (size_t i = 0;
		     (text = uncore_metrics_event(rig->metrics, chosen[m], i));
		     i++)
			if ((!without || strcmp(without, text)) &&
			    !has_event(rig, text))
				assert_int_equal(
					uncore_event_parse(
						rig->family, text,
						&rig->events[rig->num_events++],
						NULL),
					0);
	free(chosen);
}

/* They fit into one slice, or there were no plan. */
static void start(struct rig *rig, const char *without)
{
	rig->family = uncore_family_find("xeon-e7");
	assert_int_equal(uncore_metrics_new(rig->family, &rig->metrics, NULL),
			 0);
	rig->target = uc_access_new(&ops, rig, rig->family, NUM_SOCKETS);
	add_events(rig, without);
	assert_int_equal(uncore_plan_new(rig->family, rig->events,
					 rig->num_events, &rig->plan, NULL),
			 0);
	assert_int_equal(uncore_session_open(rig->target, rig->events,
					     rig->num_events, &rig->session,
					     NULL),
			 0);
	assert_int_equal(uncore_session_start(rig->session, NULL), 0);
}

static void finish(struct rig *rig)
{
	uncore_session_close(rig->session);
	uncore_plan_free(rig->plan);
	uncore_target_free(rig->target);
	uncore_metrics_free(rig->metrics);
	for (size_t i = 0; i < rig->num_events; i++)
		uncore_event_free(rig->events[i]);
	free(rig);
}

static void set(struct rig *rig, const char *text, unsigned socket,
		unsigned instance, uint64_t value)
{
	for (size_t i = 0; i < rig->num_events; i++)
		if (!strcmp(uncore_event_text(rig->events[i]), text)) {
			rig->value[socket][uncore_plan_counter_address(
				rig->plan, i, instance)] = value;
			return;
		}
	fail_msg("%s is of no figure", text);
}

static struct uncore_metric_value metric(const struct rig *rig,
					 const char *name, int socket)
{
	const struct uncore_metric_run run = { .seconds = 0.5,
					       .cycles = 1e9,
					       .clock_hz = 2e9 };
	const struct uncore_metric_scope scope = { socket, -1 };
	struct uncore_metric_source *source;
	struct uncore_metric_counts counts;
	struct uncore_metric_value value;
	size_t *chosen, num;

	assert_int_equal(
		uncore_metrics_choose(rig->metrics, name, &chosen, &num, NULL),
		0);
	assert_int_equal(num, 1);
	assert_int_equal(uncore_metric_source_new(rig->session, &run,
						  NUM_SOCKETS, &source),
			 0);
	assert_int_equal(uncore_metric_source_counts(source, rig->metrics,
						     chosen[0], &counts),
			 0);
	uncore_metrics_value(rig->metrics, chosen[0], &counts, &scope, &value);
	free((void *)counts.counts);
	uncore_metric_source_free(source);
	free(chosen);
	return value;
}

static void check(const struct rig *rig, const char *name, int socket,
		  double wanted)
{
	struct uncore_metric_value found = metric(rig, name, socket);

	if (!found.valid)
		fail_msg("%s: %s", name, found.reason);
	if (found.value < wanted * 0.999999 || found.value > wanted * 1.000001)
		fail_msg("%s is %g, not %g", name, found.value, wanted);
}

static void figures_are_those_computed_by_hand(void **state)
{
	struct rig *rig = calloc(1, sizeof(*rig));

	(void)state;
	start(rig, NULL);
	/* C-Box 0 and 1 of socket 0, C-Box 9 of socket 1. */
	set(rig, "cbox/LLC_HITS.ALL/", 0, 0, 300);
	set(rig, "cbox/LLC_MISSES.ALL/", 0, 1, 100);
	set(rig, "cbox/LLC_HITS.ALL/", 1, 9, 40);
	set(rig, "cbox/OCCUPANCY_MAF/", 0, 0, 9000);
	set(rig, "cbox/TRANS_MAF/", 0, 3, 90);
	set(rig, "bbox/TF_ALL/", 0, 1, 5);
	set(rig, "bbox/IMT_INSERTS_ALL/", 0, 0, 8);
	set(rig, "mbox/FVC_EV0.BBOX_CMDS.READS/", 1, 1, 1000);
	set(rig, "mbox/INFLIGHT_CMDS/", 0, 0, 10);
	set(rig, "mbox/INFLIGHT_CMDS/", 1, 1, 1020);
	set(rig, "mbox/PAGE_HIT/", 0, 0, 60);
	set(rig, "mbox/PAGE_MISS/", 0, 0, 30);
	set(rig, "mbox/PGT_PAGE_EV2.PAGE_EMPTY/", 0, 1, 10);
	set(rig, "rbox/NEW_PACKETS_RECV.ANY.DRS,port=qpi2/", 0, 0, 7);
	set(rig, "wbox/FIXED_CTR/", 0, 0, 1000000000);
	set(rig, "wbox/FIXED_CTR/", 1, 0, 1000000000);
	assert_int_equal(uncore_session_read(rig->session, NULL), 0);

	check(rig, "llc_lookups", -1, 440);
	check(rig, "llc_lookups", 0, 400);
	check(rig, "llc_hit_ratio", -1, 100.0 * 340 / 440);
	check(rig, "llc_hit_ratio", 1, 100);
	check(rig, "llc_miss_latency", -1, 100);
	/* 5 counts of a sub-counter of 256. */
	check(rig, "home_agent_latency", -1, 5.0 * 256 / 8);
	check(rig, "memory_read", -1, 64000);
	check(rig, "memory_read_bandwidth", -1, 64000 / 0.5 / 1e9);
	check(rig, "memory_write", -1, 64 * 30);
	check(rig, "page_hit", -1, 60);
	check(rig, "page_empty", -1, 10);
	check(rig, "qpi_data_received", -1, 64 * 7);
	/* Socket 0: most 300 of a mean of 40; socket 1: 40 of 4. */
	check(rig, "cbox_spread", 0, 300.0 / 40);
	check(rig, "cbox_spread", -1, (300.0 + 40) / (40 + 4));
	check(rig, "simulated_time", -1, 0.5);
	check(rig, "uncore_cycles", -1, 1e9);
	finish(rig);
}

static void nothing_to_divide_by_is_no_figure(void **state)
{
	struct rig *rig = calloc(1, sizeof(*rig));

	(void)state;
	start(rig, NULL);
	uncore_session_read(rig->session, NULL);
	assert_false(metric(rig, "llc_hit_ratio", -1).valid);
	assert_non_null(
		strstr(metric(rig, "llc_hit_ratio", -1).reason, "divide"));
	assert_true(metric(rig, "llc_misses", -1).valid);
	finish(rig);
}

static void an_event_that_was_not_counted_is_no_figure(void **state)
{
	struct rig *rig = calloc(1, sizeof(*rig));

	(void)state;
	start(rig, "cbox/LLC_MISSES.ALL/");
	uncore_session_read(rig->session, NULL);
	assert_false(metric(rig, "llc_misses", -1).valid);
	assert_non_null(
		strstr(metric(rig, "llc_misses", -1).reason, "not counted"));
	assert_false(metric(rig, "cbox_spread", 0).valid);
	assert_true(metric(rig, "memory_read", -1).valid);
	finish(rig);
}

static double most(const struct uncore_metrics *metrics, const char *name,
		   int socket)
{
	/* 0.5 s of a clock of 2 GHz, and no counts */
	const struct uncore_metric_counts counts = { .num_sockets = 2,
						     .seconds = 0.5,
						     .cycles = 1e9 };
	const struct uncore_metric_scope scope = { socket, -1 };
	size_t *chosen, num;
	double value;

	assert_int_equal(
		uncore_metrics_choose(metrics, name, &chosen, &num, NULL), 0);
	assert_int_equal(num, 1);
	value = uncore_metrics_most(metrics, chosen[0], &counts, &scope);
	free(chosen);
	return value;
}

/* The ring moves 2 * 32 bytes a cycle at each of 10 C-Boxes; of M-Boxes there
 * are 2, with 2 buses that move 64 bytes in 2 * 1.875 ns each. */
static void the_most_is_known_without_counts(void **state)
{
	struct uncore_metrics *metrics;

	(void)state;
	assert_int_equal(uncore_metrics_new(uncore_family_find("xeon-e7"),
					    &metrics, NULL),
			 0);
	assert_float_equal(most(metrics, "llc_to_core_bandwidth", 0), 1280,
			   1e-6);
	assert_float_equal(most(metrics, "llc_to_core_bandwidth", -1), 2560,
			   1e-6);
	assert_float_equal(most(metrics, "memory_bandwidth", 1), 68.267, 1e-3);
	assert_float_equal(most(metrics, "llc_misses", -1), 2e10, 1);
	/* no instructions are known */
	assert_true(isnan(most(metrics, "llc_mpki", -1)));
	/* nothing lasts longer than all of it */
	assert_float_equal(most(metrics, "request_latency_local", -1), 1e9, 1);
	uncore_metrics_free(metrics);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(figures_are_those_computed_by_hand),
		cmocka_unit_test(nothing_to_divide_by_is_no_figure),
		cmocka_unit_test(an_event_that_was_not_counted_is_no_figure),
		cmocka_unit_test(the_most_is_known_without_counts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
