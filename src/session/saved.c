/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What goes back, step by step:
 *
 *     1  boxes stop; where others count, only the counters that are listed
 *     2  filters go off, since those that are on may not be changed
 *     3  sub-registers, match and mask; controls; filters; counters
 *     4  overflow bits that are set and were not are cleared
 *     5  enables of boxes; at last the switches, and what was frozen goes on
 *
 * Nothing puts back what cannot be written: the parts of a count in the
 * sub-counters of a box, and overflow bits that somebody else
 * has cleared.
 */
#include "session/saved.h"

#include <stdlib.h>

#include "base/array.h"
#include "event/event.h"
#include "session/batch.h"
#include "table/enable.h"
#include "table/overflow.h"
#include "uncore/error.h"

/* Where a register's number plus 1 stands, or would stand. */
static size_t *place_of(const struct saved *saved, unsigned socket,
			const struct uc_register *reg)
{
	size_t mask = saved->num_places - 1;
	size_t i = ((uintptr_t)reg / sizeof(*reg) * 31 + socket) & mask;

	for (; saved->places[i]; i = (i + 1) & mask) {
		const struct saved_value *value =
			&saved->values[saved->places[i] - 1];

		if (value->reg == reg && value->socket == socket)
			break;
	}
	return &saved->places[i];
}

/* At least half of the places stay free. */
static bool make_places(struct saved *saved)
{
	if (2 * saved->num < saved->num_places)
		return true;
	free(saved->places);
	saved->num_places = saved->num_places ? 2 * saved->num_places : 64;
	saved->places = calloc(saved->num_places, sizeof(*saved->places));
	for (size_t i = 0; saved->places && i < saved->num; i++)
		*place_of(saved, saved->values[i].socket,
			  saved->values[i].reg) = i + 1;
	return saved->places;
}

bool saved_want(struct saved *saved, unsigned socket,
		const struct uc_register *reg)
{
	size_t *place;

	if (!reg)
		return true;
	if (!make_places(saved) ||
	    !array_room(&saved->values, saved->num, sizeof(*saved->values)))
		return false;
	place = place_of(saved, socket, reg);
	if (*place)
		return true;
	saved->values[saved->num++] = (struct saved_value){
		.socket = socket,
		.reg = reg,
	};
	*place = saved->num;
	return true;
}

/* Reads all that is listed. */
static int read_all(const struct saved *saved, struct uncore_target *target,
		    struct session_batch *batch, char **error)
{
	for (size_t i = 0; i < saved->num; i++)
		batch_read(batch, saved->values[i].socket,
			   saved->values[i].reg);
	return batch_run(batch, target, error);
}

int saved_read(struct saved *saved, struct uncore_target *target, char **error)
{
	struct session_batch batch = { 0 };
	int result = read_all(saved, target, &batch, error);

	for (size_t i = 0; i < saved->num && !result; i++)
		saved->values[i].value = batch.ops[i].value;
	batch_free(&batch);
	return result;
}

uint64_t saved_value(const struct saved *saved, unsigned socket,
		     const struct uc_register *reg)
{
	size_t number = saved->num ? *place_of(saved, socket, reg) : 0;

	return number ? saved->values[number - 1].value : 0;
}

/* Going back */

struct putter {
	const struct saved *saved;
	const struct uc_family *family;
	struct session_batch batch;
};

/* Bits of an enable register that belong to counters that are listed. */
static uint64_t own_bits(const struct putter *putter, unsigned socket,
			 const struct uc_register *reg)
{
	const struct saved *saved = putter->saved;
	struct enable enable;
	uint64_t bits = 0;

	if (!saved->is_shared)
		return ~UINT64_C(0);
	for (size_t i = 0; i < saved->num; i++) {
		const struct saved_value *value = &saved->values[i];

		if (value->socket == socket && enable_is_counter(value->reg) &&
		    enable_find(putter->family, value->reg, &enable) &&
		    enable.box == reg)
			bits |= enable.box_bits;
	}
	return bits;
}

static bool is_filter_switch(const struct uc_register *reg)
{
	return uc_role_kinds[reg->role] == UC_ROLE_IS_SWITCH &&
	       uc_field_find(reg->layout, "mm_en");
}

/* What freezes all boxes of a socket and lets them go on. */
static bool is_freeze(const struct uc_family *family,
		      const struct uc_register *reg)
{
	return family->freeze && reg == &family->registers[family->freeze->reg];
}

enum step {
	STEP_STOP,
	STEP_FILTERS_OFF,
	STEP_SETTINGS,
	STEP_CONTROLS,
	STEP_FILTERS,
	STEP_COUNTERS,
	NUM_STEPS
};

/* Which of the steps before the enables a register has a part in. */
static bool is_in_step(const struct putter *putter,
		       const struct uc_register *reg, unsigned step)
{
	if (is_freeze(putter->family, reg))
		return false;
	switch (reg->role) {
	case UC_ROLE_GLOBAL_CTL:
		return step == STEP_STOP &&
		       !(putter->saved->is_shared &&
			 enable_is_switch(putter->family, reg));
	case UC_ROLE_GLOBAL_STATUS: return false;
	case UC_ROLE_CONTROL:
	case UC_ROLE_FIXED_CTL: return step == STEP_CONTROLS;
	case UC_ROLE_COUNTER:
	case UC_ROLE_FIXED_COUNTER: return step == STEP_COUNTERS;
	default:
		if (uc_role_kinds[reg->role] != UC_ROLE_IS_SWITCH)
			return step == STEP_SETTINGS;
		return step == STEP_FILTERS ||
		       (step == STEP_FILTERS_OFF && is_filter_switch(reg));
	}
}

/* An enable register that holds `now`, without what is counted. */
static uint64_t stopped(const struct putter *putter,
			const struct saved_value *value, uint64_t now)
{
	uint64_t own = own_bits(putter, value->socket, value->reg);

	return (now & ~own) | (enable_off(putter->family, value->reg) & own);
}

/* `now` has what the registers hold, in the order of the list. */
static void add_settings(struct putter *putter,
			 const struct uncore_target_op *now)
{
	const struct saved *saved = putter->saved;

	for (unsigned step = 0; step < NUM_STEPS; step++)
		for (size_t i = 0; i < saved->num; i++) {
			const struct saved_value *value = &saved->values[i];
			uint64_t to = value->value;

			if (!is_in_step(putter, value->reg, step))
				continue;
			if (step == STEP_STOP)
				to = stopped(putter, value, now[i].value);
			else if (step == STEP_FILTERS_OFF)
				to = 0;
			batch_write(&putter->batch, value->socket, value->reg,
				    to);
		}
}

/* What clears the overflow bits of our counters in a status register; where
 * others count, no other ones. */
static const struct uc_register *clearing(const struct putter *putter,
					  const struct saved_value *status,
					  uint64_t *bits)
{
	const struct uc_family *family = putter->family;
	const struct saved *saved = putter->saved;
	const struct uc_register *reg = status->reg;
	const struct uc_register *control = uc_register_of(
		family, reg->box, reg->instance, UC_ROLE_OVF_CTL, reg->index);
	bool is_told = family->freeze &&
		       reg == &family->registers[family->freeze->status];

	*bits = saved->is_shared ? 0 : ~UINT64_C(0);
	for (size_t i = 0; saved->is_shared && i < saved->num; i++) {
		const struct uc_register *counter = saved->values[i].reg;
		struct overflow_place place;

		if (saved->values[i].socket != status->socket ||
		    !enable_is_counter(counter))
			continue;
		place = uc_overflow_place(
			family, counter->box, counter->instance,
			counter->role == UC_ROLE_FIXED_COUNTER
				? family->boxes[counter->box].num_counters
				: counter->index);
		if (is_told)
			*bits |= place.told;
		else if (place.status == reg)
			*bits |= place.bit;
	}
	return control ? control : reg;
}

static void add_overflows(struct putter *putter,
			  const struct uncore_target_op *now)
{
	const struct saved *saved = putter->saved;

	for (size_t i = 0; i < saved->num; i++) {
		const struct saved_value *value = &saved->values[i];
		const struct uc_register *control;
		uint64_t fresh = now[i].value & ~value->value, own;

		if (value->reg->role != UC_ROLE_GLOBAL_STATUS || !fresh)
			continue;
		control = clearing(putter, value, &own);
		if (fresh & own)
			batch_write(&putter->batch, value->socket, control,
				    fresh & own);
	}
}

static void add_enables(struct putter *putter,
			const struct uncore_target_op *now, bool is_switch)
{
	const struct saved *saved = putter->saved;

	for (size_t i = 0; i < saved->num; i++) {
		const struct saved_value *value = &saved->values[i];
		uint64_t own;

		if (value->reg->role != UC_ROLE_GLOBAL_CTL ||
		    enable_is_switch(putter->family, value->reg) != is_switch)
			continue;
		own = own_bits(putter, value->socket, value->reg);
		/* what is not ours may have changed since it was read */
		if (!own)
			continue;
		batch_write(&putter->batch, value->socket, value->reg,
			    (now[i].value & ~own) | (value->value & own));
	}
}

static void add_freezes(struct putter *putter)
{
	const struct uc_family *family = putter->family;

	for (size_t i = 0; i < putter->saved->num; i++) {
		const struct saved_value *value = &putter->saved->values[i];

		if (is_freeze(family, value->reg))
			batch_write(&putter->batch, value->socket, value->reg,
				    value->value | family->freeze->go);
	}
}

int saved_put_back(const struct saved *saved, struct uncore_target *target,
		   char **error)
{
	struct session_batch present = { 0 };
	struct putter putter = {
		.saved = saved,
		.family = family_row(uncore_target_family(target)),
	};
	int result;

	if (!saved->num)
		return 0;
	result = read_all(saved, target, &present, error);
	if (!present.has_failed) {
		add_settings(&putter, present.ops);
		add_overflows(&putter, present.ops);
		add_enables(&putter, present.ops, false);
		add_enables(&putter, present.ops, true);
		add_freezes(&putter);
		if (result)
			batch_run(&putter.batch, target, NULL);
		else
			result = batch_run(&putter.batch, target, error);
	}
	batch_free(&putter.batch);
	batch_free(&present);
	return result;
}

static bool is_programming(const struct uc_register *reg)
{
	return reg->role == UC_ROLE_GLOBAL_CTL ||
	       reg->role == UC_ROLE_CONTROL || reg->role == UC_ROLE_FIXED_CTL;
}

bool saved_is_back(const struct saved *saved, struct uncore_target *target)
{
	struct session_batch batch = { 0 };
	bool is_back = !read_all(saved, target, &batch, NULL);

	for (size_t i = 0; i < saved->num && is_back; i++)
		is_back = !is_programming(saved->values[i].reg) ||
			  batch.ops[i].value == saved->values[i].value;
	batch_free(&batch);
	return is_back;
}

void saved_free(struct saved *saved)
{
	free(saved->values);
	free(saved->places);
	*saved = (struct saved){ 0 };
}
