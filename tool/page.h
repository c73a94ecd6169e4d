/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * A page of explanation, written once and printed either as text with headings
 * and wrapped lines or as a JSON object.
 */
#ifndef UNCORE_TOOL_PAGE_H
#define UNCORE_TOOL_PAGE_H

#include <stdint.h>
#include <stdio.h>

#include "json.h"

struct page {
	FILE *file;
	struct json *json; /* NULL: text */
	unsigned num;	   /* pages before this one */
};

/* One page: what it is about (event, register, metric) and its name. */
void page_begin(struct page *page, const char *kind, const char *name);
void page_end(struct page *page);

/* One statement: `key` for JSON, `heading` for people. */
void page_text(struct page *page, const char *key, const char *heading,
	       const char *format, ...) __attribute__((format(printf, 4, 5)));

/* A number that the text already holds: JSON only. */
void page_number(struct page *page, const char *key, uint64_t value);
void page_string(struct page *page, const char *key, const char *value);

/* A list of statements. */
void page_list(struct page *page, const char *key, const char *heading);
void page_item(struct page *page, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void page_list_end(struct page *page);

/* In a list: a name with what there is to say of it; in JSON an object with
 * the members `key` and "text". */
void page_pair(struct page *page, const char *key, const char *name,
	       const char *text);

/* A line that is not wrapped, text only: a command, a table row. */
void page_line(struct page *page, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

#endif
