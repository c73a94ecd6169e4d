/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Why events cannot be counted at the same time, in words: which bits of which
 * register they want different, which slot or counter there is only one of.
 */
#include "event/conflict.h"

#include <ctype.h>
#include <string.h>

#include "event/assign.h"
#include "uncore/error.h"

bool conflict_none(const struct need *const *needs, size_t num)
{
	return needs_agree(needs, num) && assign_fits(needs, num);
}

static void drop(const struct need **needs, size_t *num, size_t index)
{
	--*num;
	for (size_t i = index; i < *num; i++)
		needs[i] = needs[i + 1];
}

/* Two with a register to quarrel about say most. */
static bool keep_pair(const struct need **needs, size_t num)
{
	enum uc_role role;
	unsigned bit;

	for (size_t i = 0; i < num; i++)
		for (size_t j = 0; j < i; j++)
			if (need_differs(needs[i], needs[j], &role, &bit)) {
				const struct need *second = needs[i];

				needs[0] = needs[j];
				needs[1] = second;
				return true;
			}
	return false;
}

size_t conflict_shrink(const struct need **needs, size_t num)
{
	if (keep_pair(needs, num))
		return 2;
	for (size_t i = num; i-- > 0;) {
		const struct need *out = needs[i];
		size_t fewer = num;

		drop(needs, &fewer, i);
		if (!assign_fits(needs, fewer)) {
			num = fewer;
			continue;
		}
		for (size_t j = fewer; j > i; j--)
			needs[j] = needs[j - 1];
		needs[i] = out;
	}
	return num;
}

static void say_names(const struct need *const *needs, size_t num,
		      struct text *text)
{
	for (size_t i = 0; i < num; i++)
		text_add(text, "%s'%s'",
			 !i	       ? ""
			 : i + 1 < num ? ", "
				       : " and ",
			 needs[i]->event->text);
}

static void say_upper(const char *name, struct text *text)
{
	for (; *name; name++)
		text_add(text, "%c", toupper((unsigned char)*name));
}

static void say_field(const struct need *a, const struct need *b,
		      enum uc_role role, unsigned bit, struct text *text)
{
	const struct uc_layout *layout =
		uc_layout_of(a->event->family, a->event->box_index, role);
	const struct uc_field *field = event_field_at(layout, bit);

	text_add(text, " need different values of ");
	say_upper(event_role_name(role), text);
	if (!field) {
		text_add(text, " bit %u", bit);
		return;
	}
	text_add(text, ".%s (%s bits %u:%u): %llu and %llu", field->name,
		 layout->name, field->high, field->low,
		 (unsigned long long)uc_field_get(field, a->view.value[role]),
		 (unsigned long long)uc_field_get(field, b->view.value[role]));
}

/* The slots of twins are fields: "(evnt fields) of REG". */
static void say_twins(const struct uncore_event *event, struct text *text)
{
	const struct uc_twins *twins = event->box->twins;
	enum uc_role role = (enum uc_role)twins->role;
	const struct uc_field *field = event_field_at(
		uc_layout_of(event->family, event->box_index, role),
		twins->low[0]);

	text_add(text, "(%.*s fields) of ",
		 (int)strcspn(field->name, "0123456789"), field->name);
	say_upper(event_role_name(role), text);
}

void conflict_say_slots(const struct need *need, unsigned slots,
			struct text *text)
{
	const struct uncore_event *event = need->event;

	if (slots & (slots - 1))
		text_add(text, "the %d slots ", __builtin_popcount(slots));
	else
		text_add(text, "slot %d ", __builtin_ctz(slots | 256));
	if (event->port == EVENT_ANY)
		say_twins(event, text);
	else
		text_add(text, "(%s) of port %s", event_routed(event)->title,
			 event->family->num_ports > (unsigned)event->port
				 ? event->family->ports[event->port].name
				 : "?");
}

static void say_slot(const struct need *const *needs, size_t num,
		     struct text *text)
{
	unsigned slots = 0;

	for (size_t i = 0; i < num; i++)
		slots |= needs[i]->num_holds ? needs[i]->holds[0].slots : 0;
	text_add(text, " are %zu settings for ", num);
	conflict_say_slots(needs[0], slots, text);
	if (needs[num - 1]->event->slot != EVENT_ANY)
		text_add(text,
			 " (without slot=%d the last one could have slot %d)",
			 needs[num - 1]->event->slot,
			 !needs[num - 1]->event->slot);
}

/* What would do, where it is an option that stands in the way. */
static void say_other_counter(const struct need *need, struct text *text)
{
	uint32_t others = need->row_counters & ~need->counters;

	if (need->event->counter != EVENT_ANY && others)
		text_add(text,
			 " (without counter=%d the last one could have counter "
			 "%d)",
			 need->event->counter, __builtin_ctz(others));
}

static int say_counter(const struct need *const *needs, size_t num,
		       struct text *text)
{
	const struct uc_box *box = needs[0]->event->box;
	uint32_t counters = 0;

	for (size_t i = 0; i < num; i++)
		counters |= needs[i]->counters;
	if (__builtin_popcount(counters) > 1) {
		text_add(text,
			 " are %zu events for the %d counters of the %s that "
			 "could count them",
			 num, __builtin_popcount(counters), box->guide_name);
		return UNCORE_ERR_NO_COUNTER;
	}
	text_add(text, " need the same counter of the %s, counter %d",
		 box->guide_name, __builtin_ctz(counters | 1u << 31));
	say_other_counter(needs[num - 1], text);
	return UNCORE_ERR_CONFLICT;
}

int conflict_say(const struct need *const *needs, size_t num, struct text *text)
{
	enum uc_role role;
	unsigned bit;

	say_names(needs, num, text);
	if (num == 2 && need_differs(needs[0], needs[1], &role, &bit)) {
		say_field(needs[0], needs[1], role, bit, text);
		return UNCORE_ERR_CONFLICT;
	}
	if (assign_without_wish(needs, num) == ASSIGN_NO_COUNTER)
		return say_counter(needs, num, text);
	say_slot(needs, num, text);
	return UNCORE_ERR_CONFLICT;
}
