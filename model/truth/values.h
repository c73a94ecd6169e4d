/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Values, for --check: every line has a version that each write makes one
 * higher, and data carry the version they hold. So it can be seen whether a
 * read returns the last value written: its version is at least the one that was
 * the latest when the read was sent. One table for all sockets, filled as lines
 * are written; without --check there is none (NULL) and the calls do nothing.
 *
 * "When" is the order in which transactions start, and in which the model works
 * them off.
 */
#ifndef UNCORE_VALUES_H
#define UNCORE_VALUES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct values;

/* An empty table: every line has version 0. NULL without memory. */
struct values *values_new(void);
void values_free(struct values *values);

/* The latest version of a line: what a read sent now must at least return. */
uint32_t values_latest(struct values *values, uint64_t line);

/* An agent (a core's number in the system, or values_hub()) writes to the whole
 * line, which it owns; the new version. */
uint32_t values_write(struct values *values, uint64_t line, unsigned agent);
unsigned values_hub(unsigned hub);

/* The same for a part of the line, in a copy of version `held`: which has to be
 * the latest, or the rest of the line would be old. */
uint32_t values_write_to(struct values *values, uint64_t line, unsigned agent,
			 uint32_t held, uint64_t cycle);

/* The version that an agent's copy holds, for an owner that gives it back: the
 * latest one, if the agent was the last to write; else a violation is noted. */
uint32_t values_of_owner(struct values *values, uint64_t line, unsigned agent);

/* What memory holds. Writes of several versions arrive in their order. */
uint32_t values_memory(struct values *values, uint64_t line);
void values_memory_write(struct values *values, uint64_t line,
			 uint32_t version);

/* Where the traffic comes from, a core was the last to write to the line: so it
 * has to be here. */
void values_writer(struct values *values, uint64_t line, unsigned agent);

/* A read that was sent when `floor` was the latest version has got `version`;
 * older ones are noted as a violation. */
void values_read(struct values *values, uint64_t line, unsigned agent,
		 uint32_t floor, uint32_t version, uint64_t cycle);

/* A line that was written: *place is 0 at first and counts on; false behind the
 * last one. Nothing may be written meanwhile. */
struct values_line {
	uint64_t line;
	uint32_t latest, memory;
	unsigned writer;
};
bool values_next(struct values *values, size_t *place,
		 struct values_line *line);

/* The first violation, as a sentence that lives as long as the table; or NULL.
 * Reads that were compared, to show that the check looks at something. */
const char *values_violation(struct values *values);
uint64_t values_num_reads(struct values *values);

#endif
