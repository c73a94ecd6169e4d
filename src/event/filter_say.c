/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * From match and mask fields back to the words of filter options. A text is
 * trusted only if encoding it gives the same bits; what no word says is left to
 * raw fields.
 */
#include "event/filter.h"

#include <stdlib.h>
#include <string.h>

static uint64_t bits_at(const struct event_view *view, unsigned role,
			unsigned high, unsigned low)
{
	return (view->value[role] & uc_bits(high, low)) >> low;
}

struct filter_bits filter_bits_of(const struct uc_filter_word *word,
				  const struct event_view *view)
{
	struct filter_bits bits = { .is_set = true };

	bits.match = bits_at(view, word->match_role, word->match_high,
			     word->match_low);
	if (word->mask_role != UC_ROLE_NONE)
		bits.mask = bits_at(view, word->mask_role, word->mask_high,
				    word->mask_low);
	return bits;
}

static bool is_same(const struct filter_bits *a, const struct filter_bits *b)
{
	return a->match == b->match && a->mask == b->mask;
}

static bool says_nothing(const struct uc_filter_word *word,
			 const struct filter_bits *bits)
{
	return word->sense != UC_SENSE_VALUE && !word->num_sets &&
	       bits->match == word->initial &&
	       bits->mask == filter_mask_none(word);
}

static void drop(char **text)
{
	free(*text);
	*text = NULL;
}

/* A first guess for every word. */
static void guess(const struct filter_request *words,
		  const struct filter_bits *bits, char **texts)
{
	struct text mc = { 0 }, opc = { 0 };

	filter_packet_texts(words, bits, &mc, &opc);
	for (unsigned n = 0; n < words->num; n++) {
		const struct uc_filter_word *word = words->words[n];
		struct text text = { 0 };

		if (says_nothing(word, &bits[n]))
			text_add(&text, "any");
		else if (word->kind == UC_WORD_CLASS)
			text_add(&text, "%s", mc.data ? mc.data : "");
		else if (word->kind == UC_WORD_OPCODE)
			text_add(&text, "%s", opc.data ? opc.data : "");
		else if (word->kind == UC_WORD_ADDRESS)
			filter_address_text(word, &bits[n], &text);
		else
			filter_set_text(word, &bits[n], &text);
		texts[n] = text_take(&text);
	}
	text_free(&mc);
	text_free(&opc);
}

/* Encodes the guesses of one kind of words, the others left out. */
static bool encode_some(const struct filter_request *words, bool packet,
			char **texts, struct filter_bits *again)
{
	struct filter_request request = *words;

	for (unsigned n = 0; n < words->num; n++)
		request.values[n] = filter_is_packet(words->words[n]) == packet
					    ? texts[n]
					    : NULL;
	return !filter_encode(&request, again, NULL);
}

/* Words that depend on each other are right together or not at all. */
static void check_packets(const struct filter_request *words,
			  const struct filter_bits *bits, char **texts)
{
	struct filter_bits again[EVENT_MAX_FILTERS];
	bool right = encode_some(words, true, texts, again);

	for (unsigned n = 0; n < words->num && right; n++)
		right = !filter_is_packet(words->words[n]) ||
			is_same(&again[n], &bits[n]);
	for (unsigned n = 0; n < words->num; n++)
		if (filter_is_packet(words->words[n]) && !right)
			drop(&texts[n]);
}

static void check_alone(const struct filter_request *words, unsigned number,
			const struct filter_bits *bits, char **texts)
{
	struct filter_bits again[EVENT_MAX_FILTERS];
	struct filter_request request = *words;

	request.values[number] = texts[number];
	if (!texts[number] || filter_encode(&request, again, NULL) ||
	    !is_same(&again[number], &bits[number]))
		drop(&texts[number]);
}

void filter_texts(const struct filter_request *words,
		  const struct filter_bits *bits,
		  char *texts[EVENT_MAX_FILTERS])
{
	guess(words, bits, texts);
	check_packets(words, bits, texts);
	for (unsigned n = 0; n < words->num; n++)
		if (!filter_is_packet(words->words[n]))
			check_alone(words, n, bits, texts);
}

/* As options of an event */

static void say_raw(const struct uncore_event *event, unsigned role,
		    unsigned low, uint64_t value, struct text *text)
{
	const struct uc_layout *layout = uc_layout_of(
		event->family, event->box_index, (enum uc_role)role);
	const struct uc_field *field = event_field_at(layout, low);

	text_add(text, ",%s.%s=0x%llx", event_role_name((enum uc_role)role),
		 field->canonical, (unsigned long long)value);
}

/* Whether the event's own name has settled both fields of a word. */
static bool is_implied(const struct uncore_event *event,
		       const struct uc_filter_word *word)
{
	uint64_t match = uc_bits(word->match_high, word->match_low);
	uint64_t mask = word->mask_role == UC_ROLE_NONE
				? 0
				: uc_bits(word->mask_high, word->mask_low);

	for (unsigned i = 0; i < event->num_settings; i++) {
		const struct event_setting *setting = &event->settings[i];
		uint64_t bits = uc_bits(setting->high, setting->low);

		if (!setting->implied)
			continue;
		if (setting->role == word->match_role)
			match &= ~bits;
		if (setting->role == word->mask_role)
			mask &= ~bits;
	}
	return !match && !mask;
}

static void tell(struct event_view *told, unsigned role, unsigned high,
		 unsigned low)
{
	if (role != UC_ROLE_NONE)
		told->claimed[role] |= uc_bits(high, low);
}

static void tell_word(const struct uc_filter_word *word, bool in_words,
		      struct event_view *told)
{
	tell(told, word->match_role, word->match_high, word->match_low);
	tell(told, word->mask_role, word->mask_high, word->mask_low);
	for (unsigned i = 0; i < word->num_sets && in_words; i++)
		tell(told, word->sets[i].role, word->sets[i].high,
		     word->sets[i].low);
}

static bool differs(const struct uc_filter_word *word,
		    const struct event_view *view,
		    const struct event_view *other)
{
	struct filter_bits a = filter_bits_of(word, view), b;

	if (!other)
		return true;
	b = filter_bits_of(word, other);
	return !is_same(&a, &b) ||
	       filter_is_on(word, view) != filter_is_on(word, other);
}

/* Whether the word can have been what gave the value. */
static bool is_by_word(const struct uc_filter_word *word,
		       const struct filter_bits *bits)
{
	unsigned below = (1u << word->mask_from >> word->match_from) - 1;

	return word->num_sets && word->mask_role != UC_ROLE_NONE &&
	       !(bits->match & below);
}

/* No value of the word leaves out these bits: the mask as a number, beside the
 * value for the other ones. */
static void say_masked(const struct uc_filter_word *word,
		       const struct filter_bits *bits, struct text *text)
{
	const struct filter_bits all = {
		.match = bits->match,
		.mask = filter_mask_all(word),
	};
	struct text value = { 0 };

	if (bits->match && word->kind == UC_WORD_ADDRESS)
		filter_address_text(word, &all, &value);
	else if (bits->match)
		filter_set_text(word, &all, &value);
	if (value.data)
		text_add(text, ",%s=%s", word->name, value.data);
	text_free(&value);
	text_add(text, ",%s_mask=0x%llx", word->name,
		 (unsigned long long)bits->mask);
}

static void say_word(const struct uncore_event *event,
		     const struct uc_filter_word *word,
		     const struct filter_bits *bits, const char *value,
		     struct text *text)
{
	if (value) {
		text_add(text, ",%s=%s", word->name, value);
		return;
	}
	/* Fields alone do not switch it on. */
	if (is_by_word(word, bits)) {
		say_masked(word, bits, text);
		return;
	}
	say_raw(event, word->match_role, word->match_low, bits->match, text);
	if (word->mask_role != UC_ROLE_NONE)
		say_raw(event, word->mask_role, word->mask_low, bits->mask,
			text);
}

void filter_say(const struct uncore_event *event, const struct event_view *view,
		const struct event_view *other, struct event_view *told,
		struct text *text)
{
	struct filter_bits bits[EVENT_MAX_FILTERS];
	char *texts[EVENT_MAX_FILTERS] = { NULL };
	struct filter_request words;

	filter_of_event(event, &words);
	for (unsigned n = 0; n < words.num; n++)
		bits[n] = filter_bits_of(words.words[n], view);
	filter_texts(&words, bits, texts);
	for (unsigned n = 0; n < words.num; n++) {
		const struct uc_filter_word *word = words.words[n];

		if (!differs(word, view, other))
			continue;
		/* Off: its fields mean nothing, and nobody set them. */
		if (!filter_is_on(word, view))
			continue;
		tell_word(word, texts[n] || is_by_word(word, &bits[n]), told);
		if (other || !is_implied(event, word))
			say_word(event, word, &bits[n], texts[n], text);
	}
	for (unsigned n = 0; n < words.num; n++)
		free(texts[n]);
}
