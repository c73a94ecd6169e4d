/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Text is wrapped at 80 columns; a word that is longer stays whole.
 */
#include "page.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "tool.h"

enum { COLUMNS = 79, INDENT = PAGE_INDENT, HANGING = 6, LINE_ROOM = 256 };

void page_begin(struct page *page, const char *kind, const char *name)
{
	if (page->json) {
		json_open(page->json, NULL, '{');
		json_string(page->json, "kind", kind);
		json_string(page->json, "name", name);
		return;
	}
	if (page->num)
		fputc('\n', page->file);
	page_heading(page, "%s", name);
}

void page_end(struct page *page)
{
	if (page->json)
		json_close(page->json);
	page->num++;
}

static void put_word(FILE *file, const char *text, size_t length)
{
	char *word = strndup(text, length);

	fputs(word ? tool_shown(word) : "?", file);
	free(word);
}

void page_wrap(FILE *file, const char *text, unsigned column, unsigned next)
{
	bool starts = true;

	while (*text) {
		size_t length = strcspn(text, " \n");
		bool breaks = !starts && column + 1 + length > COLUMNS;

		if (length) {
			if (breaks) {
				fprintf(file, "\n%*s", (int)next, "");
				column = next;
			} else if (!starts) {
				fputc(' ', file);
				column++;
			}
			put_word(file, text, length);
			column += (unsigned)length;
			starts = false;
		}
		text += length;
		if (*text == '\n') {
			fprintf(file, "\n%*s", (int)next, "");
			column = next;
			starts = true;
		}
		text += *text ? 1 : 0;
	}
	fputc('\n', file);
}

static void put_text(struct page *page, const char *key, const char *heading,
		     const char *text)
{
	if (page->json) {
		if (key)
			json_string(page->json, key, text);
		return;
	}
	page_heading(page, "%s", heading);
	fprintf(page->file, "%*s", INDENT, "");
	page_wrap(page->file, text, INDENT, INDENT);
}

void page_text(struct page *page, const char *key, const char *heading,
	       const char *format, ...)
{
	va_list arguments;
	char *text;

	va_start(arguments, format);
	if (vasprintf(&text, format, arguments) >= 0) {
		put_text(page, key, heading, text);
		free(text);
	}
	va_end(arguments);
}

void page_say(struct page *page, const char *key, const char *heading,
	      const char *text)
{
	if (*text)
		put_text(page, key, heading, text);
}

void page_list(struct page *page, const char *key, const char *heading)
{
	page->key = key;
	page->heading = heading;
	page->num_items = page->most = 0;
}

/* Whether the next item is to be shown. */
static bool next_item(struct page *page)
{
	if (!page->num_items++) {
		if (page->json)
			json_open(page->json, page->key, '[');
		else
			page_heading(page, "%s", page->heading);
	}
	return page->json || !page->most || page->num_items <= page->most;
}

size_t page_list_end(struct page *page, const char *none)
{
	size_t num = page->num_items;

	if (!num && none) {
		next_item(page);
		if (*none)
			page_line(page, INDENT, "%s", none);
	}
	if (page->json && page->num_items)
		json_close(page->json);
	page->num_items = 0;
	return !page->json && page->most && num > page->most ? num - page->most
							     : 0;
}

/* For people. */
static void put_item(const struct page *page, const char *name,
		     const char *between, const char *text)
{
	fprintf(page->file, "%*s%s%s", INDENT, "", tool_shown(name), between);
	page_wrap(page->file, text,
		  INDENT + (unsigned)(strlen(name) + strlen(between)), HANGING);
}

void page_item(struct page *page, const char *format, ...)
{
	va_list arguments;
	char *text;

	va_start(arguments, format);
	if (next_item(page) && vasprintf(&text, format, arguments) >= 0) {
		if (page->json)
			json_string(page->json, NULL, text);
		else
			put_item(page, "", "", text);
		free(text);
	}
	va_end(arguments);
}

void page_pair(struct page *page, const char *key, const char *name,
	       const char *text)
{
	if (!next_item(page))
		return;
	if (!page->json) {
		put_item(page, name, *text ? "  " : "", text);
		return;
	}
	json_open(page->json, NULL, '{');
	json_string(page->json, key, name);
	json_string(page->json, "text", text);
	json_close(page->json);
}

static void put(struct page *page, const char *format, va_list arguments)
{
	char line[LINE_ROOM], *text = NULL;
	va_list again;
	int length;

	va_copy(again, arguments);
	length = vsnprintf(line, sizeof(line), format, arguments);
	if (length >= (int)sizeof(line) && vasprintf(&text, format, again) < 0)
		text = NULL;
	va_end(again);
	fputs(tool_shown(text ? text : line), page->file);
	free(text);
	page->has_begun = true;
}

void page_put(struct page *page, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	if (!page->json)
		put(page, format, arguments);
	va_end(arguments);
}

void page_line(struct page *page, unsigned indent, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	if (!page->json) {
		fprintf(page->file, "%*s", (int)indent, "");
		put(page, format, arguments);
		fputc('\n', page->file);
	}
	va_end(arguments);
}

void page_heading(struct page *page, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	if (!page->json) {
		fputs(page->has_begun ? "\n" : "", page->file);
		put(page, format, arguments);
		fputc('\n', page->file);
	}
	va_end(arguments);
}
