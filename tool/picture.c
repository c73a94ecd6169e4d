/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The whole picture: sockets in one row, or in two with the links between them,
 * and the legend. Half of each link, from its socket to the middle, has the
 * colour of what that socket sent.
 */
#include "picture.h"

#include <stdio.h>

#include "uncore/model.h"

enum {
	MARGIN = 20,
	HEAD = 56,
	GAP = 24,
	LEGEND = 150,
	INK = 0x1f2937,
	SOFT_INK = 0x4b5563,
	EDGE = 0x4b5563,
};

struct plan {
	unsigned columns, rows;
	double channel; /* height of the room for links */
	double width, height;
};

static struct plan plan_of(const struct picture *picture)
{
	struct plan plan = { 1, 1, 0, 0, 0 };

	plan.rows = picture->num_sockets > 2 ? 2 : 1;
	plan.columns = (picture->num_sockets + plan.rows - 1) / plan.rows;
	if (picture->num_sockets > 1)
		plan.channel = picture->num_sockets > 4	  ? 380
			       : picture->num_sockets > 2 ? 220
							  : 90;
	plan.width = 2 * MARGIN + plan.columns * PICTURE_SOCKET_WIDTH +
		     (plan.columns - 1) * GAP;
	plan.height = HEAD + plan.rows * PICTURE_SOCKET_HEIGHT + plan.channel +
		      GAP + LEGEND + MARGIN;
	return plan;
}

static bool is_upper(const struct plan *plan, unsigned socket)
{
	return plan->rows == 1 || socket < plan->columns;
}

static double socket_x(const struct plan *plan, unsigned socket)
{
	return MARGIN +
	       socket % plan->columns * (PICTURE_SOCKET_WIDTH + (double)GAP);
}

static double socket_y(const struct plan *plan, unsigned socket)
{
	return is_upper(plan, socket)
		       ? HEAD
		       : HEAD + PICTURE_SOCKET_HEIGHT + plan->channel;
}

/* Where a link begins. */
static void link_end(const struct picture *picture, const struct plan *plan,
		     unsigned socket, unsigned link, double *x, double *y)
{
	*x = socket_x(plan, socket) + picture_link_x(picture, link);
	*y = is_upper(plan, socket)
		     ? HEAD + PICTURE_SOCKET_HEIGHT
		     : HEAD + PICTURE_SOCKET_HEIGHT + plan->channel;
}

/* From one end to the middle of a curve: its first half is a curve, too. */
static void draw_half(struct svg *svg, double x1, double y1, double cx,
		      double cy, double x2, double y2, double busy)
{
	double hx = (x1 + cx) / 2, hy = (y1 + cy) / 2;
	double mx = (x1 + 2 * cx + x2) / 4, my = (y1 + 2 * cy + y2) / 4;

	svg_curve(svg, x1, y1, hx, hy, mx, my, EDGE, 6);
	svg_curve(svg, x1, y1, hx, hy, mx, my, picture_colour(busy), 4.5);
}

static void draw_link(const struct picture *picture, const struct plan *plan,
		      struct svg *svg, unsigned socket, unsigned link)
{
	unsigned peer = picture->peers[socket][link];
	unsigned peer_link = picture->peer_links[socket][link];
	const struct picture_part *there =
		&picture->sockets[socket].links[link];
	const struct picture_part *back =
		&picture->sockets[peer].links[peer_link];
	double x1, y1, x2, y2, cx, cy;
	char id[48], tip[600];

	link_end(picture, plan, socket, link, &x1, &y1);
	link_end(picture, plan, peer, peer_link, &x2, &y2);
	cx = (x1 + x2) / 2;
	cy = (y1 + y2) / 2;
	if (y1 == y2) { /* in the same row: a bow into the channel */
		double bow = (x2 > x1 ? x2 - x1 : x1 - x2) * 0.25 + 60;

		bow = bow > plan->channel * 1.6 ? plan->channel * 1.6 : bow;
		cy += is_upper(plan, socket) ? bow : -bow;
	}
	snprintf(id, sizeof(id), "link-s%u-s%u-%u", socket, peer, link);
	snprintf(tip, sizeof(tip), "Socket %u, %s\nSocket %u, %s", socket,
		 there->tip, peer, back->tip);
	svg_group(svg, "link", id, tip);
	draw_half(svg, x1, y1, cx, cy, x2, y2, there->busy);
	draw_half(svg, x2, y2, cx, cy, x1, y1, back->busy);
	svg_group_end(svg);
}

static void draw_links(const struct picture *picture, const struct plan *plan,
		       struct svg *svg)
{
	for (unsigned i = 0; i < picture->num_sockets; i++)
		for (unsigned link = 0; link < PICTURE_LINKS; link++)
			if (picture->link_kinds[i][link] ==
				    UNCORE_LINK_SOCKET &&
			    picture->peers[i][link] > i)
				draw_link(picture, plan, svg, i, link);
}

static void draw_scale(struct svg *svg, double x, double y)
{
	static const struct {
		double busy;
		const char *text;
	} marks[] = {
		{ 0, "nothing" }, { 0.001, "0.1 %" }, { 0.01, "1 %" },
		{ 0.03, "3 %" },  { 0.1, "10 %" },    { 0.3, "30 %" },
		{ 0.6, "60 %" },  { 1, "100 %" },
	};

	for (unsigned i = 0; i < sizeof(marks) / sizeof(marks[0]); i++) {
		struct svg_box box = { x + i * 67.0, y, 67, 16 };

		svg_rect(svg, &box, 0, picture_colour(marks[i].busy), EDGE,
			 0.8);
		svg_text(svg, box.x + 33.5, y + 30, 10, 400, SVG_MIDDLE,
			 SOFT_INK, marks[i].text);
	}
}

static void draw_legend(const struct picture *picture, struct svg *svg,
			double x, double y)
{
	svg_text(svg, x, y + 12, 12, 700, SVG_START, INK,
		 "How busy each part was");
	draw_scale(svg, x, y + 22);
	for (unsigned i = 0; picture->kind->legend[i]; i++)
		svg_text(svg, x, y + 72 + i * 16.0, 10, 400, SVG_START,
			 SOFT_INK, picture->kind->legend[i]);
}

/* As much of a text as a line has room for. */
static void clip(char *text, size_t room)
{
	unsigned i = 0;

	while (i < room && text[i])
		i++;
	if (text[i] && i > 3)
		snprintf(&text[i - 3], 4, "...");
}

static void draw_head(const struct picture *picture, const struct plan *plan,
		      struct svg *svg)
{
	size_t room = (size_t)((plan->width - 2 * MARGIN) / 6.8);
	char line[400];

	snprintf(line, sizeof(line), "%s, %u socket%s of %u cores",
		 picture->machine, picture->num_sockets,
		 picture->num_sockets == 1 ? "" : "s", picture->num_cores);
	svg_text(svg, MARGIN, 24, 16, 700, SVG_START, INK, line);
	snprintf(line, sizeof(line), "%.3g ms: %s", picture->seconds * 1e3,
		 picture->what);
	clip(line, room);
	svg_text(svg, MARGIN, 43, 11, 400, SVG_START, SOFT_INK, line);
}

void picture_draw(const struct picture *picture, FILE *file)
{
	const struct plan plan = plan_of(picture);
	struct svg svg;

	svg_open(&svg, file, plan.width, plan.height,
		 "How busy the parts of a modelled processor were");
	svg_rect(&svg, &(struct svg_box){ 0, 0, plan.width, plan.height }, 0,
		 0xffffff, 0xffffff, 0);
	draw_head(picture, &plan, &svg);
	draw_links(picture, &plan, &svg);
	for (unsigned i = 0; i < picture->num_sockets; i++)
		picture_socket(&(struct picture_place){
			picture, &svg, i, socket_x(&plan, i),
			socket_y(&plan, i), is_upper(&plan, i) });
	draw_legend(picture, &svg, MARGIN, plan.height - LEGEND - MARGIN);
	svg_close(&svg);
}
