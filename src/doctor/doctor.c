/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Facts first, then the way that they leave, then what there is to say.
 */
#include "uncore/doctor.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/sized.h"
#include "base/text.h"
#include "doctor/findings.h"
#include "doctor/way.h"
#include "uncore/error.h"

char *say(const char *format, ...)
{
	va_list arguments;
	char *text;
	int length;

	va_start(arguments, format);
	length = vasprintf(&text, format, arguments);
	va_end(arguments);
	return length < 0 ? NULL : text;
}

void finding_add(struct uncore_doctor *doctor, const char *id,
		 enum uncore_finding_status status, char *what, char *evidence,
		 char *todo)
{
	struct finding finding = { id, status, what, evidence, todo };
	struct finding *list =
		realloc(doctor->list, (doctor->num + 1) * sizeof(*list));

	if (list)
		doctor->list = list;
	if (list && what) {
		list[doctor->num++] = finding;
		return;
	}
	doctor->has_failed = true;
	free(what);
	free(evidence);
	free(todo);
}

bool finding_is_real(const struct uncore_doctor *doctor)
{
	return doctor->way != UNCORE_WAY_MODEL;
}

static bool look(struct uncore_doctor *doctor, const char *root, bool is_quick)
{
	if (!facts_gather(&doctor->facts, root, is_quick))
		return false;
	for (unsigned way = 0; way < NUM_WAYS; way++)
		doctor->closed[way] =
			way_closed(&doctor->facts, (enum uncore_way)way);
	doctor->way = way_best(&doctor->facts, doctor->closed, &doctor->reason);
	findings_of_machine(doctor);
	findings_of_registers(doctor);
	findings_of_functions(doctor);
	findings_of_perf(doctor);
	findings_of_use(doctor);
	return doctor->reason && !doctor->has_failed;
}

int uncore_doctor_new(const struct uncore_doctor_options *options,
		      struct uncore_doctor **doctor, char **error)
{
	struct uncore_doctor_options own;
	struct uncore_doctor *new;
	struct root root;
	int result = sized_take(&own, sizeof(own), options, error);

	*doctor = NULL;
	if (result)
		return result;
	root_open(&root, own.root);
	if (own.root && !root_has(&root, "/proc"))
		return text_error(UNCORE_ERR_NO_HARDWARE, error,
				  "%s is no tree of a machine: it has no "
				  "folder 'proc'",
				  own.root);
	new = calloc(1, sizeof(*new));
	if (!new || !look(new, own.root, own.quick)) {
		uncore_doctor_free(new);
		return UNCORE_ERR_NO_MEMORY;
	}
	*doctor = new;
	return 0;
}

void uncore_doctor_free(struct uncore_doctor *doctor)
{
	if (!doctor)
		return;
	for (size_t i = 0; i < doctor->num; i++) {
		free(doctor->list[i].what);
		free(doctor->list[i].evidence);
		free(doctor->list[i].todo);
	}
	for (unsigned way = 0; way < NUM_WAYS; way++)
		free(doctor->closed[way]);
	free(doctor->list);
	free(doctor->reason);
	facts_free(&doctor->facts);
	free(doctor);
}

bool uncore_doctor_finding(const struct uncore_doctor *doctor, size_t index,
			   struct uncore_finding *finding)
{
	const struct finding *row;

	if (index >= doctor->num)
		return false;
	row = &doctor->list[index];
	*finding = (struct uncore_finding){
		.id = row->id,
		.status = row->status,
		.what = row->what,
		.evidence = row->evidence ? row->evidence : "",
		.todo = row->todo ? row->todo : "",
	};
	return true;
}

enum uncore_way uncore_doctor_way(const struct uncore_doctor *doctor)
{
	return doctor->way;
}

const char *uncore_doctor_reason(const struct uncore_doctor *doctor)
{
	return doctor->reason;
}

const char *uncore_doctor_closed(const struct uncore_doctor *doctor,
				 enum uncore_way way)
{
	return doctor->closed[way];
}
