/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Names of the kernel's, and of lists, as events of a live family.
 */
#include <string.h>

#include "perf/live.h"

static bool set_term(const struct perf_box *box, const struct perf_term *term,
		     uint64_t value, struct uc_event *event)
{
	struct uc_set *sets = (struct uc_set *)event->sets;

	if (!term->role || event->num_sets == box->num_terms)
		return false;
	if (live_is_code(term) && term->role == UC_ROLE_CONTROL)
		event->code = (uint32_t)value;
	else
		sets[event->num_sets++] = (struct uc_set){
			.field = term->name,
			.value = value,
			.role = term->role,
			.high = term->high,
			.low = term->low,
		};
	return true;
}

/* config1=0x2f is all of a word: what that is of its terms. False if there are
 * bits in it that no term has. */
static bool set_word(const struct perf_box *box, unsigned number,
		     uint64_t value, struct uc_event *event)
{
	for (unsigned i = 0; i < box->num_terms; i++) {
		const struct perf_term *term = &box->terms[i];
		uint64_t part = perf_term_get(term, value);

		if (term->word != number || live_term_around(box, term))
			continue;
		value &= ~term->bits;
		if (part && !set_term(box, term, part, event))
			return false;
	}
	return !value;
}

/* 0 to 3 for the names that perf has for the words themselves, else -1. */
static int word_named(const char *name)
{
	static const char *const names[PERF_NUM_WORDS] = { "config", "config1",
							   "config2",
							   "config3" };

	for (int i = 0; i < PERF_NUM_WORDS; i++)
		if (!strcmp(name, names[i]))
			return i;
	return -1;
}

static bool ask_for_term(const struct perf_box *box,
			 const struct perf_term *term, struct uc_event *event)
{
	struct uc_param *params = (struct uc_param *)event->params;

	if (!term->role || event->num_params == box->num_terms)
		return false;
	params[event->num_params++] = (struct uc_param){
		.name = term->name,
		.role = term->role,
		.high = term->high,
		.low = term->low,
	};
	return true;
}

/* What an alias says of its terms; false if one of them is not there. */
static bool add_terms(struct live *live, const struct perf_box *box,
		      const char *terms, struct uc_event *event)
{
	const struct perf_term *term;
	uint64_t value;
	bool has_value, has_room = true;
	char name[64];

	event->sets = live_room(live, box->num_terms, sizeof(*event->sets));
	event->params = live_room(live, box->num_terms, sizeof(*event->params));
	if (!event->sets || !event->params)
		return false;
	while (has_room &&
	       (terms = perf_terms_next(terms, name, &value, &has_value))) {
		term = perf_term_find(box, name);
		if (term && has_value)
			has_room = set_term(box, term, value, event);
		else if (term)
			has_room = ask_for_term(box, term, event);
		else
			has_room = word_named(name) >= 0 &&
				   set_word(box, (unsigned)word_named(name),
					    value, event);
	}
	return has_room;
}

static const char *note_of(struct live *live, const struct perf_alias *alias)
{
	if (!alias->unit && alias->scale == 1)
		return "";
	return live_text(live, "a count is %.12g %s", alias->scale,
			 alias->unit ? alias->unit : "");
}

/* Words of the kernel's name instead of a text that nobody has given. */
static const char *brief_of(struct live *live, const struct perf_box *box,
			    const struct perf_alias *alias)
{
	if (alias->brief)
		return alias->brief;
	return live_text(live, "The kernel's name for %s of %s", alias->terms,
			 box->pmu->name);
}

const struct uc_event *live_events(struct live *live, unsigned box,
				   unsigned *num)
{
	const struct perf_box *of = &live->pmus.boxes[box];
	struct uc_event *events =
		live_room(live, of->num_aliases, sizeof(*events));

	*num = 0;
	for (unsigned i = 0; events && i < of->num_aliases; i++) {
		const struct perf_alias *alias = &of->aliases[i];
		struct uc_event event = {
			.name = alias->name,
			.brief = brief_of(live, of, alias),
			.note = note_of(live, alias),
			.category = alias->brief ? "Intel's list" : "sysfs",
			.source = alias->brief ? "Intel's list" : "sysfs",
			.counters = alias->counters &
				    ((1u << of->num_counters) - 1),
			.max_increment = 1,
			.box = (uint8_t)box,
			.select = UC_SELECT_EV_SEL,
			.unit = alias->unit,
			.scale = alias->scale,
		};

		if (add_terms(live, of, alias->terms, &event))
			events[(*num)++] = event;
	}
	return events;
}
