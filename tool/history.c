/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Reads a recording, sample after sample; none is kept, so its length costs no
 * memory.
 */
#include "history.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tool.h"
#include "uncore/uncore.h"

/* Less than this part of a sample's length: the event took turns. */
static const double WHOLE = 0.999;

static int read_events(struct history *history)
{
	struct uncore_recorded_event event;

	for (size_t i = 0;
	     uncore_recording_event(history->recording, i, &event); i++) {
		struct history_event *events = realloc(
			history->events, (i + 1) * sizeof(*history->events));

		if (!events)
			return tool_fail_with(UNCORE_ERR_NO_MEMORY, NULL);
		history->events = events;
		events[i] = (struct history_event){
			.text = strdup(event.text),
			.box = strdup(event.box),
			.period = event.period,
		};
		history->num_events = i + 1;
		if (!events[i].text || !events[i].box)
			return tool_fail_with(UNCORE_ERR_NO_MEMORY, NULL);
	}
	return TOOL_OK;
}

bool history_is_part(const struct uncore_sample *sample,
		     const struct uncore_sample_count *count)
{
	return count->seconds > 0 &&
	       count->seconds < WHOLE * sample->length_seconds;
}

double history_value(const struct uncore_sample *sample,
		     const struct uncore_sample_count *count)
{
	double value = (double)count->value;

	return history_is_part(sample, count)
		       ? value * sample->length_seconds / count->seconds
		       : value;
}

static void look(void *context, const struct uncore_sample *sample,
		 const struct uncore_sample_count *counts, size_t num_counts)
{
	struct history *history = context;

	history->num_samples++;
	history->num_lost += sample->lost;
	if (sample->seconds > history->seconds)
		history->seconds = sample->seconds;
	if (sample->socket >= history->num_sockets)
		history->num_sockets = sample->socket + 1;
	if (sample->position >= 0)
		history->has_positions = true;
	if (sample->event >= 0 && (size_t)sample->event < history->num_events)
		history->events[sample->event].num_samples++;
	for (size_t i = 0; i < num_counts; i++) {
		if (counts[i].event >= history->num_events)
			continue;
		history->is_estimate |= history_is_part(sample, &counts[i]);
		history->events[counts[i].event].total +=
			history_value(sample, &counts[i]);
	}
}

int history_open(struct history *history, const char *path, int socket)
{
	char *error = NULL;
	int code, status;

	*history = (struct history){ .socket = socket };
	code = uncore_recording_open(path, &history->recording, &error);
	if (code)
		return tool_fail_with(code, error);
	status = read_events(history);
	return status ? status : history_each(history, look, history);
}

void history_close(struct history *history)
{
	for (size_t i = 0; i < history->num_events; i++) {
		free(history->events[i].text);
		free(history->events[i].box);
	}
	free(history->events);
	uncore_recording_free(history->recording);
}

int history_each(struct history *history,
		 void (*take)(void *context, const struct uncore_sample *sample,
			      const struct uncore_sample_count *counts,
			      size_t num_counts),
		 void *context)
{
	const struct uncore_sample_count *counts;
	struct uncore_sample sample;
	size_t num_counts;
	char *error = NULL;
	int code;

	uncore_recording_rewind(history->recording);
	while ((code = uncore_recording_next(history->recording, &sample,
					     &counts, &num_counts, &error)) > 0)
		if (history->socket < 0 ||
		    (unsigned)history->socket == sample.socket)
			take(context, &sample, counts, num_counts);
	return code ? tool_fail_with(code, error) : TOOL_OK;
}
