/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Options that filter packets, between words and bits. The words of an event
 * come from the tables (data/FORMAT.md, filters.txt); here is what they share.
 * A request holds the words of one event with the texts given for them; what
 * each of them makes of its match and mask fields are its bits.
 */
#ifndef UNCORE_EVENT_FILTER_H
#define UNCORE_EVENT_FILTER_H

#include "event/event.h"

struct filter_request {
	const struct uc_family *family;
	const struct uc_filter_word *words[EVENT_MAX_FILTERS];
	const char *values[EVENT_MAX_FILTERS]; /* NULL: not given */
	const char *masks[EVENT_MAX_FILTERS];  /* NULL: follows the value */
	unsigned num;
};

struct filter_bits {
	uint64_t match, mask;
	bool is_set; /* else the word says nothing, and defaults hold */
};

/* The words of an event or, with no unit mask, of any of its masks. */
void filter_words(const struct uc_family *family, unsigned box,
		  const struct uc_event *row,
		  const struct uc_unit_mask *const *masks, unsigned num_masks,
		  struct filter_request *request);

/* The number of the first word of a kind, or -1. */
int filter_find(const struct filter_request *request, enum uc_word_kind kind);

/* Whether the text of a word says that nothing is to be filtered. */
bool filter_is_any(const char *value);

/* The mask that compares nothing, and the one that compares all. */
uint64_t filter_mask_none(const struct uc_filter_word *word);
uint64_t filter_mask_all(const struct uc_filter_word *word);

/* Bits of every word of the request; refuses what they cannot express, and
 * says what they can. */
int filter_encode(const struct filter_request *request,
		  struct filter_bits *bits, char **error);

/* Its parts: classes, opcodes and what depends on them (filter_packet.c); one
 * address range (filter_address.c); one set of values (filter_set.c). */
bool filter_is_packet(const struct uc_filter_word *word);
int filter_packet(const struct filter_request *request,
		  struct filter_bits *bits, char **error);
int filter_address(const struct filter_request *request, unsigned number,
		   struct filter_bits *bits, char **error);
int filter_set(const struct filter_request *request, unsigned number,
	       struct filter_bits *bits, char **error);

/* Texts for the contents of the fields of each word, to be freed; NULL where
 * no text of that word has these bits (filter_say.c). */
void filter_texts(const struct filter_request *words,
		  const struct filter_bits *bits,
		  char *texts[EVENT_MAX_FILTERS]);

/* The text for one word, from bits that may be wrong: encoding it tells. */
void filter_address_text(const struct uc_filter_word *word,
			 const struct filter_bits *bits, struct text *text);
void filter_set_text(const struct uc_filter_word *word,
		     const struct filter_bits *bits, struct text *text);
void filter_packet_texts(const struct filter_request *words,
			 const struct filter_bits *bits, struct text *mc,
			 struct text *opc);

/* The words of a parsed event, without texts (filter.c). */
void filter_of_event(const struct uncore_event *event,
		     struct filter_request *request);

/* Whether a word's comparison is switched on in these registers. */
bool filter_is_on(const struct uc_filter_word *word,
		  const struct event_view *view);

/* The bits of a word's fields in these registers. */
struct filter_bits filter_bits_of(const struct uc_filter_word *word,
				  const struct event_view *view);

/* Adds ",name=value" for the words of an event, as the registers of `view`
 * have them; with `other`, only for those whose fields differ there. Marks in
 * `told` the bits that this accounts for. */
void filter_say(const struct uncore_event *event, const struct event_view *view,
		const struct event_view *other, struct event_view *told,
		struct text *text);

/* Lines that say what the match and mask registers of a box let pass
 * (filter_explain.c). */
void filter_explain(const struct uc_family *family, unsigned box,
		    const struct event_view *view, struct text *text);

#endif
