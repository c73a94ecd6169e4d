/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Registers that show what the W-Box or the PCU models: the core's temperature,
 * why it is throttled, and its clock ratio; the same of the package, and what
 * energy it has taken. Left out: interrupts by heat, the thresholds that
 * software may set, wishes for a ratio, limits of power.
 */
#include <math.h>

#include "model/box/socket.h"
#include "model/core/inside.h"

enum { ENERGY_BITS = 16 }; /* of a joule behind the point */

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

/* The unit is that of the field "energy" of MSR_RAPL_POWER_UNIT. */
static uint64_t show_energy(const struct power_reading *reading, unsigned place)
{
	return (uint32_t)(uint64_t)ldexp(reading->joules[place], ENERGY_BITS);
}

static void read_power(const struct core *core, struct power_reading *reading)
{
	core->socket->kind->read_power(core, reading);
}

/* All cores of the socket together. */
static void read_package(const struct core *core, struct power_reading *reading)
{
	const struct socket *socket = core->socket;

	read_power(core, reading);
	for (unsigned i = 0; i < socket->num_cores; i++) {
		struct power_reading other;

		read_power(&socket->cores[i], &other);
		reading->temperature =
			fmax(reading->temperature, other.temperature);
		reading->is_hot |= other.is_hot;
		reading->was_hot |= other.was_hot;
	}
}

uint64_t power_show(const struct cpu *cpu, const struct uc_core_register *row)
{
	struct power_reading reading;

	if (row->role == UC_CORE_PACKAGE_THERM) {
		read_package(cpu->core, &reading);
		return show_heat(cpu, row, &reading);
	}
	read_power(cpu->core, &reading);
	switch (row->role) {
	case UC_CORE_THERM_STATUS: return show_heat(cpu, row, &reading);
	case UC_CORE_PACKAGE_ENERGY:
		return show_energy(&reading, POWER_PACKAGE);
	case UC_CORE_CORES_ENERGY: return show_energy(&reading, POWER_CORES);
	case UC_CORE_MEMORY_ENERGY: return show_energy(&reading, POWER_MEMORY);
	default: return show_clock(row, &reading);
	}
}

void power_clear(const struct cpu *cpu, const struct uc_core_register *row,
		 uint64_t written)
{
	const struct socket *socket = cpu->core->socket;
	bool of_all = row->role == UC_CORE_PACKAGE_THERM;
	unsigned first = of_all ? 0 : cpu->core->index;
	unsigned end = of_all ? socket->num_cores : first + 1;

	for (unsigned i = first; i < end; i++)
		socket->kind->clear_power_log(
			&socket->cores[i], !has(row, written, "hot_log"),
			!has(row, written, "prochot_log"));
}
