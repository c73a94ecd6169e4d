/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * A text that grows while it is written, and small helpers on names. A text
 * that could not grow remembers so; its owner asks once, at the end.
 */
#ifndef UNCORE_BASE_TEXT_H
#define UNCORE_BASE_TEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct text {
	char *data; /* ends in a zero byte; NULL while empty */
	size_t length;
	size_t size;
	bool failed;
};

/* Adds printf-style text at the end. */
void text_add(struct text *text, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void text_vadd(struct text *text, const char *format, va_list arguments);

/* The text as a string that the caller frees, or NULL when memory ended; the
 * text is empty afterwards. */
char *text_take(struct text *text);
void text_free(struct text *text);

/* A text to be freed by whoever gets it; NULL without memory. */
char *text_format(const char *format, ...)
	__attribute__((format(printf, 1, 2)));

/* Hands a text (NULL: none) to a caller who may not want it (NULL). */
void text_give(char **error, char *text);

/* Stores a sentence in *error unless error is NULL; returns code. */
int text_error(int code, char **error, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Stores the text there likewise, which is empty afterwards; returns code. */
int text_fail(struct text *text, int code, char **error);

/* A number that fills the whole string: decimal, also behind zeros, or 0x and
 * hexadecimal digits. */
bool text_number(const char *string, uint64_t *value);

/* Whether the first length bytes of a are the string b, case ignored. */
bool text_same(const char *a, size_t length, const char *b);

/* FNV-1a, 64 bits: of these bytes behind those that gave `sum`, at first
 * TEXT_HASH. */
#define TEXT_HASH UINT64_C(0xcbf29ce484222325)
uint64_t text_hash(uint64_t sum, const void *bytes, size_t size);

/* The few names that look most like a wanted one; who sees public headers only
 * has the same in uncore/error.h. */
enum { NEAREST_MAX = 3 };

struct nearest {
	const char *wanted;
	const char *names[NEAREST_MAX];
	unsigned distances[NEAREST_MAX];
	unsigned num;
};

void nearest_offer(struct nearest *nearest, const char *name);

/* Adds "; did you mean A, B or C?" or nothing. */
void nearest_say(const struct nearest *nearest, struct text *text);

/* The same, or "", to be freed; NULL without memory. */
char *nearest_text(const struct nearest *nearest);

#endif
