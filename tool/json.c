/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Objects and arrays down to the third level get lines of their own; deeper
 * ones, of which there are thousands, stay on one line each.
 */
#include "json.h"

#include <assert.h>
#include <json-c/json.h>
#include <json-c/printbuf.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "tool.h"

enum {
	DEEPEST_LINES = 3,
	IN_LINE = JSON_C_TO_STRING_SPACED | JSON_C_TO_STRING_NOSLASHESCAPE,
	IN_LINES = IN_LINE | JSON_C_TO_STRING_PRETTY,
};

/* For json-c: a tree on one line, among others that are not. */
static int print_in_line(struct json_object *tree, struct printbuf *to,
			 int level, int flags)
{
	const char *text;
	size_t length;

	(void)level;
	(void)flags;
	json_object_set_serializer(tree, NULL, NULL, NULL); /* as usual */
	text = json_object_to_json_string_length(tree, IN_LINE, &length);
	json_object_set_serializer(tree, print_in_line, NULL, NULL);
	return text ? printbuf_memappend(to, text, (int)length) : -1;
}

/* A text with each byte that is no UTF-8 replaced, to be freed; NULL without
 * memory. */
static char *clean(const char *text)
{
	static const char replacement[] = "\xef\xbf\xbd";
	char *copy = malloc(strlen(text) * (sizeof(replacement) - 1) + 1);
	char *to = copy;

	while (copy && *text) {
		unsigned length = tool_utf8_length(text);

		to = length ? mempcpy(to, text, length)
			    : stpcpy(to, replacement);
		text += length ? length : 1;
	}
	if (copy)
		*to = '\0';
	return copy;
}

static void add(struct json *json, const char *name, struct json_object *value)
{
	struct json_object *parent =
		json->depth ? json->open[json->depth - 1] : NULL;
	char *key = name ? clean(name) : NULL;

	if (json_object_is_type(parent, json_type_array))
		json_object_array_add(parent, value);
	else if (parent && key)
		json_object_object_add(parent, key, value);
	free(key);
}

void json_open(struct json *json, const char *name, char bracket)
{
	struct json_object *tree;

	if (!json)
		return;
	tree = bracket == '{' ? json_object_new_object()
			      : json_object_new_array();
	assert(json->depth < JSON_DEEPEST);
	if (json->depth == DEEPEST_LINES)
		json_object_set_serializer(tree, print_in_line, NULL, NULL);
	add(json, name, tree);
	json->open[json->depth++] = tree;
}

/* The character there, if it is one that JSON lets stand and a terminal obeys,
 * or a script takes for the end of a line: DEL, C1, U+2028, U+2029, and those
 * that turn the direction in which text runs; or 0. */
static unsigned to_escape(const unsigned char *at)
{
	unsigned three = (at[0] & 0xfU) << 12 | (at[1] & 0x3fU) << 6;

	if (at[0] == 0x7f || (at[0] == 0xc2 && at[1] < 0xa0))
		return at[at[0] == 0xc2];
	if (at[0] != 0xe2 || !at[1])
		return 0;
	three |= at[2] & 0x3fU;
	return three == 0x200e || three == 0x200f ||
			       (three >= 0x2028 && three <= 0x202e) ||
			       (three >= 0x2066 && three <= 0x2069)
		       ? three
		       : 0;
}

static void put(const char *text, FILE *file)
{
	for (; *text; text++) {
		const unsigned char *bytes = (const unsigned char *)text;
		unsigned letter = to_escape(bytes);

		if (!letter) {
			fputc(*bytes, file);
			continue;
		}
		fprintf(file, "\\u%04x", letter);
		text += tool_utf8_length(text) - 1;
	}
}

/* How long a row is at most in a page, where it is two levels deep and <, > and
 * & are told by their numbers. */
static size_t row_bytes(struct json_object *row)
{
	const char *text = json_object_to_json_string_ext(row, IN_LINES);
	size_t bytes = 0;

	for (; text && *text; text++)
		bytes += strchr("<>&", *text) ? strlen("\\u0000")
			 : *text == '\n'      ? 5
			 : *text & 0x80	      ? 2
					      : 1;
	return bytes;
}

/* The first rows of each table, and of how many more there were; a table has as
 * much of the page as any other. */
static void shorten(struct json_object *all)
{
	struct json_object *left_out = json_object_new_object();
	size_t num = 0;

	json_object_object_foreach(all, unused, each)
	{
		(void)unused;
		num += json_object_is_type(each, json_type_array);
	}
	json_object_object_foreach(all, name, table)
	{
		size_t kept = 0, bytes = 0, rows = 0;

		if (json_object_is_type(table, json_type_array))
			rows = json_object_array_length(table);
		for (; kept < rows; kept++) {
			bytes += row_bytes(
				json_object_array_get_idx(table, kept));
			if (bytes > JSON_PAGE_BYTES / num)
				break;
		}
		if (kept == rows)
			continue;
		json_object_array_del_idx(table, kept, rows - kept);
		json_object_object_add(
			left_out, name,
			json_object_new_int64((int64_t)(rows - kept)));
	}
	if (json_object_object_length(left_out))
		json_object_object_add(all, "left_out", left_out);
	else
		json_object_put(left_out);
}

void json_close(struct json *json)
{
	if (!json || --json->depth)
		return;
	if (json->is_page)
		shorten(json->open[0]);
	put(json_object_to_json_string_ext(json->open[0],
					   json->one_line ? IN_LINE : IN_LINES),
	    json->file);
	fputc('\n', json->file);
	json_object_put(json->open[0]);
}

void json_string(struct json *json, const char *name, const char *value)
{
	char *text = json && value ? clean(value) : NULL;

	if (json)
		add(json, name, text ? json_object_new_string(text) : NULL);
	free(text);
}

void json_uint(struct json *json, const char *name, uint64_t value)
{
	if (json)
		add(json, name, json_object_new_uint64(value));
}

void json_number(struct json *json, const char *name, double value)
{
	char digits[32];

	snprintf(digits, sizeof(digits), "%.12g", value);
	add(json, name,
	    isfinite(value) ? json_object_new_double_s(value, digits) : NULL);
}

void json_flag(struct json *json, const char *name, bool value)
{
	add(json, name, json_object_new_boolean(value));
}

void json_known(struct json *json, const char *name, bool is_known,
		uint64_t value)
{
	add(json, name, is_known ? json_object_new_uint64(value) : NULL);
}

static void put_members(struct json *json, const char *members, va_list values)
{
	char name[64];

	for (size_t length; json && *members; members += length) {
		const char *kind = strchr(members, '%') + 1, *text;

		length = (size_t)(kind - members) + strcspn(kind, " ");
		length += members[length] == ' ';
		snprintf(name, sizeof(name), "%.*s", (int)(kind - 2 - members),
			 members);
		switch (*kind) {
		case 'l':
			json_uint(json, name, va_arg(values, unsigned long));
			break;
		case 'u':
			json_uint(json, name, va_arg(values, unsigned));
			break;
		case 'g':
			json_number(json, name, va_arg(values, double));
			break;
		case 'd': json_flag(json, name, va_arg(values, int)); break;
		default:
			text = va_arg(values, const char *);
			if (text || kind[1] != '?')
				json_string(json, name, text);
		}
	}
}

void json_members(struct json *json, const char *members, ...)
{
	va_list values;

	va_start(values, members);
	put_members(json, members, values);
	va_end(values);
}

void json_add_row(struct json *json, const char *members, ...)
{
	va_list values;

	va_start(values, members);
	json_open(json, NULL, '{');
	put_members(json, members, values);
	json_close(json);
	va_end(values);
}

struct json_object *json_member(const struct json_object *object,
				const char *name)
{
	return json_object_is_type(object, json_type_object)
		       ? json_object_object_get(object, name)
		       : NULL;
}

const char *json_text(const struct json_object *object, const char *name)
{
	struct json_object *member = json_member(object, name);

	return json_object_is_type(member, json_type_string)
		       ? json_object_get_string(member)
		       : NULL;
}

double json_real(const struct json_object *object, const char *name)
{
	struct json_object *member = json_member(object, name);

	return json_object_is_type(member, json_type_double) ||
			       json_object_is_type(member, json_type_int)
		       ? json_object_get_double(member)
		       : NAN;
}

struct json_object *json_element(const struct json_object *array, size_t index)
{
	return json_object_is_type(array, json_type_array) &&
			       index < json_object_array_length(array)
		       ? json_object_array_get_idx(array, index)
		       : NULL;
}

void json_address(struct json *json, const struct uncore_family *family,
		  uint64_t address)
{
	unsigned space = uncore_address_space(address);
	unsigned unit = uncore_address_unit(address);
	char id[TOOL_ID_BYTES];

	json_uint(json, "address", address);
	if (!json || space == UNCORE_SPACE_MSR)
		return;
	json_string(json, "space", uncore_space_name(space));
	if (space == UNCORE_SPACE_PCI) {
		if (unit >> 8)
			json_uint(json, "bus", unit >> 8);
		json_uint(json, "device", unit >> 3 & 31);
		json_uint(json, "function", unit & 7);
		json_string(json, "id", tool_id(family, address, id));
	} else {
		json_uint(json, "window", unit);
	}
	json_uint(json, "offset", uncore_address_offset(address));
}
