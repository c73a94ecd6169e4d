/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * A recording names the file and folder of a source as whoever made it likes:
 * what is read is a plain file below a folder that the user has named (or the
 * current one), whose path ends as the recorded one does, the more of it the
 * better. What is not found is shown by its numbers.
 */
#include "annotate.h"

#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "reader.h"
#include "table.h"
#include "tool.h"

enum { AROUND = 8, MOST_BYTES = 16 << 20, LETTERS = 240, TAB = 8 };

/* Columns of the view. */
enum { SAMPLES, EVENTS, LATENCY, EVENT, LINE, PATH };

/* A line at which something happened: rows of the view. */
struct spot {
	size_t first, behind;
	double line, samples;
	bool is_shown;
};

struct listing {
	const struct annotate *how;
	struct reader *reader;
	struct table places;
	struct table *table;
	const char *path; /* as it was recorded */
	struct spot *spots;
	size_t num_spots;
	char *text;   /* NULL: not found */
	char **lines; /* of it */
	size_t num_lines;
};

static const char *path_of(const struct listing *listing, size_t row)
{
	const struct table *places = &listing->places;
	const char *text = places->cells[row * places->num_columns + PATH].text;

	return text ? text : "";
}

/* Whether a path ends so. */
static bool ends(const char *path, const char *name)
{
	size_t length = strlen(path), end = strlen(name);

	return length >= end && !strcmp(path + length - end, name) &&
	       (length == end || path[length - end - 1] == '/');
}

static int find_path(struct listing *listing)
{
	const char *name = listing->how->file;

	while (!strncmp(name, "./", 2))
		name += 2;
	for (size_t i = 0; i < listing->places.num_rows; i++) {
		const char *path = path_of(listing, i);

		if (isnan(table_get(&listing->places, i, LINE)) ||
		    !ends(path, name))
			continue;
		if (listing->path && strcmp(listing->path, path) != 0)
			return tool_fail(TOOL_USAGE,
					 "--annotate=%s: there are '%s' and "
					 "'%s': give more of the path",
					 name, tool_shown(listing->path),
					 tool_shown(path));
		listing->path = path;
	}
	return listing->path
		       ? TOOL_OK
		       : tool_fail(TOOL_USAGE,
				   "--annotate=%s: no sample is in a file that "
				   "is called so; --by=source names files",
				   name);
}

/* The content of a plain file of a size that a source has, or NULL. */
static char *read_plain(const char *name)
{
	int fd = open(name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct stat found;
	char *text = NULL;
	ssize_t got = -1;

	if (fd < 0)
		return NULL;
	if (!fstat(fd, &found) && S_ISREG(found.st_mode) &&
	    found.st_size <= MOST_BYTES)
		text = tool_new(1, (size_t)found.st_size + 1);
	if (text)
		got = read(fd, text, (size_t)found.st_size);
	close(fd);
	if (got >= 0)
		return text;
	free(text);
	return NULL;
}

/* The same of what lies below a folder, wherever links lead. */
static char *read_below(const char *folder, const char *tail)
{
	size_t length = strcmp(folder, "/") ? strlen(folder) : 0;
	char *name = tool_print("%.*s/%s", (int)length, folder, tail);
	char *real = realpath(name, NULL), *text = NULL;

	if (real && !strncmp(real, folder, length) && real[length] == '/')
		text = read_plain(real);
	free(real);
	free(name);
	return text;
}

static int read_source(struct listing *listing)
{
	const char *folder = listing->how->folder;
	char *real = realpath(folder ? folder : ".", NULL);

	if (!real && folder)
		return tool_fail(TOOL_USAGE,
				 "--source=%s: there is no such "
				 "folder",
				 folder);
	for (const char *tail = listing->path; real && tail && !listing->text;
	     tail = strchr(tail, '/')) {
		tail += strspn(tail, "/");
		listing->text = read_below(real, tail);
	}
	free(real);
	return TOOL_OK;
}

static void split(struct listing *listing)
{
	size_t num = 1;

	for (const char *at = listing->text; at && *at; at++)
		num += *at == '\n';
	listing->lines = tool_new(num, sizeof(*listing->lines));
	for (char *next = listing->text; next && *next;)
		listing->lines[listing->num_lines++] = strsep(&next, "\n");
}

/* Tabs as blanks; so much as one can look at. */
static const char *shown_line(const struct listing *listing, double line)
{
	static char text[LETTERS + TAB];
	size_t length = 0;
	const char *from = "";

	if (line >= 1 && line <= (double)listing->num_lines)
		from = listing->lines[(size_t)line - 1];
	for (; *from && length < LETTERS; from++)
		do
			text[length++] =
				*from == '\t' || *from == '\r' ? ' ' : *from;
		while (*from == '\t' && length % TAB && length < LETTERS);
	text[length] = 0;
	return text;
}

static int by_samples(const void *a, const void *b)
{
	const struct spot *const *one = a, *const *other = b;

	if ((*one)->samples != (*other)->samples)
		return (*one)->samples < (*other)->samples ? 1 : -1;
	return (*one)->line < (*other)->line ? -1 : 1;
}

/* Those lines of the file at which something happened; which of them are
 * shown. */
static void find_spots(struct listing *listing)
{
	const struct table *places = &listing->places;
	size_t num = places->num_rows, most = listing->how->most;
	struct spot *spot = tool_new(num, sizeof(*spot));
	struct spot **order = tool_new(num, sizeof(struct spot *));

	listing->spots = spot;
	for (size_t i = 0; i < num; i++) {
		double line = table_get(places, i, LINE);

		if (strcmp(path_of(listing, i), listing->path) != 0)
			continue;
		if (!listing->num_spots || spot->line != line) {
			spot = &listing->spots[listing->num_spots];
			order[listing->num_spots++] = spot;
			*spot = (struct spot){ .first = i, .line = line };
		}
		spot->behind = i + 1;
		spot->samples += table_get(places, i, SAMPLES);
	}
	qsort(order, listing->num_spots, sizeof(*order), by_samples);
	for (size_t i = 0; i < listing->num_spots; i++)
		order[i]->is_shown = !most || i < most;
	free(order);
}

/* What rows of the view say, in a row of the table. */
static void put_row(struct listing *listing, size_t first, size_t behind,
		    double line, const char *text)
{
	const struct table *places = &listing->places;
	struct table *table = listing->table;
	size_t row = table_add_row(table), last = table->num_columns - 1;
	double waited = 0, samples = 0;

	for (size_t i = first; i < behind; i++) {
		double event = table_get(places, i, EVENT);
		double latency = table_get(places, i, LATENCY);
		double before, num = table_get(places, i, SAMPLES);

		if (event < 0 || event >= (double)(last - 2))
			continue;
		before = table_get(table, row, (size_t)event);
		table_set(table, row, (size_t)event,
			  (isnan(before) ? 0 : before) +
				  table_get(places, i, EVENTS));
		waited += isnan(latency) ? 0 : latency * num;
		samples += isnan(latency) ? 0 : num;
	}
	table_set(table, row, last - 2, samples ? waited / samples : NAN);
	table_set(table, row, last - 1, line);
	table_set_text(table, row, last, text);
}

static void put_line(struct listing *listing, double line)
{
	const struct spot *spot = listing->spots;
	const struct spot *behind = spot + listing->num_spots;

	while (spot < behind && spot->line < line)
		spot++;
	if (spot < behind && spot->line == line)
		put_row(listing, spot->first, spot->behind, line,
			shown_line(listing, line));
	else
		put_row(listing, 0, 0, line, shown_line(listing, line));
}

static void put_lines(struct listing *listing)
{
	double last = 0, num = (double)listing->num_lines;

	for (size_t i = 0; i < listing->num_spots; i++) {
		double at = listing->spots[i].line, around = num ? AROUND : 0;
		double from = fmax(last + 1, at > num ? at : at - around);
		double to = fmax(at, fmin(at + around, num));
		char gap[64];

		if (!listing->spots[i].is_shown || to <= last)
			continue;
		snprintf(gap, sizeof(gap), "-- line %.0f --", from);
		if (listing->how->shows_gaps && num && from > last + 1)
			put_row(listing, 0, 0, NAN, gap);
		for (unsigned line = 0; line <= to - from; line++)
			put_line(listing, from + line);
		last = to;
	}
}

static void begin(struct listing *listing)
{
	struct table *table = listing->table;
	const struct spot *spots = listing->spots;
	char *title =
		tool_print("Lines of %s%s", listing->path,
			   listing->text ? ""
					 : ", which is not found here "
					   "(--source=DIR is where to look)");

	table_init(table, "annotated", title);
	free(title);
	for (size_t i = 0; i < listing->reader->num_events; i++)
		table_add_column(table, listing->reader->events[i].text, "",
				 TABLE_COUNT);
	table_add_columns(table, "latency_ns:r line:n source:t");
	put_row(listing, 0, listing->places.num_rows, NAN, "[all files]");
	put_row(listing, spots[0].first, spots[listing->num_spots - 1].behind,
		NAN, "[this file]");
}

int annotate_make(struct reader *reader, const struct annotate *how,
		  struct table *table)
{
	const struct reader_limits all = { 0 };
	struct listing listing = { .how = how,
				   .reader = reader,
				   .table = table };
	int status = reader_view(reader, "places", &all, &listing.places);

	if (!status)
		status = find_path(&listing);
	if (!status)
		status = read_source(&listing);
	if (!status) {
		split(&listing);
		find_spots(&listing);
		begin(&listing);
		put_lines(&listing);
	}
	table_free(&listing.places);
	free(listing.spots);
	free(listing.lines);
	free(listing.text);
	return status;
}
