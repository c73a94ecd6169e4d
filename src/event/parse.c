/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * From text to event:
 *
 *     BOX[N]/EVENT[.MASK...][,option=value...]/
 *     BOX[N]/option=value[,option=value...]/          raw codes
 *     EVENT[.MASK...][,option=value...]               where one box has it
 *
 * or in the words of the kernel or LIKWID (alias.c).
 *
 * Upper and lower case are the same. Names may hold dots themselves; the
 * longest name that exists is taken.
 */
#include "event/event.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/setting.h"
#include "perf/family.h"
#include "uncore/error.h"

/* The text cut into pieces; pointers into a copy. */
struct pieces {
	char *copy;
	char *box;     /* NULL: bare event name */
	char *path;    /* EVENT.MASK or NULL */
	char *options; /* NULL: none */
};

static char *trim(char *string)
{
	size_t length;

	while (isspace((unsigned char)*string))
		string++;
	length = strlen(string);
	while (length && isspace((unsigned char)string[length - 1]))
		string[--length] = 0;
	return string;
}

static int cut_box(struct pieces *pieces, char *start, const char *text,
		   char **error)
{
	char *slash = strchr(start, '/');
	size_t length;

	pieces->path = start;
	if (!slash)
		return 0;
	*slash = 0;
	pieces->box = start;
	pieces->path = slash + 1;
	length = strlen(pieces->path);
	if (!length)
		return text_error(UNCORE_ERR_BAD_SYNTAX, error,
				  "'%s' names no event behind the '/': leave "
				  "that out, or write a box before it; an "
				  "event is written "
				  "BOX/EVENT.MASK,option=value/",
				  text);
	if (pieces->path[length - 1] != '/')
		return text_error(UNCORE_ERR_BAD_SYNTAX, error,
				  "'%s' does not end with '/'; an event is "
				  "written BOX/EVENT.MASK,option=value/",
				  text);
	pieces->path[length - 1] = 0;
	if (strchr(pieces->path, '/'))
		return text_error(UNCORE_ERR_BAD_SYNTAX, error,
				  "'%s' has more than two '/'; an event is "
				  "written BOX/EVENT.MASK,option=value/",
				  text);
	return 0;
}

static int cut(struct pieces *pieces, const char *text, char **error)
{
	char *comma;
	int result;

	*pieces = (struct pieces){ .copy = strdup(text) };
	if (!pieces->copy)
		return UNCORE_ERR_NO_MEMORY;
	result = cut_box(pieces, trim(pieces->copy), text, error);
	if (result)
		return result;
	comma = strchr(pieces->path, ',');
	if (strchr(pieces->path, '=') &&
	    (!comma || strchr(pieces->path, '=') < comma)) {
		pieces->options = pieces->path;
		pieces->path = NULL;
	} else if (comma) {
		*comma = 0;
		pieces->options = comma + 1;
	}
	if (pieces->path)
		pieces->path = trim(pieces->path);
	if (pieces->path && !*pieces->path)
		return text_error(UNCORE_ERR_BAD_SYNTAX, error,
				  "'%s' names no event; an event is written "
				  "BOX/EVENT.MASK,option=value/",
				  text);
	if (!pieces->path && !pieces->box)
		return text_error(UNCORE_ERR_BAD_SYNTAX, error,
				  "'%s' names no box; raw codes are written "
				  "BOX/option=value/",
				  text);
	return 0;
}

static void say_masks(const struct uc_event *row, struct text *text)
{
	for (unsigned i = 0; i < row->num_unit_masks; i++)
		text_add(text, "%s%s", i ? ", " : "", row->unit_masks[i].name);
}

int event_bad_mask(const struct uncore_event *event, const char *what,
		   char **error)
{
	struct text text = { 0 };

	if (!event->row->num_unit_masks)
		text_add(&text, "%s has no unit mask '%s'; it has none at all",
			 event->row->name, what);
	else if (what)
		text_add(&text,
			 "%s has no unit mask '%s'; it has: ", event->row->name,
			 what);
	else
		text_add(&text,
			 "%s needs a unit mask; it has: ", event->row->name);
	say_masks(event->row, &text);
	return text_fail(&text, UNCORE_ERR_BAD_UMASK, error);
}

static int set_all(struct uncore_event *event, const struct uc_set *sets,
		   unsigned num_sets, const char *name, char **error)
{
	for (unsigned i = 0; i < num_sets; i++) {
		struct event_setting setting = {
			.value = sets[i].value,
			.name = name,
			.role = sets[i].role,
			.high = sets[i].high,
			.low = sets[i].low,
			.contains = sets[i].contains,
			.implied = true,
		};
		const char *other;

		if (event_set(event, &setting, &other))
			return text_error(UNCORE_ERR_BAD_UMASK, error,
					  "%s of %s cannot be combined with "
					  "%s: both need the field %s",
					  name, event->row->name, other,
					  sets[i].field);
	}
	return 0;
}

static int add_mask(struct uncore_event *event, const struct uc_unit_mask *mask,
		    char **error)
{
	for (unsigned i = 0; i < event->num_masks; i++)
		if (event->masks[i] == mask)
			return 0;
	if (event->num_masks == EVENT_MAX_MASKS)
		return text_error(UNCORE_ERR_BAD_UMASK, error,
				  "more than %d unit masks in one event",
				  EVENT_MAX_MASKS);
	event->masks[event->num_masks++] = mask;
	return set_all(event, mask->sets, mask->num_sets, mask->name, error);
}

static const struct uc_unit_mask *longest_mask(const struct uc_event *row,
					       const char *path, size_t *length)
{
	const struct uc_unit_mask *best = NULL;

	*length = 0;
	for (unsigned i = 0; i < row->num_unit_masks; i++) {
		const char *name = row->unit_masks[i].name;
		size_t n;

		if ((name[0] ^ path[0]) & ~0x20)
			continue;
		n = strlen(name);
		/* Compared first: the path may be shorter. */
		if (n > *length && !strncasecmp(path, name, n) &&
		    (!path[n] || path[n] == '.')) {
			best = &row->unit_masks[i];
			*length = n;
		}
	}
	return best;
}

/* An event without a mask means all of it, if the guide has a mask for that. */
static int no_mask(struct uncore_event *event, bool has_options, char **error)
{
	const struct uc_event *row = event->row;
	size_t length;
	const struct uc_unit_mask *all = longest_mask(row, "ALL", &length);

	if (!row->num_unit_masks)
		return 0;
	/* Options may give the mask as a number; event_defaults() looks. */
	if (has_options)
		return 0;
	if (!all || all->excluded)
		return event_bad_mask(event, NULL, error);
	return add_mask(event, all, error);
}

static int find_masks(struct uncore_event *event, const char *rest,
		      bool has_options, char **error)
{
	int result = set_all(event, event->row->sets, event->row->num_sets,
			     event->row->name, error);

	if (result)
		return result;
	if (!rest)
		return no_mask(event, has_options, error);
	while (rest) {
		size_t length;
		const struct uc_unit_mask *mask =
			longest_mask(event->row, rest, &length);

		if (!mask)
			return event_bad_mask(event, rest, error);
		result = add_mask(event, mask, error);
		if (result)
			return result;
		rest = rest[length] ? rest + length + 1 : NULL;
	}
	return 0;
}

static int options(struct uncore_event *event, char *list, char **error)
{
	struct setting setting;
	int result = 0;

	while (!result && setting_next(&list, &setting))
		result = event_option(event, trim(setting.name),
				      setting.value ? trim(setting.value) : "1",
				      error);
	return result;
}

/* What the guide rules out may be counted all the same; an event of a live
 * family that was not understood has no codes. */
static int refuse_unclear(const struct uncore_event *event, char **error)
{
	const char *why = event->row ? event->row->excluded : NULL;

	if (!why || !perf_family_pmus(event->family))
		return 0;
	return text_error(UNCORE_ERR_BAD_OPTION, error,
			  "%s/%s/ cannot be counted by its name: %s",
			  event->box->name, event->row->name, why);
}

/* Not all instances have all registers of the first one: without those that
 * filter, something else would be counted. */
static int refuse_lack(const struct uncore_event *event, char **error)
{
	struct event_view view;

	if (event->instance == EVENT_ANY)
		return 0;
	event_view(event, &view);
	for (unsigned i = 0; i < UC_NUM_ROLES; i++)
		if (view.value[i] &&
		    uc_register_of(event->family, event->box_index, 0,
				   (enum uc_role)i, 0) &&
		    !uc_register_of(event->family, event->box_index,
				    (unsigned)event->instance, (enum uc_role)i,
				    0))
			return text_error(
				UNCORE_ERR_BAD_OPTION, error,
				"%s%d has no %s register, which '%s' needs; "
				"%s0 has one",
				event->box->name, event->instance,
				event_role_name((enum uc_role)i), event->text,
				event->box->name);
	return 0;
}

static int parse(struct uncore_event *event, struct pieces *pieces,
		 char **error)
{
	const char *rest = NULL;
	int result = 0;

	if (pieces->box)
		result = event_find_box(event, pieces->box, error);
	if (!result && pieces->path)
		result = event_find(event, pieces->path, &rest, error);
	if (!result)
		result = refuse_unclear(event, error);
	if (!result && event->row) {
		event->select = event->row->select;
		result = find_masks(event, rest, pieces->options, error);
	}
	if (!result && pieces->options)
		result = options(event, pieces->options, error);
	if (!result)
		result = event_defaults(event, error);
	if (!result)
		result = refuse_lack(event, error);
	return result;
}

int uncore_event_parse(const struct uncore_family *family, const char *text,
		       struct uncore_event **event, char **error)
{
	struct uncore_event *new = calloc(1, sizeof(*new));
	struct pieces pieces = { 0 };
	char *ours = NULL;
	int result = UNCORE_ERR_NO_MEMORY;

	if (!new)
		return result;
	new->family = family_row(family);
	new->instance = new->counter = EVENT_ANY;
	new->port = new->slot = new->select = EVENT_ANY;
	new->text = strdup(text);
	if (new->text)
		result = event_alias(new->family, text, &ours, error);
	if (!result)
		result = cut(&pieces, ours ? ours : text, error);
	if (!result)
		result = parse(new, &pieces, error);
	free(pieces.copy);
	free(ours);
	if (result)
		uncore_event_free(new);
	else
		*event = new;
	return result;
}
