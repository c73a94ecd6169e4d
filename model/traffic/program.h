/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What the files of a program share: program_launch.c starts it, program.c
 * watches and ends it, program_traffic.c hands its accesses to the model.
 */
#ifndef TRAFFIC_PROGRAM_H
#define TRAFFIC_PROGRAM_H

#include <sys/types.h>

#include "bridge/qemu/arena.h"
#include "uncore/program.h"

/* The model's end of a core's ring; the arena has what the plugin is told. */
struct program_core {
	uint64_t tail; /* records taken */
	uint64_t head; /* records known to be there */
	uint64_t told; /* tail that was published */
	uint64_t patience_ns;
	/* Of the access that was asked for last, which may still be to come,
	 * and of the one before it. */
	struct arena_origin next, latest;
};

struct uncore_program {
	struct arena *arena;
	size_t size_bytes;
	int fd;
	pid_t pid;
	int wait_status; /* once ended */
	bool ended;	 /* the program itself has been waited for */
	bool drained;	 /* nothing comes any more */
	_Atomic uint32_t stopped;
	unsigned num_cores;
	struct program_core cores[ARENA_MAX_CORES];
	unsigned latest_core[ARENA_MAX_SOCKETS];
};

/* Starts the program; on error what was made stays for uncore_program_free().
 */
int program_launch(struct uncore_program *program,
		   const struct uncore_program_config *config, char **error);

/* Takes notice if the program has ended; true if it has. */
bool program_poll(struct uncore_program *program);

/* Tells the plugins to run uncounted from now on. */
void program_cut(struct uncore_program *program);

/* Takes their cores from threads that were killed. */
void program_reap(struct uncore_program *program);

/* uncore_traffic.next and .invalidate */
int program_next(void *context, unsigned core, struct uncore_access *access);
bool program_invalidate(void *context, unsigned core, uint64_t line,
			bool downgrade);

#endif
