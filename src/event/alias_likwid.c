/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * LIKWID's words for an event: EVENT:NAME0C0.
 */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "event/alias.h"
#include "uncore/error.h"

/* Length of a name at the start of LIKWID's, in which dots are underscores; 0
 * if it is none. */
static size_t likwid_match(const char *name, const char *likwid)
{
	size_t i = 0;

	for (; name[i]; i++)
		if (toupper((unsigned char)name[i]) !=
			    toupper((unsigned char)likwid[i]) &&
		    !(name[i] == '.' && likwid[i] == '_'))
			return 0;
	return !likwid[i] || likwid[i] == '_' ? i : 0;
}

/* A counter in LIKWID's words: NAME1C0, NAME2, NAME3FIX. */
struct likwid {
	const struct uc_family *family;
	const struct uc_box *box;
	unsigned index;	 /* of the box */
	bool has_number; /* of the box, in its name */
	unsigned number;
	bool is_fixed;
	const char *why; /* NULL, or what is wrong with it */
};

/* The box that a counter is in: by the names that LIKWID has for them, or ours;
 * *length of them name it. NULL: no such box. */
static const struct uc_box *likwid_box(const struct uc_family *family,
				       const char *counter, size_t *length)
{
	const struct uc_box *found = NULL;

	*length = 0;
	for (unsigned i = 0; i < family->num_boxes; i++)
		if (alias_begins(counter, family->boxes[i].name) &&
		    strlen(family->boxes[i].name) > *length) {
			found = &family->boxes[i];
			*length = strlen(found->name);
		}
	for (unsigned i = 0; i < family->num_aliases; i++)
		if (family->aliases[i].kind == UC_ALIAS_LIKWID_COUNTER &&
		    alias_begins(counter, family->aliases[i].name) &&
		    strlen(family->aliases[i].name) > *length) {
			found = &family->boxes[family->aliases[i].box];
			*length = strlen(family->aliases[i].name);
		}
	return found;
}

/* Digits, with a number that is small enough; false if there are none. */
static bool take_number(const char **text, unsigned *number)
{
	size_t length = strspn(*text, "0123456789");

	if (!length || length > 4)
		return false;
	*number = (unsigned)strtoul(*text, NULL, 10);
	*text += length;
	return true;
}

/* A box with more than one group of counters is as many of LIKWID's. */
static unsigned num_parts(const struct uc_box *box)
{
	unsigned span = box->global_span;

	return box->num_ports > 1 && span ? box->num_counters / span
					  : box->num_instances;
}

/* What follows the name of the box: NUMBERCcounter, NUMBERFIX, or the counter
 * alone where there is one box; FIX may have its counter behind. */
static void read_counter(struct likwid *likwid, const char *rest)
{
	const struct uc_box *box = likwid->box;
	unsigned parts = num_parts(box), most = box->num_counters, counter = 0;

	likwid->has_number = take_number(&rest, &likwid->number);
	likwid->is_fixed = alias_begins(rest, "FIX");
	if (likwid->is_fixed) {
		rest += strlen("FIX");
		take_number(&rest, &counter);
	} else if (toupper((unsigned char)*rest) == 'C' && likwid->has_number) {
		rest++;
		likwid->why = take_number(&rest, &counter)
				      ? NULL
				      : "there is no such counter";
	} else if (parts == 1) {
		counter = likwid->has_number ? likwid->number : ~0u;
		likwid->has_number = false;
	} else {
		likwid->why = "there is no such counter";
	}
	if (!likwid->why && likwid->has_number && likwid->number >= parts)
		likwid->why = "there is no box of this number";
	if (!likwid->why && !likwid->has_number && parts > 1)
		likwid->why = "the counter lacks the number of its box";
	if (parts > box->num_instances)
		most /= parts;
	if (*rest || counter >= (likwid->is_fixed ? box->num_fixed : most))
		likwid->why = "there is no such counter";
}

/* Whether a port belongs to the box of the counter. */
static bool has_port(const struct likwid *likwid, unsigned port)
{
	unsigned parts = num_parts(likwid->box);

	return port < likwid->box->num_ports &&
	       (parts == 1 ||
		port * parts / likwid->box->num_ports == likwid->number);
}

/* The unit masks, and ports with slots of a kind of sub-register, that follow
 * an event's name; false if something else does. */
static bool add_masks(struct likwid *likwid, const struct uc_event *row,
		      const char *rest, struct text *masks,
		      struct text *options)
{
	while (*rest) {
		size_t best = 0;
		const char *name = NULL;
		unsigned port, slot;
		int used = 0;

		rest += *rest == '_';
		if (sscanf(rest, "PORT%1u_%*[A-Z]%1u%n", &port, &slot, &used) ==
		    2) {
			if (!has_port(likwid, port))
				likwid->why = "its port is another box's";
			text_add(options, ",port=%u,slot=%u", port, slot);
			rest += used;
			continue;
		}
		for (unsigned i = 0; i < row->num_unit_masks; i++) {
			size_t length =
				likwid_match(row->unit_masks[i].name, rest);

			if (length > best) {
				best = length;
				name = row->unit_masks[i].name;
			}
		}
		if (!best)
			return false;
		text_add(masks, ".%s", name);
		rest += best;
	}
	return true;
}

static bool add_likwid_name(struct likwid *likwid, const char *name,
			    struct text *ours)
{
	const struct uc_box *box = likwid->box;

	for (unsigned i = 0; i < box->num_events; i++) {
		const struct uc_event *row = &box->events[i];
		size_t length = likwid_match(row->name, name);
		struct text masks = { 0 }, options = { 0 };
		bool fits = length && likwid->is_fixed ==
					      (row->select == UC_SELECT_FIXED);

		fits = fits &&
		       add_masks(likwid, row, name + length, &masks, &options);
		if (fits)
			text_add(ours, "%s%s%s", row->name,
				 masks.data ? masks.data : "",
				 options.data ? options.data : "");
		text_free(&masks);
		text_free(&options);
		if (fits)
			return true;
	}
	return false;
}

/* A value: LIKWID takes each as hexadecimal, with or without 0x. */
static bool take_hexadecimal(const char *text, uint64_t *value)
{
	char *end;

	errno = 0;
	*value = strtoull(text, &end, 16);
	return isxdigit((unsigned char)*text) && !*end && !errno;
}

/* Options behind the counter. */
static bool add_likwid_options(const struct likwid *likwid, char *words,
			       struct text *options)
{
	static const struct {
		const char *name, *kernel, *ours;
		bool has_value;
		const char *with; /* what LIKWID sets besides */
	} rows[] = {
		{ "EDGEDETECT", "edge", "edge", false, "" },
		{ "INVERT", "inv", "inv", false, "" },
		{ "THRESHOLD", "thresh", "thresh", true, "" },
		{ "MATCH0", "match0", "match", true, "" },
		{ "MASK0", "mask0", "mask", true, "" },
		{ "MATCH1", "match1", "match1", true, "" },
		{ "MASK1", "mask1", "mask1", true, "" },
		{ "TID", "filter_tid", "filter_tid", true, ",tid_en=1" },
		{ "NID", "filter_nid", "filter_nid", true, "" },
		{ "STATE", "filter_state", "filter_state", true, "" },
		{ "OPCODE", "filter_opc", "filter_opc", true, "" },
		{ "OCCUPANCY", "occ_sel", "occ_sel", true, "" },
		{ "OCC_INVERT", "occ_invert", "occ_invert", false, "" },
		{ "OCC_EDGEDETECT", "occ_edge", "occ_edge_det", false, "" },
		{ "OCC_FILTER", "filter", "filter", true, "" },
		/* names of earlier versions of it */
		{ "OCCUPANCY_INVERT", "occ_invert", "occ_invert", false, "" },
		{ "OCCUPANCY_EDGEDETECT", "occ_edge", "occ_edge_det", false,
		  "" },
		{ "OCCUPANCY_FILTER", "filter", "filter", true, "" },
	};
	char *save = NULL;

	for (char *word = strtok_r(words, ":", &save); word;
	     word = strtok_r(NULL, ":", &save)) {
		size_t length = strcspn(word, "=");
		bool has_value = word[length] == '=';
		bool found = false;
		uint64_t value = 0;

		if (has_value && !take_hexadecimal(&word[length + 1], &value))
			return false;

		for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
			if (!text_same(word, length, rows[i].name) ||
			    rows[i].has_value != has_value)
				continue;
			text_add(options, ",%s",
				 alias_option(likwid->family, likwid->index,
					      rows[i].kernel, rows[i].ours));
			if (has_value)
				text_add(options, "=0x%" PRIx64, value);
			text_add(options, "%s", rows[i].with);
			found = true;
		}
		if (!found)
			return false;
	}
	return true;
}

static bool is_fixed_event(const struct uc_box *box, const char *name)
{
	for (unsigned i = 0; i < box->num_events; i++)
		if (!strcmp(box->events[i].name, name))
			return box->events[i].select == UC_SELECT_FIXED;
	return false;
}

/* A row of what LIKWID calls otherwise: the event, and options that it sets if
 * the user does not. */
static void add_row(const struct uc_alias *row, const struct text *options,
		    struct text *ours)
{
	size_t length = strcspn(row->ours, ",");
	const char *option = row->ours + length;
	char name[64];

	text_add(ours, "%.*s", (int)length, row->ours);
	snprintf(name, sizeof(name), "%.*s", (int)strcspn(option, "=") + 1,
		 option);
	if (*option && !(options->data && strstr(options->data, name)))
		text_add(ours, "%s", option);
}

/* The event of a name, and the options that are there already behind it; false
 * if the box has none. */
static bool add_event(struct likwid *likwid, const char *name,
		      const struct text *options, struct text *ours)
{
	const struct uc_alias *row =
		uc_alias_find(likwid->family, UC_ALIAS_LIKWID, likwid->index,
			      name, strlen(name));
	bool fits;

	text_add(ours, "%s", likwid->box->name);
	if (likwid->has_number && likwid->box->num_instances > 1)
		text_add(ours, "%u", likwid->number);
	text_add(ours, "/");
	if (row && is_fixed_event(likwid->box, row->ours) == likwid->is_fixed) {
		add_row(row, options, ours);
		fits = true;
	} else {
		fits = add_likwid_name(likwid, name, ours);
	}
	text_add(ours, "%s/", options->data ? options->data : "");
	return fits;
}

int alias_likwid(const struct uc_family *family, const char *text,
		 struct text *ours, char **error)
{
	struct likwid likwid = { .family = family };
	struct text options = { 0 };
	char *name = strdup(text), *more;
	char *counter = name ? strchr(name, ':') : NULL;
	size_t length;

	if (!counter) {
		free(name);
		return UNCORE_ERR_NO_MEMORY;
	}
	*counter++ = 0;
	more = counter + strcspn(counter, ":");
	if (*more)
		*more++ = 0;
	likwid.box = likwid_box(family, counter, &length);
	if (!likwid.box) {
		likwid.why = "there is no such box";
	} else {
		likwid.index = (unsigned)(likwid.box - family->boxes);
		read_counter(&likwid, counter + length);
	}
	if (!likwid.why && !add_likwid_options(&likwid, more, &options))
		likwid.why = "one of its options, or the value of one, is not "
			     "known here";
	if (!likwid.why && !add_event(&likwid, name, &options, ours))
		likwid.why = "this counter of the box has no event of the name "
			     "('uncore list' shows ours)";
	free(name);
	text_free(&options);
	if (!likwid.why)
		return ours->failed ? UNCORE_ERR_NO_MEMORY : 0;
	return text_error(UNCORE_ERR_UNKNOWN_EVENT, error,
			  "'%s' has the form of LIKWID's EVENT:COUNTER, but %s",
			  text, likwid.why);
}
