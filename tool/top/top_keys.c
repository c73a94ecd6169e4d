/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What the keys do to what is shown.
 */
#include <curses.h>

#include "top.h"

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

	step = step > 0 ? step : 0;
	top->screen.is_past = by < 0 || step < last;
	top->screen.step = (size_t)step;
}

static void move_sockets(struct top *top, int by)
{
	size_t rows, columns, most;

	top_room(top, &rows, &columns);
	most = top->past.num_columns - columns;

	if (by < 0 && top->screen.first_column)
		top->screen.first_column--;
	else if (by > 0 && top->screen.first_column < most)
		top->screen.first_column++;
}

static long page_length(const struct top *top)
{
	size_t rows, columns;

	top_room(top, &rows, &columns);
	return (long)rows;
}

bool top_answer(struct top *top, int key)
{
	if (top->page.text) {
		top_page_answer(top, key);
		return true;
	}
	*top->screen.message = '\0';
	switch (key) {
	case 'q': return false;
	case KEY_UP: select_by(top, -1); break;
	case KEY_DOWN: select_by(top, 1); break;
	case KEY_PPAGE: select_by(top, -page_length(top)); break;
	case KEY_NPAGE: select_by(top, page_length(top)); break;
	case KEY_LEFT: step_by(top, -1); break;
	case KEY_RIGHT: step_by(top, 1); break;
	case KEY_HOME: step_by(top, -(long)top->past.num_steps); break;
	case KEY_END: top->screen.is_past = false; break;
	case '<': move_sockets(top, -1); break;
	case '>': move_sockets(top, 1); break;
	case '\r':
	case '\n':
	case KEY_ENTER: top_page_explain(top); break;
	case '?': top_page_help(top); break;
	case 'r': top_record_switch(top); break;
	default: break;
	}
	return true;
}
