/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Whether anything can pass what an event's filter is set to: nothing on any
 * processor, or nothing on a model, which lacks what the filter asks for.
 */
#include "event/passes.h"

#include <stdlib.h>

#include "event/filter.h"

struct uncore_event *event_named(struct uncore_event *event)
{
	const struct uncore_family *family =
		(const struct uncore_family *)event->family;
	struct uncore_event *found = NULL;
	struct uncore_plan *plan = NULL;
	struct uncore_write *writes = NULL;
	char *text = NULL;
	size_t num_writes = 0;

	if (uncore_plan_new(family, &event, 1, &plan, NULL))
		return NULL;
	if (!uncore_plan_writes(plan, 0, 0, &writes, &num_writes, NULL)) {
		for (size_t i = 0; i < num_writes && !text; i++) {
			struct uncore_write first = writes[0];

			writes[0] = writes[i];
			writes[i] = first;
			uncore_event_decode(family, writes, num_writes, &text,
					    NULL);
		}
	}
	if (text)
		uncore_event_parse(family, text, &found, NULL);
	uncore_plan_free(plan);
	free(writes);
	free(text);
	return found;
}

/* The words of an event that are in force, with what they are set to. */
struct settings {
	struct filter_request words;
	struct event_view view;
	uint64_t value[EVENT_MAX_FILTERS];
};

static void read_settings(const struct uncore_event *event,
			  struct settings *settings)
{
	struct filter_request all;

	filter_of_event(event, &all);
	event_view(event, &settings->view);
	settings->words = (struct filter_request){ .family = event->family };
	for (unsigned n = 0; n < all.num; n++) {
		unsigned *num = &settings->words.num;

		if (!filter_is_on(all.words[n], &settings->view) ||
		    !settings->view.claimed[all.words[n]->match_role])
			continue;
		settings->value[*num] =
			filter_bits_of(all.words[n], &settings->view).match;
		settings->words.words[(*num)++] = all.words[n];
	}
}

static void say_value(const struct uc_filter_word *word, uint64_t value,
		      struct text *text)
{
	for (unsigned i = 0; i < word->num_choices; i++)
		if (word->choices[i].codes == value) {
			text_add(text, "%s=%s", word->name,
				 word->choices[i].name);
			return;
		}
	text_add(text, word->num_choices ? "%s=0x%llx" : "%s=%llu", word->name,
		 (unsigned long long)value);
}

/* What to ask for instead. */
static void say_others(const struct uc_filter_word *word, struct text *text)
{
	const char *before = "; there are ";

	if (!word->num_choices)
		text_add(text, "; leave %s out, and all count", word->name);
	for (unsigned i = 0; i < word->num_choices; i++)
		if (!word->choices[i].is_lacking) {
			text_add(text, "%s%s", before, word->choices[i].name);
			before = ", ";
		}
}

/* Whether a word switches others on, and compares nothing itself. */
static bool is_switch(const struct uc_filter_word *word)
{
	return word->kind == UC_WORD_NUMBER && word->is == UC_HEADER_NONE &&
	       word->initial;
}

/* Whether the model has nothing that the word's value would let pass: an
 * attribute that it gives to nothing, or a code that no packet there has. */
static bool is_lacking(const struct uc_filter_word *word, uint64_t value)
{
	bool has_part = false;

	if (value == word->initial || is_switch(word))
		return false;
	if (word->kind == UC_WORD_NUMBER)
		return word->is == UC_HEADER_NONE;
	for (unsigned i = 0; i < word->num_choices; i++) {
		has_part |= word->choices[i].is_lacking;
		if (word->choices[i].codes == value)
			return word->choices[i].is_lacking;
	}
	return has_part && value;
}

char *event_lacking(const struct uncore_event *event)
{
	struct settings settings;
	struct text text = { 0 };

	read_settings(event, &settings);
	for (unsigned n = 0; n < settings.words.num && !text.data; n++) {
		const struct uc_filter_word *word = settings.words.words[n];

		if (!is_lacking(word, settings.value[n]))
			continue;
		text_add(&text, "nothing on the model has ");
		say_value(word, settings.value[n], &text);
		text_add(&text, "%s%s", word->note ? ": " : "",
			 word->note ? word->note : "");
		say_others(word, &text);
	}
	return text.data ? text_take(&text) : NULL;
}

/* Traits come in pairs of opposites, of which each request has one. */
static bool is_opposite(const struct uc_filter_word *a,
			const struct uc_filter_word *b)
{
	return b->is == UC_HEADER_TRAIT && b->match_from == (a->match_from ^ 1);
}

/* Whether a 0 of this word lets nothing pass, with what else is 0. */
static bool closes(const struct settings *settings, unsigned number)
{
	const struct uc_filter_word *word = settings->words.words[number];

	if (word->sense == UC_SENSE_ONEHOT || is_switch(word))
		return word->initial;
	if (word->is == UC_HEADER_CORE_OPCODE)
		return true;
	for (unsigned n = 0; n < settings->words.num; n++)
		if (word->is == UC_HEADER_TRAIT && !settings->value[n] &&
		    is_opposite(word, settings->words.words[n]))
			return true;
	return false;
}

/* A switch that is off is no fault where what it switches on is set. */
static bool is_used(const struct settings *settings)
{
	for (unsigned n = 0; n < settings->words.num; n++)
		if (settings->words.words[n]->is == UC_HEADER_SOME_OPCODE &&
		    settings->value[n])
			return true;
	return false;
}

static void add_closed(const struct settings *settings, struct text *text)
{
	for (unsigned n = 0; n < settings->words.num; n++) {
		const struct uc_filter_word *word = settings->words.words[n];

		if (!settings->value[n] && closes(settings, n) &&
		    !(is_switch(word) && is_used(settings)))
			text_add(text, "%s%s=0", text->length ? ", " : "",
				 word->name);
	}
}

char *uncore_event_passes_nothing(struct uncore_event *event)
{
	struct uncore_event *found = event->row ? NULL : event_named(event);
	const struct uncore_event *of = found ? found : event;
	struct settings settings;
	struct text zeros = { 0 }, text = { 0 };

	read_settings(of, &settings);
	add_closed(&settings, &zeros);
	if (zeros.data) {
		text_add(&text,
			 "its filter lets nothing pass (%s), and it counts 0; ",
			 zeros.data);
		event_say_box(event, &text);
		text_add(&text, "/%s", of->row->name);
		for (unsigned i = 0; i < of->num_masks; i++)
			text_add(&text, ".%s", of->masks[i]->name);
		text_add(&text, "/ has one that does");
	}
	text_free(&zeros);
	uncore_event_free(found);
	return text.data ? text_take(&text) : NULL;
}
