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

enum { COLUMNS = 79, INDENT = 4, HANGING = 6 };

void page_begin(struct page *page, const char *kind, const char *name)
{
	if (page->json) {
		json_open(page->json, NULL, '{');
		json_string(page->json, "kind", kind);
		json_string(page->json, "name", name);
		return;
	}
	fprintf(page->file, "%s%s\n", page->num ? "\n\n" : "",
		tool_shown(name));
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

/* The text with a first line at `first` blanks and further ones at `next`;
 * starts at a column that is already reached. */
static void wrap(FILE *file, const char *text, unsigned column, unsigned next)
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

/* Text of one statement, to be freed; in JSON it is said already, and there is
 * none to print. */
static char *make(struct page *page, const char *key, const char *format,
		  va_list arguments)
{
	char *text;

	if (vasprintf(&text, format, arguments) < 0)
		return NULL;
	if (!page->json)
		return text;
	json_string(page->json, key, text);
	free(text);
	return NULL;
}

void page_text(struct page *page, const char *key, const char *heading,
	       const char *format, ...)
{
	va_list arguments;
	char *text;

	va_start(arguments, format);
	text = make(page, key, format, arguments);
	va_end(arguments);
	if (!text)
		return;
	fprintf(page->file, "\n%s\n%*s", heading, INDENT, "");
	wrap(page->file, text, INDENT, INDENT);
	free(text);
}

void page_number(struct page *page, const char *key, uint64_t value)
{
	if (page->json)
		json_uint(page->json, key, value);
}

void page_string(struct page *page, const char *key, const char *value)
{
	if (page->json)
		json_string(page->json, key, value);
}

void page_list(struct page *page, const char *key, const char *heading)
{
	if (page->json)
		json_open(page->json, key, '[');
	else
		fprintf(page->file, "\n%s\n", heading);
}

void page_item(struct page *page, const char *format, ...)
{
	va_list arguments;
	char *text;

	va_start(arguments, format);
	text = make(page, NULL, format, arguments);
	va_end(arguments);
	if (!text)
		return;
	fprintf(page->file, "%*s", INDENT, "");
	wrap(page->file, text, INDENT, HANGING);
	free(text);
}

void page_list_end(struct page *page)
{
	if (page->json)
		json_close(page->json);
}

void page_pair(struct page *page, const char *key, const char *name,
	       const char *text)
{
	if (page->json) {
		json_open(page->json, NULL, '{');
		json_string(page->json, key, name);
		json_string(page->json, "text", text);
		json_close(page->json);
		return;
	}
	fprintf(page->file, "%*s%s%s", INDENT, "", tool_shown(name),
		*text ? "  " : "");
	wrap(page->file, text, INDENT + (unsigned)strlen(name) + 2, HANGING);
}

void page_line(struct page *page, const char *format, ...)
{
	va_list arguments;
	char *text;

	if (page->json)
		return;
	va_start(arguments, format);
	if (vasprintf(&text, format, arguments) < 0)
		text = NULL;
	va_end(arguments);
	fprintf(page->file, "%*s%s\n", INDENT, "",
		text ? tool_shown(text) : "?");
	free(text);
}
