/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Objects and arrays down to the second level get lines of their own; deeper
 * ones, of which there are thousands, stay on one line each.
 */
#include "json.h"

#include <inttypes.h>
#include <math.h>

#include "tool.h"

enum { DEEPEST_LINES = 3 };

static bool in_line(const struct json *json)
{
	return json->one_line || json->depth > DEEPEST_LINES;
}

static void line(struct json *json)
{
	if (in_line(json))
		return;
	fputc('\n', json->file);
	for (unsigned i = 0; i < json->depth; i++)
		fputs("  ", json->file);
}

static void escape(struct json *json, const char *value)
{
	unsigned length;

	fputc('"', json->file);
	for (; *value; value += length ? length : 1) {
		unsigned char byte = (unsigned char)*value;

		length = tool_utf8_length(value);
		if (byte == '"' || byte == '\\')
			fprintf(json->file, "\\%c", byte);
		else if (byte < 0x20)
			fprintf(json->file, "\\u%04x", byte);
		else if (length)
			fwrite(value, length, 1, json->file);
		else
			fputs("\\ufffd", json->file);
	}
	fputc('"', json->file);
}

static void next(struct json *json, const char *name)
{
	if (json->more)
		fputs(in_line(json) ? ", " : ",", json->file);
	if (json->depth)
		line(json);
	json->more = true;
	if (!name)
		return;
	escape(json, name);
	fputs(": ", json->file);
}

void json_open(struct json *json, const char *name, char bracket)
{
	next(json, name);
	fputc(bracket, json->file);
	json->depth++;
	json->more = false;
}

void json_close(struct json *json, char bracket)
{
	json->depth--;
	if (json->more && json->depth < DEEPEST_LINES)
		line(json);
	fputc(bracket, json->file);
	json->more = true;
	if (!json->depth)
		fputc('\n', json->file);
}

void json_string(struct json *json, const char *name, const char *value)
{
	next(json, name);
	escape(json, value);
}

void json_uint(struct json *json, const char *name, uint64_t value)
{
	next(json, name);
	fprintf(json->file, "%" PRIu64, value);
}

void json_number(struct json *json, const char *name, double value)
{
	if (!isfinite(value)) {
		json_null(json, name);
		return;
	}
	next(json, name);
	fprintf(json->file, "%.12g", value);
}

void json_bool(struct json *json, const char *name, bool value)
{
	next(json, name);
	fputs(value ? "true" : "false", json->file);
}

void json_null(struct json *json, const char *name)
{
	next(json, name);
	fputs("null", json->file);
}

void json_address(struct json *json, const struct uncore_family *family,
		  uint64_t address)
{
	unsigned space = uncore_address_space(address);
	unsigned unit = uncore_address_unit(address);
	char id[TOOL_ID_BYTES];

	json_uint(json, "address", address);
	if (space == UNCORE_SPACE_MSR)
		return;
	json_string(json, "space", uncore_space_name(space));
	if (space == UNCORE_SPACE_PCI) {
		json_uint(json, "device", unit >> 3);
		json_uint(json, "function", unit & 7);
		json_string(json, "id", tool_id(family, address, id));
	} else {
		json_uint(json, "window", unit);
	}
	json_uint(json, "offset", uncore_address_offset(address));
}
