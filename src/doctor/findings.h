/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * From facts to findings.
 */
#ifndef UNCORE_DOCTOR_FINDINGS_H
#define UNCORE_DOCTOR_FINDINGS_H

#include "doctor/facts.h"
#include "uncore/doctor.h"

struct finding {
	const char *id;
	enum uncore_finding_status status;
	char *what, *evidence, *todo; /* "": there is none */
};

struct findings {
	struct finding *list;
	size_t num;
	bool has_failed; /* without memory */
};

/* What there is to say, in the order in which one would look; is_real: there is
 * something real to count. To be freed. */
void findings_make(struct findings *findings, const struct facts *facts,
		   bool is_real);
void findings_free(struct findings *findings);

#endif
