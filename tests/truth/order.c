/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The traffic decides in which order cores have a line: core 0 writes to it,
 * core 1 reads it late, core 2 writes to it at once. With the order told,
 * core 1 gets what core 0 has written, wherever the three are; and --check
 * notices where the traffic and the model are not of one opinion.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "uncore/model.h"

enum { LATE = 50000, MAX_CYCLES = 1000000, MAX_STEPS = 3 };

struct script {
	struct uncore_model *model;
	struct {
		unsigned core, num, next;
		struct uncore_access steps[MAX_STEPS];
	} actors[3];
	uint16_t reads;
};

static int next(void *context, unsigned core, struct uncore_access *access)
{
	struct script *script = context;

	for (unsigned i = 0; i < 3; i++)
		if (script->actors[i].core == core &&
		    script->actors[i].next < script->actors[i].num) {
			*access = script->actors[i]
					  .steps[script->actors[i].next++];
			access->line = uncore_model_memory_first_line(
				script->model, 0);
			return 1;
		}
	return 0;
}

static bool invalidate(void *context, unsigned core, uint64_t line,
		       bool downgrade)
{
	(void)context;
	(void)core;
	(void)line;
	(void)downgrade;
	return true; /* who is asked has written */
}

static uint16_t reads(void *context, uint64_t line, unsigned begun)
{
	struct script *script = context;

	(void)line;
	return script->reads = (uint16_t)(script->reads + begun);
}

/* Whether --check has nothing to say of a script with one read. */
static bool plays(struct script *script)
{
	char *error = NULL;
	struct uncore_model_config *config =
		uncore_model_config_new("xeon-e7", &error);
	struct uncore_traffic traffic = { .context = script,
					  .next = next,
					  .invalidate = invalidate,
					  .decides_owners = true,
					  .reads = reads };
	const char *said;
	bool result;

	assert_non_null(config);
	assert_int_equal(uncore_model_config_sockets(config, 2, &error), 0);
	uncore_model_config_check(config, true);
	script->model = uncore_model_new(config, &error);
	uncore_model_config_free(config);
	assert_non_null(script->model);
	uncore_model_set_traffic(script->model, &traffic);
	assert_true(uncore_model_run_dry(script->model, MAX_CYCLES));
	uncore_model_settle(script->model);
	assert_int_equal(script->reads, 1);
	said = uncore_model_check(script->model);
	assert_true(!said || strstr(said, "was written last by core"));
	result = !said;
	uncore_model_free(script->model);
	return result;
}

/* `second` and `third` are the cores of the reader and of the last writer. */
static bool is_right(unsigned second, unsigned third, bool waits_for_reads,
		     unsigned writer)
{
	struct script script = {
		.actors = {
			{ 0, 1, 0, { { .kind = UNCORE_ACCESS_OWN } } },
			{ second, 2, 0, {
				{ .kind = UNCORE_ACCESS_NONE, .gap = LATE },
				{ .kind = UNCORE_ACCESS_READ, .after_core = 1,
				  .after = 1, .is_read = 1, .has_writer = 1,
				  .writer = (uint8_t)writer } } },
			{ third, 1, 0, {
				{ .kind = UNCORE_ACCESS_OWN, .after_core = 1,
				  .after = 1, .after_reads = waits_for_reads,
				  .target = 1 } } },
		},
	};

	return plays(&script);
}

/* Core 0 writes, another one prefetches the line and writes to it while the
 * prefetch is under way. */
static bool is_right_with_prefetch(unsigned second, unsigned writer)
{
	struct script script = {
		.actors = {
			{ 0, 1, 0, { { .kind = UNCORE_ACCESS_OWN } } },
			{ second, 3, 0, {
				{ .kind = UNCORE_ACCESS_NONE, .gap = LATE },
				{ .kind = UNCORE_ACCESS_READ, .after_core = 1,
				  .after = 1, .is_read = 1, .has_writer = 1,
				  .writer = (uint8_t)writer,
				  .prefetch = UNCORE_PREFETCH },
				{ .kind = UNCORE_ACCESS_OWN, .gap = 4 } } },
		},
	};

	return plays(&script);
}

/* Cores 0 to 9 are of socket 0. */
static const unsigned places[][2] = {
	{ 1, 2 }, { 1, 10 }, { 10, 1 }, { 10, 11 }
};

static void who_writes_waits_for_readers(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 4; i++)
		assert_true(is_right(places[i][0], places[i][1], true, 0));
}

static void who_writes_may_have_prefetched(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 4; i++) {
		assert_true(is_right_with_prefetch(places[i][0], 0));
		assert_false(
			is_right_with_prefetch(places[i][0], places[i][0]));
	}
}

static void without_the_order_it_is_noticed(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 4; i++)
		assert_false(is_right(places[i][0], places[i][1], false, 0));
}

static void another_writer_is_noticed(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 4; i++)
		assert_false(is_right(places[i][0], places[i][1], true,
				      places[i][1]));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(who_writes_waits_for_readers),
		cmocka_unit_test(who_writes_may_have_prefetched),
		cmocka_unit_test(without_the_order_it_is_noticed),
		cmocka_unit_test(another_writer_is_noticed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
