/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The box and the event that a name stands for; and what exists, where it
 * stands for none.
 */
#include "event/event.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "uncore/error.h"

static int no_box(const struct uc_family *family, const char *name,
		  char **error)
{
	struct text text = { 0 };
	int result;

	for (unsigned i = 0; i < family->num_boxes; i++)
		text_add(&text, "%s%s", i ? ", " : "", family->boxes[i].name);
	result = text_error(UNCORE_ERR_UNKNOWN_BOX, error,
			    "there is no box '%s' in %s; the boxes are: %s",
			    name, family->name, text.data ? text.data : "none");
	text_free(&text);
	return result;
}

/* Of those that are numbered with holes, each. */
static int no_instance(const struct uncore_event *event, const char *number,
		       char **error)
{
	unsigned most = event->box->num_instances, num = 0;
	struct text numbers = { 0 };
	int code;

	for (unsigned i = 0; i < most; i++)
		if (event_has_instance(event, i))
			text_add(&numbers, "%s%u", num++ ? ", " : "", i);
	if (num == most) {
		text_free(&numbers);
		text_add(&numbers, "0 to %u", most - 1u);
	}
	code = text_error(UNCORE_ERR_UNKNOWN_BOX, error,
			  "there is no instance %s of %s: %s has %u (%s)",
			  number, event->box->name, event->family->name, num,
			  numbers.data ? numbers.data : "");
	text_free(&numbers);
	return code;
}

int event_find_box(struct uncore_event *event, const char *name, char **error)
{
	size_t length = strlen(name);
	uint64_t instance = 0;

	if (event_find_pmu(event, name))
		return 0;
	/* A box may end in a digit itself: amd_l3. */
	for (; length && !event->box; length--) {
		for (unsigned i = 0; i < event->family->num_boxes; i++) {
			const struct uc_box *box = &event->family->boxes[i];

			if (!text_same(name, length, box->name))
				continue;
			event->box = box;
			event->box_index = i;
		}
		if (event->box || !isdigit((unsigned char)name[length - 1]))
			break;
	}
	if (!event->box)
		return no_box(event->family, name, error);
	if (!name[length])
		return 0;
	/* Decimal, even with leading zeros. */
	instance = strtoull(name + length, NULL, 10);
	if (!event_has_instance(event, instance))
		return no_instance(event, name + length, error);
	event->instance = (int)instance;
	return 0;
}

/* Length of a name if the path begins with it, up to a dot or the end. */
static size_t length_of(const char *path, const char *name)
{
	size_t length;

	if ((name[0] ^ path[0]) & ~0x20)
		return 0;
	length = strlen(name);
	return !strncasecmp(path, name, length) &&
			       (!path[length] || path[length] == '.')
		       ? length
		       : 0;
}

/* Length of the longest beginning of a path that is a name of an event of the
 * box, which is stored in *row; 0 if none is. A name of the guide wins over an
 * alias: there is one that is another event's alias. */
static size_t find_in(const struct uc_box *box, const char *path,
		      const struct uc_event **row)
{
	size_t best = 0, length;

	for (unsigned e = 0; e < box->num_events; e++) {
		length = length_of(path, box->events[e].name);
		if (!length || length < best)
			continue;
		best = length;
		*row = &box->events[e];
	}
	for (unsigned e = 0; e < box->num_events; e++)
		for (unsigned a = 0; a < box->events[e].num_aliases; a++) {
			length = length_of(path, box->events[e].aliases[a]);
			if (length <= best)
				continue;
			best = length;
			*row = &box->events[e];
		}
	return best;
}

/* Whether what follows the event's name is nothing, or begins with one of its
 * unit masks. */
static bool has_mask(const struct uc_event *row, const char *rest)
{
	for (unsigned i = 0; *rest && i < row->num_unit_masks; i++)
		if (length_of(rest + 1, row->unit_masks[i].name))
			return true;
	return !*rest;
}

/* Whether a family has the event, in the same type of box if one is named. */
static bool has_event(const struct uc_family *family,
		      const struct uncore_event *event, const char *path)
{
	const struct uc_event *row;

	for (unsigned b = 0; b < family->num_boxes; b++) {
		const struct uc_box *box = &family->boxes[b];
		size_t length = find_in(box, path, &row);

		if (length &&
		    (!event->box || !strcmp(box->name, event->box->name)) &&
		    has_mask(row, path + length))
			return true;
	}
	return false;
}

/* How many characters two names begin with alike. */
static size_t num_alike(const char *a, const char *b)
{
	size_t n = 0;

	while (a[n] && a[n] == b[n])
		n++;
	return n;
}

/* Another family that has it, NULL if none has: of several the one whose name
 * is most like the event's own, which is the nearest generation. */
static const struct uc_family *another_with(const struct uncore_event *event,
					    const char *path)
{
	const struct uc_family *family, *found = NULL;
	const char *own = event->family->name;

	for (size_t i = 0; (family = uc_family_nth(i)); i++)
		if (family != event->family && has_event(family, event, path) &&
		    (!found || num_alike(family->name, own) >
				       num_alike(found->name, own)))
			found = family;
	return found;
}

static int no_event(const struct uncore_event *event, const char *path,
		    char **error)
{
	const struct uc_family *family = event->family;
	const struct uc_family *another = another_with(event, path);
	char name[64];
	struct nearest nearest = { .wanted = name };
	struct text text = { 0 };

	if (!error)
		return UNCORE_ERR_UNKNOWN_EVENT;
	snprintf(name, sizeof(name), "%.*s", (int)strcspn(path, "."), path);
	for (unsigned i = 0; i < family->num_boxes; i++) {
		const struct uc_box *box = &family->boxes[i];

		if (event->box && event->box != box)
			continue;
		for (unsigned j = 0; j < box->num_events; j++)
			nearest_offer(&nearest, box->events[j].name);
	}
	text_add(&text, "there is no event '%s' in ", path);
	if (event->box)
		text_add(&text, "the %s of %s", event->box->guide_name,
			 family->name);
	else
		text_add(&text, "%s", family->name);
	if (another)
		text_add(&text, "; %s has it", another->name);
	if (strpbrk(path, "*?["))
		text_add(&text, "; '*' goes with 'uncore list', which shows "
				"names to take");
	else
		nearest_say(&nearest, &text);
	if (!nearest.num)
		text_add(&text, "; 'uncore list' shows all events");
	*error = text_take(&text);
	text_free(&text);
	return UNCORE_ERR_UNKNOWN_EVENT;
}

/* A bare name: the box is the one that has it. */
static int find_anywhere(struct uncore_event *event, const char *path,
			 size_t *length, char **error)
{
	struct text boxes = { 0 };
	unsigned num = 0;
	int result = 0;

	for (unsigned i = 0; i < event->family->num_boxes; i++) {
		const struct uc_box *box = &event->family->boxes[i];
		const struct uc_event *row = NULL;
		size_t found = find_in(box, path, &row);

		if (!found)
			continue;
		text_add(&boxes, "%s%s/%s/", num ? ", " : "", box->name, path);
		num++;
		event->box = box;
		event->box_index = i;
		event->row = row;
		*length = found;
	}
	if (num > 1)
		result = text_error(UNCORE_ERR_AMBIGUOUS, error,
				    "several boxes have an event '%s'; write "
				    "one of: %s",
				    path, boxes.data);
	text_free(&boxes);
	return result;
}

int event_find(struct uncore_event *event, const char *path, const char **rest,
	       char **error)
{
	size_t length = 0;
	int result;

	if (event->box) {
		length = find_in(event->box, path, &event->row);
	} else {
		result = find_anywhere(event, path, &length, error);
		if (result)
			return result;
	}
	if (!length)
		return no_event(event, path, error);
	*rest = path[length] ? path + length + 1 : NULL;
	return 0;
}
