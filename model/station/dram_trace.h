/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * DRAM commands in the order of their clocks, for those who check or record
 * them. A command is known to its controller before its clock, and others may
 * still be put before it: it waits in a list until no earlier one can come.
 */
#ifndef UNCORE_DRAM_TRACE_H
#define UNCORE_DRAM_TRACE_H

#include "model/station/dram.h"

struct dram_trace;

/* With a checker of these DRAMs, or without (NULL). NULL without memory; freed
 * with dram_trace_free(). */
struct dram_trace *dram_trace_new(const struct dram_config *checked);
void dram_trace_free(struct dram_trace *trace);

/* Every command is shown to fn, too, in its turn. */
void dram_trace_record(struct dram_trace *trace, dram_trace_fn *fn,
		       void *object);

/* A sentence about the first command shown that broke a rule, or NULL. */
const char *dram_trace_fault(const struct dram_trace *trace);

void dram_trace_add(struct dram_trace *trace, struct dram_command command);

/* A column command of a clock that was to close its page does not. */
void dram_trace_stays_open(struct dram_trace *trace, unsigned bus,
			   uint64_t clock);

/* Nothing can be sent from a clock until another: refreshes may be as much
 * later. */
void dram_trace_excuse(struct dram_trace *trace, uint64_t clock,
		       uint64_t until);

/* Shows all that comes before a clock: nothing that does is added any more. */
void dram_trace_until(struct dram_trace *trace, uint64_t clock);

#endif
