/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What the registers of a core hold after reset. A value that comes from the
 * machine is found by the name of its parameter, so the table of a processor
 * and the parameters of a machine need not know of each other.
 */
#include <math.h>
#include <string.h>

#include "model/box/prefetch.h"
#include "model/box/socket.h"
#include "model/core/inside.h"

uint64_t reset_field(const struct cpu *cpu, const struct uc_field *field,
		     const struct uc_core_value *value)
{
	int param;

	switch (value->kind) {
	case UC_CORE_VALUE_PARAM:
		param = machine_find(cpu->cpus->config.machine, value->param);
		return (uint64_t)llround(cpu->cpus->config.param[param] /
					 value->per);
	case UC_CORE_VALUE_BSP: return cpu->number == 0;
	default: return field->reset;
	}
}

uint64_t reset_register(const struct cpu *cpu,
			const struct uc_core_register *row)
{
	const struct uc_layout *layout = row->reg.layout;
	uint64_t value = 0;

	for (unsigned i = 0; i < layout->num_fields; i++)
		value = uc_field_put(
			&layout->fields[i], value,
			reset_field(cpu, &layout->fields[i], &row->values[i]));
	if (row->role == UC_CORE_PREFETCH)
		value |= ~cpu->core->prefetchers & PREFETCH_ALL;
	return value;
}

bool reset_params_exist(const struct cpus *cpus)
{
	const struct uc_family *family = cpus->config.family;

	for (unsigned i = 0; i < family->num_core_registers; i++) {
		const struct uc_core_register *row = &family->core_registers[i];

		for (unsigned f = 0; f < row->reg.layout->num_fields; f++)
			if (row->values[f].param &&
			    machine_find(cpus->config.machine,
					 row->values[f].param) < 0)
				return false;
	}
	return true;
}
