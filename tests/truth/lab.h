/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * An experiment that can be repeated: a machine, a built-in workload, and the
 * events to count, all in the words that a user of the command would use. A run
 * goes from reset until everything is done. Its counts are kept: an experiment
 * that was asked for an event is not done again for it, and a new one counts
 * what others were asked for in the same run; that runs are the same, whatever
 * is counted, is a law itself (determinism.c).
 */
#ifndef UNCORE_TESTS_LAB_H
#define UNCORE_TESTS_LAB_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "uncore/model.h"
#include "uncore/uncore.h"

enum { LAB_MAX_SETTINGS = 8 };

struct lab {
	unsigned sockets;
	const char *workload;
	uint64_t cycles; /* run so long instead of to the end */
	const char *settings[LAB_MAX_SETTINGS];
};

enum { LAB_ALL = -1 };

/* Of all experiments, until it is set anew. */
extern const char *lab_machine;

/* Cores, and slices, of a socket of that machine. */
unsigned lab_cores(void);

/* Whether that machine has an event. */
bool lab_has(const char *event);

/* The largest system to try: sockets of all machines are joined alike, so eight
 * of one machine are enough, in the suite `long`. */
unsigned lab_most_sockets(void);

/* Runs cmocka tests on each machine of these boxes, until one fails: whether
 * one has. The second is for the suite `long`. A group bears the machine's
 * name. */
#define LAB_RUN(tests)                                                         \
	((lab_machine = "xeon-e7",                                             \
	  cmocka_run_group_tests_name("xeon-e7", tests, NULL, NULL)) ||        \
	 (getenv("UNCORE_LONG") &&                                             \
	  (lab_machine = "xeon-7500",                                          \
	   cmocka_run_group_tests_name("xeon-7500", tests, NULL, NULL))))

/* The machine of the experiment, after reset; to be freed by the caller. */
struct uncore_model *lab_model(const struct lab *lab);

/* Sets the workload and runs it. */
void lab_run(const struct lab *lab, struct uncore_model *model);

/* An event, summed over all boxes of a socket or of all (LAB_ALL). */
uint64_t lab_count(const struct lab *lab, int socket, const char *event);

/* The same, in a run that counts nothing else, unless it is known already. */
uint64_t lab_count_alone(const struct lab *lab, int socket, const char *event);

/* The same number for the same experiment on the same machine, from 0 on. */
unsigned lab_number(const struct lab *lab);

/* As lab_count(), for the event that format and values spell. */
uint64_t lab_countf(const struct lab *lab, int socket, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Sum over the R-Box's ports of a kind ("qpi", "sbox", "bbox"); the event as
 * "FLITS_SENT". */
uint64_t lab_ports(const struct lab *lab, int socket, const char *kind,
		   const char *event);

/* Of all sockets. */
static inline uint64_t all(const struct lab *lab, const char *event)
{
	return lab_count(lab, LAB_ALL, event);
}

static inline uint64_t ports(const struct lab *lab, const char *kind,
			     const char *event)
{
	return lab_ports(lab, LAB_ALL, kind, event);
}

#endif
