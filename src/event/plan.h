/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Which counter and which slot each of several events gets in each instance of
 * its box.
 */
#ifndef UNCORE_EVENT_PLAN_H
#define UNCORE_EVENT_PLAN_H

#include "event/need.h"

struct plan_place {
	unsigned counter, slot;
};

struct plan_item {
	const struct need *need;
	struct plan_place *places; /* one for each instance from need->first */
	bool is_repeated; /* an item before it needs the same at its places */
};

/* A register that starts and stops a domain, or a box of it. */
struct plan_switch {
	const struct uc_register *reg;
	const struct uc_domain *domain;
};

struct uncore_plan {
	const struct uc_family *family;
	struct plan_switch *switches; /* of the domains of its items */
	size_t num_switches;
	struct plan_item *items;
	size_t num_items;
	struct need *needs; /* NULL: somebody else's */
};

/* An event's places in another plan, which are to be kept where that is
 * possible; those of `keep` come first. */
struct plan_wish {
	const struct plan_item *like; /* NULL: none */
	bool keep;
};

/* A plan of events whose needs are known and live as long as it, with a wish
 * for each of them (NULL: none). */
int plan_new(const struct uc_family *family, const struct need *const *needs,
	     size_t num, const struct plan_wish *wishes,
	     struct uncore_plan **plan, char **error);

static inline bool plan_has(const struct plan_item *item, unsigned instance)
{
	return instance >= item->need->first && instance <= item->need->last;
}

static inline const struct plan_place *plan_place(const struct plan_item *item,
						  unsigned instance)
{
	return &item->places[instance - item->need->first];
}

/* Index of the register with a role that an item uses in a slot. */
unsigned plan_index(const struct plan_item *item, enum uc_role role,
		    const struct plan_place *place);

#endif
