/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * One socket of a picture. Cores stand outside, their slices of the LLC next to
 * them, the rings between the two rows; what else there is differs from kind to
 * kind. Offsets are those of a socket whose links leave downward; one whose
 * links leave upward is the same, reflected.
 */
#include <stdio.h>

#include "picture.h"
#include "uncore/model.h"

enum {
	INK = 0x1f2937,
	SOFT_INK = 0x6b7280,
	EDGE = 0x4b5563,
	PAPER = 0xf8fafc,
	PANEL_EDGE = 0x94a3b8,
	COLUMN = 74,
	COLUMN_WIDTH = 70,
	MOST_COLUMNS = 5,
	DIMM_COLUMNS = 4,
};

struct colour_step {
	double busy; /* up to */
	uint32_t colour;
};

/* A tenth of a per cent is seen, and so is the way from 10 to 100. */
static const struct colour_step steps[] = {
	{ 0, 0xf1f5f9 },    { 0.0001, 0xfff7d6 }, { 0.001, 0xffe69a },
	{ 0.01, 0xfebf5a }, { 0.1, 0xf9843c },	  { 0.3, 0xe2492d },
	{ 0.6, 0xbd1f36 },  { 1, 0x7a0c3d },
};
enum { NUM_STEPS = sizeof(steps) / sizeof(steps[0]) };

uint32_t picture_colour(double busy)
{
	if (busy <= 0)
		return steps[0].colour;
	for (unsigned i = 1; i < NUM_STEPS; i++)
		if (busy <= steps[i].busy)
			return svg_mix(
				steps[i - 1].colour, steps[i].colour,
				(busy - steps[i - 1].busy) /
					(steps[i].busy - steps[i - 1].busy));
	return steps[NUM_STEPS - 1].colour;
}

/* The colour of text on a part. */
static uint32_t ink_on(double busy)
{
	return busy > 0.2 ? 0xffffff : INK;
}

double picture_link_x(const struct picture *picture, unsigned link)
{
	return picture->kind->link_left + link * picture->kind->link_step;
}

struct svg_box picture_at(const struct picture_place *place, double x, double y,
			  double width, double height)
{
	double below = PICTURE_SOCKET_HEIGHT - PICTURE_TITLE_HEIGHT;
	double top =
		place->down ? y : below - y - height + PICTURE_TITLE_HEIGHT;

	if (place->down)
		top = y + PICTURE_TITLE_HEIGHT;
	return (struct svg_box){ place->x + x, place->y + top, width, height };
}

void picture_box(const struct picture_place *place, const char *id,
		 const char *name, const struct picture_part *part,
		 struct svg_box where)
{
	uint32_t ink = ink_on(part->busy);
	double middle = where.x + where.width / 2;
	double centre = where.y + where.height / 2;
	char full[48];

	snprintf(full, sizeof(full), "s%u-%s", place->socket, id);
	svg_group(place->svg, "box", full, part->tip);
	svg_rect(place->svg, &where, 5, picture_colour(part->busy), EDGE, 1);
	svg_text(place->svg, middle, centre - 3, 11.5, 700, SVG_MIDDLE, ink,
		 name);
	svg_text(place->svg, middle, centre + 11, 10, 400, SVG_MIDDLE, ink,
		 part->text);
	svg_group_end(place->svg);
}

void picture_wire(const struct picture_place *place, double x1, double y1,
		  double x2, double y2, uint32_t colour, double width)
{
	struct svg_box a = picture_at(place, x1, y1, 0, 0);
	struct svg_box b = picture_at(place, x2, y2, 0, 0);

	svg_line(place->svg, a.x, a.y, b.x, b.y, colour, width);
}

void picture_label(const struct picture_place *place, double x, double y,
		   const char *text)
{
	struct svg_box where = picture_at(place, x, y, 0, 9);

	svg_text(place->svg, where.x, where.y + 7.5, 8.5, 400, SVG_MIDDLE,
		 SOFT_INK, text);
}

/* Cores and C-Boxes: the first half above the rings, in the middle of them. */
static void draw_slices(const struct picture_place *place,
			const struct picture_socket *s)
{
	const struct picture_kind *kind = place->picture->kind;
	unsigned num = place->picture->num_cores, half = (num + 1) / 2;

	for (unsigned i = 0; i < num; i++) {
		bool above = i < half;
		double x = PICTURE_MIDDLE +
			   (MOST_COLUMNS - half) * COLUMN / 2.0 +
			   (i - (above ? 0 : half)) * COLUMN;
		char id[24], name[24];

		picture_wire(place, x + COLUMN_WIDTH / 2.0, above ? 40 : 200,
			     x + COLUMN_WIDTH / 2.0, above ? 106 : 266,
			     PICTURE_WIRE, 3);
		snprintf(id, sizeof(id), "core%u", i);
		snprintf(name, sizeof(name), "Core %u", i);
		picture_box(place, id, name, &s->cores[i],
			    picture_at(place, x, above ? 6 : 262, COLUMN_WIDTH,
				       38));
		snprintf(id, sizeof(id), "%s%u", kind->slice_id, i);
		snprintf(name, sizeof(name), "%s %u", kind->slice, i);
		picture_box(place, id, name, &s->cboxes[i],
			    picture_at(place, x, above ? 52 : 214, COLUMN_WIDTH,
				       40));
	}
}

static void draw_ring(const struct picture_place *place,
		      const struct picture_socket *s)
{
	struct svg_box outer =
		picture_at(place, PICTURE_MIDDLE, 106, PICTURE_RING_WIDTH, 94);
	struct svg_box inner = picture_at(place, PICTURE_MIDDLE + 12, 118,
					  PICTURE_RING_WIDTH - 24, 70);
	double middle = outer.x + PICTURE_RING_WIDTH / 2.0, y = outer.y + 47;
	char id[32];

	snprintf(id, sizeof(id), "s%u-ring", place->socket);
	svg_group(place->svg, "box", id, s->ring.tip);
	svg_rect(place->svg, &outer, 30, picture_colour(s->ring.busy), EDGE, 1);
	svg_rect(place->svg, &inner, 20, PAPER, EDGE, 1);
	svg_text(place->svg, middle, y - 3, 12, 700, SVG_MIDDLE, INK,
		 "Rings AD, AK, BL, IV");
	svg_text(place->svg, middle, y + 13, 10, 400, SVG_MIDDLE, INK,
		 s->ring.text);
	svg_group_end(place->svg);
}

void picture_dimms(const struct picture_place *place, unsigned side, double x,
		   const struct picture_part *parts, unsigned shared)
{
	unsigned rows = place->picture->num_dimms;
	char id[32];

	snprintf(id, sizeof(id), "s%u-dimms%u", place->socket, side);
	svg_group(place->svg, "dimms", id, parts->tip);
	for (unsigned n = 0; n < DIMM_COLUMNS * rows; n++) {
		unsigned column = n % DIMM_COLUMNS;
		struct svg_box dimm =
			picture_at(place, x + column * 22.0,
				   373 + n / DIMM_COLUMNS * 14.0, 18, 11);

		svg_rect(place->svg, &dimm, 1.5,
			 picture_colour(parts[column / shared].busy), EDGE,
			 0.8);
	}
	picture_label(place, x + PICTURE_SIDE_WIDTH / 2.0, 373 + rows * 14.0,
		      "DIMMs");
	svg_group_end(place->svg);
}

void picture_port(const struct picture_place *place, const char *id,
		  const char *name, unsigned link,
		  const struct picture_part *part)
{
	double x = picture_link_x(place->picture, link);

	picture_wire(place, x, 340, x, 364, PICTURE_WIRE, 5);
	if (place->picture->link_kinds[place->socket][link] ==
	    UNCORE_LINK_SOCKET)
		picture_wire(place, x, 390, x,
			     PICTURE_SOCKET_HEIGHT -
				     (place->down ? PICTURE_TITLE_HEIGHT : 0),
			     picture_colour(part->busy), 5);
	picture_box(place, id, name, part,
		    picture_at(place, x - PICTURE_PORT_WIDTH / 2.0, 362,
			       PICTURE_PORT_WIDTH, 36));
}

void picture_socket(const struct picture_place *place)
{
	const struct picture *picture = place->picture;
	const struct picture_socket *s = &picture->sockets[place->socket];
	const struct svg_box panel = { place->x, place->y, PICTURE_SOCKET_WIDTH,
				       PICTURE_SOCKET_HEIGHT };
	char name[32];

	svg_rect(place->svg, &panel, 12, PAPER, PANEL_EDGE, 1.5);
	snprintf(name, sizeof(name), "Socket %u", place->socket);
	svg_text(place->svg, place->x + 14, place->y + 21, 15, 700, SVG_START,
		 INK, name);
	draw_slices(place, s);
	draw_ring(place, s);
	picture->kind->draw(place, s);
	picture_box(place, picture->kind->power_id, picture->kind->power,
		    &s->power,
		    picture_at(place, PICTURE_LEFT, 6, PICTURE_SIDE_WIDTH, 38));
	picture_box(
		place, "ubox", "U-Box", &s->ubox,
		picture_at(place, PICTURE_RIGHT, 6, PICTURE_SIDE_WIDTH, 38));
}
