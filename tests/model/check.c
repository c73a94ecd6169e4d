/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The model's look at itself finds nothing where nothing is wrong, at rest and
 * in the middle of a fight for lines, and finds each thing that is spoilt here
 * on purpose.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model/model.h"
#include "model/nehalem-ex/agent_parts.h"
#include "model/nehalem-ex/floor.h"
#include "model/nehalem-ex/home_parts.h"
#include "model/pmu/inside.h"
#include "signals.h"
#include "uncore/model.h"
#include "uncore/uncore.h"

static struct uncore_model *make(const char *sockets, const char *workload)
{
	char *error = NULL;
	struct uncore_model_config *config =
		uncore_model_config_new("xeon-e7", &error);
	struct uncore_model *model;

	assert_non_null(config);
	assert_int_equal(uncore_model_config_set(config, sockets, &error), 0);
	uncore_model_config_check(config, true);
	model = uncore_model_new(config, &error);
	uncore_model_config_free(config);
	assert_non_null(model);
	assert_int_equal(uncore_model_set_workload(model, workload, &error), 0);
	return model;
}

static void test_nothing_wrong(void **state)
{
	static const char *const sockets[] = { "sockets=1", "sockets=2",
					       "sockets=4" };

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		struct uncore_model *model =
			make(sockets[i], "random:threads=8,size=256k,shared=1,"
					 "write=50,count=3000,place=scatter");

		while (!uncore_model_finish(model, 1777, NULL))
			assert_null(uncore_model_check(model));
		assert_null(uncore_model_check(model));
		uncore_model_free(model);
	}
}

static struct llc *llc_of(struct uncore_model *model, unsigned socket,
			  unsigned slice)
{
	return &model->sockets[0]->ex->sockets[socket].floor->slices[slice].llc;
}

/* A line that the first socket has, with its way. */
static struct llc_way *some_way(struct uncore_model *model, uint64_t *line)
{
	for (unsigned c = 0; c < model->num_cores; c++) {
		struct llc *llc = llc_of(model, 0, c);

		for (size_t i = 0; i < llc_num_entries(llc); i++)
			if (llc_line(llc, i, c, line))
				return llc_way(llc, i);
	}
	fail();
	return NULL;
}

static void own_twice(struct uncore_model *model)
{
	struct llc_way *way, *other;
	uint64_t line, victim;
	struct llc *llc;
	unsigned slice;

	way = some_way(model, &line);
	way->state = LLC_M;
	slice = llc_slice(line, model->num_cores);
	llc = llc_of(model, 1, slice);
	other = llc_find(llc, line);
	if (!other) {
		other = llc_choose(llc, llc_spot(llc, line), slice, &victim);
		llc_place(llc, other, llc_spot(llc, line));
	}
	other->state = LLC_S;
}

static void write_shared(struct uncore_model *model)
{
	uint64_t line;
	struct llc_way *way = some_way(model, &line);

	way->state = LLC_S;
	way->is_core_dirty = true;
}

static void take_for_ever(struct places *places, struct uncore_model *model)
{
	uint64_t from = model->now;

	places_take(places, model->now, &from);
}

static void lose_credit(struct uncore_model *model)
{
	take_for_ever(&model->sockets[0]->ex->sockets[1].floor->slices[3].ipq,
		      model);
}

static void lose_request(struct uncore_model *model)
{
	take_for_ever(&model->sockets[0]->ex->sockets[0].agents[1]->table,
		      model);
}

static void lose_entry(struct uncore_model *model)
{
	take_for_ever(&model->sockets[0]->ex->sockets[1].homes[0]->imt, model);
}

/* Somebody writes to the line and the slice does not hear of it. */
static void write_unseen(struct uncore_model *model)
{
	uint64_t line;
	struct llc_way *way = some_way(model, &line);

	way->is_core_dirty = false;
	values_write(model->values, line, 7);
}

static void lose_value(struct uncore_model *model)
{
	values_write(model->values, 0x123456, 7);
}

static void read_old(struct uncore_model *model)
{
	values_read(model->values, 0x123456, 7, 1, 0, 99);
}

static void misplace_level(struct uncore_model *model)
{
	struct pmu *pmu = model->sockets[0]->pmu;

	pmu->units[0].bank->signals[0].level = -1;
}

static void widen_count(struct uncore_model *model)
{
	struct pmu *pmu = model->sockets[0]->pmu;

	for (unsigned i = 0; i < pmu->num_units; i++)
		if (pmu->units[i].num_slots) {
			pmu->units[i].slots[0].counter.count = COUNTER_MASK + 1;
			return;
		}
	fail();
}

static void test_each_is_found(void **state)
{
	static const struct {
		void (*spoil)(struct uncore_model *model);
		const char *words;
	} cases[] = {
		{ own_twice, "one node owns" },
		{ write_shared, "others may have" },
		{ lose_credit, "IPQ credit" },
		{ lose_request, "an S-Box has a request" },
		{ lose_entry, "a B-Box has a request" },
		{ write_unseen, "a slice holds an old value" },
		{ lose_value, "is lost, memory has 0" },
		{ read_old, "but version 1 was written before" },
		{ misplace_level, "less than nothing" },
		{ widen_count, "beyond its width" },
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct uncore_model *model =
			make("sockets=2", "stream:threads=2,size=64k,passes=1");
		const char *found;

		assert_true(uncore_model_finish(model, 0, NULL));
		assert_null(uncore_model_check(model));
		cases[i].spoil(model);
		found = uncore_model_check(model);
		assert_non_null(found);
		assert_non_null(strstr(found, cases[i].words));
		uncore_model_free(model);
	}
}

/* Mistakes as a protocol would make them, in the middle of a fight: a slice
 * forgets who has a copy, or that its copy is modified. */
static void forget_cores(struct llc_way *way)
{
	way->cores = 0;
	way->is_core_dirty = false;
}

static void forget_write(struct llc_way *way)
{
	if (way->state == LLC_M)
		way->state = LLC_E;
}

static void test_a_protocol_that_errs_is_found(void **state)
{
	static void (*const mistakes[])(struct llc_way *) = { forget_cores,
							      forget_write };

	(void)state;
	for (unsigned n = 0; n < 2; n++) {
		struct uncore_model *model =
			make("sockets=2", "random:threads=8,size=256k,shared=1,"
					  "write=50,count=3000,place=scatter");

		uncore_model_run(model, 30000);
		assert_null(uncore_model_check(model));
		for (unsigned c = 0; c < model->num_cores; c++) {
			struct llc *llc = llc_of(model, 0, c);
			uint64_t line;

			for (size_t i = 0; i < llc_num_entries(llc); i++)
				if (llc_line(llc, i, c, &line))
					mistakes[n](llc_way(llc, i));
		}
		uncore_model_finish(model, 1000000, NULL);
		assert_non_null(uncore_model_check(model));
		uncore_model_free(model);
	}
}

/* A core waits for what nobody will ever answer. */
static void test_a_request_that_does_not_end_is_found(void **state)
{
	struct uncore_model *model =
		make("sockets=2", "stream:threads=2,size=64k,passes=1");
	struct core *core = &model->sockets[1]->cores[3];

	(void)state;
	assert_true(uncore_model_finish(model, 0, NULL));
	core_take_entry(core, 0x77, UNCORE_ACCESS_READ);
	assert_null(uncore_model_check(model));
	uncore_model_run(model, 5000000);
	assert_non_null(uncore_model_check(model));
	assert_non_null(strstr(uncore_model_check(model),
			       "does not end: line 0x77, socket 1, core 3"));
	uncore_model_free(model);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nothing_wrong),
		cmocka_unit_test(test_each_is_found),
		cmocka_unit_test(test_a_protocol_that_errs_is_found),
		cmocka_unit_test(test_a_request_that_does_not_end_is_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
