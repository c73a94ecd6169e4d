/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The screen: a head of two lines, a line for each figure with the machine and
 * its sockets side by side, what is to be said of the figure that is selected,
 * and the keys.
 *
 *     uncore top   xeon-e7, 2 sockets ...
 *     12.0 s  every 1 s ...
 *     figure             unit     machine          socket0 ...         history
 *     memory_bandwidth   GB/s       12.35 ###.       12.35 ####       __.-=+*#
 */
#include <curses.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tool/tool.h"
#include "top.h"

enum {
	LEAST_WIDTH = 40,
	LEAST_HEIGHT = 9,
	HEAD = 3, /* lines */
	FOOT = 3,
	NUMBER_BYTES = 16,
	VALUE = 9, /* a number with a blank before it */
	EIGHTHS = 8,
	MOST_BAR = 24,
	LEAST_BAR = 3,
	LEAST_HISTORY = 8,
	MOST_HISTORY = 60,
};

/* From one eighth of a cell to a whole one: from the left, and from below. */
static const char *const across[] = {
	"", "▏", "▎", "▍", "▌", "▋", "▊", "▉", "█"
};
static const char *const upright[] = { " ", "▁", "▂", "▃", "▄",
				       "▅", "▆", "▇", "█" };
static const char *const plain[] = {
	" ", "_", ".", "-", "=", "+", "*", "%", "#"
};

/* Four digits and a letter for thousands: "12.35", "1.235k"; "n/a" of NAN. The
 * letter is that of the largest of several that are to be compared. */
static const char *in_digits(char text[NUMBER_BYTES], double value,
			     double largest)
{
	static const char letters[] = " kMGTPE";
	size_t letter = 0;
	int digits;

	if (isnan(value)) {
		snprintf(text, NUMBER_BYTES, "n/a");
		return text;
	}
	largest = fabs(largest);
	while (largest >= 999.95 && letters[letter + 1]) {
		largest /= 1000;
		value /= 1000;
		letter++;
	}
	if (value == 0)
		digits = 0;
	else
		digits = fabs(value) >= 99.995	 ? 1
			 : fabs(value) >= 9.9995 ? 2
						 : 3;
	if (value != 0 && fabs(value) < 0.0005 && !letter)
		snprintf(text, NUMBER_BYTES, "%.1e", value);
	else
		snprintf(text, NUMBER_BYTES, "%.*f%c", digits, value,
			 value == 0 ? ' ' : letters[letter]);
	text[strcspn(text, " ")] = '\0';
	return text;
}

/* In eighths; what is more than nothing is seen. */
static size_t eighths(double part, size_t cells)
{
	double wanted =
		isnan(part) ? 0 : fmin(part, 1) * (double)cells * EIGHTHS;

	if (!(wanted > 0))
		return 0;
	return wanted < 1 ? 1 : (size_t)(wanted + 0.5);
}

/* A bar of so many cells for a part (0 to 1; NAN: empty), in UTF-8 with eighths
 * of a cell, or in ASCII. Needs 3 bytes a cell and one. */
static void bar(char *text, double part, size_t cells, bool is_ascii)
{
	size_t full = eighths(part, cells), whole = full / EIGHTHS;

	*text = '\0';
	for (size_t i = 0; i < cells; i++) {
		if (is_ascii)
			strcat(text, i < whole || (!i && full) ? "#" : ".");
		else if (i < whole)
			strcat(text, across[EIGHTHS]);
		else
			strcat(text, i == whole && full % EIGHTHS
					     ? across[full % EIGHTHS]
					     : " ");
	}
}

/* One character for a part, a blank of NAN: a point of a line of history. */
static const char *point(double part, bool is_ascii)
{
	if (isnan(part))
		return " ";
	return (is_ascii ? plain : upright)[eighths(part, 1)];
}

/* Where things stand, for this width. */
struct layout {
	int height, width, rows; /* of figures */
	int name, unit;
	int columns; /* the machine, and the sockets that have room */
	int machine_bar, bar, history; /* cells; 0: none */
};

static int longest(const struct top_past *past, bool is_unit)
{
	size_t most = 4;

	for (size_t i = 0; i < past->num_figures; i++) {
		size_t length = strlen(is_unit ? past->figures[i].unit
					       : past->figures[i].name);

		most = length > most ? length : most;
	}
	return (int)most;
}

static int least_of(int a, int b)
{
	return a < b ? a : b;
}

static struct layout lay_out(const struct top *top)
{
	struct layout layout = { 0 };
	int left;

	getmaxyx(stdscr, layout.height, layout.width);
	layout.rows = layout.height - HEAD - FOOT;
	layout.name = least_of(longest(&top->past, false), layout.width / 3);
	layout.unit = least_of(longest(&top->past, true), 10);
	left = layout.width - layout.name - layout.unit - 2;
	layout.columns = least_of((int)top->past.num_columns, left / VALUE);
	if (layout.columns < 1)
		layout.columns = 1;
	left -= layout.columns * VALUE;
	if (left > LEAST_HISTORY)
		layout.history = least_of(
			MOST_HISTORY,
			left / 3 > LEAST_HISTORY ? left / 3 : LEAST_HISTORY);
	left -= layout.history ? layout.history + 1 : 0;
	layout.bar = least_of(left / layout.columns - 1, MOST_BAR);
	if (layout.bar < LEAST_BAR)
		layout.bar = 0;
	layout.machine_bar = layout.bar		? layout.bar
			     : left > LEAST_BAR ? least_of(left - 1, MOST_BAR)
						: 0;
	left -= layout.bar ? layout.columns * (layout.bar + 1)
			   : layout.machine_bar + 1;
	if (layout.history && left > 0)
		layout.history = least_of(MOST_HISTORY, layout.history + left);
	return layout;
}

size_t top_shown_step(const struct top *top)
{
	size_t last = top->past.num_steps ? top->past.num_steps - 1 : 0;
	size_t first = top_past_first(&top->past), step = top->screen.step;

	if (!top->screen.is_past || step > last)
		return last;
	return step > first ? step : first;
}

void top_room(const struct top *top, size_t *rows, size_t *columns)
{
	struct layout layout = lay_out(top);

	*rows = layout.rows > 0 ? (size_t)layout.rows : 1;
	*columns = (size_t)layout.columns;
}

/* Text of strangers, as far as the terminal can show it. */
static void put(const struct top *top, int row, int column, const char *text)
{
	int width = getmaxx(stdscr) - column;
	char clean[512];

	if (width <= 0)
		return;
	snprintf(clean, sizeof(clean), "%s", tool_shown(text));
	for (char *at = clean; *at && top->screen.is_ascii; at++)
		if ((unsigned char)*at >= 0x80)
			*at = '?';
	mvaddnstr(row, column, clean, width);
}

static void draw_head(const struct top *top, const struct layout *layout)
{
	const struct top_past *past = &top->past;
	size_t step = top_shown_step(top);
	char text[256];

	attron(A_REVERSE);
	mvprintw(0, 0, "%*s", layout->width, "");
	put(top, 0, 1, top->title);
	attroff(A_REVERSE);
	if (!past->num_steps) {
		put(top, 1, 1, top->line);
		return;
	}
	snprintf(text, sizeof(text), "%s%.6g s  %s",
		 top->screen.is_past ? "PAST " : "",
		 top_past_step(past, step)->seconds, top->line);
	put(top, 1, 1, text);
	if (!top->record)
		return;
	top_record_say(top, text, sizeof(text));
	attron(A_BOLD | COLOR_PAIR(3));
	put(top, 1, layout->width - (int)strlen(text), text);
	attroff(A_BOLD | COLOR_PAIR(3));
}

/* The column of figures that stands at a place of the screen. */
static size_t column_at(const struct top *top, int place)
{
	return place ? top->screen.first_column + (size_t)place : 0;
}

static void draw_titles(const struct top *top, const struct layout *layout)
{
	int at = layout->name + 1 + layout->unit + 1;
	char text[32];

	attron(A_BOLD);
	mvaddnstr(2, 0, "figure", layout->name);
	mvaddnstr(2, layout->name + 1, "unit", layout->unit);
	for (int i = 0; i < layout->columns; i++) {
		if (i)
			snprintf(text, sizeof(text), "socket%zu",
				 column_at(top, i) - 1);
		else
			snprintf(text, sizeof(text), "machine");
		mvprintw(2, at, "%*s", VALUE - 1, text);
		at += VALUE + (i ? layout->bar ? layout->bar + 1 : 0
			       : layout->machine_bar ? layout->machine_bar + 1
						     : 0);
	}
	if (layout->history)
		mvaddnstr(2, layout->width - layout->history, "history",
			  layout->history);
	attroff(A_BOLD);
}

/* The mean of a figure of the machine over the steps of one point, as far as
 * they are there and not after `last`. */
static double mean(const struct top_past *past, size_t figure, size_t first,
		   size_t num, size_t last)
{
	double sum = 0, found = 0;

	for (size_t i = first; i < first + num && i <= last; i++) {
		double value = top_past_get(past, i, figure, 0);

		if (isnan(value))
			continue;
		sum += value;
		found++;
	}
	return found > 0 ? sum / found : NAN;
}

/* Against the largest that was seen: how it changes is what it is for. Which
 * steps are one point stays the same when others come. */
static void draw_history(const struct top *top, const struct layout *layout,
			 int row, size_t figure)
{
	const struct top_past *past = &top->past;
	size_t width = (size_t)layout->history;
	size_t each = (top->minute + width - 1) / width;
	size_t last = top_shown_step(top);

	move(row, layout->width - layout->history);
	for (size_t before = width; before-- > 0;) {
		double value = NAN;

		if (before <= last / each)
			value = mean(past, figure,
				     (last / each - before) * each, each, last);
		addstr(point(value / past->figures[figure].seen[0],
			     top->screen.is_ascii));
	}
}

/* The largest value of a row, in whose size all of it is shown. */
static double largest_of(const struct top *top, size_t figure)
{
	double largest = 0;

	for (size_t c = 0; c < top->past.num_columns; c++)
		largest = fmax(largest, fabs(top_past_get(&top->past,
							  top_shown_step(top),
							  figure, c)));
	return largest;
}

static void draw_value(const struct top *top, int row, int at, size_t figure,
		       size_t column)
{
	const struct top_figure *of = &top->past.figures[figure];
	double value =
		top_past_get(&top->past, top_shown_step(top), figure, column);
	char number[NUMBER_BYTES], text[NUMBER_BYTES + 1];

	if (column && !of->is_split) {
		mvprintw(row, at, "%*s", VALUE - 1, "-");
		return;
	}
	snprintf(text, sizeof(text), "%s%s",
		 of->takes_turns && !isnan(value) ? "~" : "",
		 in_digits(number, value, largest_of(top, figure)));
	mvprintw(row, at, "%*s", VALUE - 1, text);
}

static void draw_bar(const struct top *top, int row, int at, int cells,
		     size_t figure, size_t column)
{
	double value =
		top_past_get(&top->past, top_shown_step(top), figure, column);
	char text[3 * MOST_BAR + 1];
	bool is_limit;

	if (!cells || (column && !top->past.figures[figure].is_split))
		return;
	value /= top_past_full(&top->past, figure, column, &is_limit);
	bar(text, value, (size_t)cells, top->screen.is_ascii);
	attron(COLOR_PAIR(1));
	mvaddstr(row, at, text);
	attroff(COLOR_PAIR(1));
}

static void draw_figure(const struct top *top, const struct layout *layout,
			int row, size_t figure)
{
	const struct top_figure *of = &top->past.figures[figure];
	bool is_selected = figure == top->screen.selected;
	int at = layout->name + 1 + layout->unit + 1;

	if (is_selected)
		attron(A_REVERSE);
	mvprintw(row, 0, "%-*.*s", layout->name, layout->name,
		 tool_shown(of->name));
	if (is_selected)
		attroff(A_REVERSE);
	mvprintw(row, layout->name + 1, "%-*.*s", layout->unit, layout->unit,
		 tool_shown(of->unit));
	for (int i = 0; i < layout->columns; i++) {
		int bar = i ? layout->bar : layout->machine_bar;

		draw_value(top, row, at, figure, column_at(top, i));
		draw_bar(top, row, at + VALUE, bar, figure, column_at(top, i));
		at += VALUE + (bar ? bar + 1 : 0);
	}
	if (!layout->history)
		return;
	attron(COLOR_PAIR(2));
	draw_history(top, layout, row, figure);
	attroff(COLOR_PAIR(2));
}

static void draw_foot(const struct top *top, const struct layout *layout)
{
	size_t selected = top->screen.selected;
	const struct top_figure *of = &top->past.figures[selected];
	double value =
		top_past_get(&top->past, top_shown_step(top), selected, 0);
	char number[NUMBER_BYTES], text[512];
	bool is_limit;
	double full = top_past_full(&top->past, selected, 0, &is_limit);
	int row = layout->height - FOOT;

	snprintf(text, sizeof(text), "%s: %s", of->name, of->brief);
	put(top, row, 1, text);
	if (*top->screen.message)
		snprintf(text, sizeof(text), "%s", top->screen.message);
	else if (isnan(value) && top->past.num_steps)
		snprintf(text, sizeof(text), "n/a: %s",
			 *of->reason && !top->screen.is_past
				 ? of->reason
				 : "it could not be had in this step");
	else if (isnan(full))
		snprintf(text, sizeof(text), "nothing of it was seen yet");
	else
		snprintf(text, sizeof(text), "a full bar: %s %s, %s",
			 in_digits(number, full, full), of->unit,
			 is_limit ? "the most this machine can"
				  : "the most that was seen so far");
	put(top, row + 1, 1, text);
	put(top, row + 2, 0,
	    top->monitor ? " q leave  Enter explain  arrows move  r record  "
			   "? keys"
			 : " q leave  Enter explain  arrows move  ? keys");
}

/* The selected figure is on the screen. */
static void scroll_to(struct top_screen *screen, int rows)
{
	if (screen->selected < screen->first)
		screen->first = screen->selected;
	else if (screen->selected >= screen->first + (size_t)rows)
		screen->first = screen->selected - (size_t)rows + 1;
}

void top_draw(struct top *top)
{
	struct layout layout = lay_out(top);

	if (top_page_draw())
		return;
	erase();
	if (layout.width < LEAST_WIDTH || layout.height < LEAST_HEIGHT) {
		mvaddnstr(0, 0, "too small: 40x9 will do", layout.width);
		refresh();
		return;
	}
	scroll_to(&top->screen, layout.rows);
	draw_head(top, &layout);
	draw_titles(top, &layout);
	for (int i = 0; i < layout.rows; i++)
		if (top->screen.first + (size_t)i < top->past.num_figures)
			draw_figure(top, &layout, HEAD + i,
				    top->screen.first + (size_t)i);
	draw_foot(top, &layout);
	refresh();
}
