/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The value of each= and times=: "NAME NAME: VALUE VALUE, VALUE VALUE".
 */
#include "metric/read.h"

#include <string.h>

/* The names in "NAME NAME: ..." */
const char *each_names(const char *text, struct metric_binding *bindings,
		       size_t room, size_t *num)
{
	for (*num = 0; *num < room;) {
		size_t length;

		text += strspn(text, " ");
		length = strcspn(text, " :");
		if (!length || length >= sizeof(bindings->name))
			return NULL;
		memcpy(bindings[*num].name, text, length);
		bindings[(*num)++].name[length] = 0;
		text += length + strspn(text + length, " ");
		if (*text == ':')
			return text + 1;
	}
	return NULL;
}

/* One value: up to a blank or comma, or in '...'. Returns what follows. */
static const char *each_value(const char *text, char *value, size_t size)
{
	bool quoted;
	size_t length;

	text += strspn(text, " ");
	quoted = *text == '\'';
	text += quoted;
	length = strcspn(text, quoted ? "'" : " ,");
	if (length >= size || (quoted ? text[length] != '\'' : !length))
		return NULL;
	memcpy(value, text, length);
	value[length] = 0;
	return text + length + quoted;
}

/* The next values, up to a comma or the end; NULL: not as many as names. */
const char *each_values(const char *text, struct metric_binding *bindings,
			size_t num)
{
	for (size_t i = 0; i < num && text; i++)
		text = each_value(text, bindings[i].value,
				  sizeof(bindings[i].value));
	if (!text)
		return NULL;
	text += strspn(text, " ");
	if (*text && *text != ',')
		return NULL;
	return *text ? text + 1 : text;
}
