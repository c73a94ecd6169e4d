/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Filter options of an event: kept as texts while it is parsed, since what one
 * of them means depends on the others (the class on the opcode), and turned
 * into settings of match and mask fields once all are known.
 *
 * A word that is not given filters nothing. Where its match field was written
 * raw, the whole field is compared, unless the mask was written raw, too.
 */
#include "event/filter.h"

#include <string.h>
#include <strings.h>

#include "uncore/error.h"

static bool some_offered(const struct uc_filter_word *word,
			 const struct uc_signal_ref *refs, unsigned num)
{
	for (unsigned i = 0; i < num; i++)
		if (refs[i].filter & word->filter)
			return true;
	return false;
}

static bool mask_offered(const struct uc_filter_word *word,
			 const struct uc_unit_mask *mask)
{
	return some_offered(word, mask->signals, mask->num_signals);
}

void filter_words(const struct uc_family *family, unsigned box,
		  const struct uc_event *row,
		  const struct uc_unit_mask *const *masks, unsigned num_masks,
		  struct filter_request *request)
{
	*request = (struct filter_request){ .family = family };
	for (unsigned i = 0; row && i < family->num_filter_words; i++) {
		const struct uc_filter_word *word = &family->filter_words[i];
		bool offered =
			some_offered(word, row->signals, row->num_signals);

		if (word->box != box || request->num == EVENT_MAX_FILTERS)
			continue;
		for (unsigned m = 0; m < num_masks; m++)
			offered = offered || mask_offered(word, masks[m]);
		for (unsigned m = 0; !num_masks && m < row->num_unit_masks; m++)
			offered = offered ||
				  mask_offered(word, &row->unit_masks[m]);
		if (offered)
			request->words[request->num++] = word;
	}
}

void filter_of_event(const struct uncore_event *event,
		     struct filter_request *request)
{
	filter_words(event->family, event->box_index, event->row, event->masks,
		     event->num_masks, request);
}

int filter_find(const struct filter_request *request, enum uc_word_kind kind)
{
	for (unsigned n = 0; n < request->num; n++)
		if (request->words[n]->kind == kind)
			return (int)n;
	return -1;
}

bool filter_is_any(const char *value)
{
	return !strcasecmp(value, "any");
}

static uint64_t mask_ones(const struct uc_filter_word *word)
{
	return uc_bits(word->mask_high - word->mask_low, 0);
}

uint64_t filter_mask_all(const struct uc_filter_word *word)
{
	return word->sense == UC_SENSE_COMPARE ? mask_ones(word) : 0;
}

uint64_t filter_mask_none(const struct uc_filter_word *word)
{
	return word->sense == UC_SENSE_IGNORE ? mask_ones(word) : 0;
}

/* A mask written as a number: the value beside it stands as it is. */
static int encode_masked(const struct filter_request *request, unsigned number,
			 struct filter_bits *bits, char **error)
{
	const struct uc_filter_word *word = request->words[number];
	struct filter_request plain = *request;
	uint64_t mask;
	int result = 0;

	for (unsigned n = 0; n < plain.num; n++)
		if (n != number)
			plain.values[n] = NULL;
	plain.masks[number] = NULL;
	if (plain.values[number])
		result = filter_encode(&plain, bits, error);
	if (result)
		return result;
	if (word->mask_role == UC_ROLE_NONE ||
	    !text_number(request->masks[number], &mask) ||
	    mask & ~mask_ones(word))
		return text_error(UNCORE_ERR_BAD_OPTION, error,
				  "%s_mask=%s: a number that fits into the "
				  "mask is wanted (0 to 0x%llx)",
				  word->name, request->masks[number],
				  (unsigned long long)(word->mask_role
							       ? mask_ones(word)
							       : 0));
	bits[number].mask = mask;
	bits[number].is_set = true;
	return 0;
}

/* The words without raw masks, which are encoded each on its own. */
static int encode_plain(const struct filter_request *request,
			struct filter_bits *bits, char **error)
{
	int result = filter_packet(request, bits, error);

	for (unsigned n = 0; n < request->num && !result; n++) {
		const struct uc_filter_word *word = request->words[n];

		if (!request->values[n] || (filter_is_any(request->values[n]) &&
					    word->sense != UC_SENSE_VALUE))
			continue;
		if (word->kind == UC_WORD_ADDRESS)
			result = filter_address(request, n, &bits[n], error);
		else if (word->kind >= UC_WORD_CHOICE)
			result = filter_set(request, n, &bits[n], error);
	}
	return result;
}

int filter_encode(const struct filter_request *request,
		  struct filter_bits *bits, char **error)
{
	struct filter_request plain = *request;
	int result;

	for (unsigned n = 0; n < request->num; n++) {
		bits[n] = (struct filter_bits){
			.mask = filter_mask_none(request->words[n]),
		};
		if (request->masks[n])
			plain.values[n] = plain.masks[n] = NULL;
	}
	result = encode_plain(&plain, bits, error);
	for (unsigned n = 0; n < request->num && !result; n++) {
		struct filter_bits alone[EVENT_MAX_FILTERS] = { { 0 } };

		if (!request->masks[n])
			continue;
		result = encode_masked(request, n, alone, error);
		bits[n] = alone[n];
	}
	return result;
}

/* Of an event that is being parsed. */

static const struct uc_filter_word *
find_word(const struct filter_request *words, const char *name, bool *is_mask)
{
	size_t length = strlen(name);
	size_t stem = length > 5 ? length - 5 : 0;

	*is_mask = stem && !strcasecmp(name + stem, "_mask");
	if (*is_mask)
		length = stem;
	for (unsigned n = 0; n < words->num; n++) {
		const struct uc_filter_word *word = words->words[n];

		if (text_same(name, length, word->name) ||
		    (word->alias && text_same(name, length, word->alias)))
			return word;
	}
	return NULL;
}

int event_filter_option(struct uncore_event *event, const char *name,
			const char *value, bool *found, char **error)
{
	struct filter_request words;
	const struct uc_filter_word *word;
	struct event_filter *filter = event->filters;
	const char **place;
	bool is_mask;

	filter_of_event(event, &words);
	word = find_word(&words, name, &is_mask);
	*found = word;
	if (!word)
		return 0;
	while (filter < event->filters + event->num_filters &&
	       filter->word != word)
		filter++;
	if (filter == event->filters + event->num_filters) {
		*filter = (struct event_filter){ .word = word };
		event->num_filters++;
	}
	place = is_mask ? &filter->mask : &filter->value;
	if (*place && strcasecmp(*place, value))
		return text_error(UNCORE_ERR_BAD_OPTION, error,
				  "%s=%s contradicts %s=%s; several values are "
				  "written %s=A|B",
				  name, value, name, *place, name);
	*place = value;
	return 0;
}

bool uncore_event_filter(const struct uncore_event *event, size_t index,
			 struct uncore_filter *filter)
{
	struct filter_request words;

	filter_of_event(event, &words);
	if (index >= words.num)
		return false;
	*filter = (struct uncore_filter){
		.name = words.words[index]->name,
		.alias = words.words[index]->alias,
		.brief = words.words[index]->brief,
		.source = words.words[index]->source,
		.handle = words.words[index],
	};
	return true;
}

const char *uncore_filter_choice(const struct uncore_filter *filter,
				 size_t index)
{
	const struct uc_filter_word *word = filter->handle;

	return index < word->num_choices ? word->choices[index].name : NULL;
}

void event_filter_names(const struct uncore_event *event,
			struct nearest *nearest, struct text *text)
{
	struct filter_request words;

	filter_of_event(event, &words);
	for (unsigned n = 0; n < words.num; n++) {
		text_add(text, ", %s", words.words[n]->name);
		nearest_offer(nearest, words.words[n]->name);
	}
}

bool filter_is_on(const struct uc_filter_word *word,
		  const struct event_view *view)
{
	return uc_holds(view->value, word->sets, word->num_sets);
}

/* What switches the comparison on wins over a unit mask that leaves it off. */
static int switch_on(struct uncore_event *event,
		     const struct uc_filter_word *word, char **error)
{
	int result = 0;

	for (unsigned i = 0; i < word->num_sets && !result; i++) {
		const struct uc_set *set = &word->sets[i];

		for (unsigned s = 0; s < event->num_settings; s++) {
			struct event_setting *setting = &event->settings[s];

			if (setting->implied && setting->role == set->role &&
			    setting->high == set->high &&
			    setting->low == set->low)
				setting->value = set->value;
		}
		result = event_set_bits(event, word->name,
					(enum uc_role)set->role, set->high,
					set->low, set->value, error);
	}
	/* The word says it; nobody else needs to. */
	for (unsigned s = 0; s < event->num_settings; s++)
		for (unsigned i = 0; i < word->num_sets; i++)
			if (event->settings[s].role == word->sets[i].role &&
			    event->settings[s].high == word->sets[i].high &&
			    event->settings[s].low == word->sets[i].low)
				event->settings[s].implied = true;
	return result;
}

/* Off, in registers that the event needs anyway. */
static int switch_off(struct uncore_event *event,
		      const struct uc_filter_word *word, char **error)
{
	for (unsigned i = 0; i < word->num_sets; i++) {
		const struct uc_set *set = &word->sets[i];
		enum uc_role role = (enum uc_role)set->role;
		int result;

		if (!event_covers(event, role, 63, 0) ||
		    event_covers(event, role, set->high, set->low))
			continue;
		result = event_set_bits(event, word->name, role, set->high,
					set->low, 0, error);
		if (result)
			return result;
		event->settings[event->num_settings - 1].implied = true;
	}
	return 0;
}

static int set_field(struct uncore_event *event,
		     const struct uc_filter_word *word, bool mask,
		     uint64_t value, bool is_default, char **error)
{
	unsigned role = mask ? word->mask_role : word->match_role;
	unsigned high = mask ? word->mask_high : word->match_high;
	unsigned low = mask ? word->mask_low : word->match_low;

	if (role == UC_ROLE_NONE ||
	    (is_default && event_covers(event, (enum uc_role)role, high, low)))
		return 0;
	return event_set_bits(event, word->name, (enum uc_role)role, high, low,
			      value, error);
}

static int apply(struct uncore_event *event, const struct uc_filter_word *word,
		 const struct filter_bits *bits, char **error)
{
	bool is_default = !bits->is_set;
	bool raw = event_covers(event, (enum uc_role)word->match_role,
				word->match_high, word->match_low);
	uint64_t match = bits->match, mask = bits->mask;
	struct event_view view;
	int result = 0;

	event_view(event, &view);
	if (bits->is_set) {
		result = switch_on(event, word, error);
	} else if (!filter_is_on(word, &view)) {
		return switch_off(event, word, error);
	} else {
		match = word->initial;
		mask = raw ? filter_mask_all(word) : filter_mask_none(word);
	}
	if (!result)
		result =
			set_field(event, word, false, match, is_default, error);
	if (!result)
		result = set_field(event, word, true, mask, is_default, error);
	return result;
}

int event_filter_defaults(struct uncore_event *event, char **error)
{
	struct filter_request request;
	struct filter_bits bits[EVENT_MAX_FILTERS];
	int result;

	filter_of_event(event, &request);
	for (unsigned f = 0; f < event->num_filters; f++)
		for (unsigned n = 0; n < request.num; n++) {
			if (request.words[n] != event->filters[f].word)
				continue;
			request.values[n] = event->filters[f].value;
			request.masks[n] = event->filters[f].mask;
		}
	result = filter_encode(&request, bits, error);
	/* What is given first, so that what it switches on gets defaults. */
	for (unsigned n = 0; n < request.num && !result; n++)
		if (bits[n].is_set)
			result =
				apply(event, request.words[n], &bits[n], error);
	for (unsigned n = 0; n < request.num && !result; n++)
		if (!bits[n].is_set)
			result =
				apply(event, request.words[n], &bits[n], error);
	event->num_filters = 0;
	return result;
}
