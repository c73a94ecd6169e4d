/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The library's doctor decides; what it finds open is opened here, and if that
 * fails all the same, the next best is. Names of events differ from family to
 * family: who asks for one that this machine has not, and the modelled machine
 * has, means the model.
 */
#include "target.h"

#include <stdlib.h>
#include <string.h>

#include "event_set.h"
#include "options.h"
#include "tool.h"
#include "uncore/doctor.h"
#include "uncore/event.h"
#include "uncore/metric.h"
#include "uncore/target.h"

static struct uncore_target *open_perf(char **error)
{
	return uncore_target_perf(NULL, error);
}

/* By enum uncore_way; NULL: there is nothing to open. */
static struct uncore_target *(*const openers[])(char **error) = {
	[UNCORE_WAY_REGISTERS] = uncore_target_machine,
	[UNCORE_WAY_PERF] = open_perf,
	[UNCORE_WAY_MODEL] = NULL,
};

static struct uncore_target *open_best(const struct uncore_doctor *doctor,
				       char **because)
{
	unsigned way = uncore_doctor_way(doctor);
	struct uncore_target *target = NULL;

	*because = strdup(uncore_doctor_reason(doctor));
	for (; way < UNCORE_WAY_MODEL && !target; way++) {
		char *error = NULL;

		if (!uncore_doctor_closed(doctor, (enum uncore_way)way))
			target = openers[way](&error);
		if (error) {
			free(*because);
			*because = error;
		}
	}
	return target;
}

/* The first event that a family does not know, or NULL. */
static const char *unknown_event(const struct choice_wish *wish,
				 const struct uncore_family *family)
{
	for (size_t i = 0; wish->events && i < wish->events->num; i++) {
		const char *text = wish->events->events[i];
		struct uncore_event *event = NULL;

		if (uncore_event_parse(family, text, &event, NULL))
			return text;
		uncore_event_free(event);
	}
	return NULL;
}

/* The words for metrics that a family does not know, or NULL. */
static const char *unknown_metrics(const struct choice_wish *wish,
				   const struct uncore_family *family)
{
	const struct option_texts *files = wish->metric_files;
	struct uncore_metrics *metrics = NULL;
	size_t *chosen = NULL, num;
	int code;

	if (!wish->metrics)
		return NULL;
	code = uncore_metrics_new(family, &metrics, NULL);
	for (size_t i = 0; files && i < files->num && !code; i++)
		code = uncore_metrics_read(metrics, files->list[i], NULL);
	if (!code)
		code = uncore_metrics_choose(metrics, wish->metrics, &chosen,
					     &num, NULL);
	free(chosen);
	uncore_metrics_free(metrics);
	return code ? wish->metrics : NULL;
}

static const char *unknown(const struct choice_wish *wish,
			   const struct uncore_family *family)
{
	const char *event = unknown_event(wish, family);

	return event ? event : unknown_metrics(wish, family);
}

/* What only the modelled machine knows, or NULL. */
static const char *models_own(const struct choice_wish *wish,
			      const struct uncore_family *family)
{
	const struct uncore_family *modelled =
		uncore_family_find(TOOL_DEFAULT_MACHINE);
	const char *name = unknown(wish, family);

	return name && modelled && !unknown(wish, modelled) ? name : NULL;
}

struct uncore_target *choice_open(const struct choice_wish *wish,
				  char **because)
{
	struct uncore_doctor_options options = {
		.struct_size = sizeof(options),
		.quick = true,
	};
	struct uncore_target *target = NULL;
	struct uncore_doctor *doctor;
	const char *name;

	*because = NULL;
	if (uncore_doctor_new(&options, &doctor, because))
		return NULL;
	target = open_best(doctor, because);
	uncore_doctor_free(doctor);
	name = target ? models_own(wish, uncore_target_family(target)) : NULL;
	if (!name)
		return target;
	free(*because);
	*because = tool_print("'%s' is not of this machine, which could be "
			      "counted at %s",
			      name, uncore_target_origin(target));
	uncore_target_free(target);
	return NULL;
}
