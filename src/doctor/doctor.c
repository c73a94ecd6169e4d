/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Facts first, then the way that they leave, then what there is to say.
 */
#include "uncore/doctor.h"

#include <stdlib.h>

#include "base/sized.h"
#include "base/text.h"
#include "doctor/findings.h"
#include "doctor/way.h"
#include "uncore/error.h"

enum { NUM_WAYS = UNCORE_WAY_MODEL + 1 };

struct uncore_doctor {
	struct facts facts;
	struct findings findings;
	enum uncore_way way;
	char *closed[NUM_WAYS]; /* NULL: this way is open */
	char *reason;
};

static bool look(struct uncore_doctor *doctor, const char *root, bool is_quick)
{
	if (!facts_gather(&doctor->facts, root, is_quick))
		return false;
	for (unsigned way = 0; way < NUM_WAYS; way++)
		doctor->closed[way] =
			way_closed(&doctor->facts, (enum uncore_way)way);
	doctor->way = way_best(&doctor->facts, doctor->closed, &doctor->reason);
	findings_make(&doctor->findings, &doctor->facts,
		      doctor->way != UNCORE_WAY_MODEL);
	return doctor->reason && !doctor->findings.has_failed;
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
	for (unsigned way = 0; way < NUM_WAYS; way++)
		free(doctor->closed[way]);
	findings_free(&doctor->findings);
	free(doctor->reason);
	facts_free(&doctor->facts);
	free(doctor);
}

bool uncore_doctor_finding(const struct uncore_doctor *doctor, size_t index,
			   struct uncore_finding *finding)
{
	const struct finding *row;

	if (index >= doctor->findings.num)
		return false;
	row = &doctor->findings.list[index];
	*finding = (struct uncore_finding){
		row->id, row->status, row->what, row->evidence, row->todo,
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
