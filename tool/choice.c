/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The library's doctor decides; what it finds open is opened here, and if that
 * fails all the same, the next best is.
 */
#include "choice.h"

#include <stdlib.h>
#include <string.h>

#include "tool.h"
#include "uncore/doctor.h"
#include "uncore/target.h"

/* By enum uncore_way; NULL: there is nothing to open. */
static struct uncore_target *(*const openers[])(char **error) = {
	[UNCORE_WAY_REGISTERS] = uncore_target_machine,
	[UNCORE_WAY_PERF] = NULL,
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

		if (openers[way] &&
		    !uncore_doctor_closed(doctor, (enum uncore_way)way))
			target = openers[way](&error);
		if (error) {
			free(*because);
			*because = error;
		}
	}
	return target;
}

struct uncore_target *choice_open(char **because)
{
	struct uncore_doctor_options options = {
		.struct_size = sizeof(options),
		.quick = true,
	};
	struct uncore_target *target = NULL;
	struct uncore_doctor *doctor;

	*because = NULL;
	if (!uncore_doctor_new(&options, &doctor, because)) {
		target = open_best(doctor, because);
		uncore_doctor_free(doctor);
	}
	return target;
}
