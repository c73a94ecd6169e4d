/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Registers that show what the W-Box or the PCU models: the core's temperature,
 * why it is throttled, and its clock ratio. Left out: interrupts by heat, the
 * thresholds that software may set, wishes for a ratio.
 */
#include <math.h>

#include "model/box/socket.h"
#include "model/core/inside.h"

static uint64_t put(const struct uc_core_register *row, uint64_t value,
		    const char *name, uint64_t of_field)
{
	const struct uc_field *field = uc_field_find(row->reg.layout, name);

	return field ? uc_field_put(field, value, of_field) : value;
}

static bool has(const struct uc_core_register *row, uint64_t value,
		const char *name)
{
	const struct uc_field *field = uc_field_find(row->reg.layout, name);

	return field && uc_field_get(field, value);
}

static uint64_t show_heat(const struct cpu *cpu,
			  const struct uc_core_register *row,
			  const struct power_reading *reading)
{
	double target = cpu->cpus->config.param[PARAM_HEAT_TARGET];
	double below = target - reading->temperature;
	uint64_t value = 0;

	value = put(row, value, "hot", reading->is_hot);
	value = put(row, value, "hot_log", reading->was_hot);
	value = put(row, value, "prochot", reading->is_forced);
	value = put(row, value, "prochot_log", reading->was_forced);
	return put(row, value, "readout",
		   below > 0 ? (uint64_t)fmin(ceil(below - 0.5), 127) : 0);
}

/* In units of so many MHz. */
static uint64_t show_clock(const struct uc_core_register *row,
			   const struct power_reading *reading)
{
	const struct uc_field *field = uc_field_find(row->reg.layout, "state");
	double unit_hz;

	if (!field)
		return 0;
	unit_hz = row->values[field - row->reg.layout->fields].per * 1e6;
	return uc_field_put(field, 0,
			    (uint64_t)llround(reading->clock_hz / unit_hz));
}

uint64_t power_show(const struct cpu *cpu, const struct uc_core_register *row)
{
	const struct core *core = cpu->core;
	struct power_reading reading;

	core->socket->kind->read_power(core, &reading);
	if (row->role == UC_CORE_THERM_STATUS)
		return show_heat(cpu, row, &reading);
	return show_clock(row, &reading);
}

void power_clear(const struct cpu *cpu, const struct uc_core_register *row,
		 uint64_t written)
{
	const struct core *core = cpu->core;

	core->socket->kind->clear_power_log(core, !has(row, written, "hot_log"),
					    !has(row, written, "prochot_log"));
}
