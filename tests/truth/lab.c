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
	if (strcmp(lab_machine, "xeon-e7"))
		return 2;
	return getenv("UNCORE_LONG") ? 8 : 4;
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

/* What has been counted so far, so that an experiment that is done again is
 * asked for everything that others were asked for, in one run. */
enum { MAX_LABS = 256, MAX_TEXTS = 256, MAX_SOCKETS = 8 };

static struct {
	struct lab lab;
	const char *machine;
	bool has[MAX_TEXTS];
	uint64_t counts[MAX_TEXTS][MAX_SOCKETS];
} known[MAX_LABS];

static unsigned num_labs, num_texts;
static char *texts[MAX_TEXTS];

static bool is_same(const struct lab *a, const struct lab *b)
{
	if (a->sockets != b->sockets || a->cycles != b->cycles ||
	    strcmp(a->workload, b->workload))
		return false;
	for (unsigned i = 0; i < LAB_MAX_SETTINGS; i++)
		if (strcmp(a->settings[i] ? a->settings[i] : "",
			   b->settings[i] ? b->settings[i] : ""))
			return false;
	return true;
}

/* The caller's texts may go. */
static void add_lab(const struct lab *lab)
{
	struct lab *own = &known[num_labs].lab;

	*own = *lab;
	own->workload = strdup(lab->workload);
	for (unsigned i = 0; i < LAB_MAX_SETTINGS && lab->settings[i]; i++)
		own->settings[i] = strdup(lab->settings[i]);
	known[num_labs++].machine = lab_machine;
}

unsigned lab_number(const struct lab *lab)
{
	unsigned n = 0;

	while (n < num_labs && (strcmp(known[n].machine, lab_machine) ||
				!is_same(&known[n].lab, lab)))
		n++;
	assert_in_range(n, 0, MAX_LABS - 1);
	if (n == num_labs)
		add_lab(lab);
	return n;
}

static unsigned text_number(const char *text)
{
	unsigned n = 0;

	while (n < num_texts && strcmp(texts[n], text))
		n++;
	assert_in_range(n, 0, MAX_TEXTS - 1);
	if (n == num_texts)
		texts[num_texts++] = strdup(text);
	return n;
}

static void keep(const struct uncore_session *session, unsigned lab,
		 const unsigned *numbers)
{
	struct uncore_count count;

	for (size_t i = 0; uncore_session_count(session, i, &count); i++) {
		if (!count.valid)
			fail_msg("%s", count.reason);
		known[lab].counts[numbers[count.event_index]][count.socket] +=
			count.value;
	}
}

/* The events of these numbers, in one run. */
static void run_once(unsigned lab, struct uncore_model *model,
		     struct uncore_target *target,
		     struct uncore_event *const *events,
		     const unsigned *numbers, size_t num)
{
	struct uncore_session *session;
	char *error = NULL;

	if (uncore_session_open(target, events, num, &session, &error) ||
	    uncore_session_start(session, &error))
		fail_msg("%s", error);
	lab_run(&known[lab].lab, model);
	if (uncore_session_stop(session, &error) ||
	    uncore_session_read(session, &error))
		fail_msg("%s", error);
	keep(session, lab, numbers);
	uncore_session_close(session);
}

/* The event, if this experiment can count it; error is to be freed. */
static struct uncore_event *countable(struct uncore_target *target,
				      const char *text, char **error)
{
	struct uncore_event *event;

	if (uncore_event_parse(uncore_target_family(target), text, &event,
			       error))
		return NULL;
	if (!uncore_session_can_count(target, event, error))
		return event;
	uncore_event_free(event);
	return NULL;
}

/* Counts an event, and with it the others that were ever asked for, if so. */
static void measure(unsigned lab, unsigned wanted, bool with_others)
{
	struct uncore_model *model = lab_model(&known[lab].lab);
	struct uncore_target *target = uncore_target_model(model);
	struct uncore_event *events[MAX_TEXTS];
	unsigned numbers[MAX_TEXTS], num = 0;

	for (unsigned n = 0; n < num_texts; n++) {
		char *error = NULL;

		if (known[lab].has[n] || (n != wanted && !with_others))
			continue;
		events[num] = countable(target, texts[n], &error);
		if (!events[num] && n == wanted)
			fail_msg("%s", error);
		free(error);
		if (!events[num])
			continue;
		known[lab].has[n] = true;
		numbers[num++] = n;
	}
	run_once(lab, model, target, events, numbers, num);
	while (num > 0)
		uncore_event_free(events[--num]);
	uncore_target_free(target);
	uncore_model_free(model);
}

static uint64_t counted(const struct lab *lab, int socket, const char *text,
			bool with_others)
{
	unsigned n = lab_number(lab), wanted = text_number(text);
	uint64_t sum = 0;

	if (!known[n].has[wanted])
		measure(n, wanted, with_others);
	for (int i = 0; i < MAX_SOCKETS; i++)
		if (socket == LAB_ALL || socket == i)
			sum += known[n].counts[wanted][i];
	return sum;
}

uint64_t lab_count(const struct lab *lab, int socket, const char *text)
{
	return counted(lab, socket, text, true);
}

uint64_t lab_count_alone(const struct lab *lab, int socket, const char *text)
{
	return counted(lab, socket, text, false);
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
