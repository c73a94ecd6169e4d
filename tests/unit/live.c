/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * A live model: a stepped clock goes exactly as far as it is told, also past
 * the end of the traffic; a clock that runs by itself lets clients in; many
 * threads at once lose no write.
 */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

#include <cmocka.h>

#include "table/table.h"
#include "uncore/error.h"
#include "uncore/live.h"
#include "uncore/model.h"

enum { THREADS = 8, ROUNDS = 2000 };

struct machine {
	struct uncore_model *model;
	struct uncore_live *live;
};

static void make(struct machine *m, const char *workload,
		 enum uncore_live_clock clock)
{
	char *error = NULL;
	struct uncore_model_config *config =
		uncore_model_config_new("xeon-e7", &error);

	assert_non_null(config);
	m->model = uncore_model_new(config, &error);
	uncore_model_config_free(config);
	assert_non_null(m->model);
	if (workload)
		assert_int_equal(
			uncore_model_set_workload(m->model, workload, &error),
			0);
	m->live = uncore_live_new(m->model, clock);
	assert_non_null(m->live);
}

static void drop(struct machine *m)
{
	uncore_live_free(m->live);
	uncore_model_free(m->model);
}

/* The first counter of a C-Box: any value fits in. */
static uint32_t counter_address(const struct machine *m, unsigned index)
{
	const struct uc_family *family =
		uc_family_find(uncore_model_machine(m->model));
	const struct uc_box *box = uc_box_find(family, "cbox", NULL);

	for (unsigned i = 0; i < family->num_registers; i++) {
		const struct uc_register *reg = &family->registers[i];

		if (&family->boxes[reg->box] == box &&
		    reg->role == UC_ROLE_COUNTER && !index--)
			return reg->address;
	}
	fail();
	return 0;
}

static void test_step_is_exact(void **state)
{
	static const uint64_t steps[] = { 1, 7, 1023, 1025, 1000000, 3 };
	struct machine m;
	uint64_t cycle = 0;

	(void)state;
	make(&m, "random:count=2000", UNCORE_LIVE_STEP);
	assert_int_equal(uncore_live_start(m.live), 0);
	for (unsigned i = 0; i < sizeof(steps) / sizeof(*steps); i++) {
		assert_int_equal(uncore_live_step(m.live, steps[i], NULL), 0);
		cycle += steps[i];
		assert_int_equal(uncore_live_cycle(m.live), cycle);
	}
	drop(&m);
}

static void test_others_do_not_step(void **state)
{
	struct machine m;

	(void)state;
	make(&m, NULL, UNCORE_LIVE_REAL);
	assert_int_equal(uncore_live_step(m.live, 1, NULL), UNCORE_ERR_STATE);
	drop(&m);
}

static void nap(void)
{
	struct timespec time = { 0, 2000000 };

	nanosleep(&time, NULL);
}

/* Whatever the clock, time passes and registers answer meanwhile. */
static void test_clocks_run(void **state)
{
	static const enum uncore_live_clock clocks[] = { UNCORE_LIVE_REAL,
							 UNCORE_LIVE_FREE };

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		struct uncore_live_status status;
		struct machine m;
		uint64_t value;

		make(&m, "stream:size=8M", clocks[i]);
		assert_int_equal(uncore_live_start(m.live), 0);
		do {
			assert_int_equal(
				uncore_live_read(m.live, 0,
						 counter_address(&m, 0),
						 &value),
				0);
			uncore_live_status(m.live, &status);
			nap();
		} while (status.modelled_seconds < 0.0005);
		assert_true(status.reads > 0);
		assert_true(status.lag_seconds >= 0);
		if (clocks[i] == UNCORE_LIVE_REAL)
			assert_true(status.modelled_seconds <=
				    status.wall_seconds);
		drop(&m);
	}
}

struct writer {
	pthread_t thread;
	struct machine *m;
	uint32_t address;
	unsigned cpu, wrong;
};

static void *write_and_read(void *argument)
{
	struct writer *w = argument;

	for (uint64_t i = 0; i < ROUNDS; i++) {
		struct uncore_live_op ops[2] = {
			{ .cpu = w->cpu,
			  .address = w->address,
			  .is_write = true,
			  .value = i << 8 | w->cpu },
			{ .cpu = w->cpu, .address = w->address },
		};
		uint64_t value = 0;

		uncore_live_batch(w->m->live, ops, 2);
		w->wrong += ops[1].code || ops[1].value != ops[0].value;
		w->wrong += uncore_live_read(w->m->live, w->cpu, w->address,
					     &value) != 0;
		w->wrong += value != ops[0].value;
	}
	return NULL;
}

static void test_many_threads(void **state)
{
	struct writer writers[THREADS];
	struct uncore_live_status status;
	struct machine m;

	(void)state;
	make(&m, "random:count=2000", UNCORE_LIVE_FREE);
	assert_int_equal(uncore_live_start(m.live), 0);
	for (unsigned i = 0; i < THREADS; i++) {
		writers[i] = (struct writer){ .m = &m,
					      .address = counter_address(&m, i),
					      .cpu = i };
		assert_int_equal(pthread_create(&writers[i].thread, NULL,
						write_and_read, &writers[i]),
				 0);
	}
	for (unsigned i = 0; i < THREADS; i++) {
		pthread_join(writers[i].thread, NULL);
		assert_int_equal(writers[i].wrong, 0);
	}
	uncore_live_status(m.live, &status);
	assert_int_equal(status.writes, THREADS * ROUNDS);
	assert_int_equal(status.reads, 2 * THREADS * ROUNDS);
	drop(&m);
}

static void test_faults(void **state)
{
	struct machine m;
	uint64_t value = 42;

	(void)state;
	make(&m, NULL, UNCORE_LIVE_STEP);
	assert_int_equal(uncore_live_read(m.live, 0, 0xffffffff, &value),
			 UNCORE_ERR_GP);
	assert_int_equal(value, 42);
	assert_int_equal(uncore_live_read(m.live, uncore_live_cpus(m.live),
					  counter_address(&m, 0), &value),
			 UNCORE_ERR_SOCKET);
	drop(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_step_is_exact),
		cmocka_unit_test(test_others_do_not_step),
		cmocka_unit_test(test_clocks_run),
		cmocka_unit_test(test_many_threads),
		cmocka_unit_test(test_faults),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
