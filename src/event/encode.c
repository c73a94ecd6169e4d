/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * From a plan to register writes, in the order in which the guide sets a
 * session up (2.1.3) and a packet filter (2.5.3.4): reset of all counters;
 * filters off, sub-registers, match and mask; controls with the event and its
 * enable; filters on; box enables; the global enable.
 */
#include "event/plan.h"

#include <stdlib.h>

#include "uncore/error.h"

struct list {
	struct uncore_write *writes;
	size_t num, size;
	bool failed;
};

static void add(struct list *list, const struct uc_register *reg,
		uint64_t value)
{
	struct uncore_write *writes = list->writes;

	if (!reg || list->failed)
		return;
	if (list->num == list->size) {
		list->size = list->size ? 2 * list->size : 32;
		writes = realloc(writes, list->size * sizeof(*writes));
		if (!writes) {
			list->failed = true;
			return;
		}
		list->writes = writes;
	}
	list->writes[list->num++] = (struct uncore_write){
		.address = reg->address,
		.value = value,
		.name = reg->name,
	};
}

static uint64_t with(const struct uc_register *reg, const char *name,
		     uint64_t value)
{
	const struct uc_field *field =
		reg ? uc_field_find(reg->layout, name) : NULL;

	return field ? uc_field_put(field, 0, value) : 0;
}

static const struct uc_register *reg_of(const struct uncore_plan *plan,
					const struct plan_item *item,
					unsigned instance, enum uc_role role)
{
	return uc_register_of(plan->family, item->event->box_index, instance,
			      role, plan_index(item, role));
}

static bool is_in(const struct plan_item *item, unsigned instance)
{
	return instance >= item->first && instance <= item->last;
}

/* What all items up to `last` want in the register that this one uses. */
static uint64_t merged(const struct uncore_plan *plan,
		       const struct plan_item *item, unsigned instance,
		       enum uc_role role, size_t last)
{
	uint64_t value = 0;

	for (size_t i = 0; i <= last; i++) {
		const struct plan_item *other = &plan->items[i];

		if (other->event->box == item->event->box &&
		    is_in(other, instance) && other->view.claimed[role] &&
		    plan_index(other, role) == plan_index(item, role))
			value |= other->view.value[role];
	}
	return value;
}

/* Whether an earlier item of the list has the same register to write. */
static bool is_done(const struct uncore_plan *plan, size_t first, size_t index,
		    unsigned instance, enum uc_role role)
{
	const struct plan_item *item = &plan->items[index];

	for (size_t i = first; i < index; i++) {
		const struct plan_item *other = &plan->items[i];

		if (other->event->box == item->event->box &&
		    is_in(other, instance) && other->view.claimed[role] &&
		    plan_index(other, role) == plan_index(item, role))
			return true;
	}
	return false;
}

struct range {
	const struct uncore_plan *plan;
	size_t first, last;
};

/* One role of every item in every instance; `off` masks bits that must be 0
 * at this step, and only registers that have `field` (if not NULL) count. */
static void add_role(struct list *list, const struct range *range,
		     enum uc_role role, const char *field, bool off)
{
	for (size_t n = range->first; n <= range->last; n++) {
		const struct plan_item *item = &range->plan->items[n];

		if (!item->view.claimed[role])
			continue;
		for (unsigned i = item->first; i <= item->last; i++) {
			const struct uc_register *reg =
				reg_of(range->plan, item, i, role);

			if (!reg ||
			    is_done(range->plan, range->first, n, i, role))
				continue;
			if (field && !uc_field_find(reg->layout, field))
				continue;
			add(list, reg,
			    off ? 0
				: merged(range->plan, item, i, role,
					 range->last));
		}
	}
}

static void add_sub_registers(struct list *list, const struct range *range)
{
	static const enum uc_role order[] = {
		UC_ROLE_DSP, UC_ROLE_ISS,   UC_ROLE_MAP,  UC_ROLE_THR,
		UC_ROLE_PGT, UC_ROLE_PLD,   UC_ROLE_FVC,  UC_ROLE_IPERF,
		UC_ROLE_QLX, UC_ROLE_MATCH, UC_ROLE_MASK,
	};

	/* Match and mask may be written only while matching is off. */
	add_role(list, range, UC_ROLE_MM_CFG, "mm_en", true);
	for (size_t i = 0; i < sizeof(order) / sizeof(order[0]); i++)
		add_role(list, range, order[i], NULL, false);
	/* Filters without a switch of that kind are set up like the rest. */
	add_role(list, range, UC_ROLE_MM_CFG, "mm_trig_en", false);
}

static void add_controls(struct list *list, const struct range *range)
{
	for (size_t n = range->first; n <= range->last; n++) {
		const struct plan_item *item = &range->plan->items[n];
		enum uc_role role = event_control_role(item->event);

		for (unsigned i = item->first; i <= item->last; i++)
			add(list, reg_of(range->plan, item, i, role),
			    item->view.value[role]);
	}
}

static const struct uc_register *box_enable(const struct uncore_plan *plan,
					    const struct plan_item *item,
					    unsigned instance)
{
	unsigned span = item->event->box->global_span;

	return uc_register_of(plan->family, item->event->box_index, instance,
			      UC_ROLE_GLOBAL_CTL,
			      span ? item->counter / span : 0);
}

static uint64_t enable_bit(const struct plan_item *item,
			   const struct uc_register *reg)
{
	unsigned span = item->event->box->global_span;

	if (item->event->select == UC_SELECT_FIXED)
		return with(reg, "fixed_en", 1);
	if (uc_field_find(reg->layout, "ctr_en"))
		return with(reg, "ctr_en",
			    UINT64_C(1) << (span ? item->counter % span
						 : item->counter));
	return with(reg, "en", 1);
}

/* All enables up to `last` in one box enable register. */
static uint64_t enables(const struct uncore_plan *plan,
			const struct uc_register *reg, size_t last)
{
	uint64_t value = 0;

	for (size_t i = 0; i <= last; i++) {
		const struct plan_item *item = &plan->items[i];

		if (item->event->box_index == reg->box &&
		    is_in(item, reg->instance) &&
		    box_enable(plan, item, reg->instance) == reg)
			value |= enable_bit(item, reg);
	}
	return value;
}

static bool is_listed(const struct list *list, size_t first,
		      const struct uc_register *reg)
{
	for (size_t i = first; i < list->num; i++)
		if (list->writes[i].address == reg->address)
			return true;
	return false;
}

static void add_enables(struct list *list, const struct range *range)
{
	size_t start = list->num;

	for (size_t n = range->first; n <= range->last; n++) {
		const struct plan_item *item = &range->plan->items[n];

		for (unsigned i = item->first; i <= item->last; i++) {
			const struct uc_register *reg =
				box_enable(range->plan, item, i);

			/* The U-Box's own enable goes with en_all. */
			if (!reg || reg == range->plan->master ||
			    is_listed(list, start, reg))
				continue;
			add(list, reg, enables(range->plan, reg, range->last));
		}
	}
}

static uint64_t master_value(const struct uncore_plan *plan, size_t last,
			     bool run)
{
	uint64_t value = enables(plan, plan->master, last);

	return run ? value | with(plan->master, "en_all", 1) : value;
}

int uncore_plan_writes(const struct uncore_plan *plan, size_t first,
		       size_t last, struct uncore_write **writes,
		       size_t *num_writes, char **error)
{
	struct range range = { plan, first, last };
	struct list list = { 0 };

	if (!plan->num_items || last >= plan->num_items || first > last)
		return text_error(UNCORE_ERR_STATE, error,
				  "there is no event to encode");
	if (!plan->master)
		return text_error(UNCORE_ERR_NO_REGISTER, error,
				  "%s has no register that enables all boxes",
				  plan->family->name);
	add(&list, plan->master, with(plan->master, "rst_all", 1));
	add_sub_registers(&list, &range);
	add_controls(&list, &range);
	add_role(&list, &range, UC_ROLE_MM_CFG, "mm_en", false);
	add_enables(&list, &range);
	add(&list, plan->master, master_value(plan, last, true));
	if (list.failed) {
		free(list.writes);
		return UNCORE_ERR_NO_MEMORY;
	}
	*writes = list.writes;
	*num_writes = list.num;
	return 0;
}

static struct uncore_write master_write(const struct uncore_plan *plan,
					bool run)
{
	return (struct uncore_write){
		.address = plan->master->address,
		.value = plan->num_items
				 ? master_value(plan, plan->num_items - 1, run)
				 : 0,
		.name = plan->master->name,
	};
}

struct uncore_write uncore_plan_stop(const struct uncore_plan *plan)
{
	return master_write(plan, false);
}

struct uncore_write uncore_plan_start(const struct uncore_plan *plan)
{
	return master_write(plan, true);
}
