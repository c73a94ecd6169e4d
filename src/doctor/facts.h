/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What was found, before it is judged.
 */
#ifndef UNCORE_DOCTOR_FACTS_H
#define UNCORE_DOCTOR_FACTS_H

#include <stdbool.h>
#include <stddef.h>

#include "doctor/root.h"
#include "session/lock.h"

struct uc_family;
struct uc_unit;

enum facts_maker {
	FACTS_OTHER,
	FACTS_INTEL,
	FACTS_AMD,
	FACTS_ARM,
};

/* A PMU of the kernel that counts for more than one CPU. */
struct facts_pmu {
	char *name, *cpumask;
	char *box; /* which it is an instance of; NULL without memory */
};

/* A PCI function with registers that the machine does not show. */
struct facts_hidden {
	const struct uc_unit *unit;
	unsigned shown, sockets; /* of so many */
};

struct facts {
	struct root root;
	bool is_quick;

	enum facts_maker maker;
	char *processor; /* in words */
	unsigned cpu_family, cpu_model;
	const struct uc_family *family; /* NULL: not known here */
	unsigned num_sockets;

	/* Files are named behind what they say, to be evidence. */
	char *hypervisor, *container; /* NULL: none */
	char *release;
	unsigned major, minor; /* of the kernel */
	char *lockdown;	       /* "none", "integrity", ...; NULL: unknown */
	bool is_locked;
	char *allow_writes; /* NULL: no such parameter */
	bool has_paranoid;
	int paranoid;

	enum root_right msr, msr_safe; /* of the first CPU */
	bool has_msr_module;
	char *allowlist; /* what msr-safe lets be done; NULL: cannot be read */
	size_t not_listed; /* registers that it lacks or does not let write */
	const char *not_listed_name; /* the first of them */

	struct facts_pmu *pmus; /* by their boxes */
	size_t num_pmus;
	const char *driver; /* that this processor's PMUs are made by; NULL */
	bool has_driver;

	bool lists_functions; /* there are PCI functions to look at */
	struct facts_hidden *hidden;
	size_t num_hidden;

	enum lock_holder holder;
	struct lock_owner owner;

	/* Of this machine only; sentences, NULL: nothing to say. */
	char *registers_refused;
	char *perf_refused;
	char *neighbour;
	char *clocks;	   /* which were looked at */
	char *dead_clocks; /* and those that stand still */
};

/* False without memory. */
bool facts_gather(struct facts *facts, const char *root, bool is_quick);
void facts_free(struct facts *facts);

/* The parts of that. */
void facts_processor(struct facts *facts);
void facts_place(struct facts *facts);
void facts_pmus(struct facts *facts);
void facts_functions(struct facts *facts);
void facts_allowlist(struct facts *facts);
void facts_live(struct facts *facts);

#endif
