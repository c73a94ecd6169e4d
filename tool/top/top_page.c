/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Pages over the figures: what a figure means, and the keys.
 */
#include <curses.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tool/tool.h"
#include "top.h"

static const char keys[] =
	"Up, Down, Page Up, Page Down   another figure\n"
	"Left, Right                    back in time, and forth\n"
	"Home, End                      the first step, the latest\n"
	"< >                            other sockets, where not all have "
	"room\n"
	"Enter                          explain the figure\n"
	"r                              write what is counted into a "
	"recording,\n"
	"                               and end it\n"
	"?                              this page\n"
	"q                              leave, this page or uncore top\n"
	"\n"
	"A bar is full at the most that the machine can, where that is known,\n"
	"and else at the largest that was seen; the last lines say which for\n"
	"the figure that is selected. The line of history at the right has a\n"
	"minute, or sixty steps, of the machine, against the largest seen.\n"
	"\n"
	"~ marks a figure whose events take turns with others: an estimate\n"
	"from the turns of that time, and nobody knows how far off it is.\n"
	"n/a is a figure that could not be had, - one that a socket has not.\n"
	"\n"
	"Figures are those of the time since the sweep before: what grows "
	"with\n"
	"time is shown by the second, of the model's time where a model is\n"
	"counted on.\n";

/* The text (freed) with lines that fit on the screen; NULL without memory. */
static char *fold(char *text)
{
	size_t width = (size_t)getmaxx(stdscr) - 1, column = 0, size;
	char *folded = NULL;
	FILE *file = text ? open_memstream(&folded, &size) : NULL;

	for (const char *at = text; file && *at; at++) {
		column = *at == '\n' ? 0 : column + 1;
		if (column > width) {
			fputc('\n', file);
			column = 1;
		}
		fputc(*at, file);
	}
	if (file)
		fclose(file);
	free(text);
	return folded;
}

/* Takes a text. */
static void open_page(struct top *top, const char *title, char *text)
{
	struct top_page *page = &top->page;

	top_page_close(top);
	page->title = strdup(title);
	page->text = fold(text);
	page->num = 1;
	for (const char *at = page->text; at && *at; at++)
		page->num += *at == '\n';
	if (page->text && page->title)
		return;
	top_page_close(top);
	snprintf(top->screen.message, sizeof(top->screen.message),
		 "not enough memory for the page");
}

void top_page_close(struct top *top)
{
	free(top->page.title);
	free(top->page.text);
	top->page = (struct top_page){ 0 };
}

void top_page_explain(struct top *top)
{
	const char *name = top->past.figures[top->screen.selected].name;
	struct explain explain = {
		.machine = uncore_family_name(top->family),
		.family = top->family,
		.metrics = *top->list,
	};
	char *text = NULL;
	size_t size;

	explain.page.file = open_memstream(&text, &size);
	if (explain.page.file) {
		explain_metric(&explain, name);
		fclose(explain.page.file);
	}
	open_page(top, name, text);
}

void top_page_help(struct top *top)
{
	open_page(top, "the keys", strdup(keys));
}

void top_page_draw(const struct top *top)
{
	const struct top_page *page = &top->page;
	const char *line = page->text;
	int height = getmaxy(stdscr);

	erase();
	attron(A_REVERSE);
	mvprintw(0, 0, "%-*s", getmaxx(stdscr), " uncore top");
	mvprintw(0, 13, "%.*s", getmaxx(stdscr) - 14, page->title);
	attroff(A_REVERSE);
	for (int i = 2 - (int)page->first; i < height - 1 && line; i++) {
		if (i >= 2)
			mvaddnstr(i, 1, line,
				  (int)fmin((double)strcspn(line, "\n"),
					    getmaxx(stdscr) - 1));
		line = strchr(line, '\n');
		line += line != NULL;
	}
	mvaddnstr(height - 1, 0, " q back  Up, Down move", getmaxx(stdscr) - 1);
	refresh();
}

static void scroll_page(struct top_page *page, long by)
{
	long last = (long)page->num - (getmaxy(stdscr) - 3);
	long first = (long)page->first + by;

	first = first > last ? last : first;
	page->first = first > 0 ? (size_t)first : 0;
}

void top_page_answer(struct top *top, int key)
{
	struct top_page *page = &top->page;
	int height = getmaxy(stdscr) - 3;

	switch (key) {
	case KEY_UP: scroll_page(page, -1); return;
	case KEY_DOWN: scroll_page(page, 1); return;
	case KEY_PPAGE: scroll_page(page, -height); return;
	case ' ':
	case KEY_NPAGE: scroll_page(page, height); return;
	case KEY_HOME: page->first = 0; return;
	case KEY_END: scroll_page(page, (long)page->num); return;
	case KEY_RESIZE: scroll_page(page, 0); return;
	case 27:
	case '\r':
	case '\n':
	case KEY_ENTER:
	case '?':
	case 'q': top_page_close(top); return;
	default: return;
	}
}
