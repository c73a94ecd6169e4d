/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What this machine has to count with, and what stands in the way: processor,
 * kernel, rights, PMUs, PCI functions, neighbours. Every finding comes with the
 * file that says so and with what to do about it; together they decide which
 * way a count takes that is told none.
 */
#ifndef UNCORE_DOCTOR_H
#define UNCORE_DOCTOR_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

struct uncore_doctor;

enum uncore_finding_status {
	UNCORE_FINDING_OK,
	UNCORE_FINDING_NOTE,	 /* good to know; nothing has to be done */
	UNCORE_FINDING_OBSTACLE, /* stands in the way of counting something */
};

struct uncore_finding {
	const char *id; /* a word that stays the same: msr-module */
	enum uncore_finding_status status;
	const char *what; /* a sentence */
	const char
		*evidence; /* file and what it held; "" where there is none */
	const char *todo;  /* what to type or to change; "": nothing */
};

/* Where events are counted that nobody has said a place for. */
enum uncore_way {
	UNCORE_WAY_REGISTERS, /* uncore_target_machine() */
	UNCORE_WAY_PERF,      /* the kernel's PMUs */
	UNCORE_WAY_MODEL,     /* nothing real is there */
};

struct uncore_doctor_options {
	size_t struct_size; /* sizeof, by the caller */
	/* Look at ROOT/proc, ROOT/sys, ROOT/dev and ROOT/run in place of this
	 * machine's (NULL). In such a tree all files are root's, the rights
	 * are those that its /proc/self/status has, and what only a running
	 * machine can tell is left out, and said to be. */
	const char *root;
	/* Look at no registers but one: what decides the way, and no more. */
	bool quick;
};

/* Looks at everything; reads, and writes nothing. 0, or a negative
 * UNCORE_ERR_* and *error (error.h). */
int uncore_doctor_new(const struct uncore_doctor_options *options,
		      struct uncore_doctor **doctor, char **error);
void uncore_doctor_free(struct uncore_doctor *doctor); /* NULL is allowed */

/* Finding number index, in the order in which one would look; false past the
 * last one. The texts live as long as the doctor. */
bool uncore_doctor_finding(const struct uncore_doctor *doctor, size_t index,
			   struct uncore_finding *finding);

/* The best way that is open, and the first part of a sentence on why it is
 * this one; as long as the doctor. */
enum uncore_way uncore_doctor_way(const struct uncore_doctor *doctor);
const char *uncore_doctor_reason(const struct uncore_doctor *doctor);

/* Whether a way is open by itself, and why it is not (NULL if it is). */
const char *uncore_doctor_closed(const struct uncore_doctor *doctor,
				 enum uncore_way way);

#ifdef __cplusplus
}
#endif

#endif
