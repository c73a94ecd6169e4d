/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 */
#include "perf/json.h"

#include <ctype.h>
#include <errno.h>
#include <glob.h>
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/text.h"
#include "uncore/error.h"

enum { LARGEST_LIST = 64 << 20 };

/* `format` takes a length and a text. */
static struct perf_box *box_named(const struct perf_pmus *pmus,
				  const char *format, int length,
				  const char *unit)
{
	char name[64];

	snprintf(name, sizeof(name), format, length, unit);
	for (unsigned i = 0; i < pmus->num_boxes; i++)
		if (!strcasecmp(pmus->boxes[i].name, name))
			return &pmus->boxes[i];
	return NULL;
}

/* A unit is called like the PMU, or with less at the end, or with more: another
 * word, or AMD's PMC where the kernel has amd_ in front. */
static struct perf_box *box_of(const struct perf_pmus *pmus, const char *unit)
{
	size_t length = strlen(unit), first = strcspn(unit, " ");
	struct perf_box *box = box_named(pmus, "%.*s", (int)length, unit);

	if (!box)
		box = box_named(pmus, "%.*s", (int)first, unit);
	if (!box)
		box = box_named(pmus, "%.*sx", (int)length, unit);
	if (!box && length > 3 && !strcasecmp(unit + length - 3, "PMC"))
		box = box_named(pmus, "amd_%.*s", (int)length - 3, unit);
	return box;
}

static const char *text_of(struct json_object *event, const char *key)
{
	struct json_object *value;

	return json_object_object_get_ex(event, key, &value) && value
		       ? json_object_get_string(value)
		       : NULL;
}

/* Keeps a text as long as the PMUs; NULL without memory. */
static const char *keep(struct perf_pmus *pmus, char *text)
{
	char **texts =
		realloc(pmus->texts, (pmus->num_texts + 1) * sizeof(*texts));

	if (texts)
		pmus->texts = texts;
	if (!texts || !text) {
		free(text);
		return NULL;
	}
	return texts[pmus->num_texts++] = text;
}

/* Adds term=value where the list has one; false where the PMU has no such
 * term, though the value is not 0. */
static bool add_term(struct text *terms, const struct perf_box *box,
		     const char *name, uint64_t value, bool is_there)
{
	if (!is_there || (!value && strcmp(name, "event")))
		return true;
	text_add(terms, "%s%s=0x%llx", terms->length ? "," : "", name,
		 (unsigned long long)value);
	return perf_term_find(box, name);
}

static uint64_t number_of(struct json_object *event, const char *key)
{
	const char *text = text_of(event, key);

	return text ? strtoull(text, NULL, 0) : 0;
}

/* The words of a list in those of the PMU; NULL where it lacks them. */
static char *terms_of(struct json_object *event, const struct perf_box *box)
{
	struct text terms = { 0 };
	uint64_t mask = number_of(event, "UMask") | number_of(event, "UMaskExt")
							    << 8;
	bool is_known = add_term(&terms, box, "event",
				 number_of(event, "EventCode"), true);

	is_known &= add_term(&terms, box, "umask", mask, true);
	is_known &= add_term(&terms, box, "ch_mask",
			     number_of(event, "PortMask"), true);
	is_known &= add_term(&terms, box, "fc_mask", number_of(event, "FCMask"),
			     true);
	if (is_known)
		return text_take(&terms);
	text_free(&terms);
	return NULL;
}

/* "0,1,2,3" as bits; all where nothing else is said. */
static uint32_t counters_of(struct json_object *event)
{
	const char *text = text_of(event, "Counter");
	uint32_t counters = 0;

	for (; text && *text; text++)
		if (isdigit((unsigned char)*text))
			counters |= 1u << (*text - '0');
	return counters ? counters : UINT32_MAX;
}

/* "64Bytes" */
static void read_scale(struct perf_pmus *pmus, struct json_object *event,
		       struct perf_alias *alias)
{
	const char *text = text_of(event, "ScaleUnit");
	char *end;

	if (!text)
		return;
	alias->scale = strtod(text, &end);
	alias->unit = *end ? keep(pmus, strdup(end)) : NULL;
	if (end == text || alias->scale <= 0)
		alias->scale = 1;
}

/* *num grows if it is an event of a box that is there. */
static int add_event(struct perf_pmus *pmus, struct json_object *event,
		     size_t *num)
{
	const char *unit = text_of(event, "Unit");
	const char *name = text_of(event, "EventName");
	const char *brief = text_of(event, "BriefDescription");
	struct perf_box *box = unit && name ? box_of(pmus, unit) : NULL;
	char *terms = box ? terms_of(event, box) : NULL;
	struct perf_alias *list;

	if (!terms)
		return 0;
	list = realloc(box->aliases, (box->num_aliases + 1) * sizeof(*list));
	if (!list) {
		free(terms);
		return UNCORE_ERR_NO_MEMORY;
	}
	box->aliases = list;
	list = &list[box->num_aliases];
	*list = (struct perf_alias){
		.terms = keep(pmus, terms),
		.name = keep(pmus, strdup(name)),
		.brief = keep(pmus, strdup(brief ? brief : name)),
		.counters = counters_of(event),
		.scale = 1,
	};
	read_scale(pmus, event, list);
	if (!list->terms || !list->name || !list->brief)
		return UNCORE_ERR_NO_MEMORY;
	box->num_aliases++;
	++*num;
	return 0;
}

static int read_file(struct perf_pmus *pmus, const char *path, size_t *num,
		     char **error)
{
	char *text = file_text(path, LARGEST_LIST, error);
	struct json_object *root = text ? json_tokener_parse(text) : NULL;
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
	for (size_t i = 0; !code && i < json_object_array_length(events); i++)
		code = add_event(pmus, json_object_array_get_idx(events, i),
				 num);
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
	struct stat status;
	size_t num = 0;
	int code;

	if (stat(place, &status))
		return text_error(UNCORE_ERR_IO, error, "cannot open %s: %s",
				  place, strerror(errno));
	code = S_ISDIR(status.st_mode) ? read_folder(pmus, place, &num, error)
				       : read_file(pmus, place, &num, error);
	if (!code && !num)
		code = text_error(UNCORE_ERR_UNKNOWN_EVENT, error,
				  "no event in %s is for a PMU that is here: "
				  "is it the list of this processor?",
				  place);
	return code;
}
