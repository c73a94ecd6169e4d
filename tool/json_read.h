/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Reads JSON: a text, or several one behind the other, as trees.
 */
#ifndef UNCORE_TOOL_JSON_READ_H
#define UNCORE_TOOL_JSON_READ_H

#include <stddef.h>

enum json_kind {
	JSON_NULL,
	JSON_FALSE,
	JSON_TRUE,
	JSON_NUMBER,
	JSON_STRING,
	JSON_ARRAY,
	JSON_OBJECT,
};

struct json_value {
	enum json_kind kind;
	char *name; /* in an object; else NULL */
	char *text; /* of a string; else NULL */
	double number;
	struct json_value *first, *next; /* inside it; behind it */
};

/* The value that begins at *at, to be freed, and *at behind it and the blanks
 * that follow. NULL: *at stands where it is none, or *why is "out of
 * memory". */
struct json_value *json_read(const char **at, const char **why);
void json_free(struct json_value *value);

/* A member of an object; NULL where there is none, or no object. */
const struct json_value *json_member(const struct json_value *object,
				     const char *name);

/* The same for members of these kinds; NULL and NAN where there is none. */
const char *json_text(const struct json_value *object, const char *name);
double json_real(const struct json_value *object, const char *name);

#endif
