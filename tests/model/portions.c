/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Traffic in portions, as a guest's comes: every access of a portion is taken
 * before the run ends, time stands still in between, and cutting the same
 * accesses into portions changes no count that does not depend on time. A run
 * that the traffic pauses returns with all sockets in one cycle.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "uncore/model.h"
#include "uncore/uncore.h"

enum { CORES = 4, LINES = 600, GAP = 40 };

/* Each core reads lines of its own, `left` of them in this portion. */
struct feed {
	unsigned next[2 * CORES], left[2 * CORES];
	uint64_t spread; /* lines between two accesses */
	uint64_t base[2 * CORES];
	struct uncore_model *paused; /* at each core's first answer of none */
	unsigned num_pauses;
};

static int feed_next(void *context, unsigned core, struct uncore_access *access)
{
	struct feed *feed = context;

	if (!feed->left[core]) {
		if (feed->paused && feed->next[core]) {
			uncore_model_pause(feed->paused);
			feed->num_pauses++;
			feed->next[core] = 0;
		}
		return -1;
	}
	feed->left[core]--;
	*access = (struct uncore_access){
		.line = feed->base[core] + feed->next[core]++ * feed->spread,
		.gap = GAP,
		.kind = UNCORE_ACCESS_READ,
	};
	return 1;
}

struct machine {
	struct uncore_model *model;
	struct uncore_target *target;
	struct uncore_event *event;
	struct uncore_session *session;
	struct feed feed;
};

static void make(struct machine *m, const char *sockets, const char *event)
{
	struct uncore_traffic traffic = { .context = &m->feed,
					  .next = feed_next };
	struct uncore_model_config *config;
	char *error = NULL;

	memset(m, 0, sizeof(*m));
	config = uncore_model_config_new("xeon-e7", &error);
	assert_non_null(config);
	assert_int_equal(uncore_model_config_set(config, "cores=4", &error), 0);
	assert_int_equal(uncore_model_config_set(config, sockets, &error), 0);
	m->model = uncore_model_new(config, &error);
	uncore_model_config_free(config);
	assert_non_null(m->model);
	m->feed.spread = 1;
	for (unsigned i = 0; i < 2 * CORES; i++)
		m->feed.base[i] = (uint64_t)i << 16;
	uncore_model_set_traffic(m->model, &traffic);
	m->target = uncore_target_model(m->model);
	assert_int_equal(uncore_event_parse(uncore_target_family(m->target),
					    event, &m->event, &error),
			 0);
	assert_int_equal(uncore_session_open(m->target, &m->event, 1,
					     &m->session, &error),
			 0);
	assert_int_equal(uncore_session_start(m->session, &error), 0);
}

static void feed(struct machine *m, unsigned core, unsigned lines)
{
	m->feed.left[core] += lines;
	uncore_model_wake(m->model, core);
}

static uint64_t read_count(struct machine *m)
{
	struct uncore_count count;
	char *error = NULL;
	uint64_t sum = 0;

	assert_int_equal(uncore_session_read(m->session, &error), 0);
	for (size_t i = 0; uncore_session_count(m->session, i, &count); i++)
		sum += count.value;
	return sum;
}

static void drop(struct machine *m)
{
	uncore_session_close(m->session);
	uncore_event_free(m->event);
	uncore_target_free(m->target);
	uncore_model_free(m->model);
}

static uint64_t misses(const char *sockets, unsigned cores, unsigned portion)
{
	struct machine m;
	uint64_t value;

	make(&m, sockets, "cbox/LLC_MISSES.ALL/");
	assert_true(uncore_model_run_dry(m.model, 0));
	for (unsigned done = 0; done < LINES; done += portion) {
		for (unsigned core = 0; core < cores; core++)
			feed(&m, core, portion);
		assert_true(uncore_model_run_dry(m.model, 0));
		for (unsigned core = 0; core < cores; core++)
			assert_int_equal(m.feed.left[core], 0);
	}
	uncore_model_settle(m.model);
	value = read_count(&m);
	drop(&m);
	return value;
}

static void test_all_is_taken_and_counted(void **state)
{
	static const unsigned portions[] = { 1, 20, 100, 600 };

	(void)state;
	for (unsigned i = 0; i < 4; i++) {
		assert_int_equal(misses("sockets=1", 1, portions[i]), LINES);
		assert_int_equal(misses("sockets=1", CORES, portions[i]),
				 CORES * LINES);
		assert_int_equal(misses("sockets=2", 2 * CORES, portions[i]),
				 2 * CORES * LINES);
	}
}

/* Nobody feeds: neither a dry run nor settling takes time. */
static void test_time_stands_still(void **state)
{
	struct machine m;
	uint64_t cycle;

	(void)state;
	make(&m, "sockets=2", "cbox/LLC_MISSES.ALL/");
	assert_true(uncore_model_run_dry(m.model, 0));
	uncore_model_settle(m.model);
	cycle = uncore_model_cycle(m.model);
	assert_true(uncore_model_run_dry(m.model, 0));
	uncore_model_settle(m.model);
	assert_int_equal(uncore_model_cycle(m.model), cycle);
	uncore_model_wake(m.model, 0); /* a false alarm */
	assert_true(uncore_model_run_dry(m.model, 0));
	assert_true(uncore_model_cycle(m.model) <= cycle + 2);
	drop(&m);
}

/* A bound is kept, and the rest can be had later. */
static void test_bound(void **state)
{
	struct machine m;

	(void)state;
	make(&m, "sockets=1", "cbox/LLC_MISSES.ALL/");
	assert_true(uncore_model_run_dry(m.model, 0));
	feed(&m, 0, LINES);
	assert_false(uncore_model_run_dry(m.model, 100));
	assert_true(m.feed.left[0] > 0);
	assert_true(uncore_model_run_dry(m.model, 0));
	uncore_model_settle(m.model);
	assert_int_equal(read_count(&m), LINES);
	drop(&m);
}

/* A core that had nothing for long starts at once when it is woken, wherever
 * its own next question would have been. */
static void test_woken_at_once(void **state)
{
	struct machine m;
	uint64_t before, cycles[2];

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		make(&m, "sockets=1", "cbox/LLC_MISSES.ALL/");
		assert_true(uncore_model_run_dry(m.model, 0));
		uncore_model_run(m.model, i ? 777777 : 1);
		before = uncore_model_cycle(m.model);
		feed(&m, 0, 10);
		assert_true(uncore_model_run_dry(m.model, 0));
		cycles[i] = uncore_model_cycle(m.model) - before;
		drop(&m);
	}
	/* ten times GAP instructions, and no thousands of cycles */
	assert_in_range(cycles[0], 10, 4000);
	assert_in_range(cycles[1], cycles[0] - 300, cycles[0] + 300);
}

/* Every kind of run returns at a pause, and goes on after it. */
static void run_once(struct uncore_model *model, unsigned kind)
{
	switch (kind) {
	case 0: uncore_model_run(model, 1000000); return;
	case 1: uncore_model_run_dry(model, 1000000); return;
	default: uncore_model_finish(model, 1000000, NULL); return;
	}
}

static void check_cycles(struct machine *m, uint64_t cycles)
{
	struct uncore_count count;
	char *error = NULL;

	assert_int_equal(uncore_session_read(m->session, &error), 0);
	for (size_t i = 0; uncore_session_count(m->session, i, &count); i++)
		assert_int_equal(count.value, cycles);
}

static void test_a_pause_ends_the_run(void **state)
{
	enum { NUM_CORES = 2 * CORES };
	struct machine m;
	uint64_t last;

	(void)state;
	for (unsigned kind = 0; kind < 3; kind++) {
		make(&m, "sockets=2", "wbox/FIXED_CTR/");
		for (unsigned core = 0; core < NUM_CORES; core++)
			m.feed.left[core] = 20 + 31 * core;
		m.feed.paused = m.model;
		last = 0;
		for (unsigned runs = 0; m.feed.num_pauses < NUM_CORES; runs++) {
			unsigned before = m.feed.num_pauses;

			assert_in_range(runs, 0, NUM_CORES - 1);
			run_once(m.model, kind);
			assert_true(m.feed.num_pauses > before);
			assert_true(uncore_model_cycle(m.model) > last);
			last = uncore_model_cycle(m.model);
			assert_in_range(last, 1, 999999);
			check_cycles(&m, last);
		}
		uncore_model_run(m.model, 1000);
		assert_int_equal(uncore_model_cycle(m.model), last + 1000);
		drop(&m);
	}
}

static void test_counting(void **state)
{
	struct machine m;
	char *error = NULL;

	(void)state;
	make(&m, "sockets=2", "mbox/DRAM_CMD.CAS_RD_OPN/");
	assert_true(uncore_model_is_counting(m.model));
	assert_int_equal(uncore_session_stop(m.session, &error), 0);
	assert_false(uncore_model_is_counting(m.model));
	drop(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all_is_taken_and_counted),
		cmocka_unit_test(test_time_stands_still),
		cmocka_unit_test(test_bound),
		cmocka_unit_test(test_woken_at_once),
		cmocka_unit_test(test_a_pause_ends_the_run),
		cmocka_unit_test(test_counting),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
