/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Where the counts of the core's registers come from: the modelled core and its
 * clock. The model's time is in uncore cycles. The TSC's cycles are a fixed
 * share of one; the core's are what the W-Box made of its clock, which is the
 * same share while there is neither turbo nor throttling.
 */
#include "model/box/socket.h"
#include "model/core/inside.h"
#include "model/sim/sim.h"

static uint64_t core_cycles(const struct cpus *cpus, uint64_t uncore_cycles)
{
	return (uint64_t)((unsigned __int128)uncore_cycles * cpus->core_hz /
			  cpus->uncore_hz);
}

uint64_t source_tsc(const struct cpu *cpu)
{
	return core_cycles(cpu->cpus, sim_now(cpu->core->socket->sim));
}

uint64_t source_c6(const struct cpu *cpu)
{
	const struct core *core = cpu->core;
	struct wbox_reading reading;

	wbox_read(core->socket->wbox, core->index, &reading);
	return core_cycles(cpu->cpus, reading.c6_cycles);
}

uint64_t source_count(const struct cpu *cpu, enum uc_core_counts counts)
{
	const struct core *core = cpu->core;
	struct wbox_reading reading;

	switch (counts) {
	case UC_COUNTS_INSTRUCTIONS: return core_instructions(core);
	case UC_COUNTS_CORE_CYCLES:
		wbox_read(core->socket->wbox, core->index, &reading);
		return reading.clocks;
	case UC_COUNTS_REFERENCE_CYCLES:
		return core_cycles(cpu->cpus, core_busy_cycles(core));
	case UC_COUNTS_LLC_REFERENCES: return core->num_requests;
	case UC_COUNTS_LLC_MISSES: return core->num_llc_misses;
	case UC_COUNTS_NOTHING: break;
	}
	return 0;
}
