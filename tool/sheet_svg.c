/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Tables as charts: lines over time, or bars. Colours are told apart by people
 * who see fewer of them, too, and every line has its name beside it.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sheet.h"
#include "svg.h"
#include "tool.h"

enum {
	INK = 0x1f2937,
	SOFT_INK = 0x6b7280,
	GRID = 0xe2e8f0,
	WIDTH = 960,
	LEFT = 90,
	RIGHT = 30,
	TOP = 50,
	PLOT_HEIGHT = 320,
	KEY_LINE = 18,
	BELOW = 50, /* the plot, without the lines of its key */
	MOST_LABELS = 24,
	DOT = 6,
	BAR_LINE = 22,
	BAR_LEFT = 380,
	LABEL_LETTERS = 52, /* left of it */
	NUM_TICKS = 5,
	MOST_BARS = 40,
};

static const uint32_t colours[] = {
	0x0072b2, 0xd55e00, 0x009e73, 0xcc79a7,
	0xe69f00, 0x56b4e9, 0x000000, 0x999933,
};
enum { NUM_COLOURS = sizeof(colours) / sizeof(colours[0]) };

/* 1, 2 or 5 times a power of ten, so that about NUM_TICKS fit. */
static double tick_step(double most)
{
	double step = pow(10, floor(log10(most / NUM_TICKS)));
	double steps = most / NUM_TICKS / step;

	return step * (steps > 5 ? 10 : steps > 2 ? 5 : steps > 1 ? 2 : 1);
}

static void say_number(double number, char *text, size_t size)
{
	static const char suffixes[] = " kMGTP";
	unsigned step = 0;

	while (fabs(number) >= 1000 && step + 2 < sizeof(suffixes)) {
		number /= 1000;
		step++;
	}
	snprintf(text, size, "%.4g%c", number, suffixes[step]);
}

static void say_seconds(double seconds, char *text, size_t size)
{
	if (seconds >= 1 || seconds == 0)
		snprintf(text, size, "%.4g s", seconds);
	else if (seconds >= 1e-3)
		snprintf(text, size, "%.4g ms", seconds * 1e3);
	else
		snprintf(text, size, "%.4g us", seconds * 1e6);
}

/* Growth per second in a row, or the level; a row with no length has none. */
static double rate(const struct sheet *sheet, size_t row, size_t column)
{
	double length = sheet_get(sheet, row, 1) - sheet_get(sheet, row, 0);

	if (sheet->chart != SHEET_LINES)
		return sheet_get(sheet, row, column);
	return length > 0 ? sheet_get(sheet, row, column) / length : NAN;
}

struct plot {
	const struct sheet *sheet;
	struct svg svg;
	double top;	    /* of the plot, in the drawing */
	double first, last; /* seconds */
	double most;	    /* per second */
};

static double x_of(const struct plot *plot, double seconds)
{
	double span = plot->last - plot->first;

	return LEFT + (WIDTH - LEFT - RIGHT) *
			      (span > 0 ? (seconds - plot->first) / span : 0);
}

static double y_of(const struct plot *plot, double value)
{
	return plot->top + PLOT_HEIGHT * (1 - value / plot->most);
}

static void measure(struct plot *plot)
{
	const struct sheet *sheet = plot->sheet;

	plot->most = 0;
	for (size_t row = 0; row < sheet->num_rows; row++)
		for (size_t i = sheet->chart_column; i < sheet->num_columns;
		     i++)
			plot->most = fmax(plot->most, rate(sheet, row, i));
	if (!(plot->most > 0))
		plot->most = 1;
	plot->most *= 1.05;
	if (sheet->num_rows) {
		plot->first = sheet_get(sheet, 0, 0);
		plot->last = sheet_get(sheet, sheet->num_rows - 1, 1);
	}
}

static void draw_levels(struct plot *plot)
{
	double step = tick_step(plot->most);
	char text[64];

	for (double value = 0; value <= plot->most; value += step) {
		double y = y_of(plot, value);

		svg_line(&plot->svg, LEFT, y, WIDTH - RIGHT, y, GRID, 1);
		say_number(value, text, sizeof(text));
		svg_text(&plot->svg, LEFT - 8, y + 4, 12, 400, SVG_END,
			 SOFT_INK, text);
	}
	if (plot->sheet->chart == SHEET_LINES)
		svg_text(&plot->svg, LEFT, plot->top - 10, 12, 400, SVG_END,
			 SOFT_INK, "per second");
}

/* A line upwards with a text below it. */
static void draw_tick(struct plot *plot, double x, const char *text)
{
	svg_line(&plot->svg, x, plot->top, x, plot->top + PLOT_HEIGHT, GRID, 1);
	svg_text(&plot->svg, x, plot->top + PLOT_HEIGHT + 18, 12, 400,
		 SVG_MIDDLE, SOFT_INK, text);
}

static void draw_times(struct plot *plot)
{
	double span = plot->last - plot->first, step;
	char text[64];

	if (!(span > 0))
		return;
	step = tick_step(span);
	for (double time = ceil(plot->first / step) * step; time <= plot->last;
	     time += step) {
		say_seconds(time, text, sizeof(text));
		draw_tick(plot, x_of(plot, time), text);
	}
}

/* Rows stand at the same distance, whatever they are called. */
static double x_of_row(const struct plot *plot, size_t row)
{
	double rows = (double)plot->sheet->num_rows;

	return LEFT + (WIDTH - LEFT - RIGHT) * ((double)row + 0.5) / rows;
}

static void draw_labels(struct plot *plot)
{
	const struct sheet *sheet = plot->sheet;
	size_t every = sheet->num_rows / MOST_LABELS + 1;

	for (size_t row = 0; row < sheet->num_rows; row += every)
		draw_tick(plot, x_of_row(plot, row),
			  sheet->cells[row * sheet->num_columns].text);
	svg_text(&plot->svg, WIDTH - RIGHT, plot->top + PLOT_HEIGHT + 36, 12,
		 400, SVG_END, SOFT_INK, sheet->columns[0].name);
}

/* Steps: a row is a mean over its time, not a moment. */
static void draw_steps(struct plot *plot, size_t column, uint32_t colour)
{
	const struct sheet *sheet = plot->sheet;
	double before = NAN;

	for (size_t row = 0; row < sheet->num_rows; row++) {
		double value = rate(sheet, row, column);
		double x1 = x_of(plot, sheet_get(sheet, row, 0));
		double x2 = x_of(plot, sheet_get(sheet, row, 1));

		if (isnan(value)) {
			before = NAN;
			continue;
		}
		if (!isnan(before))
			svg_line(&plot->svg, x1, y_of(plot, before), x1,
				 y_of(plot, value), colour, 1.5);
		svg_line(&plot->svg, x1, y_of(plot, value), x2,
			 y_of(plot, value), colour, 1.5);
		before = value;
	}
}

static void draw_points(struct plot *plot, size_t column, uint32_t colour)
{
	const struct sheet *sheet = plot->sheet;
	double before = NAN;

	for (size_t row = 0; row < sheet->num_rows; row++) {
		double value = rate(sheet, row, column);
		struct svg_box dot = { .width = DOT, .height = DOT };

		if (!isnan(value) && !isnan(before))
			svg_line(&plot->svg, x_of_row(plot, row - 1),
				 y_of(plot, before), x_of_row(plot, row),
				 y_of(plot, value), colour, 1.5);
		before = value;
		if (isnan(value))
			continue;
		dot.x = x_of_row(plot, row) - DOT / 2.;
		dot.y = y_of(plot, value) - DOT / 2.;
		svg_rect(&plot->svg, &dot, DOT / 2., colour, colour, 0);
	}
}

static void draw_line(struct plot *plot, size_t column)
{
	const struct sheet *sheet = plot->sheet;
	size_t number = column - sheet->chart_column;
	uint32_t colour = colours[number % NUM_COLOURS];
	double key = plot->top + PLOT_HEIGHT + 44 + KEY_LINE * (double)number;

	svg_group(&plot->svg, "line", sheet->columns[column].name,
		  sheet->columns[column].name);
	if (sheet->chart == SHEET_POINTS)
		draw_points(plot, column, colour);
	else
		draw_steps(plot, column, colour);
	svg_line(&plot->svg, LEFT, key - 4, LEFT + 24, key - 4, colour, 3);
	svg_text(&plot->svg, LEFT + 32, key, 12, 400, SVG_START, INK,
		 sheet->columns[column].name);
	svg_group_end(&plot->svg);
}

static double height_of(const struct sheet *sheet)
{
	double keys = (double)(sheet->num_columns - sheet->chart_column);

	return TOP + PLOT_HEIGHT + BELOW + KEY_LINE * keys;
}

static void draw_lines(const struct sheet *sheet, struct svg svg, double top)
{
	struct plot plot = { .sheet = sheet, .svg = svg, .top = top + TOP };

	measure(&plot);
	svg_text(&plot.svg, LEFT, top + 24, 15, 700, SVG_START, INK,
		 sheet->title);
	if (sheet->subtitle)
		svg_text(&plot.svg, LEFT + 8, top + 41, 12, 400, SVG_START,
			 SOFT_INK, sheet->subtitle);
	draw_levels(&plot);
	if (sheet->chart == SHEET_POINTS)
		draw_labels(&plot);
	else
		draw_times(&plot);
	for (size_t i = sheet->chart_column; i < sheet->num_columns; i++)
		draw_line(&plot, i);
}

void sheets_print_svg(const struct sheet *sheets, size_t num, const char *title,
		      FILE *file)
{
	double height = 0, top = 0;
	struct svg svg;

	for (size_t i = 0; i < num; i++)
		height += height_of(&sheets[i]);
	svg_open(&svg, file, WIDTH, height, title);
	for (size_t i = 0; i < num; i++) {
		draw_lines(&sheets[i], svg, top);
		top += height_of(&sheets[i]);
	}
	svg_close(&svg);
}

/* After as many letters as there is room for, dots; no letter is cut in two. */
static void shorten(char *text)
{
	size_t end = 0;

	for (unsigned letters = 0; text[end] && letters < LABEL_LETTERS;
	     letters++) {
		unsigned length = tool_utf8_length(text + end);

		end += length ? length : 1;
	}
	if (text[end])
		memcpy(text + end, "...", sizeof("..."));
}

static const char *text_of(const struct sheet *sheet, size_t row, size_t column)
{
	return sheet->cells[row * sheet->num_columns + column].text;
}

/* Whether a column says something that its neighbours above and below do not:
 * the first that has text does. */
static bool tells(const struct sheet *sheet, size_t column, bool is_first)
{
	for (size_t row = 1; row < sheet->num_rows && !is_first; row++) {
		const char *text = text_of(sheet, row, column);

		if (text && strcmp(text, text_of(sheet, 0, column)))
			return true;
	}
	return is_first;
}

/* The texts of a row that tell it from others, without the folders of files,
 * and no more than there is room for. */
static void label(const struct sheet *sheet, size_t row, char *text,
		  size_t size)
{
	size_t used = 0;

	text[0] = 0;
	for (size_t i = 0; i < sheet->num_columns && used < size; i++) {
		const char *cell = text_of(sheet, row, i);
		const char *slash =
			cell && *cell == '/' ? strrchr(cell, '/') : NULL;

		if (cell && *cell && tells(sheet, i, !used))
			used += (size_t)snprintf(text + used, size - used,
						 "%s%s", used ? " " : "",
						 slash ? slash + 1 : cell);
	}
	if (used > LABEL_LETTERS)
		shorten(text);
}

static void draw_bar(const struct sheet *sheet, struct svg *svg, size_t row,
		     double most)
{
	double value = sheet_get(sheet, row, sheet->chart_column);
	double room = WIDTH - BAR_LEFT - RIGHT - 70;
	struct svg_box box = {
		.x = BAR_LEFT,
		.y = TOP + BAR_LINE * (double)row,
		.width = most > 0 && value > 0 ? room * value / most : 0,
		.height = BAR_LINE - 6,
	};
	char text[512 + sizeof("...")];

	label(sheet, row, text, 512);
	svg_text(svg, BAR_LEFT - 8, box.y + 12, 12, 400, SVG_END, INK, text);
	svg_rect(svg, &box, 2, colours[0], colours[0], 0);
	if (sheet->columns[sheet->chart_column].kind == SHEET_SHARE)
		snprintf(text, sizeof(text), "%.1f %%", 100 * value);
	else
		say_number(value, text, sizeof(text));
	svg_text(svg, box.x + box.width + 6, box.y + 12, 12, 400, SVG_START,
		 SOFT_INK, text);
}

static void draw_bars(const struct sheet *sheet, FILE *file)
{
	size_t num = sheet->num_rows < MOST_BARS ? sheet->num_rows : MOST_BARS;
	struct svg svg;
	double most = 0;

	for (size_t row = 0; row < num; row++)
		most = fmax(most, sheet_get(sheet, row, sheet->chart_column));
	svg_open(&svg, file, WIDTH, TOP + BAR_LINE * (double)num + 20,
		 sheet->title);
	svg_text(&svg, 20, 24, 15, 700, SVG_START, INK, sheet->title);
	if (sheet->subtitle)
		svg_text(&svg, 20, 41, 12, 400, SVG_START, SOFT_INK,
			 sheet->subtitle);
	for (size_t row = 0; row < num; row++)
		draw_bar(sheet, &svg, row, most);
	svg_close(&svg);
}

void sheet_print_svg(const struct sheet *sheet, FILE *file)
{
	if (sheet->chart != SHEET_BARS)
		sheets_print_svg(sheet, 1, sheet->title, file);
	else
		draw_bars(sheet, file);
}
