/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Who does not want a sentence gives NULL for it, and gets the code as well:
 * each of these calls fails.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "uncore/model.h"
#include "uncore/uncore.h"

static struct uncore_model_config *new_config(void)
{
	struct uncore_model_config *config =
		uncore_model_config_new("xeon-e7", NULL);

	assert_non_null(config);
	return config;
}

static void test_config(void **state)
{
	struct uncore_model_config *config = new_config();

	(void)state;
	assert_null(uncore_model_config_new("xeon-e8", NULL));
	assert_int_equal(uncore_model_config_set(config, "llc.ways", NULL),
			 UNCORE_ERR_BAD_PARAMETER);
	assert_int_equal(uncore_model_config_set(config, "llc.wais=1", NULL),
			 UNCORE_ERR_BAD_PARAMETER);
	assert_int_equal(uncore_model_config_set(config, "llc.ways=x", NULL),
			 UNCORE_ERR_BAD_PARAMETER);
	assert_int_equal(uncore_model_config_set(config, "llc.ways=1e9", NULL),
			 UNCORE_ERR_BAD_PARAMETER);
	assert_int_equal(
		uncore_model_config_set(config, "mbox.page_policy=x", NULL),
		UNCORE_ERR_BAD_PARAMETER);
	assert_int_equal(uncore_model_config_sockets(config, 99, NULL),
			 UNCORE_ERR_BAD_PARAMETER);
	assert_int_equal(uncore_model_config_inject(config, "flood", NULL),
			 UNCORE_ERR_BAD_PARAMETER);
	assert_int_equal(uncore_model_config_set(config, "llc.ways=8", NULL),
			 0);
	assert_int_equal(uncore_model_config_inject(config, "qpi-crc", NULL),
			 0);
	uncore_model_config_free(config);
}

static void test_model(void **state)
{
	struct uncore_model_config *config = new_config();
	struct uncore_model *model = uncore_model_new(config, NULL);

	(void)state;
	assert_non_null(model);
	assert_int_equal(uncore_model_set_workload(model, "walk", NULL),
			 UNCORE_ERR_BAD_WORKLOAD);
	assert_int_equal(
		uncore_model_set_workload(model, "stream:threads=99", NULL),
		UNCORE_ERR_BAD_WORKLOAD);
	assert_int_equal(uncore_model_set_workload(model, "stream", NULL), 0);
	uncore_model_free(model);
	assert_int_equal(uncore_model_config_set(config, "llc.slice=1", NULL),
			 0);
	assert_int_equal(uncore_model_config_set(config, "llc.ways=24", NULL),
			 0);
	uncore_model_free(uncore_model_new(config, NULL));
	uncore_model_config_free(config);
}

static void test_texts(void **state)
{
	const struct uncore_family *family =
		uncore_family_open("xeon-e7", NULL);
	struct uncore_event *event;

	(void)state;
	assert_non_null(family);
	assert_null(uncore_family_open("xeon-e8", NULL));
	assert_int_equal(uncore_event_parse(family, "LLC_MISES", &event, NULL),
			 UNCORE_ERR_UNKNOWN_EVENT);
	assert_null(uncore_target_msr_at("/nowhere", NULL));
	assert_null(uncore_target_socket("/nowhere", NULL));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_config),
		cmocka_unit_test(test_model),
		cmocka_unit_test(test_texts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
