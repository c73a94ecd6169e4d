/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Writes SVG as it goes along. Lengths are in pixels, colours 0xRRGGBB.
 */
#ifndef UNCORE_TOOL_SVG_H
#define UNCORE_TOOL_SVG_H

#include <stdint.h>
#include <stdio.h>

struct svg {
	FILE *file;
};

struct svg_box {
	double x, y, width, height;
};

enum svg_anchor { SVG_START, SVG_MIDDLE, SVG_END };

void svg_open(struct svg *svg, FILE *file, double width, double height,
	      const char *title);
void svg_close(struct svg *svg);

/* A group of the elements that follow, with a text that viewers show when the
 * pointer is over it; `class` and `name` are for scripts. */
void svg_group(struct svg *svg, const char *class, const char *name,
	       const char *tip);
void svg_group_end(struct svg *svg);

void svg_rect(struct svg *svg, const struct svg_box *box, double radius,
	      uint32_t fill, uint32_t stroke, double stroke_width);
void svg_line(struct svg *svg, double x1, double y1, double x2, double y2,
	      uint32_t colour, double width);

/* A quadratic curve with its control point. */
void svg_curve(struct svg *svg, double x1, double y1, double cx, double cy,
	       double x2, double y2, uint32_t colour, double width);

/* One line of text; y is its base line. `weight` 400 is normal, 700 bold. */
void svg_text(struct svg *svg, double x, double y, double size, unsigned weight,
	      enum svg_anchor anchor, uint32_t colour, const char *text);

/* Between two colours; share 0 to 1. */
uint32_t svg_mix(uint32_t from, uint32_t to, double share);

#endif
