/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Growing text, numbers and sentences about errors.
 */
#include "base/text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static bool grow(struct text *text, size_t more)
{
	size_t size = text->size ? text->size : 64;
	char *data;

	while (size < text->length + more + 1)
		size *= 2;
	if (size == text->size)
		return true;
	data = realloc(text->data, size);
	if (!data)
		return false;
	text->data = data;
	text->size = size;
	return true;
}

void text_vadd(struct text *text, const char *format, va_list arguments)
{
	va_list again;
	int more;

	va_copy(again, arguments);
	more = vsnprintf(NULL, 0, format, again);
	va_end(again);
	if (text->failed || more < 0 || !grow(text, (size_t)more)) {
		text->failed = true;
		return;
	}
	vsnprintf(text->data + text->length, (size_t)more + 1, format,
		  arguments);
	text->length += (size_t)more;
}

void text_add(struct text *text, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	text_vadd(text, format, arguments);
	va_end(arguments);
}

char *text_take(struct text *text)
{
	char *data = NULL;

	if (!text->data)
		text_add(text, "%s", "");
	if (text->failed)
		free(text->data);
	else
		data = text->data;
	*text = (struct text){ 0 };
	return data;
}

void text_free(struct text *text)
{
	free(text->data);
	*text = (struct text){ 0 };
}

char *text_format(const char *format, ...)
{
	struct text text = { 0 };
	va_list arguments;

	va_start(arguments, format);
	text_vadd(&text, format, arguments);
	va_end(arguments);
	return text_take(&text);
}

void text_give(char **error, char *text)
{
	if (error)
		*error = text;
	else
		free(text);
}

int text_error(int code, char **error, const char *format, ...)
{
	struct text text = { 0 };
	va_list arguments;

	if (!error)
		return code;
	va_start(arguments, format);
	text_vadd(&text, format, arguments);
	va_end(arguments);
	*error = text_take(&text);
	return code;
}

int text_fail(struct text *text, int code, char **error)
{
	if (error)
		*error = text_take(text);
	text_free(text);
	return code;
}

bool text_number(const char *string, uint64_t *value)
{
	bool is_hex = !strncasecmp(string, "0x", 2);
	char *end;

	/* strtoull() would take a sign and leading blanks. */
	if (string[0] < '0' || string[0] > '9')
		return false;
	errno = 0;
	*value = strtoull(string, &end, is_hex ? 16 : 10);
	return !errno && !*end;
}

bool text_same(const char *a, size_t length, const char *b)
{
	return strlen(b) == length && !strncasecmp(a, b, length);
}

uint64_t text_hash(uint64_t sum, const void *bytes, size_t size)
{
	const unsigned char *byte = bytes;

	while (size--)
		sum = (sum ^ *byte++) * UINT64_C(0x100000001b3);
	return sum;
}
