/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The picture of what `uncore export` counts, as of the time between two
 * sweeps: the drawing of `uncore model picture` where its events are counted,
 * else bars of the figures.
 */
#ifndef UNCORE_TOOL_EXPORT_PICTURE_H
#define UNCORE_TOOL_EXPORT_PICTURE_H

#include <stdbool.h>
#include <stdio.h>

#include "export_view.h"

struct event_set;
struct picture;

struct export_picture {
	const struct export_view *view;
	struct picture *drawing; /* NULL: bars */
	int *slots;		 /* of each count of the watch: its event of the
			 * drawing, or -1 */
	double *speeds;	 /* of each: what it counted in a second at last */
	double *fullest; /* of each row of bars: the most that it ever was */
};

/* struct counting_settings.more: the events of the drawing of the family, if
 * there is one. */
int export_picture_events(struct event_set *set);

/* Chooses between drawing and bars; `with_drawing`: its events were asked for.
 * An exit code; in any case export_picture_close() is to be called. */
int export_picture_open(struct export_picture *picture,
			const struct export_view *view, bool with_drawing);
void export_picture_close(struct export_picture *picture);

/* After each sweep; then any number of times it can be drawn, as SVG. */
void export_picture_take(struct export_picture *picture);
void export_picture_draw(struct export_picture *picture, FILE *file);

/* Of export_bars.c: one row for each figure, or for each event where there are
 * no figures, and in it one bar for each socket. */
size_t export_bars_rows(const struct export_view *view);
void export_bars_take(const struct export_view *view, double *fullest);
void export_bars_draw(const struct export_view *view, const double *fullest,
		      FILE *file);

#endif
