/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What a command says that is no grid, for people or as JSON: pages that
 * explain something, written once for both, with wrapped lines; and headings
 * with lines below them, which people alone see, while json_*() of page->json,
 * said beside them, is there for programs alone.
 */
#ifndef UNCORE_TOOL_PAGE_H
#define UNCORE_TOOL_PAGE_H

#include <stdbool.h>
#include <stdio.h>

#include "json.h"

struct page {
	FILE *file;
	struct json *json; /* NULL: text */
	unsigned num;	   /* pages before this one */
	bool has_begun;	   /* something stands above */
	/* the list that was begun */
	const char *key, *heading;
	size_t num_items;
	size_t most; /* of which people see so many; 0: all */
};

/* One page: what it is about (event, register, metric) and its name. */
void page_begin(struct page *page, const char *kind, const char *name);
void page_end(struct page *page);

/* One statement: `key` for JSON (NULL: it is not there), `heading` for people.
 * The second of a text that may be empty, and is left out then. */
void page_text(struct page *page, const char *key, const char *heading,
	       const char *format, ...) __attribute__((format(printf, 4, 5)));
void page_say(struct page *page, const char *key, const char *heading,
	      const char *text);

/* A list of statements, which is there with its first one. At its end: what
 * people read where it has none ("": only that it is there, NULL: not even
 * that). How many of them they did not see. */
void page_list(struct page *page, const char *key, const char *heading);
void page_item(struct page *page, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
size_t page_list_end(struct page *page, const char *none);

/* In a list: a name with what there is to say of it; in JSON an object with
 * the members `key` and "text". */
void page_pair(struct page *page, const char *key, const char *name,
	       const char *text);

/* A text in lines of one width: it goes on at a column that is reached, further
 * lines begin behind so many blanks. */
void page_wrap(FILE *file, const char *text, unsigned column, unsigned next);

/* For people: a line at the left with an empty one above it, but at the top of
 * all; a line behind so many blanks; a piece of a line, which a later one ends.
 * None of them is wrapped. */
enum { PAGE_INDENT = 4 };
void page_heading(struct page *page, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void page_line(struct page *page, unsigned indent, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
void page_put(struct page *page, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

#endif
