/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Runs a program under Valgrind and takes all its accesses, in the model's
 * place.
 */
#ifndef PROGRAM_RIG_H
#define PROGRAM_RIG_H

#include <stdbool.h>
#include <stdint.h>

#include "uncore/program.h"

enum { RIG_SOCKETS = 2, RIG_CORES = 4, RIG_ALL = RIG_SOCKETS * RIG_CORES };

struct rig_result {
	int error;	  /* of the start, or of the end */
	char *sentence;	  /* to be freed */
	uint64_t kind[5]; /* by enum uncore_access_kind */
	uint64_t clean;	  /* of the write-backs */
	uint64_t instructions;
	uint64_t core[RIG_ALL];
	uint64_t socket_lines[RIG_SOCKETS]; /* got from its memory */
	uint64_t depends;
	uint64_t hash; /* of all records in their order */
	struct uncore_program_status status;
};

struct rig_options {
	enum uncore_program_placement placement;
	unsigned invalidate_every; /* records; 0: never */
	unsigned kill_after;	   /* records; 0: never */
	/* As a machine whose LLC is told of clean victims, but for the first
	 * two windows of records, which may be made before. */
	bool tells_clean;
	const char *tool;
	const char *valgrind;
};

/* False when this machine has no Valgrind: the test is to be skipped. */
int rig_has_valgrind(void);

/* The guest with what it is to do, or with argument NULL the program `what`. */
void rig_run(const struct rig_options *options, const char *what,
	     const char *argument, struct rig_result *result);
void rig_free(struct rig_result *result);

#endif
