/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * From facts to findings: each function looks at one part of the machine.
 */
#ifndef UNCORE_DOCTOR_FINDINGS_H
#define UNCORE_DOCTOR_FINDINGS_H

#include <stdbool.h>
#include <stddef.h>

#include "doctor/facts.h"
#include "uncore/doctor.h"

enum { NUM_WAYS = UNCORE_WAY_MODEL + 1 };

struct finding {
	const char *id;
	enum uncore_finding_status status;
	char *what, *evidence, *todo; /* NULL: memory ended, or there is none */
};

struct uncore_doctor {
	struct facts facts;
	struct finding *list;
	size_t num;
	bool has_failed; /* without memory */
	enum uncore_way way;
	char *closed[NUM_WAYS]; /* NULL: this way is open */
	char *reason;
};

/* Adds a finding; the texts (say()) are its own from now on, evidence and todo
 * may be NULL. */
void finding_add(struct uncore_doctor *doctor, const char *id,
		 enum uncore_finding_status status, char *what, char *evidence,
		 char *todo);

/* A text as printf() makes it; NULL without memory. */
char *say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Whether something real can be counted. */
bool finding_is_real(const struct uncore_doctor *doctor);

void findings_of_machine(struct uncore_doctor *doctor);
void findings_of_registers(struct uncore_doctor *doctor);
void findings_of_functions(struct uncore_doctor *doctor);
void findings_of_perf(struct uncore_doctor *doctor);
void findings_of_use(struct uncore_doctor *doctor);

#endif
