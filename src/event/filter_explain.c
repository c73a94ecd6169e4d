/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What a match and a mask register let pass, in the words of filter options, if
 * neither an event nor its counter is known.
 */
#include "event/filter.h"

#include <stdlib.h>

/* The words of a box for one filter; those of the B-Box for one direction. */
static bool belongs(const struct uc_filter_word *word, unsigned filter)
{
	return filter & UC_FILTER_PARTS
		       ? !((word->filter ^ filter) & UC_FILTER_OUT)
		       : word->filter == filter;
}

static void words_of(const struct uc_family *family, unsigned box,
		     unsigned filter, struct filter_request *words)
{
	*words = (struct filter_request){ .family = family };
	for (unsigned i = 0; i < family->num_filter_words; i++) {
		const struct uc_filter_word *word = &family->filter_words[i];

		if (word->box == box && belongs(word, filter) &&
		    word->match_role == UC_ROLE_MATCH &&
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
	if (first->filter & UC_FILTER_PARTS)
		text_add(text, " (%s messages)",
			 first->filter & UC_FILTER_OUT ? "outgoing"
						       : "incoming");
	text_add(text, "\n");
}

void filter_explain(const struct uc_family *family, unsigned box,
		    const struct event_view *view, struct text *text)
{
	unsigned told = 0; /* bit n: filter n */

	for (unsigned i = 0; i < family->num_filter_words; i++) {
		const struct uc_filter_word *word = &family->filter_words[i];
		unsigned filter = word->filter;
		struct filter_request words;

		if (filter & UC_FILTER_PARTS)
			filter &= UC_FILTER_PARTS | UC_FILTER_OUT;
		/* Both commands of PLD have the same words. */
		if (word->box != box || told >> filter & 1 ||
		    (filter == UC_FILTER_PLD1 && told >> UC_FILTER_PLD & 1))
			continue;
		told |= 1u << filter;
		words_of(family, box, filter, &words);
		say_words(&words, view, text);
	}
}
