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

/* Whether a count is of a part of its sample only, or of none. */
static bool is_part(const struct uncore_sample *sample,
		    const struct uncore_sample_count *count)
{
	return count->seconds < WHOLE * sample->length_seconds;
}

/* Whether the event's turn came in a sample. */
static bool is_counted(const struct uncore_sample *sample,
		       const struct uncore_sample_count *count)
{
	return count->seconds > 0 || !is_part(sample, count);
}

/* The growth in a sample; scaled to its length where the event counted for a
 * part of it only. */
static double value_of(const struct uncore_sample *sample,
		       const struct uncore_sample_count *count)
{
	double value = (double)count->value;

	return is_part(sample, count) && count->seconds > 0
		       ? value * sample->length_seconds / count->seconds
		       : value;
}

/* Samples name the same spots in the same order, so the one behind the last is
 * tried first. */
static size_t find_spot(struct history *history, size_t event, unsigned socket,
			unsigned instance)
{
	for (size_t i = 0; i < history->num_spots; i++) {
		size_t at = (history->next_spot + i) % history->num_spots;
		const struct history_spot *spot = &history->spots[at];

		if (spot->event != event || spot->socket != socket ||
		    spot->instance != instance)
			continue;
		history->next_spot = at + 1;
		return at;
	}
	return history->num_spots;
}

/* The spot, made if it is new; NULL without memory. */
static struct history_spot *need_spot(struct history *history, size_t event,
				      unsigned socket, unsigned instance)
{
	size_t at = find_spot(history, event, socket, instance);
	struct history_spot *spots = history->spots;

	if (at < history->num_spots)
		return &spots[at];
	if (at == history->spot_room) {
		size_t room = 2 * history->spot_room + 64;

		spots = realloc(spots, room * sizeof(*spots));
		if (!spots) {
			history->failed = true;
			return NULL;
		}
		history->spots = spots;
		history->spot_room = room;
	}
	spots[at] = (struct history_spot){ .event = event,
					   .socket = socket,
					   .instance = instance };
	history->next_spot = ++history->num_spots;
	return &spots[at];
}

static void look_at_count(struct history *history,
			  const struct uncore_sample *sample,
			  const struct uncore_sample_count *count)
{
	struct history_event *event = &history->events[count->event];
	struct history_spot *spot = need_spot(history, count->event,
					      sample->socket, count->instance);
	double value = value_of(sample, count);

	event->is_estimate |= is_part(sample, count);
	history->is_estimate |= event->is_estimate;
	if (!spot || !is_counted(sample, count))
		return;
	spot->total += value;
	spot->seconds += sample->length_seconds;
	spot->counted += fmin(count->seconds, sample->length_seconds);
	spot->is_counted = true;
}

/* What was not seen is as what was. */
static void add_up_spot(struct history *history, struct history_spot *spot)
{
	struct history_event *event = &history->events[spot->event];

	spot->scale = 1;
	if (!spot->is_counted) {
		spot->total = event->is_estimate ? NAN : 0;
		event->has_gaps |= event->is_estimate;
		return;
	}
	if (event->is_estimate && spot->seconds > 0 &&
	    spot->seconds < WHOLE * history->seconds) {
		event->has_gaps = true;
		spot->scale = history->seconds / spot->seconds;
	}
	spot->total *= spot->scale;
	event->total = (isnan(event->total) ? 0 : event->total) + spot->total;
}

/* Of an event that no sample tells of nothing is known; where others took turns
 * it had none. */
static void add_up(struct history *history)
{
	for (size_t i = 0; i < history->num_events; i++)
		history->events[i].total = NAN;
	for (size_t i = 0; i < history->num_spots; i++)
		add_up_spot(history, &history->spots[i]);
	for (size_t i = 0; history->is_estimate && i < history->num_events; i++)
		if (isnan(history->events[i].total))
			history->events[i].is_estimate =
				history->events[i].has_gaps = true;
}

static void look_at_overflow(struct history *history,
			     const struct uncore_sample *sample)
{
	struct history_spot *spot = NULL;

	history->events[sample->event].num_samples++;
	if (sample->instance >= 0)
		spot = need_spot(history, (size_t)sample->event, sample->socket,
				 (unsigned)sample->instance);
	if (spot)
		spot->num_samples++;
}

/* Samples are what overflows took, where there are periods: what they left at
 * the end of a recording is none, nor what was thinned out. */
static bool is_sample(const struct history *history,
		      const struct uncore_sample *sample)
{
	bool has_periods = false;

	for (size_t i = 0; i < history->num_events; i++)
		has_periods |= history->events[i].period > 0;
	return !has_periods || (sample->kind != UNCORE_SAMPLE_END &&
				sample->kind != UNCORE_SAMPLE_THINNED);
}

static void look(void *context, const struct uncore_sample *sample,
		 const struct uncore_sample_count *counts, size_t num_counts)
{
	struct history *history = context;

	history->num_samples += is_sample(history, sample);
	history->num_lost += sample->lost;
	if (sample->seconds > history->seconds)
		history->seconds = sample->seconds;
	if (sample->socket >= history->num_sockets)
		history->num_sockets = sample->socket + 1;
	if (sample->position >= 0)
		history->has_positions = true;
	for (size_t i = 0; i < num_counts; i++)
		if (counts[i].event < history->num_events)
			look_at_count(history, sample, &counts[i]);
	if (sample->event >= 0 && (size_t)sample->event < history->num_events)
		look_at_overflow(history, sample);
}

static int by_place(const void *a, const void *b)
{
	const struct history_spot *first = a, *second = b;

	if (first->event != second->event)
		return first->event < second->event ? -1 : 1;
	if (first->socket != second->socket)
		return first->socket < second->socket ? -1 : 1;
	return (first->instance > second->instance) -
	       (first->instance < second->instance);
}

int history_open(struct history *history, const char *path, int socket)
{
	char *error = NULL;
	int code, status;

	*history = (struct history){ .socket = socket, .slower = 1 };
	code = uncore_recording_open(path, &history->recording, &error);
	if (code)
		return tool_fail_with(code, error);
	status = read_events(history);
	if (!status)
		status = history_each(history, look, history);
	if (!status && history->failed)
		status = tool_fail_with(UNCORE_ERR_NO_MEMORY, NULL);
	add_up(history);
	if (history->num_spots)
		qsort(history->spots, history->num_spots,
		      sizeof(*history->spots), by_place);
	return status;
}

static bool says_yes(const struct history *history, const char *key)
{
	const char *value = uncore_recording_meta(history->recording, key);

	return value && !strcmp(value, "yes");
}

struct run_random history_random(const struct history *history)
{
	return (struct run_random){
		.is_known = uncore_recording_meta(history->recording,
						  "random_asked"),
		.asked = says_yes(history, "random_asked"),
		.repeats = says_yes(history, "random_repeatable"),
	};
}

const struct uncore_family *history_family(const struct history *history)
{
	const char *capture =
		uncore_recording_meta(history->recording, "capture");
	const struct uncore_family *family;
	char *error = NULL;

	if (!capture) {
		const char *machine =
			uncore_recording_meta(history->recording, "machine");

		/* never a place to look into, which a family may name, too */
		family = uncore_family_find(machine ? machine
						    : TOOL_DEFAULT_MACHINE);
		if (!family)
			tool_fail(0,
				  "the recording is of '%s', which is no "
				  "machine known here, and holds nothing that "
				  "tells what it is",
				  machine);
		return family;
	}
	family = uncore_family_of_capture(capture, &error);
	if (!family)
		tool_fail_with(UNCORE_ERR_NO_HARDWARE, error);
	return family;
}

void history_close(struct history *history)
{
	for (size_t i = 0; i < history->num_events; i++) {
		free(history->events[i].text);
		free(history->events[i].box);
	}
	free(history->events);
	free(history->spots);
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

static unsigned step_at(const struct history_tally *tally, double seconds)
{
	double step = tally->step_seconds > 0
			      ? floor(seconds / tally->step_seconds)
			      : 0;

	if (step < 0)
		return 0;
	return step >= tally->num_steps ? tally->num_steps - 1 : (unsigned)step;
}

/* The part of a sample that lies in a step, from its first one to its last. */
static double part_of(const struct history_tally *tally, unsigned step,
		      unsigned last, double from, double until)
{
	double start = fmax(from, step * tally->step_seconds);
	double end = step == last ? until : (step + 1) * tally->step_seconds;

	if (until > from)
		return fmax((end - start) / (until - from), 0);
	return step == last;
}

/* The column of a count, or num_columns. */
static size_t column_of(const struct history_tally *tally,
			const struct uncore_sample *sample,
			const struct uncore_sample_count *count)
{
	struct history *history = tally->history;

	if (tally->of == HISTORY_SPOTS)
		return find_spot(history, count->event, sample->socket,
				 count->instance);
	if (count->event >= history->num_events)
		return tally->num_columns;
	return tally->of == HISTORY_EVENTS
		       ? count->event
		       : sample->socket * history->num_events + count->event;
}

static void spread(void *context, const struct uncore_sample *sample,
		   const struct uncore_sample_count *counts, size_t num_counts)
{
	const struct history_tally *tally = context;
	double until = sample->seconds;
	double from = fmax(until - sample->length_seconds, 0);
	unsigned first = step_at(tally, from), last = step_at(tally, until);

	for (size_t i = 0; i < num_counts; i++) {
		size_t column = column_of(tally, sample, &counts[i]);
		double value = value_of(sample, &counts[i]);

		if (column == tally->num_columns ||
		    !is_counted(sample, &counts[i]))
			continue;
		for (unsigned step = first; step <= last; step++) {
			double part = part_of(tally, step, last, from, until);
			size_t at = step * tally->num_columns + column;

			tally->values[at] += value * part;
			tally->seconds[at] += sample->length_seconds * part;
		}
	}
}

int history_tally(struct history *history, enum history_columns of,
		  unsigned num_steps, struct history_tally *tally)
{
	size_t num = of == HISTORY_SPOTS ? history->num_spots
		     : of == HISTORY_EVENTS
			     ? history->num_events
			     : history->num_events * history->num_sockets;

	*tally = (struct history_tally){
		.history = history,
		.of = of,
		.num_steps = num_steps,
		.step_seconds = history->seconds / num_steps,
		.num_columns = num,
		.values = calloc(num_steps * num + 1, sizeof(double)),
		.seconds = calloc(num_steps * num + 1, sizeof(double)),
	};
	if (!tally->values || !tally->seconds)
		return tool_fail_with(UNCORE_ERR_NO_MEMORY, NULL);
	return history_each(history, spread, tally);
}

void history_tally_free(struct history_tally *tally)
{
	free(tally->values);
	free(tally->seconds);
}
