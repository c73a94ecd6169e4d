/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The list of figures; and which kind of file it is. The text of a result is
 * read as a whole: it has some hundred rows, of all boxes some thousand.
 */
#include "figures.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tool/tool.h"
#include "uncore/error.h"

enum { MOST_TEXT = 256 << 20 };

/* The first bytes of an SQLite file. */
#define SQLITE "SQLite format 3"

struct figure_key figure_key_of(const struct figure *figure)
{
	return (struct figure_key){ figure->kind, figure->name, figure->place,
				    figure->unit };
}

static bool is_it(const struct figure *figure, const struct figure_key *key)
{
	return figure->kind == key->kind && !strcmp(figure->name, key->name) &&
	       !strcmp(figure->place, key->place ? key->place : "") &&
	       !strcmp(figure->unit, key->unit ? key->unit : "");
}

/* Every result names the same in the same order, so the one behind the last is
 * tried first. */
size_t figures_find(struct figures *figures, const struct figure_key *key)
{
	for (size_t i = 0; i < figures->num; i++) {
		size_t at = (figures->next + i) % figures->num;

		if (!is_it(&figures->list[at], key))
			continue;
		figures->next = at + 1;
		return at;
	}
	return figures->num;
}

static struct figure *new_figure(struct figures *figures,
				 const struct figure_key *key)
{
	struct figure *figure;

	if (figures->num == figures->room) {
		size_t room = 2 * figures->room + 64;
		struct figure *list =
			realloc(figures->list, room * sizeof(*list));

		if (!list)
			return NULL;
		figures->list = list;
		figures->room = room;
	}
	figure = &figures->list[figures->num++];
	*figure = (struct figure){
		.kind = key->kind,
		.name = strdup(key->name),
		.place = strdup(key->place ? key->place : ""),
		.unit = strdup(key->unit ? key->unit : ""),
		.mean = NAN,
		.freedom = INFINITY,
	};
	figures->next = figures->num;
	return figure->name && figure->place && figure->unit ? figure : NULL;
}

/* The mean and the squares of what is there and what comes to it. */
static void add_mean(struct figure *figure, const struct figure_mean *mean)
{
	bool is_one = mean->num < 2 || isnan(mean->standard_error);
	double num = is_one ? 1 : (double)mean->num;
	double before = (double)figure->num;
	double step = figure->num ? mean->value - figure->mean : 0;

	if (!figure->num)
		figure->mean = mean->value;
	figure->mean += step * num / (before + num);
	figure->squares += step * step * before * num / (before + num);
	if (!is_one)
		figure->squares += mean->standard_error * mean->standard_error *
				   num * (num - 1);
	figure->num += (size_t)num;
}

struct figure *figures_add_mean(struct figures *figures,
				const struct figure_key *key,
				const struct figure_mean *mean, const char *why)
{
	size_t at = figures_find(figures, key);
	struct figure *figure = at < figures->num ? &figures->list[at]
						  : new_figure(figures, key);

	if (!figure) {
		figures->failed = true;
		return NULL;
	}
	if (figure->run == figures->runs)
		return NULL;
	figure->run = figures->runs;
	if (!isnan(mean->value)) {
		add_mean(figure, mean);
	} else if (!figure->why && why && *why) {
		figure->why = strdup(why);
		figures->failed |= !figure->why;
	}
	return figure;
}

struct figure *figures_add(struct figures *figures,
			   const struct figure_key *key, double value,
			   const char *why)
{
	const struct figure_mean mean = { .value = value, .num = 1 };

	return figures_add_mean(figures, key, &mean, why);
}

/* What was not seen at all has no standard error, and yet an interval. */
void figures_set_error(struct figure *figure, const struct figure_error *error)
{
	double standard_error = error->standard_error;

	figure->standard_error = error->is_estimate ? NAN : 0;
	figure->freedom = INFINITY;
	if (isnan(standard_error))
		return;
	if (standard_error <= 0 && error->half_width > 0)
		standard_error = error->half_width /
				 chance_within(error->probability, INFINITY);
	figure->standard_error = standard_error;
	if (standard_error > 0 && !isnan(error->half_width))
		figure->freedom = chance_freedom(
			error->probability, error->half_width / standard_error);
}

void figures_add_detail(struct figures *figures, double accesses, double share,
			double time_error)
{
	if (!(share < 1))
		return;
	figures->detail.runs++;
	figures->detail.accesses += accesses;
	figures->detail.detailed += share * accesses;
	figures->detail.time_error = time_error;
}

void figures_set_random(struct figures *figures,
			const struct run_random *random)
{
	struct run_random *all = &figures->random;

	if (!figures->runs) {
		*all = *random;
		return;
	}
	all->is_known &= random->is_known;
	all->asked |= random->asked;
	all->repeats &= random->repeats;
}

char *figures_text_of(FILE *file, const char *path)
{
	size_t size = 0, room = 0, got;
	char *text = NULL;

	do {
		if (size + 1 >= room) {
			char *more = realloc(text, room = 2 * room + 65536);

			if (!more) {
				tool_fail_with(UNCORE_ERR_NO_MEMORY, NULL);
				free(text);
				return NULL;
			}
			text = more;
		}
		got = fread(text + size, 1, room - size - 1, file);
		size += got;
	} while (got && size < MOST_TEXT);
	text[size] = 0;
	if (!ferror(file) && size < MOST_TEXT)
		return text;
	tool_fail(0, "%s: %s", path,
		  ferror(file) ? strerror(errno)
			       : "it is too long for results");
	free(text);
	return NULL;
}

static int read_result(struct figures *figures, FILE *file)
{
	char *text = figures_text_of(file, figures->path);
	int status;

	if (!text)
		return TOOL_FAILED;
	status = text[strspn(text, " \t\r\n")] == '{'
			 ? figures_read_json(figures, text)
			 : tool_fail(TOOL_USAGE,
				     "%s: that is no recording, and no result "
				     "of 'uncore stat --json' (what -x prints "
				     "is not read any more)",
				     figures->path);
	free(text);
	return status;
}

static bool is_recording(FILE *file)
{
	char head[sizeof(SQLITE)] = { 0 };
	size_t length = fread(head, 1, sizeof(head), file);

	rewind(file);
	return length == sizeof(head) && !memcmp(head, SQLITE, sizeof(head));
}

/* A file or a pipe, whose writer is there or who has written nothing; NULL with
 * errno for what may never end, such as devices. */
static FILE *open_file(const char *path)
{
	int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat status;
	FILE *stream = NULL;

	if (file < 0)
		return NULL;
	if (!fstat(file, &status)) {
		errno = EINVAL;
		if (S_ISREG(status.st_mode) || S_ISFIFO(status.st_mode))
			stream = fcntl(file, F_SETFL, 0) ? NULL
							 : fdopen(file, "r");
		else if (S_ISDIR(status.st_mode))
			errno = EISDIR;
	}
	if (!stream)
		close(file);
	return stream;
}

char *figures_text(const char *path)
{
	bool is_standard = !strcmp(path, "-");
	FILE *file = is_standard ? stdin : open_file(path);
	char *text = file ? figures_text_of(file, path) : NULL;

	if (!file)
		tool_fail(0, "cannot read %s: %s", path, strerror(errno));
	else if (!is_standard)
		fclose(file);
	return text;
}

int figures_read(struct figures *figures, const char *path,
		 const struct figures_options *options)
{
	bool is_standard = !strcmp(path, "-"), recorded;
	FILE *file = is_standard ? stdin : open_file(path);
	int status = TOOL_OK;

	*figures = (struct figures){ .path = path };
	if (!file)
		return tool_fail(TOOL_USAGE, "cannot read %s: %s", path,
				 strerror(errno));
	/* a pipe cannot be looked into and then read from its begin */
	recorded = !fseek(file, 0, SEEK_SET) && is_recording(file);
	clearerr(file);
	if (!recorded)
		status = read_result(figures, file);
	if (!is_standard)
		fclose(file);
	if (recorded)
		status = figures_read_recording(figures, options);
	if (!status && figures->failed)
		status = tool_fail_with(UNCORE_ERR_NO_MEMORY, NULL);
	return status;
}

void figures_free(struct figures *figures)
{
	for (size_t i = 0; i < figures->num; i++) {
		free(figures->list[i].name);
		free(figures->list[i].place);
		free(figures->list[i].unit);
		free(figures->list[i].why);
	}
	free(figures->list);
	free(figures->machine);
	free(figures->what);
}
