/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Names that others made up, in what a browser shows: texts with a byte of 0
 * between them are the names of rows of a table, which is printed as Markdown
 * and as the JSON of a page. Read back, each is what it was, and nothing in it
 * is a mark.
 */
#include <ctype.h>
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "html.h"
#include "json.h"
#include "table.h"
#include "tests/fuzz/fuzz.h"
#include "tool.h"

enum { MOST_BYTES = 1000, MOST_NAMES = 50 };

const char html_head[] = "<script>", html_tail[] = "</script>";

static bool is_plain(const char *text, size_t length, const char *more)
{
	for (size_t i = 0; i < length; i++)
		if (!isalpha((unsigned char)text[i]) && text[i] != ' ' &&
		    !strchr(more, text[i]))
			return false;
	return true;
}

/* What a cell shows, as CommonMark has it. */
static void read_code(const char *cell, size_t length, char *to)
{
	const char *end = cell + length;

	for (; cell < end; cell++) {
		unsigned long number = (unsigned char)*cell;
		char *rest;

		if (*cell == '&') {
			fuzz_must(!strncmp(cell, "&#", 2), "an open &");
			number = strtoul(cell + 2, &rest, 10);
			fuzz_must(*rest == ';' && number < 0x80, "no number");
			cell = rest;
		} else {
			fuzz_must(isalnum((unsigned char)*cell) ||
					  *cell == ' ' || *cell & 0x80,
				  "an open '%c'", *cell);
		}
		*to++ = (char)number;
	}
	*to = '\0';
}

static void read_cell(const char *cell, size_t length, char *to)
{
	static const char code[] = "<code>";
	size_t before = strlen(code);

	if (length && *cell == '`') {
		fuzz_must(length > 2 && cell[length - 1] == '`' &&
				  cell[1] != ' ' && cell[length - 2] != ' ' &&
				  is_plain(cell + 1, length - 2,
					   "0123456789_-+.,:;/=()[]{}%@#'"),
			  "an open code: %.*s", (int)length, cell);
		sprintf(to, "%.*s", (int)length - 2, cell + 1);
	} else if (!strncmp(cell, code, before)) {
		read_code(cell + before, length - 2 * before - 1, to);
	} else {
		fuzz_must(is_plain(cell, length, ""), "an open text: %.*s",
			  (int)length, cell);
		sprintf(to, "%.*s", (int)length, cell);
	}
}

/* A line for each row, behind the title, the headings and what is below. */
static void check_markdown(const struct table *table, const char *text)
{
	static const char end[] = " | 1 |\n";
	char found[MOST_BYTES + 1];
	const char *line = strstr(text, "--: |\n");

	for (size_t i = 0; i < table->num_rows; i++) {
		const char *behind;

		line = strchr(line, '\n') + 1;
		behind = strstr(line, end);
		fuzz_must(!strncmp(line, "| ", 2) && behind, "no row");
		line += strlen("| ");
		read_cell(line, (size_t)(behind - line), found);
		fuzz_must(!strcmp(found, tool_shown(table_text(table, i, 0))),
			  "'%s' is '%s'", table_text(table, i, 0), found);
		line = behind + 1;
	}
	fuzz_must(!strcmp(strchr(line, '\n'), "\n"), "more than the rows");
}

static bool is_utf8(const char *text)
{
	unsigned length;

	while (*text && (length = tool_utf8_length(text)))
		text += length;
	return !*text;
}

static void check_page(const struct table *table, char *text)
{
	size_t head = strlen(html_head), tail = strlen(html_tail);
	size_t length = strlen(text);
	struct json_object *tree;
	const struct json_object *rows;

	fuzz_must(length > head + tail &&
			  !strcmp(text + length - tail, html_tail),
		  "no page");
	text[length - tail] = '\0';
	text += head;
	fuzz_must(!strpbrk(text, "<>&") && !strstr(text, "\xe2\x80\xa8"),
		  "a mark in the page's data");
	tree = json_tokener_parse(text);
	rows = json_member(tree, table->name);
	for (size_t i = 0; i < table->num_rows; i++) {
		const char *name = json_text(json_element(rows, i), "name");

		fuzz_must(name && (!is_utf8(table_text(table, i, 0)) ||
				   !strcmp(name, table_text(table, i, 0))),
			  "'%s' is '%s'", table_text(table, i, 0), name);
	}
	json_object_put(tree);
}

static void print_markdown(const struct table *table)
{
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	fuzz_must(file, "no memory");
	table_print_markdown(table, file);
	fclose(file);
	check_markdown(table, text);
	free(text);
}

static void print_page(const struct table *table)
{
	static char text[1 << 20];
	const char *path = fuzz_file("", 0);
	struct json json = { 0 };
	FILE *file;

	fuzz_must(!html_open(path, NULL, &json.file), "cannot write a page");
	json_open(&json, NULL, '{');
	table_print_json(table, &json);
	json_close(&json);
	fuzz_must(!tool_finish(TOOL_OK, json.file, path), "no page written");
	file = fopen(path, "r");
	fuzz_must(file, "cannot read a page");
	text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
	fclose(file);
	check_page(table, text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_bytes bytes = { data,
				    size < MOST_BYTES ? size : MOST_BYTES };
	size_t left = bytes.size;
	char *all = fuzz_text(&bytes), *name = all;
	struct table table;

	table_init(&table, "rows", "Names");
	table_add_columns(&table, "name:t value:v");
	for (int i = 0; i < MOST_NAMES; i++) {
		size_t length = strlen(name) + 1;

		table_add(&table, name, 1.);
		if (length >= left)
			break;
		name += length;
		left -= length;
	}
	print_markdown(&table);
	print_page(&table);
	table_free(&table);
	free(all);
	return 0;
}
