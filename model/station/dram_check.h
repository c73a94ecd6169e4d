/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * A checker of DDR3 commands that shares nothing with the scheduler but the
 * names of the timings: it sees the trace of an M-Box and holds every command
 * against those before it, rule by rule, as JEDEC JESD79-3 states them.
 */
#ifndef UNCORE_DRAM_CHECK_H
#define UNCORE_DRAM_CHECK_H

#include "model/station/dram.h"

struct dram_check;

/* A checker of DRAMs that have just been switched on, or have been in use (all
 * banks closed, nothing lately); NULL without memory. Freed with
 * dram_check_free(). */
struct dram_check *dram_check_new(const struct dram_config *config);
void dram_check_free(struct dram_check *check);

/* The next command; a dram_trace_fn, whose object is the checker. */
void dram_check_command(void *check, const struct dram_command *command);

/* Nothing could be sent for so long: refreshes may be as much later. Without a
 * checker nothing happens. */
void dram_check_excuse(struct dram_check *check, uint64_t clocks);

/* A sentence about the first command that broke a rule, or NULL. */
const char *dram_check_fault(const struct dram_check *check);

#endif
