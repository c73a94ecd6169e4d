/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * A region's counts are the sum of the counts at its ends less the sum of those
 * at its beginnings, modulo 2^64; so nothing has to be kept while it is open.
 */
#include "stat.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tool/tool.h"
#include "uncore/session.h"

enum { MAX_NAMES = 8 };

struct region *regions_find(const struct regions *regions, const char *name)
{
	for (size_t i = 0; i < regions->num; i++)
		if (!strcmp(regions->list[i].name, name))
			return &regions->list[i];
	return NULL;
}

static void measure_counts(struct regions *regions)
{
	struct uncore_count count;

	while (regions->session &&
	       uncore_session_count(regions->session, regions->num_counts,
				    &count))
		regions->num_counts++;
}

static struct region *find_or_add(struct regions *regions, const char *name)
{
	struct region *region = regions_find(regions, name);

	if (region)
		return region;
	if (!regions->num)
		measure_counts(regions);
	regions->list = tool_more(regions->list, regions->num, sizeof(*region));
	region = &regions->list[regions->num++];
	*region = (struct region){ .counts = tool_new(regions->num_counts,
						      sizeof(uint64_t)) };
	snprintf(region->name, sizeof(region->name), "%s", name);
	return region;
}

/* The next pair of unnamed marks begins. */
static struct region *open_unnamed(struct regions *regions, unsigned thread)
{
	struct region *region;
	char name[24];

	if (regions->num_unnamed < REGIONS_MAX_UNNAMED)
		regions->num_unnamed++;
	snprintf(name, sizeof(name), "%zu", regions->num_unnamed);
	region = find_or_add(regions, name);
	regions->open = tool_more(regions->open, regions->num_open,
				  sizeof(*regions->open));
	regions->open[regions->num_open++] = (struct regions_open){
		.thread = thread,
		.region = (size_t)(region - regions->list),
	};
	return region;
}

/* The latest pair that this thread has begun ends; of a thread that has none,
 * the latest of all. */
static struct region *close_unnamed(struct regions *regions, unsigned thread)
{
	size_t at = regions->num_open;
	struct region *region;

	if (!at)
		return NULL;
	while (at && regions->open[at - 1].thread != thread)
		at--;
	at = at ? at - 1 : regions->num_open - 1;
	region = &regions->list[regions->open[at].region];
	regions->num_open--;
	memmove(&regions->open[at], &regions->open[at + 1],
		(regions->num_open - at) * sizeof(regions->open[0]));
	return region;
}

/* Adds what has passed so far to it, or takes it away. */
static void add_now(const struct regions *regions, struct region *region,
		    const struct uncore_metric_run *now, bool begins)
{
	uint64_t sign = begins ? UINT64_MAX : 1; /* -1 modulo 2^64 */
	struct uncore_count count;

	/* what cannot be told of it then is told as n/a */
	if (regions->session)
		uncore_session_part(regions->session,
				    (size_t)(region - regions->list), begins,
				    NULL);
	region->time.seconds += begins ? -now->seconds : now->seconds;
	region->time.cycles += begins ? -now->cycles : now->cycles;
	region->time.instructions +=
		begins ? -now->instructions : now->instructions;
	for (size_t i = 0; i < regions->num_counts; i++)
		if (uncore_session_count(regions->session, i, &count))
			region->counts[i] += sign * count.value;
}

static void begin(const struct regions *regions, struct region *region,
		  const struct uncore_metric_run *now)
{
	region->entered++;
	if (!region->inside++)
		add_now(regions, region, now, true);
}

static void end(const struct regions *regions, struct region *region,
		const struct uncore_metric_run *now)
{
	if (region->inside && !--region->inside)
		add_now(regions, region, now, false);
}

void regions_mark(struct regions *regions,
		  const struct uncore_program_mark *mark,
		  const struct uncore_metric_run *now)
{
	struct region *region;

	if (mark->begins) {
		region = *mark->region ? find_or_add(regions, mark->region)
				       : open_unnamed(regions, mark->thread);
		begin(regions, region, now);
		return;
	}
	region = *mark->region ? regions_find(regions, mark->region)
			       : close_unnamed(regions, mark->thread);
	if (region)
		end(regions, region, now);
}

void regions_enter(struct regions *regions, const char *name,
		   const struct uncore_metric_run *now)
{
	begin(regions, find_or_add(regions, name), now);
}

void regions_clear(const struct regions *regions, struct region *region)
{
	region->entered = 0;
	region->time = (struct uncore_metric_run){ 0 };
	memset(region->counts, 0,
	       regions->num_counts * sizeof(*region->counts));
}

void regions_end(struct regions *regions, const struct uncore_metric_run *now)
{
	for (size_t i = 0; i < regions->num; i++) {
		struct region *region = &regions->list[i];

		if (!region->inside)
			continue;
		region->inside = 1;
		end(regions, region, now);
	}
}

bool regions_is_in_one(const struct regions *regions)
{
	for (size_t i = 0; i < regions->num; i++)
		if (regions->list[i].inside)
			return true;
	return false;
}

char *regions_names(const struct regions *regions)
{
	size_t shown = regions->num > MAX_NAMES ? MAX_NAMES : regions->num;
	char *text = NULL;
	FILE *file = tool_text(&text);

	for (size_t i = 0; i < shown; i++)
		fprintf(file, "%s'%s'",
			!i			? ""
			: i + 1 == regions->num ? " and "
						: ", ",
			tool_shown(regions->list[i].name));
	if (shown < regions->num)
		fprintf(file, " and %zu more", regions->num - shown);
	fclose(file);
	return text;
}

void regions_free(struct regions *regions)
{
	for (size_t i = 0; i < regions->num; i++)
		free(regions->list[i].counts);
	free(regions->list);
	free(regions->open);
	*regions = (struct regions){ 0 };
}
