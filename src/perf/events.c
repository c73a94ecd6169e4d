/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Names of the kernel's, and of lists, as events of a live family.
 */
#include <string.h>

#include "perf/family.h"
#include "perf/live.h"

/* What is said twice, by a term and one around it say, is one in the other, as
 * perf does it. */
static bool add_to(struct uc_set *set, const struct perf_term *term,
		   uint64_t value)
{
	uint8_t low = set->low < term->low ? set->low : term->low;

	if (set->role != term->role || set->high < term->low ||
	    term->high < set->low)
		return false;
	set->value =
		set->value << (set->low - low) | value << (term->low - low);
	set->high = set->high > term->high ? set->high : term->high;
	set->low = low;
	return true;
}

static bool set_term(const struct perf_box *box, const struct perf_term *term,
		     uint64_t value, struct uc_event *event)
{
	struct uc_set *sets = (struct uc_set *)event->sets;

	for (unsigned i = 0; i < event->num_sets; i++)
		if (add_to(&sets[i], term, value))
			return true;
	if (!term->role || event->num_sets == box->num_terms)
		return false;
	if (live_is_code(term) && term->role == UC_ROLE_CONTROL)
		event->code |= value;
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

/* One term of an alias; false and why not. */
static bool add_term(const struct perf_box *box, const struct perf_said *said,
		     struct uc_event *event, struct text *why)
{
	const struct perf_term *term = perf_term_find(box, said->name);
	bool has_room;

	if (said->is == PERF_SAID_BAD) {
		text_add(why, "%s=%s is no number", said->name, said->text);
		return false;
	}
	if (!perf_term_takes(box, said->name,
			     said->is == PERF_SAID_ASK ? 0 : said->value, why))
		return false;
	if (term && said->is == PERF_SAID_ASK && live_is_code(term)) {
		text_add(why, "it leaves the code open: type %s/%s=CODE/",
			 box->name, term->name);
		return false;
	}
	if (term && said->is == PERF_SAID_ASK)
		has_room = ask_for_term(box, term, event);
	else if (term)
		has_room = set_term(box, term, said->value, event);
	else
		has_room = said->is == PERF_SAID_VALUE &&
			   set_word(box, (unsigned)perf_word_named(said->name),
				    said->value, event);
	if (!has_room)
		text_add(why, "there is no room for '%s' beside the others",
			 said->name);
	return has_room;
}

/* What an alias says of its terms; false and why not. */
static bool add_terms(struct live *live, const struct perf_box *box,
		      const char *terms, struct uc_event *event,
		      struct text *why)
{
	struct perf_said said;
	bool fits = true;

	event->sets =
		arena_room(&live->arena, box->num_terms, sizeof(*event->sets));
	event->params = arena_room(&live->arena, box->num_terms,
				   sizeof(*event->params));
	if (!event->sets || !event->params)
		return false;
	while (fits && (terms = perf_terms_next(terms, &said)))
		fits = add_term(box, &said, event, why);
	return fits;
}

/* The terms, or why the alias cannot be used. */
static void fill_in(struct live *live, const struct perf_box *box,
		    const struct perf_alias *alias, struct uc_event *event)
{
	struct text why = { 0 };

	if (alias->why)
		event->excluded = alias->why;
	else if (!add_terms(live, box, alias->terms, event, &why))
		event->excluded =
			arena_say(&live->arena, "the kernel says %.200s: %s",
				  alias->terms, why.data ? why.data : "");
	if (event->excluded)
		event->num_sets = event->num_params = 0;
	for (unsigned i = 0; i < event->num_sets; i++)
		event->roles |= UINT32_C(1) << event->sets[i].role;
	for (unsigned i = 0; i < event->num_params; i++)
		event->roles |= UINT32_C(1) << event->params[i].role;
	text_free(&why);
}

static const char *note_of(struct live *live, const struct perf_alias *alias)
{
	if (!alias->unit && alias->scale == 1)
		return "";
	return arena_say(&live->arena, "a count is %.12g %s", alias->scale,
			 alias->unit ? alias->unit : "");
}

/* Words of the kernel's name instead of a text that nobody has given. */
static const char *brief_of(struct live *live, const struct perf_box *box,
			    const struct perf_alias *alias)
{
	if (alias->brief)
		return alias->brief;
	return arena_say(&live->arena, "The kernel's name for %s of %s",
			 alias->terms, box->pmu->name);
}

/* How many counters there are may be a guess: a list that names others only is
 * right. */
static uint32_t counters_of(const struct perf_box *box,
			    const struct perf_alias *alias)
{
	uint32_t all = (uint32_t)uc_bits(box->num_counters - 1u, 0);

	return alias->counters & all ? alias->counters & all : all;
}

/* Where the event is counted, fields of the control, and terms that an alias
 * asks for. */
static void add_options(struct live *live, const struct perf_box *of,
			struct uc_box *box)
{
	struct uc_option *options = arena_room(
		&live->arena, 2 * of->num_terms + 1, sizeof(*options));
	uint16_t num = 0, first;

	if (!options)
		return;
	options[num++] = (struct uc_option){ "counter", true };
	for (unsigned i = 0; i < of->num_terms; i++)
		if (of->terms[i].role == UC_ROLE_CONTROL)
			options[num++] = (struct uc_option){
				perf_canonical(of->terms[i].name),
				of->terms[i].high > of->terms[i].low
			};
	first = num;
	for (unsigned e = 0; e < box->num_events; e++)
		for (unsigned i = 0; i < box->events[e].num_params; i++) {
			const char *name = box->events[e].params[i].name;
			uint16_t n = first;

			while (n < num && strcmp(options[n].name, name))
				n++;
			if (n == num)
				options[num++] =
					(struct uc_option){ name, true };
		}
	box->options = options;
	box->num_options = num;
}

void live_add_events(struct live *live, unsigned index, struct uc_box *box)
{
	const struct perf_box *of = &live->pmus.boxes[index];
	struct uc_event *events =
		arena_room(&live->arena, of->num_aliases, sizeof(*events));

	for (unsigned i = 0; events && i < of->num_aliases; i++) {
		const struct perf_alias *alias = &of->aliases[i];
		struct uc_event event = {
			.name = alias->name,
			.brief = brief_of(live, of, alias),
			.note = note_of(live, alias),
			.category = alias->brief ? "vendor's list" : "sysfs",
			.source = alias->brief ? "vendor's list" : "sysfs",
			.counters = counters_of(of, alias),
			.max_increment = 1,
			.box = (uint8_t)index,
			.select = UC_SELECT_EV_SEL,
			.unit = alias->unit,
			.scale = alias->scale,
		};

		fill_in(live, of, alias, &event);
		events[box->num_events++] = event;
	}
	box->events = events;
	add_options(live, of, box);
}
