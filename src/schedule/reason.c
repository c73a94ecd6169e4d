/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Why events take turns, in words. One sentence for each field of a register
 * that they need different, for the slots of each port and for the counters of
 * each box that are too few; where none of these names an event that takes
 * turns (it is groups that are too large), what keeps it out of a slice.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "event/conflict.h"
#include "schedule/schedule.h"
#include "uncore/error.h"

enum { MAX_NAMED = 5 }; /* events in a sentence; the rest are counted */

struct reasoning {
	struct uncore_schedule *schedule;
	struct problem *problem;
	size_t *events; /* that the sentence is about */
	size_t num;
	uint64_t *named;    /* set of events that some sentence is about */
	uint32_t *counters; /* those that a sentence was looked for of */
	int result;
};

static bool takes_turns(const struct reasoning *r, size_t event)
{
	return uncore_schedule_share(r->schedule, event) < 1;
}

static void add_event(struct reasoning *r, size_t event)
{
	for (size_t i = 0; i < r->num; i++)
		if (r->events[i] == event)
			return;
	r->events[r->num++] = event;
}

static const char *text_of(const struct reasoning *r, size_t event)
{
	return r->problem->needs[event].event->text;
}

static void say_events(const struct reasoning *r, struct text *text)
{
	size_t shown = r->num <= MAX_NAMED ? r->num : MAX_NAMED - 1;

	for (size_t i = 0; i < shown; i++)
		text_add(text, "%s'%s'",
			 !i		   ? ""
			 : i + 1 == r->num ? " and "
					   : ", ",
			 text_of(r, r->events[i]));
	if (shown < r->num)
		text_add(text, " and %zu more", r->num - shown);
}

/* What is said of an event is said of all that share its counter. */
static void name(struct reasoning *r, size_t event)
{
	const struct problem *problem = r->problem;

	set_join(r->named,
		 problem->kinds +
			 problem->needs[event].kind * problem->num_words,
		 problem->num_words);
}

/* The sentence is kept once, however many places it is true of. */
static void finish(struct reasoning *r, struct text *text)
{
	struct uncore_schedule *schedule = r->schedule;
	char *sentence;

	text_add(text, "; they take turns");
	sentence = text_take(text);
	if (!sentence || !array_room(&schedule->reasons, schedule->num_reasons,
				     sizeof(*schedule->reasons))) {
		free(sentence);
		r->result = UNCORE_ERR_NO_MEMORY;
		return;
	}
	for (size_t i = 0; i < r->num; i++)
		name(r, r->events[i]);
	for (size_t i = 0; i < schedule->num_reasons; i++)
		if (!strcmp(schedule->reasons[i], sentence)) {
			free(sentence);
			return;
		}
	schedule->reasons[schedule->num_reasons++] = sentence;
}

/* Fields */

struct quarrel {
	const struct uc_box *box;
	const struct uc_layout *layout;
	const struct uc_field *field;
	enum uc_role role;
};

static bool find_quarrel(const struct need *a, const struct need *b,
			 struct quarrel *quarrel)
{
	enum uc_role role;
	unsigned bit;

	if (!need_meets(a, b) || !need_differs(a, b, &role, &bit))
		return false;
	quarrel->box = a->event->box;
	quarrel->role = role;
	quarrel->layout =
		uc_layout_of(a->event->family, a->event->box_index, role);
	quarrel->field = event_field_at(quarrel->layout, bit);
	return quarrel->field;
}

static bool same_quarrel(const struct quarrel *a, const struct quarrel *b)
{
	return a->box == b->box && a->role == b->role && a->field == b->field;
}

static size_t next_contrary(const struct problem *problem, size_t one, size_t e)
{
	return set_next(problem->conflicts + one * problem->num_words, e,
			problem->num_words);
}

/* All that quarrel about the same field, directly or through others. */
static void gather_quarrel(struct reasoning *r, const struct quarrel *about)
{
	const struct problem *problem = r->problem;

	for (size_t i = 0; i < r->num; i++) {
		size_t one = r->events[i], e = 0;

		for (;
		     (e = next_contrary(problem, one, e)) < problem->num_events;
		     e++) {
			struct quarrel other;

			if (find_quarrel(&problem->needs[one],
					 &problem->needs[e], &other) &&
			    same_quarrel(about, &other))
				add_event(r, e);
		}
	}
}

static void say_quarrel(struct reasoning *r, const struct quarrel *quarrel)
{
	struct text text = { 0 };

	say_events(r, &text);
	text_add(&text, " need different ");
	for (const char *c = event_role_name(quarrel->role); *c; c++)
		text_add(&text, "%c", toupper((unsigned char)*c));
	text_add(&text, ".%s", quarrel->field->name);
	for (size_t i = 0; i < r->num && i < MAX_NAMED; i++)
		text_add(&text, "%s%llu", i ? ", " : " (",
			 (unsigned long long)uc_field_get(
				 quarrel->field,
				 r->problem->needs[r->events[i]]
					 .view.value[quarrel->role]));
	text_add(&text, "%s; %s bits %u:%u)", r->num > MAX_NAMED ? ", ..." : "",
		 quarrel->layout->name, quarrel->field->high,
		 quarrel->field->low);
	finish(r, &text);
}

/* The events of a sentence come in the order of the list; a sentence is said at
 * the first pair of it. */
static int by_number(const void *a, const void *b)
{
	size_t x = *(const size_t *)a, y = *(const size_t *)b;

	return x < y ? -1 : x > y;
}

static void explain_fields(struct reasoning *r)
{
	const struct problem *problem = r->problem;

	for (size_t i = 0; i < problem->num_events; i++)
		for (size_t j = i; (j = next_contrary(problem, i, j + 1)) <
				   problem->num_events;) {
			struct quarrel quarrel;

			if (!find_quarrel(&problem->needs[i],
					  &problem->needs[j], &quarrel))
				continue;
			r->num = 0;
			add_event(r, i);
			gather_quarrel(r, &quarrel);
			qsort(r->events, r->num, sizeof(size_t), by_number);
			if (r->events[0] == i)
				say_quarrel(r, &quarrel);
		}
}

/* Slots and counters */

static bool may_share_slot(const struct reasoning *r, size_t a, size_t b)
{
	return r->problem->needs[a].holds[0].content ==
	       r->problem->needs[b].holds[0].content;
}

static void explain_slots(struct reasoning *r, const struct place *place,
			  unsigned family)
{
	const struct need *first = NULL;
	struct text text = { 0 };
	unsigned slots = 0;

	r->num = 0;
	for (size_t e = 0; e < r->problem->num_events; e++) {
		const struct need *need = &r->problem->needs[e];
		bool fits = set_has(place->set, e) && need->has_home &&
			    need->holds[0].family == family;

		for (size_t i = 0; i < r->num && fits; i++)
			fits = !may_share_slot(r, e, r->events[i]);
		if (!fits)
			continue;
		slots |= need->holds[0].slots;
		first = first ? first : need;
		add_event(r, e);
	}
	if (r->num <= (unsigned)__builtin_popcount(slots) || !first)
		return;
	say_events(r, &text);
	text_add(&text, " are %zu settings for ", r->num);
	conflict_say_slots(first, slots, &text);
	finish(r, &text);
}

static void explain_counters(struct reasoning *r, const struct place *place,
			     uint32_t counters)
{
	const struct problem *problem = r->problem;
	unsigned room = (unsigned)__builtin_popcount(counters);
	struct text text = { 0 };

	r->num = 0;
	memset(problem->present, 0,
	       problem->num_words * sizeof(*problem->present));
	for (size_t e = 0; e < problem->num_events; e++) {
		const struct need *need = &problem->needs[e];

		if (!set_has(place->set, e) || (need->counters & ~counters) ||
		    set_has(problem->present, e))
			continue;
		set_join(problem->present,
			 problem->kinds + need->kind * problem->num_words,
			 problem->num_words);
		r->events[r->num++] = e;
	}
	if (r->num <= room)
		return;
	say_events(r, &text);
	if (room == 1)
		text_add(&text, " need counter %d of the %s",
			 __builtin_ctz(counters),
			 problem->family->boxes[place->box].guide_name);
	else
		text_add(&text, " are %zu events for the %u counters of the %s",
			 r->num, room,
			 problem->family->boxes[place->box].guide_name);
	finish(r, &text);
}

static void explain_place(struct reasoning *r, const struct place *place)
{
	const struct problem *problem = r->problem;
	uint64_t families = 0;
	size_t num = 0;

	for (size_t e = 0; e < problem->num_events; e++) {
		const struct need *need = &problem->needs[e];
		size_t n = 0;

		if (!set_has(place->set, e))
			continue;
		if (need->has_home)
			families |= UINT64_C(1) << need->holds[0].family;
		while (n < num && r->counters[n] != need->counters)
			n++;
		if (n < num)
			continue;
		r->counters[num++] = need->counters;
		explain_counters(r, place, need->counters);
	}
	for (unsigned f = 0; f < 64; f++)
		if (families >> f & 1)
			explain_slots(r, place, f);
}

/* What keeps a unit out of a slice. */
static bool explain_slice(struct reasoning *r, const struct unit *unit,
			  const struct schedule_slice *slice)
{
	const struct problem *problem = r->problem;

	for (size_t p = 0; p < problem->num_places; p++) {
		size_t num = problem_gather(problem, &problem->places[p],
					    slice->set, unit->set);
		struct text text = { 0 };

		if (conflict_none(problem->scratch, num))
			continue;
		num = conflict_shrink(problem->scratch, num);
		r->num = 0;
		for (size_t i = 0; i < num; i++)
			add_event(r, (size_t)(problem->scratch[i] -
					      problem->needs));
		conflict_say(problem->scratch, num, &text);
		finish(r, &text);
		return true;
	}
	return false;
}

/* Units that no sentence has named an event of. */
static void explain_rest(struct reasoning *r)
{
	const struct problem *problem = r->problem;

	for (size_t u = 0; u < problem->num_units; u++) {
		const struct unit *unit = &problem->units[u];
		bool named = false, waits = false;

		for (size_t e = 0;
		     (e = set_next(unit->set, e, problem->num_words)) !=
		     SIZE_MAX;
		     e++) {
			named |= set_has(r->named, e);
			waits |= takes_turns(r, e);
		}
		for (size_t s = 0;
		     waits && !named && s < r->schedule->num_slices; s++)
			if (!set_within(unit->set, r->schedule->slices[s].set,
					problem->num_words))
				named = explain_slice(r, unit,
						      &r->schedule->slices[s]);
	}
}

int schedule_explain(struct uncore_schedule *schedule)
{
	struct problem *problem = schedule->problem;
	struct reasoning r = { .schedule = schedule, .problem = problem };

	if (schedule->num_slices < 2)
		return 0;
	r.events = calloc(problem->num_events + 1, sizeof(*r.events));
	r.named = calloc(problem->num_words + 1, sizeof(*r.named));
	r.counters = calloc(problem->num_events + 1, sizeof(*r.counters));
	if (r.events && r.named && r.counters) {
		explain_fields(&r);
		for (size_t p = 0; p < problem->num_places; p++)
			explain_place(&r, &problem->places[p]);
		explain_rest(&r);
	} else {
		r.result = UNCORE_ERR_NO_MEMORY;
	}
	free(r.events);
	free(r.named);
	free(r.counters);
	return r.result;
}

int schedule_refuse(struct problem *problem, const struct unit *unit,
		    char **error)
{
	int code = UNCORE_ERR_CONFLICT;
	struct text text = { 0 };

	if (problem_fits(problem, problem->nothing, unit->set))
		return 0;
	for (size_t p = 0; p < problem->num_places; p++) {
		size_t num = problem_gather(problem, &problem->places[p],
					    unit->set, unit->set);

		if (conflict_none(problem->scratch, num))
			continue;
		num = conflict_shrink(problem->scratch, num);
		if (unit->name)
			text_add(&text, "%s cannot be measured: ", unit->name);
		code = conflict_say(problem->scratch, num, &text);
		break;
	}
	text_add(&text, "; they cannot be counted at the same time");
	return text_fail(&text, code, error);
}
