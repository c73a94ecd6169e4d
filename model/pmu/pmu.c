/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The PMU of a socket: how it is put together and when its counters run. States
 * and who moves between them:
 *
 *   reset       all registers at their reset values; nothing counts
 *   programmed  access.c wrote controls: expressions decoded, nothing tapped
 *   running     the last of the three enables was written (what governs the
 *               domain, global control of the box, control of the counter):
 *               taps attached
 *   frozen      software stopped the domain or the socket, or overflow.c did:
 *               taps detached, counts stay
 *
 * A model may have more PMUs than the processor: they listen to the signals of
 * the first one, and each counts as if it were alone.
 */
#include "model/pmu/pmu.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/pmu/inside.h"
#include "table/enable.h"

void pmu_complain(const struct pmu *pmu, enum pmu_complaint kind,
		  const char *format, ...)
{
	char text[320];
	va_list arguments;

	if (!pmu->config.complain)
		return;
	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	pmu->config.complain(pmu->config.context, kind, text);
}

/* Making it */

static bool has_routes(const struct unit *unit)
{
	return unit->box->num_ports > 1;
}

/* What lets the slot count besides its control. */
static void slot_enables(struct slot *slot)
{
	const struct unit *unit = slot->unit;
	const struct register_file *file = &unit->pmu->registers;
	const struct uc_family *family = file->family;
	const struct uc_domain *domain = uc_domain_of(family, unit->box_index);
	const struct uc_register *reg = NULL;
	unsigned span =
		unit->box->global_span ? unit->box->global_span : UINT8_MAX;
	unsigned n = slot->place.counter;
	bool is_fixed = n >= unit->box->num_counters;

	if (domain)
		reg = uc_domain_register(family, domain, unit->box_index,
					 unit->instance);
	if (reg) {
		slot->governor = register_place(file, reg);
		slot->governing = domain->run | domain->stop;
		slot->still = domain->stop;
	}
	reg = register_find(file, unit->box_index, unit->instance,
			    UC_ROLE_GLOBAL_CTL, is_fixed ? 0 : n / span);
	if (!reg)
		return;
	slot->enable_bit = uc_enable_box_bits(reg, is_fixed, n % span);
	slot->box_enables = register_place(file, reg);
}

static void slot_place(struct slot *slot, unsigned n)
{
	struct unit *unit = slot->unit;

	slot->place.registers = &unit->pmu->registers;
	slot->place.box = unit->box_index;
	slot->place.instance = unit->instance;
	slot->place.counter = (uint8_t)n;
	decode_find_control(&slot->place);
	slot->control = slot->place.control;
	if (has_routes(unit))
		slot->route = decode_route(&slot->place);
	slot_enables(slot);
	overflow_slot(slot);
}

/* The bits of its counter. */
static uint64_t slot_mask(const struct slot *slot)
{
	const struct unit *unit = slot->unit;
	unsigned general = unit->box->num_counters, n = slot->place.counter;
	const struct uc_register *reg = register_find(
		&unit->pmu->registers, unit->box_index, unit->instance,
		n < general ? UC_ROLE_COUNTER : UC_ROLE_FIXED_COUNTER,
		n < general ? n : n - general);

	return reg->layout->writable;
}

static bool slot_init(struct slot *slot, struct unit *unit, unsigned n)
{
	slot->unit = unit;
	slot_place(slot, n);
	slot->counter.overflow = overflow_happens;
	slot->counter.context = unit->pmu;
	if (!counter_init(&slot->counter, unit->bank, 1))
		return false;
	slot->counter.mask = slot_mask(slot);
	return true;
}

/* All boxes of a kind share it. */
static void init_scratch(struct unit *unit)
{
	unsigned max_terms = decode_max_terms(unit->box);

	unit->scratch.max_terms = max_terms;
	unit->scratch.terms =
		calloc(max_terms + 1, sizeof(*unit->scratch.terms));
}

static struct sigbank *unit_bank(const struct unit *unit)
{
	const struct pmu_config *config = &unit->pmu->config;
	const struct uc_box *box = unit->box;
	const struct pmu_clock *clock = &config->clocks[box->clock];
	struct sigbank *bank;

	if (config->beside)
		return pmu_bank(config->beside, unit->box_index,
				unit->instance);
	bank = tap_bank_new(config->sim,
			    (unsigned)box->num_elements * box->num_ports);
	if (bank && clock->num != clock->den)
		tap_bank_set_clock(bank, clock->num, clock->den);
	return bank;
}

static bool unit_init(struct unit *unit, struct pmu *pmu, unsigned box_index,
		      unsigned instance)
{
	const struct uc_box *box = &pmu->config.family->boxes[box_index];

	unit->pmu = pmu;
	unit->box = box;
	unit->box_index = (uint8_t)box_index;
	unit->instance = (uint8_t)instance;
	unit->num_slots = box->num_counters + box->num_fixed;
	unit->bank = unit_bank(unit);
	for (unsigned i = 0; i < box->num_events; i++)
		unit->has_followers |= box->events[i].of_counter;
	unit->slots = calloc(unit->num_slots + 1, sizeof(*unit->slots));
	if (instance)
		unit->scratch = unit[-1].scratch;
	else
		init_scratch(unit);
	if (!unit->bank || !unit->slots || !unit->scratch.terms)
		return false;
	for (unsigned n = 0; n < unit->num_slots; n++)
		if (!slot_init(&unit->slots[n], unit, n))
			return false;
	return free_counters_init(unit);
}

static void unit_free(struct unit *unit)
{
	for (unsigned n = 0; unit->slots && n < unit->num_slots; n++)
		counter_free(&unit->slots[n].counter);
	free_counters_free(unit);
	free(unit->slots);
	if (!unit->instance)
		free(unit->scratch.terms);
	if (!unit->pmu->config.beside)
		tap_bank_free(unit->bank);
}

/* What governs the socket, or else freezes it. */
static bool find_global(struct pmu *pmu)
{
	const struct uc_family *family = pmu->config.family;
	const struct uc_register *status = NULL;

	for (unsigned i = 0; i < family->num_domains; i++)
		if (family->domains[i].scope == UC_SCOPE_SOCKET)
			pmu->global_ctl =
				&family->registers[family->domains[i].reg];
	if (family->freeze) {
		pmu->global_ctl = &family->registers[family->freeze->reg];
		status = &family->registers[family->freeze->status];
	} else if (pmu->global_ctl) {
		status = uc_register_of(family, pmu->global_ctl->box, 0,
					UC_ROLE_GLOBAL_STATUS, 0);
	}
	if (!status)
		return !pmu->global_ctl;
	pmu->global_ctl_value =
		register_place(&pmu->registers, pmu->global_ctl);
	pmu->global_status_value = register_place(&pmu->registers, status);
	pmu->en_all = register_mask(pmu->global_ctl, "en_all");
	pmu->rst_all = register_mask(pmu->global_ctl, "rst_all");
	pmu->frz_all = register_mask(pmu->global_ctl, "frz_all");
	pmu->cond = register_mask(status, "cond");
	pmu->pmi = register_mask(status, "pmi");
	return true;
}

static bool make_units(struct pmu *pmu)
{
	const struct uc_family *family = pmu->config.family;
	unsigned num_units = 0;

	for (unsigned i = 0; i < family->num_boxes; i++)
		num_units += family->boxes[i].num_instances;
	pmu->units = calloc(num_units, sizeof(*pmu->units));
	if (!pmu->units)
		return false;
	for (unsigned i = 0; i < family->num_boxes; i++)
		for (unsigned n = 0; n < family->boxes[i].num_instances; n++)
			if (!unit_init(&pmu->units[pmu->num_units++], pmu, i,
				       n))
				return false;
	return true;
}

struct pmu *pmu_new(const struct pmu_config *config)
{
	struct pmu *pmu = calloc(1, sizeof(*pmu));

	if (!pmu)
		return NULL;
	pmu->config = *config;
	if (register_file_init(&pmu->registers, config->family) &&
	    find_global(pmu) && overflow_init(pmu) && make_units(pmu))
		return pmu;
	pmu_free(pmu);
	return NULL;
}

void pmu_preset(struct pmu *pmu, const char *field, uint64_t value)
{
	const struct uc_family *family = pmu->config.family;

	for (size_t i = 0; i < family->num_registers; i++) {
		const struct uc_register *reg = &family->registers[i];
		const struct uc_field *last =
			&reg->layout->fields[reg->layout->num_fields - 1];

		if (reg->role == UC_ROLE_IDENTITY && !strcmp(last->name, field))
			*register_place(&pmu->registers, reg) =
				uc_field_put(last, reg->layout->reset, value);
	}
}

void pmu_free(struct pmu *pmu)
{
	if (!pmu)
		return;
	for (unsigned i = 0; i < pmu->num_units; i++)
		unit_free(&pmu->units[i]);
	free(pmu->units);
	overflow_free(pmu);
	register_file_free(&pmu->registers);
	free(pmu);
}

/* They stand in the order of make_units(). */
struct unit *pmu_unit(struct pmu *pmu, unsigned box, unsigned instance)
{
	const struct uc_family *family = pmu->config.family;
	struct unit *unit = pmu->units;

	if (box >= family->num_boxes ||
	    instance >= family->boxes[box].num_instances)
		return NULL;
	for (unsigned i = 0; i < box; i++)
		unit += family->boxes[i].num_instances;
	return unit + instance;
}

struct sigbank *pmu_bank(struct pmu *pmu, unsigned box, unsigned instance)
{
	struct unit *unit = pmu_unit(pmu, box, instance);

	return unit ? unit->bank : NULL;
}

unsigned pmu_num_changes(const struct pmu *pmu)
{
	unsigned num = 0;

	for (unsigned i = 0; i < pmu->num_units; i++)
		num += pmu->units[i].bank->num_changes;
	return num;
}

/* Running it */

void pmu_sync_all(struct pmu *pmu)
{
	uint64_t now = sim_now(pmu->config.sim);

	if (now == pmu->synced)
		return;
	pmu->synced = now;
	for (unsigned i = 0; i < pmu->num_units; i++) {
		struct unit *unit = &pmu->units[i];
		uint64_t cycle = tap_now(unit->bank);

		for (unsigned n = 0; n < unit->num_slots; n++)
			counter_sync(&unit->slots[n].counter, cycle);
	}
}

/* Counters with PMIs know all that has been published, and when time goes on,
 * that they have grown. */
void pmu_stand(struct pmu *pmu, unsigned *num_due)
{
	pmu->num_due = num_due;
	for (unsigned i = 0; i < pmu->num_units; i++) {
		struct unit *unit = &pmu->units[i];

		if (!tap_is_any_urgent(unit->bank))
			continue;
		for (unsigned n = 0; n < unit->num_slots; n++) {
			struct counter *counter = &unit->slots[n].counter;

			counter_sync(counter, tap_now(unit->bank));
			if (!num_due)
				counter_watch(counter);
		}
	}
}

static bool is_enabled(const struct slot *slot)
{
	if (slot->unit->is_frozen)
		return false;
	if (slot->governor &&
	    (*slot->governor & slot->governing) == slot->still)
		return false;
	return (!slot->enable_bit || *slot->box_enables & slot->enable_bit) &&
	       decode_field(&slot->place, FIELD_EN);
}

void pmu_refresh_all(struct pmu *pmu)
{
	for (unsigned i = 0; i < pmu->num_units; i++)
		pmu_refresh_unit(&pmu->units[i]);
}

void pmu_freeze_all(struct pmu *pmu, bool is_frozen)
{
	for (unsigned i = 0; i < pmu->num_units; i++)
		pmu->units[i].is_frozen = is_frozen;
	pmu_refresh_all(pmu);
}

static const char *const fault_texts[] = {
	[DECODE_NO_EVENT] = "selects no event that this counter has; it will "
			    "count nothing",
	[DECODE_MIXED] = "selects events of which one goes through a "
			 "sub-counter; they cannot be counted together",
	[DECODE_UNDEFINED] = "has a field at a value that the guide does not "
			     "define",
};

static uint64_t control_value(const struct slot *slot)
{
	return *register_place(&slot->unit->pmu->registers, slot->control);
}

static void complain_about(const struct slot *slot, enum decode_fault fault)
{
	uint64_t control = control_value(slot);

	if (fault != DECODE_FINE &&
	    register_field(slot->control, "en", control))
		pmu_complain(slot->unit->pmu, PMU_SOFTWARE_BROKE_A_RULE,
			     "%s = 0x%llx %s", slot->control->name,
			     (unsigned long long)control, fault_texts[fault]);
}

/* A part of the family may have fewer instances of a box than the largest. What
 * the first one tells nobody tells then. */
static bool is_of_first(const struct unit *unit, unsigned signal)
{
	return pmu_bank(unit->pmu, unit->box_index, 0)->driven[signal];
}

static bool counts_something(const struct expression *expression)
{
	for (unsigned i = 0; i < expression->num_terms; i++)
		if (expression->terms[i].input == TAP_COUNTED)
			return true;
	return false;
}

static void complain_of_signal(const struct slot *slot, unsigned signal)
{
	const struct unit *unit = slot->unit;
	const struct uc_family *family = unit->pmu->config.family;
	unsigned long long control = control_value(slot);

	if (is_of_first(unit, signal))
		pmu_complain(unit->pmu, PMU_SOFTWARE_BROKE_A_RULE,
			     "%s = 0x%llx counts in %s %u, which this part "
			     "lacks; its count means nothing",
			     slot->control->name, control,
			     family->boxes[unit->box_index].name,
			     unit->instance);
	else
		pmu_complain(unit->pmu, PMU_NOT_MODELLED,
			     "%s = 0x%llx selects an event that is not "
			     "modelled; its count means nothing",
			     slot->control->name, control);
}

/* When counting begins; before, other registers may still be on their way. */
static void complain_of_count(const struct slot *slot)
{
	const struct expression *expression = &slot->counter.expression;

	if (!expression->options.follows && !counts_something(expression))
		pmu_complain(slot->unit->pmu, PMU_SOFTWARE_BROKE_A_RULE,
			     "%s = 0x%llx has a unit mask, or registers beside "
			     "it, that select nothing of its event; it will "
			     "count nothing",
			     slot->control->name,
			     (unsigned long long)control_value(slot));
	if (expression->options.follows && !expression->num_terms)
		pmu_complain(slot->unit->pmu, PMU_SOFTWARE_BROKE_A_RULE,
			     "%s = 0x%llx follows a counter that has chosen no "
			     "occupancy; it will count nothing",
			     slot->control->name,
			     (unsigned long long)control_value(slot));
	for (unsigned i = 0; i < expression->num_terms; i++) {
		if (slot->unit->bank->driven[expression->terms[i].signal])
			continue;
		complain_of_signal(slot, expression->terms[i].signal);
		return;
	}
}

void pmu_refresh_unit(struct unit *unit)
{
	for (unsigned n = 0; n < unit->num_slots; n++) {
		struct slot *slot = &unit->slots[n];
		bool is_active = slot->counter.active;

		if (is_enabled(slot) == is_active)
			continue;
		if (slot->is_late) {
			pmu_configure_slot(slot, false);
			continue;
		}
		counter_configure(&slot->counter, &slot->counter.expression,
				  !is_active);
		if (slot->counter.active)
			complain_of_count(slot);
	}
}

void pmu_configure_slot(struct slot *slot, bool is_own)
{
	struct expression *scratch = &slot->unit->scratch;
	bool was_active = slot->counter.active, is_new;
	enum decode_fault fault;

	slot->route =
		has_routes(slot->unit) ? decode_route(&slot->place) : NULL;
	fault = decode(&slot->place, scratch);
	is_new = counter_is_new(&slot->counter, scratch);
	slot->is_late = false;
	counter_configure(&slot->counter, scratch, is_enabled(slot));
	if (is_own || is_new || slot->counter.active != was_active)
		complain_about(slot, fault);
	if (slot->counter.active && (is_own || is_new || !was_active))
		complain_of_count(slot);
}

static bool is_user(const struct slot *slot, const struct uc_register *reg)
{
	return !has_routes(slot->unit) ||
	       (slot->route &&
		decode_is_on(slot->unit->pmu->config.family, slot->route, reg));
}

/* What is in a sub-counter hangs on what it was given in between. */
static bool can_wait(const struct slot *slot)
{
	const struct options *options = &slot->counter.expression.options;

	return !slot->counter.active && !is_enabled(slot) &&
	       !options->accumulate && !options->tally_bits;
}

/* Of a counter that does not count it is enough to know what it counts when it
 * is enabled; before, more sub-registers may be on their way. */
void pmu_configure_users(struct unit *unit, const struct uc_register *reg)
{
	for (unsigned n = 0; n < unit->num_slots; n++) {
		struct slot *slot = &unit->slots[n];

		if (!is_user(slot, reg))
			continue;
		if (can_wait(slot))
			slot->is_late = true;
		else
			pmu_configure_slot(slot, false);
	}
}

bool pmu_is_counting(const struct pmu *pmu)
{
	for (unsigned i = 0; i < pmu->num_units; i++)
		for (unsigned s = 0; s < pmu->units[i].num_slots; s++)
			if (pmu->units[i].slots[s].counter.active)
				return true;
	return false;
}

static void put(struct pmu_counter *list, size_t num, struct unit *unit,
		struct counter *counter)
{
	if (list)
		list[num] = (struct pmu_counter){ counter, unit->box->name };
}

size_t pmu_counters(struct pmu *pmu, struct pmu_counter *list)
{
	size_t num = 0;

	for (unsigned i = 0; i < pmu->num_units; i++) {
		struct unit *unit = &pmu->units[i];

		for (unsigned n = 0; n < unit->num_slots; n++)
			put(list, num++, unit, &unit->slots[n].counter);
		for (unsigned n = 0; n < unit->num_free; n++)
			put(list, num++, unit, &unit->free_counters[n].counter);
	}
	return num;
}

void pmu_set_skipped(struct pmu *pmu, uint64_t cycles)
{
	pmu->skipped = cycles;
}
