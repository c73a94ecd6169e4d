/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Copies of a row: $NAME or ${NAME} stands for one value in each of them.
 * Mistakes are told with the place in the file, where the copy was made from.
 */
#include "metric/metric.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "uncore/error.h"

/* The length of a $NAME at `at`, 0 if there is none; its name is stored. */
static size_t variable(const char *at, char *name, size_t size)
{
	bool braced = at[0] == '$' && at[1] == '{';
	const char *start = at + 1 + braced, *end = start;

	if (at[0] != '$')
		return 0;
	while (isalnum((unsigned char)*end))
		end++;
	if (end == start || (size_t)(end - start) >= size ||
	    (braced && *end != '}'))
		return 0;
	memcpy(name, start, (size_t)(end - start));
	name[end - start] = 0;
	return (size_t)(end - at) + braced;
}

static const char *bound(const char *name,
			 const struct metric_binding *bindings,
			 size_t num_bindings)
{
	for (size_t i = 0; i < num_bindings; i++)
		if (!strcmp(bindings[i].name, name))
			return bindings[i].value;
	return NULL;
}

/* Where byte `offset` of a copy comes from, if it is in the piece that was
 * made last: from byte `at` of the text, `made` bytes at `length` of the copy.
 */
static bool is_here(size_t offset, size_t length, size_t made, size_t at,
		    bool is_value, size_t *origin)
{
	if (offset < length || offset >= length + made)
		return false;
	*origin = is_value ? at : at + offset - length;
	return true;
}

char *metric_expand(const char *text, const struct metric_binding *bindings,
		    size_t num_bindings, size_t offset, size_t *origin)
{
	struct text copy = { 0 };
	size_t at = 0, unused = 0;
	bool found = false;

	origin = origin ? origin : &unused;
	while (text[at] && !found) {
		char name[32];
		size_t length = variable(text + at, name, sizeof(name));
		const char *value =
			length ? bound(name, bindings, num_bindings) : NULL;
		size_t before = copy.length;

		if (value) {
			text_add(&copy, "%s", value);
		} else {
			length = 1 + strcspn(text + at + 1, "$");
			text_add(&copy, "%.*s", (int)length, text + at);
		}
		found = origin != &unused &&
			is_here(offset, before, copy.length - before, at, value,
				origin);
		at += length;
	}
	if (!found)
		*origin = at;
	return text_take(&copy);
}

int metric_fail(char **error, const struct metric_text *text, size_t offset,
		const struct metric_row *row, const char *format, ...)
{
	struct text message = { 0 };
	size_t origin = offset += text->offset;
	va_list arguments;
	char *copy = NULL;

	if (text->raw)
		copy = metric_expand(text->raw, row ? row->bindings : NULL,
				     row ? row->num_bindings : 0, offset,
				     &origin);
	free(copy);
	text_add(&message, "%s:%u:%u: ", text->file, text->line,
		 text->column + (unsigned)origin);
	va_start(arguments, format);
	text_vadd(&message, format, arguments);
	va_end(arguments);
	return text_fail(&message, UNCORE_ERR_BAD_METRIC, error);
}
