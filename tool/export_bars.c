/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Figures as bars: for machines that nobody has drawn. A bar of a share is full
 * at 100 per cent, any other at the most that its row ever was.
 */
#include <math.h>
#include <string.h>

#include "export_picture.h"
#include "picture.h"
#include "svg.h"
#include "tool.h"
#include "uncore/uncore.h"

enum {
	MARGIN = 20,
	HEAD = 56,
	ROW = 26,
	LEGEND = 40,
	NAMES = 330,
	BAR = 190,
	VALUE = 110,
	INK = 0x1f2937,
	SOFT_INK = 0x4b5563,
	PAPER = 0xf1f5f9,
	EDGE = 0x94a3b8,
	MOST_BARS = 8, /* sockets side by side */
};

/* What a bar is about; NAN: it could not be had. */
struct bar {
	double value;
	const char *unit;
	bool is_share;
};

static bool has_figures(const struct export_view *view)
{
	return view->num_figures > 0;
}

size_t export_bars_rows(const struct export_view *view)
{
	return has_figures(view) ? view->num_figures : view->num_events;
}

static unsigned num_bars(const struct export_view *view)
{
	unsigned sockets =
		uncore_target_sockets(view->watch->counting.subject.target);

	return sockets < MOST_BARS ? sockets : MOST_BARS;
}

/* As short as beside a bar; of what grows, how fast. */
static const char *unit_of_bar(const struct export_figure *figure)
{
	static const struct {
		const char *from, *to, *grows;
	} rows[] = {
		{ "bytes", "B", "B/s" },
		{ "bytes_per_second", "B/s", "B/s" },
		{ "per_second", "/s", "/s" },
		{ "hertz", "Hz", "Hz" },
		{ "seconds", "s", "s/s" },
	};
	bool grows = figure->metric.kind == UNCORE_METRIC_TOTAL;

	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (!strcmp(figure->unit.suffix, rows[i].from))
			return grows ? rows[i].grows : rows[i].to;
	return grows ? "/s" : figure->metric.unit;
}

static struct bar bar_of_figure(const struct export_view *view,
				const struct export_figure *figure,
				unsigned socket)
{
	bool is_total = figure->metric.kind == UNCORE_METRIC_TOTAL;
	struct uncore_metric_value value;
	struct bar bar = { figure->num > socket ? figure->values[socket] : NAN,
			   unit_of_bar(figure),
			   !strcmp(figure->unit.suffix, "ratio") };

	if (!is_total || isnan(bar.value))
		return bar;
	watch_metric(view->watch, figure->chosen, WATCH_SINCE,
		     figure->metric.split == UNCORE_SPLIT_MACHINE ? -1
								  : (int)socket,
		     &value);
	bar.value = value.valid && view->watch->since.seconds > 0
			    ? value.value * figure->unit.times /
				      figure->unit.over /
				      view->watch->since.seconds
			    : NAN;
	return bar;
}

static struct bar bar_of_event(const struct export_view *view,
			       const struct export_event *event,
			       unsigned socket)
{
	struct bar bar = { NAN, "/s", false };

	for (size_t i = 0; i < event->num; i++) {
		const struct watch_count *count =
			&view->watch->counts[event->first + i];

		if (count->socket != socket || !count->valid ||
		    isnan(count->growth))
			continue;
		bar.value = (isnan(bar.value) ? 0 : bar.value) +
			    count->growth / view->watch->since.seconds;
	}
	return bar;
}

static struct bar bar_of(const struct export_view *view, size_t row,
			 unsigned socket)
{
	return has_figures(view)
		       ? bar_of_figure(view, &view->figures[row], socket)
		       : bar_of_event(view, &view->events[row], socket);
}

void export_bars_take(const struct export_view *view, double *fullest)
{
	for (size_t row = 0; row < export_bars_rows(view); row++)
		for (unsigned s = 0; s < num_bars(view); s++) {
			struct bar bar = bar_of(view, row, s);

			if (isfinite(bar.value))
				fullest[row] = fmax(fullest[row], bar.value);
		}
}

static void write_value(const struct bar *bar, char text[48])
{
	if (!isfinite(bar->value))
		snprintf(text, 48, "n/a");
	else if (bar->is_share)
		snprintf(text, 48, "%.1f %%", bar->value * 100);
	else if (bar->value < 1)
		snprintf(text, 48, "%.3g %s", bar->value, bar->unit);
	else
		picture_number(text, 48, bar->value, bar->unit);
}

static void draw_bar(struct svg *svg, const struct bar *bar, double full,
		     double x, double y)
{
	struct svg_box box = { x, y + 5, BAR, ROW - 10 };
	double share =
		isfinite(bar->value)
			? picture_share(bar->value, bar->is_share ? 1 : full)
			: 0;
	char text[48];

	svg_rect(svg, &box, 2, PAPER, EDGE, 0.8);
	box.width *= share;
	if (share > 0)
		svg_rect(svg, &box, 2, picture_colour(share), EDGE, 0.8);
	write_value(bar, text);
	svg_text(svg, x + BAR + 8, y + ROW / 2.0 + 4, 11, 400, SVG_START,
		 isfinite(bar->value) ? INK : SOFT_INK, text);
}

static void draw_row(const struct export_view *view, struct svg *svg,
		     size_t row, double full, double y)
{
	const char *name = has_figures(view)
				   ? view->figures[row].metric.name
				   : uncore_event_text(view->events[row].event);
	const char *tip = has_figures(view) ? view->figures[row].help
					    : view->events[row].help;
	bool is_machine =
		has_figures(view) && view->figures[row].num == 1 &&
		view->figures[row].metric.split == UNCORE_SPLIT_MACHINE;

	svg_group(svg, "row", name, tip);
	svg_text(svg, MARGIN, y + ROW / 2.0 + 4, 12, 400, SVG_START, INK, name);
	for (unsigned s = 0; s < (is_machine ? 1 : num_bars(view)); s++) {
		struct bar bar = bar_of(view, row, s);

		draw_bar(svg, &bar, full, NAMES + s * (BAR + VALUE + 0.0), y);
	}
	svg_group_end(svg);
}

static void draw_head(const struct export_view *view, struct svg *svg)
{
	const struct uncore_family *family = view->watch->counting.set.family;
	char line[400];

	snprintf(line, sizeof(line), "%s, %u socket%s",
		 uncore_family_title(family), num_bars(view),
		 num_bars(view) == 1 ? "" : "s");
	svg_text(svg, MARGIN, 24, 16, 700, SVG_START, INK, line);
	snprintf(line, sizeof(line), "%.3g ms on %s",
		 view->watch->since.seconds * 1e3, view->origin);
	svg_text(svg, MARGIN, 43, 11, 400, SVG_START, SOFT_INK, line);
	for (unsigned s = 0; s < num_bars(view); s++) {
		snprintf(line, sizeof(line), "Socket %u", s);
		svg_text(svg, NAMES + s * (BAR + VALUE + 0.0), 43, 11, 700,
			 SVG_START, INK, line);
	}
}

void export_bars_draw(const struct export_view *view, const double *fullest,
		      FILE *file)
{
	size_t rows = export_bars_rows(view);
	double width = NAMES + num_bars(view) * (BAR + VALUE + 0.0) + MARGIN;
	double height = HEAD + (double)rows * ROW + LEGEND;
	struct svg svg;

	svg_open(&svg, file, width, height, "Figures of the uncore");
	svg_rect(&svg, &(struct svg_box){ 0, 0, width, height }, 0, 0xffffff,
		 0xffffff, 0);
	draw_head(view, &svg);
	for (size_t i = 0; i < rows; i++)
		draw_row(view, &svg, i, fullest[i], HEAD + (double)i * ROW);
	svg_text(&svg, MARGIN, height - 14, 10, 400, SVG_START, SOFT_INK,
		 "A bar of a share is full at 100 %, any other at the most "
		 "that its row ever was.");
	svg_close(&svg);
}
