/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What perf and PCM say of an event in whole words: config=0x304 is its control
 * register, config1= and config2= are the registers of its filters, and name=
 * is what its row is to be called, which shows in the text anyway.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/text.h"
#include "event/event.h"
#include "perf/map.h"
#include "perf/pmus.h"
#include "uncore/error.h"

/* A word of a live family as the kernel takes it, config=0x10a: the terms in
 * whose bits it lies. */
static int live_word(struct uncore_event *event, const struct perf_pmus *pmus,
		     const char *name, uint64_t number, char **error)
{
	const struct perf_box *box = &pmus->boxes[event->box_index];
	int word = perf_word_named(name), result = 0;
	struct text why = { 0 };
	uint64_t done = 0;
	char text[32];

	if (!perf_term_takes(box, name, number, &why))
		result = text_error(
			UNCORE_ERR_BAD_OPTION, error, "%s=0x%llx: %s", name,
			(unsigned long long)number, why.data ? why.data : "");
	text_free(&why);
	for (unsigned i = 0; i < box->num_terms && !result; i++) {
		const struct perf_term *term = &box->terms[i];
		bool is_new = term->word == word && !(term->bits & done);

		if (!is_new || !(term->bits & number))
			continue;
		done |= term->bits;
		snprintf(text, sizeof(text), "0x%" PRIx64,
			 perf_term_get(term, number));
		result = event_option(event, term->name, text, error);
	}
	if (!result && number & ~done)
		result = text_error(UNCORE_ERR_BAD_OPTION, error,
				    "%s=0x%llx: its terms overlap; type them",
				    name, (unsigned long long)number);
	return result;
}

/* Bits that no field of an event covers are refused; `en` is on anyway. */
static int control_word(struct uncore_event *event, uint64_t number,
			char **error)
{
	enum uc_role role = event_control_role(event);
	const struct uc_layout *layout =
		uc_layout_of(event->family, event->box_index, role);
	uint64_t done = 0;
	int result = 0;

	for (unsigned i = 0; layout && i < layout->num_fields && !result; i++) {
		const struct uc_field *field = &layout->fields[i];
		uint64_t bits = uc_bits(field->high, field->low);
		bool is_event = !strcasecmp(field->canonical, "ev_sel");

		if (field->kind == UC_KIND_IG || field->kind == UC_KIND_RSV ||
		    field->kind == UC_KIND_RO)
			continue;
		done |= bits;
		if (((number & bits) || is_event) &&
		    strcasecmp(field->canonical, "en") != 0)
			result = event_set_bits(
				event, "config", role, field->high, field->low,
				(number & bits) >> field->low, error);
	}
	if (!result && number & ~done)
		result = text_error(UNCORE_ERR_BAD_OPTION, error,
				    "config=0x%llx: the control registers of "
				    "the %s have none of the bits 0x%llx",
				    (unsigned long long)number,
				    event->box->guide_name,
				    (unsigned long long)(number & ~done));
	return result;
}

/* One register, or two of 32 bits each. */
static int filter_word(struct uncore_event *event, const struct uc_alias *row,
		       uint64_t number, char **error)
{
	const char *second = strchr(row->ours, ' ');
	char first[32], value[32];
	int result;

	snprintf(first, sizeof(first), "%.*s", (int)strcspn(row->ours, " "),
		 row->ours);
	snprintf(value, sizeof(value), "0x%" PRIx64,
		 second ? number & UINT32_MAX : number);
	result = event_option(event, first, value, error);
	snprintf(value, sizeof(value), "0x%" PRIx64, number >> 32);
	return result || !second
		       ? result
		       : event_option(event, second + 1, value, error);
}

int event_word(struct uncore_event *event, const char *name, const char *value,
	       bool *found, char **error)
{
	const struct uc_family *family = event->family;
	const struct perf_pmus *pmus = perf_family_pmus(family);
	const struct uc_alias *row =
		uc_alias_find(family, UC_ALIAS_KERNEL_WORD, event->box_index,
			      name, strlen(name));
	/* the kernel numbers events through the ports, with bits of its own */
	bool is_control = !strcasecmp(name, "config") &&
			  !uc_alias_find(family, UC_ALIAS_KERNEL_PORTS,
					 event->box_index, NULL, 0);
	uint64_t number;

	*found = !strcasecmp(name, "name");
	if (*found)
		return 0;
	*found = pmus ? perf_word_named(name) >= 0 : row || is_control;
	if (!*found)
		return 0;
	if (!text_number(value, &number))
		return text_error(UNCORE_ERR_BAD_OPTION, error,
				  "%s=%s is not a number", name, value);
	if (pmus)
		return live_word(event, pmus, name, number, error);
	return row ? filter_word(event, row, number, error)
		   : control_word(event, number, error);
}
