/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * See svg.h. Attributes rather than style sheets: every renderer knows them.
 */
#include "svg.h"

#include <string.h>

#include "tool.h"

/* U+FFFE and U+FFFF are UTF-8, and no XML. */
static bool is_no_character(const char *text, unsigned length)
{
	return length == 3 && (!memcmp(text, "\xef\xbf\xbe", 3) ||
			       !memcmp(text, "\xef\xbf\xbf", 3));
}

static void escape(FILE *file, const char *text)
{
	unsigned length;

	for (; *text; text += length ? length : 1) {
		length = tool_utf8_length(text);
		switch (*text) {
		case '&': fputs("&amp;", file); break;
		case '<': fputs("&lt;", file); break;
		case '>': fputs("&gt;", file); break;
		case '"': fputs("&quot;", file); break;
		case '\n': fputs("&#10;", file); break;
		default:
			if (!length || is_no_character(text, length))
				fputs("\xef\xbf\xbd", file);
			else if ((unsigned char)*text >= ' ')
				fwrite(text, length, 1, file);
		}
	}
}

static void title(const struct svg *svg, const char *text)
{
	fputs("<title>", svg->file);
	escape(svg->file, text);
	fputs("</title>\n", svg->file);
}

void svg_open(struct svg *svg, FILE *file, double width, double height,
	      const char *text)
{
	svg->file = file;
	fprintf(file,
		"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" "
		"height=\"%.0f\" viewBox=\"0 0 %.0f %.0f\" "
		"font-family=\"DejaVu Sans, Helvetica, Arial, sans-serif\">\n",
		width, height, width, height);
	title(svg, text);
}

void svg_close(struct svg *svg)
{
	fputs("</svg>\n", svg->file);
}

void svg_group(struct svg *svg, const char *class, const char *name,
	       const char *tip)
{
	fprintf(svg->file, "<g class=\"%s\" id=\"", class);
	escape(svg->file, name);
	fputs("\">\n", svg->file);
	title(svg, tip);
}

void svg_group_end(struct svg *svg)
{
	fputs("</g>\n", svg->file);
}

void svg_rect(struct svg *svg, const struct svg_box *box, double radius,
	      uint32_t fill, uint32_t stroke, double stroke_width)
{
	fprintf(svg->file,
		"<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" "
		"rx=\"%.1f\" fill=\"#%06x\" stroke=\"#%06x\" "
		"stroke-width=\"%.1f\"/>\n",
		box->x, box->y, box->width, box->height, radius, fill, stroke,
		stroke_width);
}

void svg_line(struct svg *svg, double x1, double y1, double x2, double y2,
	      uint32_t colour, double width)
{
	fprintf(svg->file,
		"<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" "
		"stroke=\"#%06x\" stroke-width=\"%.1f\"/>\n",
		x1, y1, x2, y2, colour, width);
}

void svg_curve(struct svg *svg, double x1, double y1, double cx, double cy,
	       double x2, double y2, uint32_t colour, double width)
{
	fprintf(svg->file,
		"<path d=\"M%.1f %.1fQ%.1f %.1f %.1f %.1f\" fill=\"none\" "
		"stroke=\"#%06x\" stroke-width=\"%.1f\"/>\n",
		x1, y1, cx, cy, x2, y2, colour, width);
}

void svg_text(struct svg *svg, double x, double y, double size, unsigned weight,
	      enum svg_anchor anchor, uint32_t colour, const char *text)
{
	static const char *const anchors[] = { "start", "middle", "end" };

	fprintf(svg->file,
		"<text x=\"%.1f\" y=\"%.1f\" font-size=\"%.1f\" "
		"font-weight=\"%u\" text-anchor=\"%s\" fill=\"#%06x\">",
		x, y, size, weight, anchors[anchor], colour);
	escape(svg->file, text);
	fputs("</text>\n", svg->file);
}

uint32_t svg_mix(uint32_t from, uint32_t to, double share)
{
	uint32_t mixed = 0;

	for (unsigned shift = 0; shift < 24; shift += 8) {
		double a = from >> shift & 0xff, b = to >> shift & 0xff;

		mixed |= (uint32_t)(a + (b - a) * share + 0.5) << shift;
	}
	return mixed;
}
