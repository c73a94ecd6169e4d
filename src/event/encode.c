/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * From a plan to register writes, in the order in which the guide sets a
 * session up (2.1.3) and a packet filter (2.5.3.4): reset of all counters;
 * filters off, sub-registers, match and mask; controls with the event and its
 * enable; filters on; box enables; what starts the domains.
 */
#include "event/plan.h"

#include <stdlib.h>

#include "base/array.h"
#include "table/enable.h"
#include "uncore/error.h"

struct list {
	struct uncore_write *writes;
	size_t num;
	bool failed;
};

static void add(struct list *list, const struct uc_register *reg,
		uint64_t value)
{
	if (reg && !array_room(&list->writes, list->num, sizeof(*list->writes)))
		list->failed = true;
	if (!reg || list->failed)
		return;
	list->writes[list->num++] = (struct uncore_write){
		.address = reg->address,
		.value = value,
		.name = reg->name,
	};
}

/* What every register is to hold: of all items up to the last one, ORed. */
struct image {
	const struct uncore_plan *plan;
	size_t first, last;
	uint64_t *value;   /* by the register's index in the family */
	uint64_t *enables; /* likewise: of box enables, the bits that are set */
	uint8_t *listed;   /* the last step in which it was, from 1 on */
	uint8_t step;	   /* that is being listed */
	struct list *list;
	const struct need *viewed; /* whose view this is, in that slot */
	unsigned slot;
	struct event_view view;
};

static size_t index_of(const struct image *image, const struct uc_register *reg)
{
	return (size_t)(reg - image->plan->family->registers);
}

static const struct uc_register *reg_of(const struct image *image,
					const struct plan_item *item,
					unsigned instance, enum uc_role role)
{
	return uc_register_of(
		image->plan->family, item->need->event->box_index, instance,
		role, plan_index(item, role, plan_place(item, instance)));
}

/* The view of an item in an instance, until the next one is looked at; of
 * neighbours it is often the same. */
static const struct event_view *
view_of(struct image *image, const struct plan_item *item, unsigned instance)
{
	unsigned slot = plan_place(item, instance)->slot;

	if (image->viewed != item->need || image->slot != slot)
		need_view(item->need, slot, &image->view);
	image->viewed = item->need;
	image->slot = slot;
	return &image->view;
}

static void draw_item(struct image *image, const struct plan_item *item,
		      unsigned instance)
{
	const struct event_view *view = view_of(image, item, instance);

	for (unsigned i = 0; i < UC_NUM_ROLES; i++) {
		enum uc_role role = (enum uc_role)i;
		const struct uc_register *reg;

		if (!view->value[i])
			continue;
		reg = reg_of(image, item, instance, role);
		if (reg)
			image->value[index_of(image, reg)] |= view->value[i];
	}
}

static void begin_step(struct image *image)
{
	image->step++;
}

/* Lists a register once in a step. */
static void add_once(const struct image *image, const struct uc_register *reg,
		     uint64_t value)
{
	if (!reg || image->listed[index_of(image, reg)] == image->step)
		return;
	image->listed[index_of(image, reg)] = image->step;
	add(image->list, reg, value);
}

/* One role of every item in every instance; `off` writes 0, and only registers
 * that have `field` (if not NULL) count. */
static void add_role(struct image *image, enum uc_role role, const char *field,
		     bool off)
{
	begin_step(image);
	for (size_t n = image->first; n <= image->last; n++) {
		const struct plan_item *item = &image->plan->items[n];

		for (unsigned i = item->need->first; i <= item->need->last;
		     i++) {
			const struct uc_register *reg;

			if (!item->need->num_holds &&
			    !item->need->view.claimed[role])
				break;
			if (!view_of(image, item, i)->claimed[role])
				continue;
			reg = reg_of(image, item, i, role);
			if (!reg ||
			    (field && !uc_field_find(reg->layout, field)))
				continue;
			add_once(image, reg,
				 off ? 0 : image->value[index_of(image, reg)]);
		}
	}
}

/* The sub-registers that are no switches of filters, or those that are. */
static void add_subs(struct image *image, bool switches, const char *field,
		     bool off)
{
	for (unsigned role = UC_FIRST_SUB_ROLE; role < UC_NUM_ROLES; role++)
		if ((uc_role_kinds[role] == UC_ROLE_IS_SWITCH) == switches)
			add_role(image, (enum uc_role)role, field, off);
}

static void add_sub_registers(struct image *image)
{
	/* Match and mask may be written only while matching is off. */
	add_subs(image, true, "mm_en", true);
	add_subs(image, false, NULL, false);
	/* Filters without a switch of that kind are set up like the rest. */
	add_subs(image, true, "mm_trig_en", false);
}

/* Events that share a counter share its control. */
static void add_controls(struct image *image)
{
	begin_step(image);
	for (size_t n = image->first; n <= image->last; n++) {
		const struct plan_item *item = &image->plan->items[n];
		enum uc_role role = event_control_role(item->need->event);

		for (unsigned i = item->need->first; i <= item->need->last;
		     i++) {
			const struct uc_register *reg =
				reg_of(image, item, i, role);

			if (reg)
				add_once(image, reg,
					 image->value[index_of(image, reg)]);
		}
	}
}

static const struct uc_register *box_enable(const struct uncore_plan *plan,
					    const struct plan_item *item,
					    unsigned instance)
{
	const struct uncore_event *event = item->need->event;
	unsigned span = event->box->global_span;

	return uc_register_of(
		plan->family, event->box_index, instance, UC_ROLE_GLOBAL_CTL,
		span ? plan_place(item, instance)->counter / span : 0);
}

static uint64_t enable_bit(const struct plan_item *item, unsigned instance,
			   const struct uc_register *reg)
{
	const struct uncore_event *event = item->need->event;
	unsigned counter = plan_place(item, instance)->counter;
	unsigned span = event->box->global_span;

	return uc_enable_box_bits(reg, event->select == UC_SELECT_FIXED,
				  span ? counter % span : counter);
}

/* The bits that an item sets in the register that enables its box. */
static uint64_t enable_of(const struct uncore_plan *plan,
			  const struct plan_item *item, unsigned instance,
			  const struct uc_register **reg)
{
	*reg = box_enable(plan, item, instance);
	return *reg ? enable_bit(item, instance, *reg) : 0;
}

static void draw(struct image *image)
{
	for (size_t n = 0; n <= image->last; n++) {
		const struct plan_item *item = &image->plan->items[n];

		/* what another one has drawn already */
		if (item->is_repeated)
			continue;
		for (unsigned i = item->need->first; i <= item->need->last;
		     i++) {
			const struct uc_register *reg;
			uint64_t bits = enable_of(image->plan, item, i, &reg);

			if (reg)
				image->enables[index_of(image, reg)] |= bits;
			draw_item(image, item, i);
		}
	}
}

static bool is_switch(const struct uncore_plan *plan,
		      const struct uc_register *reg)
{
	for (size_t i = 0; i < plan->num_switches; i++)
		if (plan->switches[i].reg == reg)
			return true;
	return false;
}

static void add_enables(struct image *image)
{
	begin_step(image);
	for (size_t n = image->first; n <= image->last; n++) {
		const struct plan_item *item = &image->plan->items[n];

		for (unsigned i = item->need->first; i <= item->need->last;
		     i++) {
			const struct uc_register *reg =
				box_enable(image->plan, item, i);

			/* One in a switch goes with it. */
			if (reg && !is_switch(image->plan, reg) &&
			    image->listed[index_of(image, reg)] != image->step)
				add_once(image, reg,
					 image->enables[index_of(image, reg)]);
		}
	}
}

/* With it go the enables of the box whose register it is. */
static uint64_t switch_value(const struct uncore_plan *plan,
			     const struct plan_switch *of, size_t last,
			     bool run)
{
	uint64_t value = run ? of->domain->run : of->domain->stop;
	const struct uc_register *reg;

	for (size_t n = 0; n <= last && n < plan->num_items; n++) {
		const struct plan_item *item = &plan->items[n];
		unsigned instance = of->reg->instance;

		if (item->is_repeated ||
		    item->need->event->box_index != of->reg->box ||
		    !plan_has(item, instance))
			continue;
		if (box_enable(plan, item, instance) == of->reg)
			value |= enable_of(plan, item, instance, &reg);
	}
	return value;
}

/* Whether events number first to last are of what it switches. */
static bool is_used(const struct image *image, const struct plan_switch *of)
{
	for (size_t n = image->first; n <= image->last; n++) {
		const struct need *need = image->plan->items[n].need;
		bool is_box = need->event->box_index == of->reg->box &&
			      of->reg->instance >= need->first &&
			      of->reg->instance <= need->last;

		if (of->domain->boxes >> need->event->box_index & 1 &&
		    (of->domain->scope == UC_SCOPE_SOCKET || is_box))
			return true;
	}
	return false;
}

static void add_switches(const struct image *image, bool run)
{
	const struct uncore_plan *plan = image->plan;

	for (size_t i = 0; i < plan->num_switches; i++) {
		const struct plan_switch *of = &plan->switches[i];

		if (is_used(image, of))
			add(image->list, of->reg,
			    run ? switch_value(plan, of, image->last, true)
				: of->domain->stop | of->domain->reset);
	}
}

static void list_all(struct image *image)
{
	draw(image);
	add_switches(image, false);
	add_sub_registers(image);
	add_controls(image);
	add_subs(image, true, "mm_en", false);
	add_enables(image);
	add_switches(image, true);
}

int uncore_plan_writes(const struct uncore_plan *plan, size_t first,
		       size_t last, struct uncore_write **writes,
		       size_t *num_writes, char **error)
{
	size_t num = plan->family->num_registers;
	struct list list = { 0 };
	struct image image = {
		.plan = plan,
		.first = first,
		.last = last,
		.list = &list,
	};

	if (!plan->num_items || last >= plan->num_items || first > last)
		return text_error(UNCORE_ERR_STATE, error,
				  "there is no event to encode");
	image.value = calloc(num + 1, sizeof(*image.value));
	image.enables = calloc(num + 1, sizeof(*image.enables));
	image.listed = calloc(num + 1, sizeof(*image.listed));
	if (image.value && image.enables && image.listed)
		list_all(&image);
	else
		list.failed = true;
	free(image.value);
	free(image.enables);
	free(image.listed);
	if (list.failed) {
		free(list.writes);
		return UNCORE_ERR_NO_MEMORY;
	}
	*writes = list.writes;
	*num_writes = list.num;
	return 0;
}

bool uncore_plan_switch(const struct uncore_plan *plan, size_t index,
			struct uncore_switch *out)
{
	const struct plan_switch *of;
	size_t last;

	if (index >= plan->num_switches)
		return false;
	of = &plan->switches[index];
	last = plan->num_items - 1;
	*out = (struct uncore_switch){
		.address = of->reg->address,
		.name = of->reg->name,
		.start = switch_value(plan, of, last, true),
		.stop = switch_value(plan, of, last, false),
		.reset = of->domain->stop | of->domain->reset,
	};
	return true;
}
