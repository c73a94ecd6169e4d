/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The core's own counters: SDM volume 3, "Performance Monitoring", version 3.
 * A counter that runs is its value at some time and what its sources have
 * counted since; what one tells later than another (a line that was prefetched
 * turns out to be late) may take a sum back for a while, but no counter. Left
 * out: interrupts at overflow, samples, edge detection, comparison; a counter
 * that is told to use the latter two stands still, and the log says so. So does
 * one whose sources the present traffic does not tell. Choice:
 * the model does not know privilege levels; a counter that counts at any of
 * them counts all.
 */
#include "model/core/inside.h"

#include <stdio.h>

static unsigned number_of(const struct cpus *cpus, enum uc_core_role role,
			  unsigned index)
{
	const struct uc_family *family = cpus->config.family;

	for (unsigned i = 0; i < family->num_core_registers; i++)
		if (family->core_registers[i].role == role &&
		    family->core_registers[i].reg.index == index)
			return i;
	return UINT32_MAX;
}

static uint64_t field_bits(const struct cpus *cpus, unsigned reg,
			   const char *name)
{
	const struct uc_field *field = uc_field_find(
		cpus->config.family->core_registers[reg].reg.layout, name);

	return field ? uc_bits(field->high, field->low) : 0;
}

/* Bit `index` of a field. */
static uint64_t field_bit(const struct cpus *cpus, unsigned reg,
			  const char *name, unsigned index)
{
	uint64_t bits = field_bits(cpus, reg, name);

	return (bits & -bits) << index & bits;
}

static bool init_place(struct cpus *cpus, unsigned reg,
		       const struct uc_core_register *row)
{
	bool is_fixed = row->role == UC_CORE_FIXED_COUNTER;
	unsigned n = row->reg.index;
	struct counter_place *place = &cpus->places[cpus->num_places];
	char enable[8];

	if (cpus->num_places == CPU_MAX_COUNTERS)
		return false;
	snprintf(enable, sizeof(enable), "en%u", n);
	place->reg = reg;
	place->row = row;
	place->control = is_fixed ? cpus->fixed_control
				  : number_of(cpus, UC_CORE_CONTROL, n);
	if (place->control == UINT32_MAX)
		return false;
	place->enable_bits =
		field_bits(cpus, place->control, is_fixed ? enable : "en");
	place->global_bit = field_bit(cpus, cpus->global_control,
				      is_fixed ? "en_fixed" : "en_pmc", n);
	place->overflow_bit = field_bit(cpus, cpus->global_status,
					is_fixed ? "ov_fixed" : "ov_pmc", n);
	cpus->num_places++;
	return place->enable_bits && place->global_bit && place->overflow_bit;
}

bool counters_init(struct cpus *cpus)
{
	const struct uc_family *family = cpus->config.family;

	cpus->global_status = number_of(cpus, UC_CORE_GLOBAL_STATUS, 0);
	cpus->global_control = number_of(cpus, UC_CORE_GLOBAL_CONTROL, 0);
	cpus->fixed_control = number_of(cpus, UC_CORE_FIXED_CONTROL, 0);
	for (unsigned i = 0; i < 2; i++)
		cpus->offcore[i] = number_of(cpus, UC_CORE_OFFCORE, i);
	cpus->load_latency = number_of(cpus, UC_CORE_LOAD_LATENCY, 0);
	if (cpus->global_status == UINT32_MAX ||
	    cpus->global_control == UINT32_MAX ||
	    cpus->fixed_control == UINT32_MAX)
		return family->num_core_registers == 0;
	for (unsigned i = 0; i < family->num_core_registers; i++) {
		const struct uc_core_register *row = &family->core_registers[i];

		if (row->role != UC_CORE_COUNTER &&
		    row->role != UC_CORE_FIXED_COUNTER)
			continue;
		if (!init_place(cpus, i, row))
			return false;
	}
	return true;
}

/* A field of a select register. */
static uint64_t selected(const struct cpus *cpus, unsigned reg, uint64_t value,
			 const char *name)
{
	const struct uc_field *field = uc_field_find(
		cpus->config.family->core_registers[reg].reg.layout, name);

	return field ? uc_field_get(field, value) : 0;
}

static const struct uc_core_event *find_event(const struct cpus *cpus,
					      unsigned reg, uint64_t value)
{
	return uc_core_event_find(
		cpus->config.family,
		(unsigned)selected(cpus, reg, value, "ev_sel"),
		(unsigned)selected(cpus, reg, value, "umask"));
}

/* Whether the counter of a select register is one that can count its event. */
static bool can_count(const struct cpus *cpus, unsigned reg, uint64_t value)
{
	const struct uc_family *family = cpus->config.family;
	unsigned code = (unsigned)selected(cpus, reg, value, "ev_sel");
	unsigned counter = family->core_registers[reg].reg.index;

	for (unsigned i = 0; i < family->num_core_events; i++)
		if (family->core_events[i].code == code &&
		    !(family->core_events[i].counters >> counter & 1))
			return false;
	return true;
}

/* What the event of a select register is the sum of. */
static uint64_t event_counts(const struct cpus *cpus, unsigned reg,
			     uint64_t value)
{
	return uc_core_event_counts(
		cpus->config.family,
		(unsigned)selected(cpus, reg, value, "ev_sel"),
		(unsigned)selected(cpus, reg, value, "umask"));
}

/* What a select register makes a general counter count. */
static uint64_t counts_of(const struct cpus *cpus, unsigned reg, uint64_t value)
{
	if (selected(cpus, reg, value, "edge") ||
	    selected(cpus, reg, value, "inv") ||
	    selected(cpus, reg, value, "cmask") || !can_count(cpus, reg, value))
		return 0;
	if (!selected(cpus, reg, value, "usr") &&
	    !selected(cpus, reg, value, "os"))
		return 0;
	return event_counts(cpus, reg, value);
}

static bool is_told(const struct cpu *cpu, uint64_t counts)
{
	return !cpu->cpus->has_traffic || source_is_told(cpu, counts);
}

void counters_check_event(const struct cpu *cpu, unsigned reg, uint64_t value)
{
	const struct cpus *cpus = cpu->cpus;
	const struct uc_core_event *event = find_event(cpus, reg, value);
	uint64_t counts = event_counts(cpus, reg, value);
	const char *why = NULL;

	if (!selected(cpus, reg, value, "en"))
		return;
	if (!counts)
		why = "is not modelled";
	else if (!can_count(cpus, reg, value))
		why = "is for other counters";
	else if (!is_told(cpu, counts))
		why = "needs what the present traffic does not tell of the "
		      "core's private caches or translations";
	if (!why)
		return;
	cpu_complain(cpus,
		     "CPU %u: event 0x%02x, unit mask 0x%02x%s%s of the core "
		     "%s; %s makes its counter stand still",
		     cpu->number,
		     (unsigned)selected(cpus, reg, value, "ev_sel"),
		     (unsigned)selected(cpus, reg, value, "umask"),
		     event ? " " : "", event ? event->name : "", why,
		     cpus->config.family->core_registers[reg].reg.name);
}

void counters_check_traffic(const struct cpu *cpu)
{
	for (unsigned n = 0; n < cpu->cpus->num_places; n++) {
		const struct counter_place *place = &cpu->cpus->places[n];
		uint64_t value = cpu->values[place->control];
		uint64_t global = cpu->values[cpu->cpus->global_control];

		if (place->row->role == UC_CORE_COUNTER &&
		    global & place->global_bit &&
		    !is_told(cpu,
			     event_counts(cpu->cpus, place->control, value)))
			counters_check_event(cpu, place->control, value);
	}
}

static void sync(struct cpu *cpu, unsigned n)
{
	const struct counter_place *place = &cpu->cpus->places[n];
	struct cpu_counter *counter = &cpu->counters[n];
	uint64_t mask = place->row->reg.layout->writable;
	uint64_t *value = &cpu->values[place->reg];
	uint64_t now, sum;

	if (!counter->is_running)
		return;
	now = source_sum(cpu, counter->counts);
	if (now < counter->since)
		return;
	sum = *value + (now - counter->since);
	counter->since = now;
	*value = sum & mask;
	if (sum & ~mask)
		cpu->values[cpu->cpus->global_status] |= place->overflow_bit;
}

void counters_sync(struct cpu *cpu)
{
	for (unsigned n = 0; n < cpu->cpus->num_places; n++)
		sync(cpu, n);
}

static void refresh(struct cpu *cpu, unsigned n)
{
	const struct cpus *cpus = cpu->cpus;
	const struct counter_place *place = &cpus->places[n];
	struct cpu_counter *counter = &cpu->counters[n];
	uint64_t control = cpu->values[place->control];

	counter->counts = place->row->role == UC_CORE_FIXED_COUNTER
				  ? UINT64_C(1) << place->row->counts
				  : counts_of(cpus, place->control, control);
	if (!is_told(cpu, counter->counts))
		counter->counts = 0;
	counter->is_running =
		counter->counts && control & place->enable_bits &&
		cpu->values[cpus->global_control] & place->global_bit;
	counter->since = source_sum(cpu, counter->counts);
}

void counters_refresh(struct cpu *cpu)
{
	for (unsigned n = 0; n < cpu->cpus->num_places; n++)
		refresh(cpu, n);
}
