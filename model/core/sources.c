/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Where the counts of the core's registers come from: the modelled core and its
 * clock. The model's time is in uncore cycles. The TSC's cycles are a fixed
 * share of one; the core's are what the W-Box made of its clock, which is the
 * same share while there is neither turbo nor throttling.
 */
#include "model/box/detail.h"
#include "model/box/socket.h"
#include "model/core/inside.h"
#include "model/sim/sim.h"

enum { FIXED_BITS = 16 }; /* of core.passed */

static uint64_t core_cycles(const struct cpus *cpus, uint64_t uncore_cycles)
{
	return (uint64_t)((unsigned __int128)uncore_cycles * cpus->core_hz /
			  cpus->uncore_hz);
}

uint64_t source_tsc(const struct cpu *cpu)
{
	const struct socket *socket = cpu->core->socket;

	return core_cycles(cpu->cpus, sim_now(socket->sim) +
					      detail_skipped(socket->detail));
}

/* Of quick stretches, in which nothing slows the core's clock down. */
static uint64_t passed(const struct cpu *cpu)
{
	return core_cycles(cpu->cpus, cpu->core->passed >> FIXED_BITS);
}

uint64_t source_c6(const struct cpu *cpu)
{
	const struct core *core = cpu->core;
	struct power_reading reading;

	core->socket->kind->read_power(core, &reading);
	return core_cycles(cpu->cpus, reading.c6_cycles);
}

/* What the private caches count, as far as the traffic tells. */
static uint64_t told(const struct cpu *cpu, enum uncore_core_count count)
{
	const struct core *core = cpu->core;
	const struct uncore_traffic *traffic = core->socket->traffic;

	if (!traffic->counts || !(traffic->tells >> count & 1))
		return 0;
	return traffic->counts(traffic->context, core->number)[count];
}

enum { MAX_NEEDS = 4, FIRST_ANSWER = 8 };

/* Which of those a source needs: their numbers plus 1. */
#define TOLD(count) (UNCORE_CORE_##count + 1)
static const uint8_t needs[UC_NUM_COUNTS][MAX_NEEDS] = {
	[UC_COUNTS_LOADS] = {
		TOLD(LOADS_L1D), TOLD(LOADS_L2), TOLD(LOADS_OUTSIDE),
	},
	[UC_COUNTS_STORES] = { TOLD(STORES) },
	[UC_COUNTS_SLOW_LOADS] = { TOLD(LOADS_L1D), TOLD(LOADS_L2) },
	[UC_COUNTS_L2_LOAD_HITS] = { TOLD(L2_LOAD_HITS) },
	[UC_COUNTS_L2_LOAD_MISSES] = { TOLD(L2_LOAD_MISSES) },
	[UC_COUNTS_L2_RFO_HITS] = { TOLD(L2_RFO_HITS) },
	[UC_COUNTS_L2_RFO_MISSES] = { TOLD(L2_RFO_MISSES) },
	[UC_COUNTS_L2_CODE_HITS] = { TOLD(L2_CODE_HITS) },
	[UC_COUNTS_L2_CODE_MISSES] = { TOLD(L2_CODE_MISSES) },
	[UC_COUNTS_L2_PREFETCH_HITS] = { TOLD(L2_PREFETCH_HITS) },
	[UC_COUNTS_L2_PREFETCH_MISSES] = { TOLD(L2_PREFETCH_MISSES) },
	[UC_COUNTS_L1D_FILLS] = {
		TOLD(L2_LOAD_HITS), TOLD(L2_LOAD_MISSES), TOLD(L2_RFO_HITS),
		TOLD(L2_RFO_MISSES),
	},
	[UC_COUNTS_L1D_DIRTY_FILLS] = { TOLD(L1D_DIRTY_FILLS) },
	[UC_COUNTS_L1D_DIRTY_VICTIMS] = { TOLD(L1D_DIRTY_VICTIMS) },
	[UC_COUNTS_L1D_DIRTY_SNOOPS] = { TOLD(L1D_DIRTY_SNOOPS) },
	[UC_COUNTS_L1I_HITS] = {
		TOLD(L1I_READS), TOLD(L2_CODE_HITS), TOLD(L2_CODE_MISSES),
	},
	[UC_COUNTS_L1I_MISSES] = { TOLD(L2_CODE_HITS), TOLD(L2_CODE_MISSES) },
	[UC_COUNTS_LOADS_L1D] = { TOLD(LOADS_L1D) },
	[UC_COUNTS_LOADS_L2] = { TOLD(LOADS_L2) },
	[UC_COUNTS_LOADS_DTLB_MISS] = { TOLD(DTLB_MISSES) },
	[UC_COUNTS_L2_OUT_CLEAN] = { TOLD(L2_OUT_CLEAN) },
	[UC_COUNTS_L2_OUT_DIRTY] = { TOLD(L2_OUT_DIRTY) },
	[UC_COUNTS_L2_OUT_PREFETCH_CLEAN] = { TOLD(L2_OUT_PREFETCH_CLEAN) },
	[UC_COUNTS_L2_OUT_PREFETCH_DIRTY] = { TOLD(L2_OUT_PREFETCH_DIRTY) },
};

bool source_is_told(const struct cpu *cpu, uint64_t counts)
{
	const struct uncore_traffic *traffic = cpu->core->socket->traffic;
	uint32_t tells = traffic->counts ? traffic->tells : 0;

	for (; counts; counts &= counts - 1) {
		const uint8_t *need = needs[__builtin_ctzll(counts)];

		for (unsigned i = 0; i < MAX_NEEDS && need[i]; i++)
			if (!(tells >> (need[i] - 1) & 1))
				return false;
	}
	return true;
}

/* The sum of all that a source needs. */
static uint64_t sum_of_needs(const struct cpu *cpu, enum uc_core_counts counts)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < MAX_NEEDS && needs[counts][i]; i++)
		sum += told(cpu, needs[counts][i] - 1u);
	return sum;
}

static uint64_t loads_l1d(const struct cpu *cpu)
{
	return told(cpu, UNCORE_CORE_LOADS_L1D) - cpu->core->counts.late[1];
}

static uint64_t loads_l2(const struct cpu *cpu)
{
	return told(cpu, UNCORE_CORE_LOADS_L2) - cpu->core->counts.late[0];
}

static uint64_t l1i_hits(const struct cpu *cpu)
{
	return told(cpu, UNCORE_CORE_L1I_READS) -
	       sum_of_needs(cpu, UC_COUNTS_L1I_MISSES);
}

/* Those that stay in the private caches are as slow as these are. */
static uint64_t slow_loads(const struct cpu *cpu)
{
	const struct cpus *cpus = cpu->cpus;
	const double *param = cpus->config.param;
	double threshold = (double)cpu->values[cpus->load_latency];
	uint64_t sum = cpu->core->counts.slow_loads;

	if (param[PARAM_CORE_L1_CYCLES] > threshold)
		sum += loads_l1d(cpu);
	if (param[PARAM_CORE_L2_CYCLES] > threshold)
		sum += loads_l2(cpu);
	return sum;
}

/* The requests and answers that the register names. */
static uint64_t offcore(const struct cpu *cpu, unsigned n)
{
	uint64_t wanted = cpu->values[cpu->cpus->offcore[n]], sum = 0;

	for (unsigned i = 0; i < CORE_NUM_REQUESTS; i++) {
		unsigned request = i == REQUEST_LOAD ? REQUEST_DATA : i;

		for (unsigned answer = 0; answer < CORE_NUM_ANSWERS; answer++)
			if (wanted >> request & 1 &&
			    wanted >> (FIRST_ANSWER + answer) & 1)
				sum += cpu->core->counts.answers[i][answer];
	}
	return sum;
}

static uint64_t loads_missed(const uint64_t answers[CORE_NUM_ANSWERS])
{
	return answers[ANSWER_REMOTE_MODIFIED] + answers[ANSWER_REMOTE] +
	       answers[ANSWER_REMOTE_DRAM] + answers[ANSWER_LOCAL_DRAM];
}

uint64_t source_sum(const struct cpu *cpu, uint64_t counts)
{
	uint64_t sum = 0;

	for (; counts; counts &= counts - 1)
		sum += source_count(
			cpu, (enum uc_core_counts)__builtin_ctzll(counts));
	return sum;
}

uint64_t source_count(const struct cpu *cpu, enum uc_core_counts counts)
{
	const struct core *core = cpu->core;
	const uint64_t *loads = core->counts.answers[REQUEST_LOAD];
	struct power_reading reading;

	switch (counts) {
	case UC_COUNTS_INSTRUCTIONS: return core_instructions(core);
	case UC_COUNTS_CORE_CYCLES:
		core->socket->kind->read_power(core, &reading);
		return reading.clocks + passed(cpu);
	case UC_COUNTS_REFERENCE_CYCLES:
		return core_cycles(cpu->cpus, core_busy_cycles(core)) +
		       passed(cpu);
	case UC_COUNTS_LLC_REFERENCES: return core->num_requests;
	case UC_COUNTS_LLC_MISSES: return core->num_llc_misses;
	case UC_COUNTS_SLOW_LOADS: return slow_loads(cpu);
	case UC_COUNTS_L2_RFO_HITS:
		return sum_of_needs(cpu, counts) + core->counts.upgrades;
	case UC_COUNTS_OFFCORE_0: return offcore(cpu, 0);
	case UC_COUNTS_OFFCORE_1: return offcore(cpu, 1);
	case UC_COUNTS_L1I_HITS: return l1i_hits(cpu);
	case UC_COUNTS_LOADS_L1D: return loads_l1d(cpu);
	case UC_COUNTS_LOADS_L2: return loads_l2(cpu);
	case UC_COUNTS_LOADS_LLC: return loads[ANSWER_SLICE];
	case UC_COUNTS_LOADS_OTHER_CORE:
		return loads[ANSWER_CORE] + loads[ANSWER_CORE_MODIFIED];
	case UC_COUNTS_LOADS_LLC_MISS: return loads_missed(loads);
	case UC_COUNTS_LOADS_LATE:
		return core->counts.late[0] + core->counts.late[1];
	case UC_COUNTS_L2_FILLS_SHARED: return core->counts.fills[0];
	case UC_COUNTS_L2_FILLS_EXCLUSIVE: return core->counts.fills[1];
	default: return sum_of_needs(cpu, counts);
	}
}
