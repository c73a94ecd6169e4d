/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What the keys do to what is shown; and pages over it: what a figure means,
 * and the keys.
 */
#include <curses.h>
#include <stdlib.h>
#include <string.h>

#include "tool/run.h"
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

/* The page that is open. */
static struct {
	WINDOW *pad; /* NULL: none is */
	char *title;
	int num, first; /* lines; the one on top */
} page;

/* Long lines are broken where the screen ends. */
static void open_page(const char *title, const char *text)
{
	int width = getmaxx(stdscr) - 1, most = 1 + (int)strlen(text) / width;

	for (const char *at = text; *at; at++)
		most += *at == '\n';
	page.pad = newpad(most, width);
	if (!page.pad)
		return;
	waddstr(page.pad, text);
	page.num = getcury(page.pad) + 1;
	page.first = 0;
	page.title = tool_copy(title);
}

void top_page_close(void)
{
	if (page.pad)
		delwin(page.pad);
	free(page.title);
	page.pad = NULL;
	page.title = NULL;
}

static void explain(const struct top *top)
{
	const char *name = top->past.figures[top->screen.selected].name;
	char *text = NULL;
	struct explain explain = {
		.machine = uncore_family_name(top->family),
		.family = top->family,
		.metrics = *top->list,
		.page.file = tool_text(&text),
	};

	explain_metric(&explain, name);
	fclose(explain.page.file);
	open_page(name, text);
	free(text);
}

bool top_page_draw(void)
{
	int height, width;

	if (!page.pad)
		return false;
	getmaxyx(stdscr, height, width);
	erase();
	attron(A_REVERSE);
	mvprintw(0, 0, "%-*s", width, " uncore top");
	mvprintw(0, 13, "%.*s", width - 14, page.title);
	attroff(A_REVERSE);
	mvaddnstr(height - 1, 0, " q back  Up, Down move", width - 1);
	wnoutrefresh(stdscr);
	pnoutrefresh(page.pad, page.first, 0, 2, 1, height - 2, width - 1);
	doupdate();
	return true;
}

static void scroll_page(int by)
{
	int last = page.num - (getmaxy(stdscr) - 3);
	int first = page.first + by;

	first = first > last ? last : first;
	page.first = first > 0 ? first : 0;
}

static void answer_page(int key)
{
	int height = getmaxy(stdscr) - 3;

	switch (key) {
	case KEY_UP: scroll_page(-1); return;
	case KEY_DOWN: scroll_page(1); return;
	case KEY_PPAGE: scroll_page(-height); return;
	case ' ':
	case KEY_NPAGE: scroll_page(height); return;
	case KEY_HOME: page.first = 0; return;
	case KEY_END: scroll_page(page.num); return;
	case KEY_RESIZE: scroll_page(0); return;
	case 27:
	case '\r':
	case '\n':
	case KEY_ENTER:
	case '?':
	case 'q': top_page_close(); return;
	default: return;
	}
}

/* Other figures. */
static void select_by(struct top *top, long by)
{
	long selected = (long)top->screen.selected + by;
	long last = (long)top->past.num_figures - 1;

	selected = selected > last ? last : selected;
	top->screen.selected = selected > 0 ? (size_t)selected : 0;
}

/* Other steps. Who goes back stays there when others come, and who comes forth
 * to the latest one follows them. */
static void step_by(struct top *top, long by)
{
	long last = (long)top->past.num_steps - 1;
	long step = (long)top_shown_step(top) + by;

	top->screen.is_past = by < 0 || step < last;
	top->screen.step = step > 0 ? (size_t)step : 0;
}

bool top_answer(struct top *top, int key)
{
	size_t rows, columns, *socket = &top->screen.first_column;

	if (page.pad) {
		answer_page(key);
		return true;
	}
	*top->screen.message = '\0';
	top_room(top, &rows, &columns);
	switch (key) {
	case 'q': return false;
	case KEY_UP: select_by(top, -1); break;
	case KEY_DOWN: select_by(top, 1); break;
	case KEY_PPAGE: select_by(top, -(long)rows); break;
	case KEY_NPAGE: select_by(top, (long)rows); break;
	case KEY_LEFT: step_by(top, -1); break;
	case KEY_RIGHT: step_by(top, 1); break;
	case KEY_HOME: step_by(top, -(long)top->past.num_steps); break;
	case KEY_END: top->screen.is_past = false; break;
	case '<': *socket -= *socket > 0; break;
	case '>': *socket += *socket + columns < top->past.num_columns; break;
	case '\r':
	case '\n':
	case KEY_ENTER: explain(top); break;
	case '?': open_page("the keys", keys); break;
	case 'r': top_record_switch(top); break;
	default: break;
	}
	return true;
}

void top_look(struct top *top)
{
	int key = -1;

	while (!run_was_interrupted() && (key < 0 || top_answer(top, key))) {
		top_draw(top);
		key = top_term_key(3600);
	}
}
