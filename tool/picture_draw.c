/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * One socket of a picture. Cores stand outside, their C-Boxes next to them, the
 * rings between the two rows; each side has its S-, B- and M-Box below each
 * other, with the DIMMs at the end. Offsets are those of a socket whose links
 * leave downward; one whose links leave upward is the same, reflected.
 */
#include <stdio.h>

#include "picture.h"
#include "uncore/model.h"

enum {
	INK = 0x1f2937,
	SOFT_INK = 0x6b7280,
	EDGE = 0x4b5563,
	WIRE = 0xcbd5e1,
	PAPER = 0xf8fafc,
	PANEL_EDGE = 0x94a3b8,
	TITLE_HEIGHT = 30,
	SIDE_WIDTH = 84,
	LEFT = 10,
	MIDDLE = 106, /* first column of cores */
	COLUMN = 74,
	COLUMN_WIDTH = 70,
	MOST_COLUMNS = 5,
	RING_WIDTH = MOST_COLUMNS * COLUMN - 4,
	RIGHT = PICTURE_SOCKET_WIDTH - 10 - SIDE_WIDTH,
	PORT_WIDTH = 86,
	PORT_STEP = 94,
};

/* Where the socket is, and whether it is reflected. */
struct place {
	const struct picture *picture;
	struct svg *svg;
	unsigned socket;
	double x, y;
	bool down;
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

double picture_link_x(unsigned link)
{
	return MIDDLE + link * PORT_STEP + PORT_WIDTH / 2.0;
}

static struct svg_box at(const struct place *place, double x, double y,
			 double width, double height)
{
	double below = PICTURE_SOCKET_HEIGHT - TITLE_HEIGHT;
	double top = place->down ? y : below - y - height + TITLE_HEIGHT;

	if (place->down)
		top = y + TITLE_HEIGHT;
	return (struct svg_box){ place->x + x, place->y + top, width, height };
}

/* A box with its name and what it did. */
static void box(const struct place *place, const char *id, const char *name,
		const struct picture_part *part, struct svg_box where)
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

static void wire(const struct place *place, double x1, double y1, double x2,
		 double y2, uint32_t colour, double width)
{
	struct svg_box a = at(place, x1, y1, 0, 0);
	struct svg_box b = at(place, x2, y2, 0, 0);

	svg_line(place->svg, a.x, a.y, b.x, b.y, colour, width);
}

/* A small text of the height 9. */
static void label(const struct place *place, double x, double y,
		  const char *text)
{
	struct svg_box where = at(place, x, y, 0, 9);

	svg_text(place->svg, where.x, where.y + 7.5, 8.5, 400, SVG_MIDDLE,
		 SOFT_INK, text);
}

/* Cores and C-Boxes: the first half above the rings, in the middle of them. */
static void draw_slices(const struct place *place,
			const struct picture_socket *s)
{
	unsigned num = place->picture->num_cores, half = (num + 1) / 2;

	for (unsigned i = 0; i < num; i++) {
		bool above = i < half;
		double x = MIDDLE + (MOST_COLUMNS - half) * COLUMN / 2.0 +
			   (i - (above ? 0 : half)) * COLUMN;
		char id[24], name[24];

		wire(place, x + COLUMN_WIDTH / 2.0, above ? 40 : 200,
		     x + COLUMN_WIDTH / 2.0, above ? 106 : 266, WIRE, 3);
		snprintf(id, sizeof(id), "core%u", i);
		snprintf(name, sizeof(name), "Core %u", i);
		box(place, id, name, &s->cores[i],
		    at(place, x, above ? 6 : 262, COLUMN_WIDTH, 38));
		snprintf(id, sizeof(id), "cbox%u", i);
		snprintf(name, sizeof(name), "C-Box %u", i);
		box(place, id, name, &s->cboxes[i],
		    at(place, x, above ? 52 : 214, COLUMN_WIDTH, 40));
	}
}

static void draw_ring(const struct place *place, const struct picture_socket *s)
{
	struct svg_box outer = at(place, MIDDLE, 106, RING_WIDTH, 94);
	struct svg_box inner = at(place, MIDDLE + 12, 118, RING_WIDTH - 24, 70);
	double middle = outer.x + RING_WIDTH / 2.0, y = outer.y + 47;
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

/* The DIMMs of one side: four buses, each with its slots. */
static void draw_dimms(const struct place *place,
		       const struct picture_socket *s, unsigned side, double x)
{
	unsigned rows = place->picture->num_dimms;
	char id[32];

	snprintf(id, sizeof(id), "s%u-dimms%u", place->socket, side);
	svg_group(place->svg, "dimms", id, s->mboxes[side].tip);
	for (unsigned n = 0; n < 4 * rows; n++) {
		struct svg_box dimm =
			at(place, x + n % 4 * 22.0, 373 + n / 4 * 14.0, 18, 11);

		svg_rect(place->svg, &dimm, 1.5,
			 picture_colour(s->mboxes[side].busy), EDGE, 0.8);
	}
	label(place, x + SIDE_WIDTH / 2.0, 373 + rows * 14.0, "DIMMs");
	svg_group_end(place->svg);
}

static void draw_side(const struct place *place, const struct picture_socket *s,
		      unsigned side)
{
	double x = side ? RIGHT : LEFT, middle = x + SIDE_WIDTH / 2.0;
	double ring = side ? MIDDLE + RING_WIDTH : MIDDLE;
	double edge = side ? x : x + SIDE_WIDTH;
	double router = side ? MIDDLE + RING_WIDTH : MIDDLE;
	char id[24], name[24];

	wire(place, edge, 153, ring, 153, WIRE, 5);
	wire(place, middle, 180, middle, 350, WIRE, 3);
	wire(place, edge, 244, router, 332, WIRE, 3);
	wire(place, edge, 175, router, 320, WIRE, 3);
	wire(place, x + 20, 352, x + 20, 373,
	     picture_colour(s->smi[side][0].busy), 6);
	wire(place, x + 64, 352, x + 64, 373,
	     picture_colour(s->smi[side][1].busy), 6);
	label(place, middle, 359, "SMI");
	snprintf(id, sizeof(id), "sbox%u", side);
	snprintf(name, sizeof(name), "S-Box %u", side);
	box(place, id, name, &s->sboxes[side],
	    at(place, x, 124, SIDE_WIDTH, 58));
	snprintf(id, sizeof(id), "bbox%u", side);
	snprintf(name, sizeof(name), "B-Box %u", side);
	box(place, id, name, &s->bboxes[side],
	    at(place, x, 216, SIDE_WIDTH, 52));
	snprintf(id, sizeof(id), "mbox%u", side);
	snprintf(name, sizeof(name), "M-Box %u", side);
	box(place, id, name, &s->mboxes[side],
	    at(place, x, 302, SIDE_WIDTH, 52));
	draw_dimms(place, s, side, x);
}

static void draw_router(const struct place *place,
			const struct picture_socket *s)
{
	const int *kinds = place->picture->link_kinds[place->socket];

	for (unsigned i = 0; i < PICTURE_LINKS; i++) {
		double x = MIDDLE + i * PORT_STEP;
		char id[24], name[24];

		if (kinds[i] == UNCORE_LINK_NONE)
			continue;
		wire(place, x + PORT_WIDTH / 2.0, 340, x + PORT_WIDTH / 2.0,
		     364, WIRE, 5);
		snprintf(id, sizeof(id), "qpi%u", i);
		snprintf(name, sizeof(name), "QPI%u", i);
		if (kinds[i] == UNCORE_LINK_HUB) {
			box(place, "hub", "I/O hub", &s->hub,
			    at(place, x, 362, PORT_WIDTH, 36));
			continue;
		}
		wire(place, x + PORT_WIDTH / 2.0, 390, x + PORT_WIDTH / 2.0,
		     PICTURE_SOCKET_HEIGHT - (place->down ? TITLE_HEIGHT : 0),
		     picture_colour(s->links[i].busy), 5);
		box(place, id, name, &s->links[i],
		    at(place, x, 362, PORT_WIDTH, 36));
	}
	box(place, "rbox", "R-Box", &s->rbox,
	    at(place, MIDDLE, 312, RING_WIDTH, 38));
}

void picture_socket(const struct picture *picture, struct svg *svg,
		    unsigned socket, double x, double y, bool down)
{
	const struct picture_socket *s = &picture->sockets[socket];
	const struct place place = { picture, svg, socket, x, y, down };
	const struct svg_box panel = { x, y, PICTURE_SOCKET_WIDTH,
				       PICTURE_SOCKET_HEIGHT };
	char name[32];

	svg_rect(svg, &panel, 12, PAPER, PANEL_EDGE, 1.5);
	snprintf(name, sizeof(name), "Socket %u", socket);
	svg_text(svg, x + 14, y + 21, 15, 700, SVG_START, INK, name);
	draw_slices(&place, s);
	draw_ring(&place, s);
	draw_side(&place, s, 0);
	draw_side(&place, s, 1);
	draw_router(&place, s);
	box(&place, "wbox", "W-Box", &s->wbox,
	    at(&place, LEFT, 6, SIDE_WIDTH, 38));
	box(&place, "ubox", "U-Box", &s->ubox,
	    at(&place, RIGHT, 6, SIDE_WIDTH, 38));
}
