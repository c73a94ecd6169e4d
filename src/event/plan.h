/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Which counter and which sub-registers each of several events gets.
 */
#ifndef UNCORE_EVENT_PLAN_H
#define UNCORE_EVENT_PLAN_H

#include "event/event.h"

struct plan_item {
	const struct uncore_event *event;
	struct event_view view; /* QLX at the place of its slot */
	unsigned first, last;	/* instances of the box */
	unsigned counter;
	unsigned slot;
	bool placed;
};

struct uncore_plan {
	const struct uc_family *family;
	const struct uc_register *master; /* global control of the socket */
	struct plan_item *items;
	size_t num_items;
};

/* Index of the register with a role that an item uses. */
unsigned plan_index(const struct plan_item *item, enum uc_role role);

/* The layout of the item's register with a role, or NULL. */
const struct uc_layout *plan_layout(const struct plan_item *item,
				    enum uc_role role);

bool plan_same_box(const struct plan_item *a, const struct plan_item *b);

/* Refuses two items that would change what the other one counts
 * (conflict.c). */
int plan_check(const struct plan_item *a, const struct plan_item *b,
	       char **error);

#endif
