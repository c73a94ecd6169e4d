/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Reads a recording, sample after sample; none is kept, so its length costs no
 * memory.
 */
#include "reader.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tool.h"
#include "uncore/uncore.h"

/* Less than this part of a sample's length: the event took turns. */
static const double WHOLE = 0.999;

static void read_events(struct reader *reader)
{
	struct uncore_recorded_event event;

	for (size_t i = 0; uncore_recording_event(reader->recording, i, &event);
	     i++) {
		reader->events =
			tool_more(reader->events, i, sizeof(*reader->events));
		reader->events[i] = (struct reader_event){
			.text = tool_copy(event.text),
			.box = tool_copy(event.box),
			.period = event.period,
		};
		reader->num_events = i + 1;
	}
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
static size_t find_spot(struct reader *reader, size_t event, unsigned socket,
			unsigned instance)
{
	for (size_t i = 0; i < reader->num_spots; i++) {
		size_t at = (reader->next_spot + i) % reader->num_spots;
		const struct reader_spot *spot = &reader->spots[at];

		if (spot->event != event || spot->socket != socket ||
		    spot->instance != instance)
			continue;
		reader->next_spot = at + 1;
		return at;
	}
	return reader->num_spots;
}

/* The spot, made if it is new. */
static struct reader_spot *need_spot(struct reader *reader, size_t event,
				     unsigned socket, unsigned instance)
{
	size_t at = find_spot(reader, event, socket, instance);

	if (at < reader->num_spots)
		return &reader->spots[at];
	reader->spots = tool_more(reader->spots, at, sizeof(*reader->spots));
	reader->spots[at] = (struct reader_spot){ .event = event,
						  .socket = socket,
						  .instance = instance };
	reader->next_spot = ++reader->num_spots;
	return &reader->spots[at];
}

static void look_at_count(struct reader *reader,
			  const struct uncore_sample *sample,
			  const struct uncore_sample_count *count)
{
	struct reader_event *event = &reader->events[count->event];
	struct reader_spot *spot = need_spot(reader, count->event,
					     sample->socket, count->instance);
	double value = value_of(sample, count);

	event->is_estimate |= is_part(sample, count);
	reader->is_estimate |= event->is_estimate;
	if (!spot || !is_counted(sample, count))
		return;
	spot->sum += value;
	spot->seconds += sample->length_seconds;
	spot->counted += fmin(count->seconds, sample->length_seconds);
	spot->is_counted = true;
}

/* What was not seen is as what was. */
static void add_up_spot(struct reader *reader, struct reader_spot *spot)
{
	struct reader_event *event = &reader->events[spot->event];

	spot->scale = 1;
	if (!spot->is_counted) {
		spot->total = event->is_estimate ? NAN : 0;
		event->has_gaps |= event->is_estimate;
		return;
	}
	if (event->is_estimate && spot->seconds > 0 &&
	    spot->seconds < WHOLE * reader->seconds) {
		event->has_gaps = true;
		spot->scale = reader->seconds / spot->seconds;
	}
	spot->total = spot->sum * spot->scale;
	event->total = (isnan(event->total) ? 0 : event->total) + spot->total;
}

/* Of an event that no sample tells of nothing is known; where others took turns
 * it had none. */
static void add_up(struct reader *reader)
{
	for (size_t i = 0; i < reader->num_events; i++)
		reader->events[i].total = NAN;
	for (size_t i = 0; i < reader->num_spots; i++)
		add_up_spot(reader, &reader->spots[i]);
	for (size_t i = 0; reader->is_estimate && i < reader->num_events; i++)
		if (isnan(reader->events[i].total))
			reader->events[i].is_estimate =
				reader->events[i].has_gaps = true;
}

static void look_at_overflow(struct reader *reader,
			     const struct uncore_sample *sample)
{
	struct reader_spot *spot = NULL;

	reader->events[sample->event].num_samples++;
	if (sample->instance >= 0)
		spot = need_spot(reader, (size_t)sample->event, sample->socket,
				 (unsigned)sample->instance);
	if (spot)
		spot->num_samples++;
}

/* Samples are what overflows took, where there are periods: what they left at
 * the end of a recording is none, nor what was thinned out. */
static bool is_sample(const struct reader *reader,
		      const struct uncore_sample *sample)
{
	bool has_periods = false;

	for (size_t i = 0; i < reader->num_events; i++)
		has_periods |= reader->events[i].period > 0;
	return !has_periods || (sample->kind != UNCORE_SAMPLE_END &&
				sample->kind != UNCORE_SAMPLE_THINNED);
}

static void look(void *context, const struct uncore_sample *sample,
		 const struct uncore_sample_count *counts, size_t num_counts)
{
	struct reader *reader = context;

	reader->num_samples += is_sample(reader, sample);
	reader->num_lost += sample->lost;
	if (sample->seconds > reader->seconds)
		reader->seconds = sample->seconds;
	if (sample->socket >= reader->num_sockets)
		reader->num_sockets = sample->socket + 1;
	if (sample->position >= 0)
		reader->has_positions = true;
	for (size_t i = 0; i < num_counts; i++)
		if (counts[i].event < reader->num_events)
			look_at_count(reader, sample, &counts[i]);
	if (sample->event >= 0 && (size_t)sample->event < reader->num_events)
		look_at_overflow(reader, sample);
}

static int by_place(const void *a, const void *b)
{
	const struct reader_spot *first = a, *second = b;

	if (first->event != second->event)
		return first->event < second->event ? -1 : 1;
	if (first->socket != second->socket)
		return first->socket < second->socket ? -1 : 1;
	return (first->instance > second->instance) -
	       (first->instance < second->instance);
}

int reader_open(struct reader *reader, const char *path, int socket)
{
	char *error = NULL;
	int code, status;

	*reader = (struct reader){ .socket = socket, .slower = 1 };
	code = uncore_recording_open(path, &reader->recording, &error);
	if (code)
		return tool_fail_with(code, error);
	read_events(reader);
	status = reader_each(reader, look, reader);
	add_up(reader);
	if (reader->num_spots)
		qsort(reader->spots, reader->num_spots, sizeof(*reader->spots),
		      by_place);
	return status;
}

static bool says_yes(const struct reader *reader, const char *key)
{
	const char *value = uncore_recording_meta(reader->recording, key);

	return value && !strcmp(value, "yes");
}

struct run_random reader_random(const struct reader *reader)
{
	return (struct run_random){
		.is_known = uncore_recording_meta(reader->recording,
						  "random_asked"),
		.asked = says_yes(reader, "random_asked"),
		.repeats = says_yes(reader, "random_repeatable"),
	};
}

const struct uncore_family *reader_family(const struct reader *reader)
{
	const char *capture =
		uncore_recording_meta(reader->recording, "capture");
	const struct uncore_family *family;
	char *error = NULL;

	if (!capture) {
		const char *machine =
			uncore_recording_meta(reader->recording, "machine");

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

void reader_close(struct reader *reader)
{
	for (size_t i = 0; i < reader->num_events; i++) {
		free(reader->events[i].text);
		free(reader->events[i].box);
	}
	free(reader->events);
	free(reader->spots);
	uncore_recording_free(reader->recording);
}

int reader_each(struct reader *reader,
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

	uncore_recording_rewind(reader->recording);
	while ((code = uncore_recording_next(reader->recording, &sample,
					     &counts, &num_counts, &error)) > 0)
		if (reader->socket < 0 ||
		    (unsigned)reader->socket == sample.socket)
			take(context, &sample, counts, num_counts);
	return code ? tool_fail_with(code, error) : TOOL_OK;
}

static unsigned step_at(const struct reader_tally *tally, double seconds)
{
	double step = tally->step_seconds > 0
			      ? floor(seconds / tally->step_seconds)
			      : 0;

	if (step < 0)
		return 0;
	return step >= tally->num_steps ? tally->num_steps - 1 : (unsigned)step;
}

/* The part of a sample that lies in a step, from its first one to its last. */
static double part_of(const struct reader_tally *tally, unsigned step,
		      unsigned last, double from, double until)
{
	double start = fmax(from, step * tally->step_seconds);
	double end = step == last ? until : (step + 1) * tally->step_seconds;

	if (until > from)
		return fmax((end - start) / (until - from), 0);
	return step == last;
}

/* The column of a count, or num_columns. */
static size_t column_of(const struct reader_tally *tally,
			const struct uncore_sample *sample,
			const struct uncore_sample_count *count)
{
	struct reader *reader = tally->reader;

	if (tally->of == READER_SPOTS)
		return find_spot(reader, count->event, sample->socket,
				 count->instance);
	if (count->event >= reader->num_events)
		return tally->num_columns;
	return tally->of == READER_EVENTS
		       ? count->event
		       : sample->socket * reader->num_events + count->event;
}

static void spread(void *context, const struct uncore_sample *sample,
		   const struct uncore_sample_count *counts, size_t num_counts)
{
	const struct reader_tally *tally = context;
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

int reader_tally(struct reader *reader, enum reader_columns of,
		 unsigned num_steps, struct reader_tally *tally)
{
	size_t num = of == READER_SPOTS ? reader->num_spots
		     : of == READER_EVENTS
			     ? reader->num_events
			     : reader->num_events * reader->num_sockets;

	*tally = (struct reader_tally){
		.reader = reader,
		.of = of,
		.num_steps = num_steps,
		.step_seconds = reader->seconds / num_steps,
		.num_columns = num,
		.values = tool_new(num_steps * num, sizeof(double)),
		.seconds = tool_new(num_steps * num, sizeof(double)),
	};
	if (of != READER_SPOTS || num_steps > 1)
		return reader_each(reader, spread, tally);
	for (size_t i = 0; i < num; i++) { /* as when it was opened */
		tally->values[i] = reader->spots[i].sum;
		tally->seconds[i] = reader->spots[i].seconds;
	}
	return TOOL_OK;
}

void reader_tally_free(struct reader_tally *tally)
{
	free(tally->values);
	free(tally->seconds);
}
