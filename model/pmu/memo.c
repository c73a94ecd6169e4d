/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Where events take turns a counter is given the same few programs again and
 * again. What it read out of them is kept, by the values of all registers that
 * decode() looks at. A counter that is programmed once or twice keeps nothing.
 */
#include <stdlib.h>
#include <string.h>

#include "model/pmu/inside.h"

enum { MEMO_SIZE = 32, MEMO_WORTHWHILE = 4, MEMO_MAX_INPUTS = 64 };

struct memo_entry {
	unsigned num_inputs; /* 0: empty */
	uint64_t inputs[MEMO_MAX_INPUTS];
	enum decode_fault fault;
	struct options options;
	unsigned num_terms;
	struct term *terms;
};

struct memo {
	struct memo_entry *entries[MEMO_SIZE];
};

/* The registers that hang on the box's own business, not on events; and where a
 * counter may follow another one, the other's control. */
static bool is_input(const struct unit *unit, const struct uc_register *reg)
{
	return reg->box == unit->box_index && reg->instance == unit->instance &&
	       (reg->role >= UC_FIRST_SUB_ROLE ||
		(unit->has_followers && reg->role == UC_ROLE_CONTROL));
}

bool memo_init(struct unit *unit)
{
	const struct uc_family *family = unit->pmu->config.family;
	const struct uc_register *end =
		family->registers + family->num_registers;
	const struct uc_register *reg;
	unsigned num = 0;

	for (reg = family->registers; reg != end; reg++)
		num += is_input(unit, reg);
	unit->inputs = calloc(num + 1, sizeof(*unit->inputs));
	if (!unit->inputs)
		return false;
	for (reg = family->registers; reg != end; reg++)
		if (is_input(unit, reg))
			unit->inputs[unit->num_inputs++] = reg;
	return true;
}

static void free_entry(struct memo_entry *entry)
{
	if (entry)
		free(entry->terms);
	free(entry);
}

void memo_free(struct slot *slot)
{
	for (unsigned i = 0; slot->memo && i < MEMO_SIZE; i++)
		free_entry(slot->memo->entries[i]);
	free(slot->memo);
}

/* All that decode() looks at; 0 where that is too much. */
static unsigned take_inputs(const struct slot *slot, uint64_t *inputs)
{
	const struct unit *unit = slot->unit;
	const struct register_file *file = slot->place.registers;
	const struct uc_route *route = slot->route;
	unsigned num = 0;

	if (unit->box->num_ports > 1 && !route)
		return 0;

	inputs[num++] = *register_place(file, slot->control);
	for (unsigned i = 0; i < unit->num_inputs; i++) {
		if (route &&
		    !decode_is_on(file->family, route, unit->inputs[i]))
			continue;
		if (num == MEMO_MAX_INPUTS)
			return 0;
		inputs[num++] = *register_place(file, unit->inputs[i]);
	}
	return num;
}

static struct memo_entry **find(struct slot *slot, const uint64_t *inputs,
				unsigned num)
{
	uint64_t hash = 0;

	for (unsigned i = 0; i < num; i++)
		hash = (hash ^ inputs[i]) * UINT64_C(0x9E3779B97F4A7C15);
	return &slot->memo->entries[(hash >> 32) % MEMO_SIZE];
}

static void keep(struct memo_entry **place, const uint64_t *inputs,
		 unsigned num, const struct expression *expression,
		 enum decode_fault fault)
{
	struct memo_entry *entry = calloc(1, sizeof(*entry));

	free_entry(*place);
	*place = entry;
	if (!entry)
		return;
	entry->terms = calloc(expression->num_terms + 1, sizeof(*entry->terms));
	if (!entry->terms)
		return;
	memcpy(entry->terms, expression->terms,
	       expression->num_terms * sizeof(*entry->terms));
	memcpy(entry->inputs, inputs, num * sizeof(*inputs));
	memcpy(&entry->options, &expression->options, sizeof(entry->options));
	entry->num_terms = expression->num_terms;
	entry->fault = fault;
	entry->num_inputs = num;
}

static enum decode_fault recall(const struct memo_entry *entry,
				struct expression *expression)
{
	memcpy(expression->terms, entry->terms,
	       entry->num_terms * sizeof(*entry->terms));
	memcpy(&expression->options, &entry->options, sizeof(entry->options));
	expression->num_terms = entry->num_terms;
	return entry->fault;
}

enum decode_fault memo_decode(struct slot *slot, struct expression *expression)
{
	uint64_t inputs[MEMO_MAX_INPUTS];
	struct memo_entry **entry;
	enum decode_fault fault;
	unsigned num = 0;

	if (slot->num_decoded < MEMO_WORTHWHILE)
		slot->num_decoded++;
	else if (!slot->memo)
		slot->memo = calloc(1, sizeof(*slot->memo));
	if (slot->memo)
		num = take_inputs(slot, inputs);
	if (!num)
		return decode(&slot->place, expression);
	entry = find(slot, inputs, num);
	if (*entry && (*entry)->num_inputs == num &&
	    !memcmp((*entry)->inputs, inputs, num * sizeof(*inputs)))
		return recall(*entry, expression);
	fault = decode(&slot->place, expression);
	keep(entry, inputs, num, expression, fault);
	return fault;
}
