/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * RDMSR and WRMSR of a core. The table says what a register holds after reset,
 * which bits software may change and which it must not set; what only a role
 * adds is here. A refused write changes nothing. Left out: the one thread per
 * core makes "shared by the threads of a core" mean nothing.
 */
#include "model/core/registers.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "model/box/prefetch.h"
#include "model/box/socket.h"
#include "model/core/inside.h"

enum { COMPLAINT_ROOM = 240 };

void cpu_complain(const struct cpus *cpus, const char *format, ...)
{
	char text[COMPLAINT_ROOM];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	cpus->config.complain(cpus->config.context, text);
}

static void init_cpu(struct cpus *cpus, unsigned number)
{
	const struct cpus_config *config = &cpus->config;
	unsigned num_values = config->family->num_core_registers;
	struct socket *socket = config->sockets[number / config->num_cores];
	struct cpu *cpu = &cpus->cpus[number];

	cpu->cpus = cpus;
	cpu->number = number;
	cpu->core = &socket->cores[number % config->num_cores];
	cpu->values = cpus->values + (size_t)number * num_values;
	for (unsigned i = 0; i < num_values; i++)
		cpu->values[i] =
			reset_register(cpu, &config->family->core_registers[i]);
}

struct cpus *cpus_new(const struct cpus_config *config)
{
	struct cpus *cpus = calloc(1, sizeof(*cpus));

	if (!cpus)
		return NULL;
	cpus->config = *config;
	cpus->core_hz =
		(uint64_t)llround(config->param[PARAM_CORE_CLOCK] * 1e6);
	cpus->uncore_hz =
		(uint64_t)llround(config->param[PARAM_UNCORE_CLOCK] * 1e6);
	cpus->num_cpus = config->num_sockets * config->num_cores;
	cpus->cpus = calloc(cpus->num_cpus, sizeof(*cpus->cpus));
	cpus->values = calloc(
		(size_t)cpus->num_cpus * config->family->num_core_registers + 1,
		sizeof(*cpus->values));
	if (!cpus->cpus || !cpus->values || !reset_params_exist(cpus) ||
	    !counters_init(cpus)) {
		cpus_free(cpus);
		return NULL;
	}
	for (unsigned i = 0; i < cpus->num_cpus; i++)
		init_cpu(cpus, i);
	return cpus;
}

void cpus_free(struct cpus *cpus)
{
	if (!cpus)
		return;
	free(cpus->cpus);
	free(cpus->values);
	free(cpus);
}

/* Reading */

/* Whose copy of a register a CPU sees. */
static struct cpu *owner(struct cpus *cpus, unsigned number,
			 const struct uc_core_register *row)
{
	if (row->scope == UC_CORE_SCOPE_PACKAGE)
		number -= number % cpus->config.num_cores;
	return &cpus->cpus[number];
}

static uint64_t *place(const struct cpu *cpu,
		       const struct uc_core_register *row)
{
	return &cpu->values[row - cpu->cpus->config.family->core_registers];
}

/* What a clock has counted, whose register holds how far software set it off;
 * what the W-Box says, whose register holds the rest. */
static uint64_t clock_count(const struct cpu *cpu,
			    const struct uc_core_register *row)
{
	switch (row->role) {
	case UC_CORE_TSC: return source_tsc(cpu);
	case UC_CORE_MPERF:
		return source_count(cpu, UC_COUNTS_REFERENCE_CYCLES);
	case UC_CORE_APERF: return source_count(cpu, UC_COUNTS_CORE_CYCLES);
	case UC_CORE_C6_RESIDENCY: return source_c6(cpu);
	case UC_CORE_PERF_STATUS:
	case UC_CORE_THERM_STATUS:
	case UC_CORE_PACKAGE_THERM:
	case UC_CORE_PACKAGE_ENERGY:
	case UC_CORE_CORES_ENERGY:
	case UC_CORE_MEMORY_ENERGY: return power_show(cpu, row);
	default: return 0;
	}
}

enum cpus_result cpus_read(struct cpus *cpus, unsigned number, uint64_t address,
			   uint64_t *value)
{
	const struct uc_core_register *row =
		uc_core_register_at(cpus->config.family, address);
	struct cpu *cpu;

	if (!row)
		return CPUS_UNKNOWN;
	if (row->reg.access == UC_ACCESS_WO)
		return CPUS_GP;
	cpu = owner(cpus, number, row);
	counters_sync(cpu);
	*value = *place(cpu, row) + clock_count(cpu, row);
	return CPUS_OK;
}

/* Writing */

static bool is_canonical(uint64_t address)
{
	uint64_t top = address >> 47;

	return top == 0 || top == UINT64_MAX >> 47;
}

static bool is_allowed(const struct cpu *cpu,
		       const struct uc_core_register *row, uint64_t value)
{
	uint64_t reserved = value & row->reg.layout->reserved;

	if (row->reg.access == UC_ACCESS_RO)
		cpu_complain(cpu->cpus,
			     "CPU %u: write to %s, which can only be read",
			     cpu->number, row->reg.name);
	else if (reserved && row->role != UC_CORE_COUNTER)
		cpu_complain(cpu->cpus,
			     "CPU %u: write of 0x%llx to %s sets the reserved "
			     "bits 0x%llx",
			     cpu->number, (unsigned long long)value,
			     row->reg.name, (unsigned long long)reserved);
	else if (row->canonical && !is_canonical(value))
		cpu_complain(cpu->cpus,
			     "CPU %u: write of 0x%llx to %s, which holds "
			     "canonical addresses only",
			     cpu->number, (unsigned long long)value,
			     row->reg.name);
	else
		return true;
	return false;
}

/* Software sets a field that changes nothing here to something new. */
static void check_fields(const struct cpu *cpu,
			 const struct uc_core_register *row, uint64_t before,
			 uint64_t after)
{
	const struct uc_layout *layout = row->reg.layout;

	for (unsigned i = 0; i < layout->num_fields; i++) {
		const struct uc_field *field = &layout->fields[i];
		uint64_t value = uc_field_get(field, after);

		if (!row->values[i].unmodelled ||
		    value == uc_field_get(field, before) ||
		    value == reset_field(cpu, field, &row->values[i]))
			continue;
		cpu_complain(cpu->cpus,
			     "CPU %u: %s.%s=0x%llx is not modelled and changes "
			     "nothing (%s)",
			     cpu->number, row->reg.name, field->name,
			     (unsigned long long)value, field->brief);
	}
}

/* What stays in the register. */
static uint64_t merge(const struct cpu *cpu, const struct uc_core_register *row,
		      uint64_t value)
{
	uint64_t writable = row->reg.layout->writable;

	if (row->role == UC_CORE_COUNTER)
		value = (uint64_t)(int64_t)(int32_t)(uint32_t)value;
	return (*place(cpu, row) & ~writable) | (value & writable);
}

/* The core looks at loads as they end; the threshold is in its own cycles, of
 * which a load that leaves it has spent some in its caches. */
static void set_load_latency(struct cpu *cpu, uint64_t cycles)
{
	const struct cpus *cpus = cpu->cpus;
	uint64_t spent = (uint64_t)cpus->config.param[PARAM_CORE_L2_CYCLES];

	cpu->core->slow_cycles =
		cycles > spent
			? (cycles - spent) * cpu->core->cycles_per_core_cycle
			: 0;
}

static void write_register(struct cpu *cpu, const struct uc_core_register *row,
			   uint64_t merged)
{
	unsigned number =
		(unsigned)(row - cpu->cpus->config.family->core_registers);

	switch (row->role) {
	case UC_CORE_TSC:
	case UC_CORE_MPERF:
	case UC_CORE_APERF:
		*place(cpu, row) = merged - clock_count(cpu, row);
		break;
	case UC_CORE_GLOBAL_OVERFLOW: /* acts, and reads 0 */
		cpu->values[cpu->cpus->global_status] &= ~merged;
		break;
	case UC_CORE_CONTROL:
	case UC_CORE_FIXED_CONTROL:
	case UC_CORE_GLOBAL_CONTROL:
		*place(cpu, row) = merged;
		counters_refresh(cpu);
		if (row->role == UC_CORE_CONTROL)
			counters_check_event(cpu, number, merged);
		break;
	case UC_CORE_OFFCORE:
		*place(cpu, row) = merged;
		counters_refresh(cpu);
		break;
	case UC_CORE_LOAD_LATENCY:
		*place(cpu, row) = merged;
		set_load_latency(cpu, merged);
		counters_refresh(cpu);
		break;
	case UC_CORE_THERM_STATUS:
	case UC_CORE_PACKAGE_THERM: power_clear(cpu, row, merged); break;
	case UC_CORE_PREFETCH:
		*place(cpu, row) = merged;
		cpu->core->prefetchers = ~merged & PREFETCH_ALL;
		break;
	default: *place(cpu, row) = merged; break;
	}
}

enum cpus_result cpus_write(struct cpus *cpus, unsigned number,
			    uint64_t address, uint64_t value)
{
	const struct uc_core_register *row =
		uc_core_register_at(cpus->config.family, address);
	struct cpu *cpu;
	uint64_t merged;

	if (!row)
		return CPUS_UNKNOWN;
	cpu = owner(cpus, number, row);
	if (!is_allowed(cpu, row, value))
		return CPUS_GP;
	counters_sync(cpu);
	merged = merge(cpu, row, value);
	check_fields(cpu, row, *place(cpu, row), merged);
	write_register(cpu, row, merged);
	return CPUS_OK;
}

void cpus_end_traffic(struct cpus *cpus)
{
	for (unsigned i = 0; i < cpus->num_cpus; i++)
		counters_sync(&cpus->cpus[i]);
}

void cpus_begin_traffic(struct cpus *cpus)
{
	cpus->has_traffic = true;
	for (unsigned i = 0; i < cpus->num_cpus; i++) {
		counters_refresh(&cpus->cpus[i]);
		counters_check_traffic(&cpus->cpus[i]);
	}
}

bool cpus_are_counting(const struct cpus *cpus)
{
	for (unsigned i = 0; i < cpus->num_cpus; i++)
		for (unsigned n = 0; n < cpus->num_places; n++)
			if (cpus->cpus[i].counters[n].is_running)
				return true;
	return false;
}
