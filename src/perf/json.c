/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 */
#include "perf/json.h"

#include <ctype.h>
#include <errno.h>
#include <glob.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "base/array.h"
#include "base/file.h"
#include "base/text.h"
#include "perf/keys.h"
#include "table/table.h"
#include "uncore/error.h"

enum { LARGEST_LIST = 64 << 20 };

/* Keeps a text as long as the PMUs; NULL without memory. */
static const char *keep(struct perf_pmus *pmus, char *text)
{
	if (!text ||
	    !array_room(&pmus->texts, pmus->num_texts, sizeof(*pmus->texts))) {
		free(text);
		return NULL;
	}
	return pmus->texts[pmus->num_texts++] = text;
}

/* "0,1,2,3" and "0-3" as bits; all where anything else is said, since perf does
 * not look at it and the kernel chooses. */
static uint32_t counters_of(struct json_object *event)
{
	const char *text = perf_key_text(event, "Counter");
	uint32_t counters = 0;

	while (text && isdigit((unsigned char)*text)) {
		char *end;
		unsigned long first = strtoul(text, &end, 10), last = first;

		if (*end == '-' && isdigit((unsigned char)end[1]))
			last = strtoul(end + 1, &end, 10);
		if (last < first || last > 31)
			return UINT32_MAX;
		counters |= (uint32_t)uc_bits((unsigned)last, (unsigned)first);
		if (*end != ',')
			return *end ? UINT32_MAX : counters;
		text = end + 1 + strspn(end + 1, " ");
	}
	return UINT32_MAX;
}

/* "64Bytes" */
static void read_scale(struct perf_pmus *pmus, struct json_object *event,
		       struct perf_alias *alias)
{
	const char *text = perf_key_text(event, "ScaleUnit");
	size_t digits = text ? strspn(text, "0123456789.") : 0;
	char *end = (char *)text;

	if (!text)
		return;
	/* strtod() would take "nan" and 0x40, too */
	if (digits && tolower((unsigned char)text[digits]) != 'x')
		alias->scale = strtod(text, &end);
	alias->unit = *end ? keep(pmus, strdup(end)) : NULL;
	if (end == text || !(alias->scale > 0) || isinf(alias->scale))
		alias->scale = 1;
}

/* An event of a box is one of all its PMUs; what is one of some cannot be. */
static void refuse_part(const struct perf_pmu *pmu, struct json_object *event,
			char **terms, char **why)
{
	if (*terms)
		text_error(
			0, why,
			"the list says Unit=%s: not all PMUs of the box have "
			"it; type %s/%s/",
			perf_key_text(event, "Unit"), pmu->name, *terms);
	free(*terms);
	*terms = NULL;
}

/* A name as it is typed, to be freed. */
static char *without_blanks(const char *name)
{
	size_t length = strlen(name += strspn(name, " \t"));

	while (length && strchr(" \t", name[length - 1]))
		length--;
	return strndup(name, length);
}

/* Adds a row to a box that it is for; `only`: the PMU of it that has it, or
 * NULL. */
static int add_event(struct perf_pmus *pmus, struct perf_box *box,
		     const struct perf_pmu *only, struct json_object *event)
{
	const char *name = perf_key_text(event, "EventName");
	const char *brief = perf_key_text(event, "BriefDescription");
	char *why = NULL, *terms = perf_keys_terms(event, box, &why);
	struct perf_alias *alias;

	if (only)
		refuse_part(only, event, &terms, &why);
	if ((!terms && !why) || !array_room(&box->aliases, box->num_aliases,
					    sizeof(*box->aliases))) {
		free(terms);
		free(why);
		return UNCORE_ERR_NO_MEMORY;
	}
	alias = &box->aliases[box->num_aliases];
	*alias = (struct perf_alias){
		.terms = terms ? keep(pmus, terms) : NULL,
		.why = why ? keep(pmus, why) : NULL,
		.name = keep(pmus, without_blanks(name)),
		.brief = keep(pmus, strdup(brief ? brief : name)),
		.counters = counters_of(event),
		.scale = 1,
	};
	read_scale(pmus, event, alias);
	if (!(alias->terms || alias->why) || !alias->name || !alias->brief)
		return UNCORE_ERR_NO_MEMORY;
	box->num_aliases++;
	return 0;
}

/* Adds a row to all boxes that it is for; *num grows if there is one. */
static int add_row(struct perf_pmus *pmus, struct json_object *event,
		   size_t *num)
{
	const char *name = perf_key_text(event, "EventName");
	bool is_here = false;
	int code = 0;

	for (unsigned i = 0; name && *name && i < pmus->num_boxes && !code;
	     i++) {
		struct perf_box *box = &pmus->boxes[i];
		const struct perf_pmu *match = NULL;
		size_t num_matches = 0;

		for (size_t n = 0; n < box->num_pmus; n++)
			if (perf_keys_match(&pmus->tree, box->pmu[n].name,
					    event)) {
				match = &box->pmu[n];
				num_matches++;
			}
		if (!match)
			continue;
		code = add_event(pmus, box,
				 num_matches < box->num_pmus ? match : NULL,
				 event);
		is_here = true;
	}
	*num += is_here;
	return code;
}

/* The one value that a text is; else NULL. */
static struct json_object *parse(const char *text)
{
	struct json_tokener *tokener = json_tokener_new();
	struct json_object *root = NULL;
	size_t end;

	if (tokener) {
		root = json_tokener_parse_ex(tokener, text, (int)strlen(text));
		end = json_tokener_get_parse_end(tokener);
		if (text[end + strspn(text + end, " \t\r\n")]) {
			json_object_put(root);
			root = NULL;
		}
		json_tokener_free(tokener);
	}
	return root;
}

/* A text of ours ends at a zero byte; what is behind it must not be lost. */
static bool has_zero_byte(struct json_object *row)
{
	json_object_object_foreach(row, key, value)
	{
		const char *text = json_object_get_string(value);

		(void)key;
		if (json_object_is_type(value, json_type_string) &&
		    strlen(text) != (size_t)json_object_get_string_len(value))
			return true;
	}
	return false;
}

static int by_name(const void *a, const void *b)
{
	const struct perf_alias *const *first = a, *const *second = b;

	return strcasecmp((*first)->name, (*second)->name);
}

/* Of rows of a box with one name and different words nobody knows which is
 * meant. */
static int refuse_twins(struct perf_box *box, unsigned first)
{
	unsigned num = box->num_aliases - first;
	struct perf_alias **sorted =
		calloc(num + !num, sizeof(struct perf_alias *));
	static char why[] = "the list has it more than once, with different "
			    "words";

	if (!sorted)
		return UNCORE_ERR_NO_MEMORY;
	for (unsigned i = 0; i < num; i++)
		sorted[i] = &box->aliases[first + i];
	qsort(sorted, num, sizeof(*sorted), by_name);
	for (unsigned i = 0, next; i < num; i = next) {
		bool differ = false;

		for (next = i + 1;
		     next < num && !by_name(&sorted[i], &sorted[next]); next++)
			differ |= sorted[i]->terms && sorted[next]->terms &&
				  strcmp(sorted[i]->terms, sorted[next]->terms);
		for (unsigned k = i; k < next && differ; k++)
			if (!sorted[k]->why) {
				sorted[k]->terms = NULL;
				sorted[k]->why = why;
			}
	}
	free(sorted);
	return 0;
}

static int read_file(struct perf_pmus *pmus, const char *path, size_t *num,
		     char **error)
{
	char *text = file_text(path, LARGEST_LIST, error);
	struct json_object *root = text ? parse(text) : NULL;
	struct json_object *events = root;
	int code = 0;

	free(text);
	if (!text)
		return UNCORE_ERR_IO;
	if (json_object_is_type(root, json_type_object))
		json_object_object_get_ex(root, "Events", &events);
	if (!json_object_is_type(events, json_type_array))
		code = text_error(UNCORE_ERR_BAD_SYNTAX, error,
				  "%s is no list of events in JSON: an array "
				  "of objects, or an object that has one as "
				  "\"Events\"",
				  path);
	for (size_t i = 0; !code && i < json_object_array_length(events); i++) {
		struct json_object *row = json_object_array_get_idx(events, i);

		if (!json_object_is_type(row, json_type_object))
			code = text_error(UNCORE_ERR_BAD_SYNTAX, error,
					  "%s: row %zu is no object", path,
					  i + 1);
		else if (has_zero_byte(row))
			code = text_error(UNCORE_ERR_BAD_SYNTAX, error,
					  "%s: a text of row %zu has a zero "
					  "byte in it",
					  path, i + 1);
		else
			code = add_row(pmus, row, num);
	}
	json_object_put(root);
	return code;
}

static int read_folder(struct perf_pmus *pmus, const char *folder, size_t *num,
		       char **error)
{
	struct text pattern = { 0 };
	glob_t found = { 0 };
	int code = 0;

	text_add(&pattern, "%s/*.json", folder);
	if (!pattern.data || glob(pattern.data, 0, NULL, &found))
		code = text_error(UNCORE_ERR_BAD_SYNTAX, error,
				  "%s holds no files *.json", folder);
	for (size_t i = 0; i < found.gl_pathc && !code; i++)
		code = read_file(pmus, found.gl_pathv[i], num, error);
	globfree(&found);
	text_free(&pattern);
	return code;
}

int perf_json_read(struct perf_pmus *pmus, const char *place, char **error)
{
	unsigned *first = calloc(pmus->num_boxes + 1, sizeof(*first));
	struct stat status;
	size_t num = 0;
	int code;

	if (!first)
		return UNCORE_ERR_NO_MEMORY;
	for (unsigned i = 0; i < pmus->num_boxes; i++)
		first[i] = pmus->boxes[i].num_aliases;

	if (stat(place, &status))
		code = text_error(UNCORE_ERR_IO, error, "cannot open %s: %s",
				  place, strerror(errno));
	else if (S_ISDIR(status.st_mode))
		code = read_folder(pmus, place, &num, error);
	else
		code = read_file(pmus, place, &num, error);
	for (unsigned i = 0; i < pmus->num_boxes && !code; i++)
		code = refuse_twins(&pmus->boxes[i], first[i]);
	free(first);
	if (!code && !num)
		code = text_error(UNCORE_ERR_UNKNOWN_EVENT, error,
				  "no event in %s is for a PMU that is here: "
				  "is it the list of this processor?",
				  place);
	return code;
}
