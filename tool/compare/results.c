/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The list of figures; and which kind of file it is. The text of a result is
 * read as a whole: it has some hundred rows, of all boxes some thousand.
 */
#include "compare.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tool/tool.h"

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
size_t results_find(struct results *results, const struct figure_key *key)
{
	for (size_t i = 0; i < results->num; i++) {
		size_t at = (results->next + i) % results->num;

		if (!is_it(&results->list[at], key))
			continue;
		results->next = at + 1;
		return at;
	}
	return results->num;
}

static struct figure *new_figure(struct results *results,
				 const struct figure_key *key)
{
	struct figure *figure;

	results->list = tool_more(results->list, results->num, sizeof(*figure));
	figure = &results->list[results->num++];
	*figure = (struct figure){
		.kind = key->kind,
		.name = tool_copy(key->name),
		.place = tool_copy(key->place ? key->place : ""),
		.unit = tool_copy(key->unit ? key->unit : ""),
		.mean = NAN,
		.freedom = INFINITY,
	};
	results->next = results->num;
	return figure;
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

struct figure *results_add_mean(struct results *results,
				const struct figure_key *key,
				const struct figure_mean *mean, const char *why)
{
	size_t at = results_find(results, key);
	struct figure *figure = at < results->num ? &results->list[at]
						  : new_figure(results, key);

	if (figure->run == results->runs)
		return NULL;
	figure->run = results->runs;
	if (!isnan(mean->value))
		add_mean(figure, mean);
	else if (!figure->why && why && *why)
		figure->why = tool_copy(why);
	return figure;
}

struct figure *results_add(struct results *results,
			   const struct figure_key *key, double value,
			   const char *why)
{
	const struct figure_mean mean = { .value = value, .num = 1 };

	return results_add_mean(results, key, &mean, why);
}

void results_add_detail(struct results *results, double accesses, double share,
			double time_error)
{
	if (!(share < 1))
		return;
	results->detail.runs++;
	results->detail.accesses += accesses;
	results->detail.detailed += share * accesses;
	results->detail.time_error = time_error;
}

void results_set_random(struct results *results,
			const struct run_random *random)
{
	struct run_random *all = &results->random;

	if (!results->runs) {
		*all = *random;
		return;
	}
	all->is_known &= random->is_known;
	all->asked |= random->asked;
	all->repeats &= random->repeats;
}

/* A text has no zeros; a recording has one behind its first words. */
char *results_text_of(FILE *file, const char *path)
{
	enum { MOST_BYTES = 64 << 20 };
	char *text = NULL;
	FILE *copy = tool_text(&text);
	size_t size = 0;
	int byte;

	while ((byte = getc_unlocked(file)) > 0 && size++ < MOST_BYTES)
		putc_unlocked(byte, copy);
	fclose(copy);
	if (!ferror(file) && size <= MOST_BYTES)
		return text;
	free(text);
	tool_fail(0, "%s: %s", path,
		  ferror(file) ? strerror(errno)
			       : "larger than 64 MB, as no result is");
	return NULL;
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

int results_text(const char *path, char **text)
{
	bool is_standard = !strcmp(path, "-");
	FILE *file = is_standard ? stdin : open_file(path);

	*text = NULL;
	if (!file)
		return tool_fail(TOOL_USAGE, "cannot read %s: %s", path,
				 strerror(errno));
	*text = results_text_of(file, path);
	if (!is_standard)
		fclose(file);
	return *text ? TOOL_OK : TOOL_FAILED;
}

int results_read(struct results *results, const char *path,
		 const struct results_options *options)
{
	char *text;
	int status;

	*results = (struct results){ .path = path };
	status = results_text(path, &text);
	if (status)
		return status;
	if (!strcmp(text, "SQLite format 3"))
		status = results_read_recording(results, options);
	else if (text[strspn(text, " \t\r\n")] == '{')
		status = results_read_json(results, text);
	else
		status = tool_fail(TOOL_USAGE,
				   "%s: that is no recording, and no result "
				   "of 'uncore stat --json' (what -x prints "
				   "is not read any more)",
				   path);
	free(text);
	return status;
}

void results_free(struct results *results)
{
	for (size_t i = 0; i < results->num; i++) {
		free(results->list[i].name);
		free(results->list[i].place);
		free(results->list[i].unit);
		free(results->list[i].why);
	}
	free(results->list);
	free(results->machine);
	free(results->what);
}
