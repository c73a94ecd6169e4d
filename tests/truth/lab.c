/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * See lab.h.
 */
#include "lab.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

const char *lab_machine = "xeon-e7";

unsigned lab_cores(void)
{
	const struct lab smallest = { .sockets = 1 };
	struct uncore_model *model = lab_model(&smallest);
	unsigned cores = uncore_model_cores(model);

	uncore_model_free(model);
	return cores;
}

bool lab_has(const char *text)
{
	struct uncore_event *event;
	char *error = NULL;

	if (uncore_event_parse(uncore_family_find(lab_machine), text, &event,
			       &error)) {
		free(error);
		return false;
	}
	uncore_event_free(event);
	return true;
}

unsigned lab_most_sockets(void)
{
	return strcmp(lab_machine, "xeon-e7") ? 2 : 8;
}

struct uncore_model *lab_model(const struct lab *lab)
{
	char *error = NULL;
	struct uncore_model_config *config =
		uncore_model_config_new(lab_machine, &error);
	struct uncore_model *model;

	assert_non_null(config);
	if (uncore_model_config_sockets(config, lab->sockets, &error))
		fail_msg("%s", error);
	/* Only the accesses of the workload, unless the experiment is about
	 * what a core adds to them. */
	assert_int_equal(
		uncore_model_config_set(config, "core.prefetch=0", &error), 0);
	assert_int_equal(uncore_model_config_set(config, "core.tlb=0", &error),
			 0);
	for (unsigned i = 0; i < LAB_MAX_SETTINGS && lab->settings[i]; i++)
		if (uncore_model_config_set(config, lab->settings[i], &error))
			fail_msg("%s", error);
	uncore_model_config_check(config, true);
	model = uncore_model_new(config, &error);
	if (!model)
		fail_msg("%s", error);
	uncore_model_config_free(config);
	return model;
}

void lab_run(const struct lab *lab, struct uncore_model *model)
{
	char *error = NULL;

	if (uncore_model_set_workload(model, lab->workload, &error))
		fail_msg("%s", error);
	if (lab->cycles)
		uncore_model_run(model, lab->cycles);
	else if (!uncore_model_finish(model, UINT64_C(100000000), NULL))
		fail_msg("%s does not come to an end", lab->workload);
	if (uncore_model_check(model))
		fail_msg("%s", uncore_model_check(model));
}

static uint64_t sum(const struct uncore_session *session, int socket)
{
	struct uncore_count count;
	uint64_t sum = 0;

	for (size_t i = 0; uncore_session_count(session, i, &count); i++) {
		if (!count.valid)
			fail_msg("%s", count.reason);
		if (socket == LAB_ALL || count.socket == (unsigned)socket)
			sum += count.value;
	}
	return sum;
}

uint64_t lab_count(const struct lab *lab, int socket, const char *text)
{
	struct uncore_model *model = lab_model(lab);
	struct uncore_target *target = uncore_target_model(model);
	struct uncore_session *session;
	struct uncore_event *event;
	char *error = NULL;
	uint64_t value;

	if (uncore_event_parse(uncore_target_family(target), text, &event,
			       &error) ||
	    uncore_session_can_count(target, event, &error) ||
	    uncore_session_open(target, &event, 1, &session, &error) ||
	    uncore_session_start(session, &error))
		fail_msg("%s", error);
	lab_run(lab, model);
	if (uncore_session_stop(session, &error) ||
	    uncore_session_read(session, &error))
		fail_msg("%s", error);
	value = sum(session, socket);
	uncore_session_close(session);
	uncore_event_free(event);
	uncore_target_free(target);
	uncore_model_free(model);
	return value;
}

uint64_t lab_countf(const struct lab *lab, int socket, const char *format, ...)
{
	char text[200];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	return lab_count(lab, socket, text);
}

uint64_t lab_ports(const struct lab *lab, int socket, const char *kind,
		   const char *event)
{
	unsigned num = strcmp(kind, "qpi") ? 2 : 4;
	uint64_t sum = 0;

	for (unsigned i = 0; i < num; i++)
		sum += lab_countf(lab, socket, "rbox/%s,port=%s%u/", event,
				  kind, i);
	return sum;
}
