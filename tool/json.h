/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * JSON by json-c, in the order in which it is said: a tree that is printed when
 * its outermost bracket is closed. What is long is in memory already, as a
 * table, when it is printed. Brackets, texts, members and addresses of a NULL
 * are not printed: who says a page for people says its JSON in passing.
 */
#ifndef UNCORE_TOOL_JSON_H
#define UNCORE_TOOL_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct json_object;
struct uncore_family;

enum {
	JSON_DEEPEST = 16,
	JSON_PAGE_BYTES = 19000000, /* with the viewer 20 MB */
};

struct json {
	FILE *file;
	bool one_line;
	bool is_page; /* rows at the end of long tables are left out, as
		       * "left_out" tells, so that --html has 20 MB at most */
	unsigned depth;
	struct json_object *open[JSON_DEEPEST]; /* the outermost first */
};

/* `name` is NULL in arrays and at the top. Closing the outermost bracket prints
 * all of it and frees it. */
void json_open(struct json *json, const char *name, char bracket);
void json_close(struct json *json);

/* Bytes that are no UTF-8 become U+FFFD; a text that is NULL, null. */
void json_string(struct json *json, const char *name, const char *value);
void json_uint(struct json *json, const char *name, uint64_t value);
/* The same, or null where it is not known. */
void json_known(struct json *json, const char *name, bool is_known,
		uint64_t value);
/* Of twelve digits; null where it is no number. */
void json_number(struct json *json, const char *name, double value);
void json_flag(struct json *json, const char *name, bool value);
/* Several at once, as "name:%s code:%lu brief:%s?": their values follow, in
 * their order, and the compiler looks whether they fit: %s a text, %s? a text
 * that is left out where it is NULL, %lu a uint64_t, %u an unsigned, %g a
 * double, %d a flag. The second puts them in an object of their own, which is
 * an element of an array. */
void json_members(struct json *json, const char *members, ...)
	__attribute__((format(printf, 2, 3)));
void json_add_row(struct json *json, const char *members, ...)
	__attribute__((format(printf, 2, 3)));
/* A register's: all of it as "address", and of what is no MSR its parts and,
 * in PCI, the id of its function. */
void json_address(struct json *json, const struct uncore_family *family,
		  uint64_t address);

/* A member of a tree: NULL, NULL and NAN where there is no object, no such
 * member, no text or no number. */
struct json_object *json_member(const struct json_object *object,
				const char *name);
const char *json_text(const struct json_object *object, const char *name);
double json_real(const struct json_object *object, const char *name);

/* Element number `index` of an array; NULL: there is none, or no array. */
struct json_object *json_element(const struct json_object *array, size_t index);

#endif
