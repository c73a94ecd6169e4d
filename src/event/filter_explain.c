/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What a match and a mask register let pass, in the words of filter options, if
 * neither an event nor its counter is known.
 */
#include "event/filter.h"

#include <stdlib.h>
#include <string.h>

/* Whether two words are told on one line. */
static bool together(const struct uc_filter_word *a,
		     const struct uc_filter_word *b)
{
	return a->box == b->box &&
	       (a->group && b->group ? !strcmp(a->group, b->group)
				     : a->group == b->group);
}

/* The words that are told with one, itself included. */
static void words_of(const struct uc_family *family,
		     const struct uc_filter_word *first,
		     struct filter_request *words)
{
	*words = (struct filter_request){ .family = family };
	for (unsigned i = 0; i < family->num_filter_words; i++) {
		const struct uc_filter_word *word = &family->filter_words[i];

		if (together(word, first) &&
		    uc_role_kinds[word->match_role] == UC_ROLE_IS_MATCH &&
		    words->num < EVENT_MAX_FILTERS)
			words->words[words->num++] = word;
	}
}

static void say_words(const struct filter_request *words,
		      const struct event_view *view, struct text *text)
{
	struct filter_bits bits[EVENT_MAX_FILTERS];
	char *texts[EVENT_MAX_FILTERS] = { NULL };
	const char *between = "  lets pass ";
	const struct uc_filter_word *first = words->words[0];

	for (unsigned n = 0; n < words->num; n++)
		bits[n] = filter_bits_of(words->words[n], view);
	filter_texts(words, bits, texts);
	for (unsigned n = 0; n < words->num; n++) {
		const struct uc_filter_word *word = words->words[n];

		text_add(text, "%s%s%s%s", between, word->name,
			 texts[n] ? "=" : " as compared bit by bit",
			 texts[n] ? texts[n] : "");
		between = ", ";
		free(texts[n]);
	}
	if (first->group)
		text_add(text, " (%s)", first->group);
	text_add(text, "\n");
}

void filter_explain(const struct uc_family *family, unsigned box,
		    const struct event_view *view, struct text *text)
{
	const struct uc_filter_word *all = family->filter_words;

	for (unsigned i = 0; i < family->num_filter_words; i++) {
		struct filter_request words;
		unsigned first = 0;

		while (!together(&all[first], &all[i]))
			first++;
		if (all[i].box != box || first < i)
			continue;
		words_of(family, &all[i], &words);
		if (words.num)
			say_words(&words, view, text);
	}
}
