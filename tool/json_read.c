/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * RFC 8259, without a look at whether names occur twice. A value inside
 * another is a call inside a call, so there is a limit to their depth.
 */
#include "json_read.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { DEEPEST = 64 };

struct reader {
	const char *at;
	const char *why;
	unsigned depth;
};

static struct json_value *read_value(struct reader *reader);

static void skip_blanks(struct reader *reader)
{
	reader->at += strspn(reader->at, " \t\r\n");
}

static bool fail(struct reader *reader, const char *why)
{
	if (!reader->why)
		reader->why = why;
	return false;
}

/* Four digits behind \u; -1: they are not. */
static long hexadecimal(const char *at)
{
	char digits[5] = { 0 };

	strncpy(digits, at, 4);
	if (strspn(digits, "0123456789abcdefABCDEF") != 4)
		return -1;
	return strtol(digits, NULL, 16);
}

/* A character as UTF-8; how many bytes. */
static size_t put_character(long code, char *to)
{
	static const unsigned char marks[] = { 0, 0, 0xc0, 0xe0, 0xf0 };
	size_t length = code < 0x80	 ? 1
			: code < 0x800	 ? 2
			: code < 0x10000 ? 3
					 : 4;

	for (size_t i = length; i-- > 1; code >>= 6)
		to[i] = (char)(0x80 | (code & 0x3f));
	to[0] = (char)(code | (length > 1 ? marks[length] : 0));
	return length;
}

/* \uXXXX, or two of them that make one character. */
static bool read_code(struct reader *reader, char *to, size_t *used)
{
	long code = hexadecimal(reader->at + 1), low;

	if (code < 0)
		return fail(reader, "there are no four digits behind '\\u'");
	reader->at += 5;
	if (code >= 0xd800 && code < 0xdc00 && reader->at[0] == '\\' &&
	    reader->at[1] == 'u') {
		low = hexadecimal(reader->at + 2);
		if (low >= 0xdc00 && low < 0xe000) {
			code = 0x10000 + ((code - 0xd800) << 10) +
			       (low - 0xdc00);
			reader->at += 6;
		}
	}
	if ((code >= 0xd800 && code < 0xe000) || !code)
		code = 0xfffd;
	*used += put_character(code, to + *used);
	return true;
}

static bool read_escape(struct reader *reader, char *to, size_t *used)
{
	static const char escapes[] = "\"\\/bfnrt", means[] = "\"\\/\b\f\n\r\t";
	const char *which;

	reader->at++;
	if (*reader->at == 'u')
		return read_code(reader, to, used);
	which = *reader->at ? strchr(escapes, *reader->at) : NULL;
	if (!which)
		return fail(reader, "there is no such escape");
	to[(*used)++] = means[which - escapes];
	reader->at++;
	return true;
}

/* Escapes are longer than what they stand for, so the text has room. */
static char *read_string(struct reader *reader)
{
	size_t length = 1, used = 0;
	char *text;

	while (reader->at[length] && reader->at[length] != '"')
		length += reader->at[length] == '\\' && reader->at[length + 1]
				  ? 2
				  : 1;
	text = malloc(length + 1);
	if (!text) {
		fail(reader, "out of memory");
		return NULL;
	}
	reader->at++;
	while (*reader->at && *reader->at != '"' && !reader->why) {
		if (*reader->at == '\\')
			read_escape(reader, text, &used);
		else
			text[used++] = *reader->at++;
	}
	text[used] = 0;
	if (*reader->at == '"')
		reader->at++;
	else
		fail(reader, "a text has no end");
	return text;
}

static bool read_number(struct reader *reader, struct json_value *value)
{
	size_t length = strspn(reader->at, "+-.0123456789eE");
	char *end;

	value->kind = JSON_NUMBER;
	value->number = strtod(reader->at, &end);
	if (!length || end != reader->at + length)
		return fail(reader, "that is no value");
	reader->at = end;
	return true;
}

static bool read_word(struct reader *reader, struct json_value *value)
{
	static const struct {
		const char *word;
		enum json_kind kind;
	} words[] = { { "null", JSON_NULL },
		      { "true", JSON_TRUE },
		      { "false", JSON_FALSE } };

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		size_t length = strlen(words[i].word);

		if (strncmp(reader->at, words[i].word, length))
			continue;
		value->kind = words[i].kind;
		reader->at += length;
		return true;
	}
	return read_number(reader, value);
}

static char *read_name(struct reader *reader)
{
	char *name;

	if (*reader->at != '"') {
		fail(reader, "a name in quotes is missing");
		return NULL;
	}
	name = read_string(reader);
	skip_blanks(reader);
	if (*reader->at == ':')
		reader->at++;
	else
		fail(reader, "a ':' is missing");
	skip_blanks(reader);
	return name;
}

static bool read_inside(struct reader *reader, struct json_value *value,
			char end)
{
	struct json_value **last = &value->first;

	reader->at++;
	skip_blanks(reader);
	while (!reader->why && *reader->at != end) {
		char *name = end == '}' ? read_name(reader) : NULL;

		*last = reader->why ? NULL : read_value(reader);
		if (!*last) {
			free(name);
			return false;
		}
		(*last)->name = name;
		last = &(*last)->next;
		if (*reader->at == ',')
			reader->at++;
		else if (*reader->at != end)
			return fail(reader, "a ',' or the end is missing");
		skip_blanks(reader);
	}
	reader->at++;
	return true;
}

static bool fill(struct reader *reader, struct json_value *value)
{
	switch (*reader->at) {
	case '{':
		value->kind = JSON_OBJECT;
		return read_inside(reader, value, '}');
	case '[':
		value->kind = JSON_ARRAY;
		return read_inside(reader, value, ']');
	case '"':
		value->kind = JSON_STRING;
		value->text = read_string(reader);
		return !reader->why;
	default: return read_word(reader, value);
	}
}

static struct json_value *read_value(struct reader *reader)
{
	struct json_value *value = calloc(1, sizeof(*value));

	if (!value || reader->depth == DEEPEST) {
		fail(reader, value ? "it is nested too deep" : "out of memory");
		free(value);
		return NULL;
	}
	reader->depth++;
	if (!fill(reader, value)) {
		json_free(value);
		return NULL;
	}
	reader->depth--;
	skip_blanks(reader);
	return value;
}

struct json_value *json_read(const char **at, const char **why)
{
	struct reader reader = { .at = *at };
	struct json_value *value;

	skip_blanks(&reader);
	value = read_value(&reader);
	*at = reader.at;
	*why = reader.why;
	return value;
}

void json_free(struct json_value *value)
{
	while (value) {
		struct json_value *next = value->next;

		json_free(value->first);
		free(value->name);
		free(value->text);
		free(value);
		value = next;
	}
}

const struct json_value *json_member(const struct json_value *object,
				     const char *name)
{
	const struct json_value *member =
		object && object->kind == JSON_OBJECT ? object->first : NULL;

	while (member && strcmp(member->name, name))
		member = member->next;
	return member;
}

const char *json_text(const struct json_value *object, const char *name)
{
	const struct json_value *member = json_member(object, name);

	return member ? member->text : NULL;
}

double json_real(const struct json_value *object, const char *name)
{
	const struct json_value *member = json_member(object, name);

	return member && member->kind == JSON_NUMBER ? member->number : NAN;
}
