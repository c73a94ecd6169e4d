/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What happened while an event did not count: docs/estimates.md derives the
 * estimate and its error. In short, with x the time that the event counted in
 * a cell and y what it counted, T the time of the whole run and n the number
 * of cells:
 *
 *     r = sum(y) / sum(x)              its rate
 *     f = sum(x) / T                   the share of the time that was seen
 *     value = r * T
 *     d = y - r * x                    what a cell has beyond its share
 *     variance = n (1 - f) var(d) / f^2
 *     error = t(99.5 %, n - 1) * sqrt(variance)
 *
 * A sum of rows has the sums of their y: turns are common to all boxes, so
 * their counts rise and fall together and errors must not be added as if they
 * did not.
 */
#include <math.h>

#include "session/sampled.h"
#include "session/session.h"
#include "session/spread.h"

static uint64_t total_ticks(const struct uncore_session *session)
{
	uint64_t ticks = 0;

	for (size_t i = 0; i < session->num_slices; i++)
		ticks += session->slices[i].ticks;
	return ticks;
}

/* What the rows of a sum have in common. */
struct sample {
	const struct uncore_session *session;
	const bool *slices; /* NULL: all */
	const size_t *rows;
	size_t num;
	double multiplier;
	double total; /* ticks of the run */
	double ticks; /* that the rows counted, on average */
};

static bool is_wanted(const struct sample *sample,
		      const struct session_entry *entry)
{
	return !sample->slices || sample->slices[entry->slice];
}

/* Whether nothing was missed: it counted in all slices, and went on where it
 * was, if it has a sub-counter, though it may have changed its counter. */
static bool is_exact(const struct sample *sample, const struct session_row *row)
{
	const struct uncore_session *session = sample->session;
	uint64_t breaks = 0;

	if (!session->cells)
		return true;
	for (size_t e = 0; e < row->num_entries; e++) {
		const struct session_entry *entry =
			&session->entries[row->first_entry + e];

		if (!is_wanted(sample, entry))
			return false;
		breaks += entry->restarts + entry->silences;
	}
	return row->num_entries == session->num_slices && !row->lost_tally &&
	       (sample->multiplier == 1 || breaks <= 1);
}

/* Time that the event counted in a cell, as a part of the run. */
static double cell_time(const struct sample *sample, size_t cell)
{
	const struct uncore_session *session = sample->session;
	const struct session_row *row = &session->rows[sample->rows[0]];
	uint64_t ticks = 0;

	for (size_t i = 0; i < row->num_entries; i++) {
		const struct session_entry *entry =
			&session->entries[row->first_entry + i];

		if (is_wanted(sample, entry))
			ticks += session->slices[entry->slice].cells[cell];
	}
	return (double)ticks;
}

/* How long a row counted: the time of its own box. */
static uint64_t row_ticks(const struct sample *sample,
			  const struct session_row *row)
{
	const struct session_entry *entries =
		&sample->session->entries[row->first_entry];
	uint64_t ticks = 0;

	for (size_t i = 0; i < row->num_entries; i++) {
		const struct session_counter *counter =
			&sample->session->counters[entries[i].counter];

		if (is_wanted(sample, &entries[i]))
			ticks += sample->session->units[counter->unit]
					 .ticks[entries[i].slice];
	}
	return ticks;
}

/* Adds a row to the estimate; what its sub-counter loses when it begins anew
 * (see count.c) is the spread of what was added for it, and all that turns
 * without a count may hide. */
static void add_row(const struct sample *sample, const struct session_row *row,
		    struct uncore_estimate *estimate)
{
	double ticks = (double)row_ticks(sample, row), scale;

	if (ticks <= 0)
		return;
	scale = sample->multiplier * sample->total / ticks;
	for (size_t e = 0; e < row->num_entries; e++) {
		const struct session_entry *entry =
			&sample->session->entries[row->first_entry + e];

		if (!is_wanted(sample, entry))
			continue;
		estimate->seen += (double)entry->seen;
		for (size_t i = 0; i < SESSION_MAX_CELLS; i++)
			estimate->parts[i] +=
				(double)entry->cells[i] / 2 * scale;
		if (sample->multiplier <= 1)
			continue;
		estimate->lost += (double)entry->restarts * scale * scale / 12;
		estimate->hidden += (double)entry->silences * scale *
				    (1 - 1 / sample->multiplier);
	}
}

static bool estimate_sample(const struct sample *sample,
			    struct uncore_estimate *estimate)
{
	const struct session_row *rows = sample->session->rows;
	double time = 0, times[SESSION_MAX_CELLS];

	*estimate = (struct uncore_estimate){ .level = SPREAD_TURNS };
	for (size_t i = 0; i < SESSION_MAX_CELLS; i++) {
		times[i] = cell_time(sample, i);
		estimate->num_cells += times[i] > 0;
		time += times[i];
	}
	if (time <= 0 || sample->ticks <= 0)
		return false;
	estimate->share = fmin(1, sample->ticks / sample->total);
	estimate->step = sample->multiplier / estimate->share;
	for (size_t i = 0; i < sample->num; i++)
		add_row(sample, &rows[sample->rows[i]], estimate);
	for (size_t i = 0; i < SESSION_MAX_CELLS; i++)
		estimate->value += estimate->parts[i];
	for (size_t i = 0; i < SESSION_MAX_CELLS; i++)
		estimate->rests[i] = estimate->parts[i] -
				     estimate->value * (times[i] / time);
	return true;
}

static struct sample sample_of(const struct uncore_session *session,
			       const size_t *rows, size_t num,
			       const bool *slices)
{
	const struct session_row *first = &session->rows[rows[0]];
	struct sample sample = {
		.session = session,
		.slices = slices,
		.rows = rows,
		.num = num,
		.multiplier =
			uncore_event_multiplier(session->events[first->event]),
		.total = (double)total_ticks(session),
	};

	for (size_t i = 0; i < num; i++)
		sample.ticks +=
			(double)row_ticks(&sample, &session->rows[rows[i]]);
	sample.ticks /= (double)num;
	return sample;
}

bool uncore_session_estimate(const struct uncore_session *session,
			     const size_t *indices, size_t num,
			     const bool *slices,
			     struct uncore_estimate *estimate)
{
	struct sample sample;

	if (session->sampled)
		return sampled_estimate(session, indices, num, estimate);
	if (!session->cells || !num)
		return false;
	for (size_t i = 0; i < num; i++)
		if (indices[i] >= session->num_rows ||
		    session->rows[indices[i]].lost_tally ||
		    session->rows[indices[i]].event !=
			    session->rows[indices[0]].event)
			return false;
	sample = sample_of(session, indices, num, slices);
	return estimate_sample(&sample, estimate);
}

static void set_error(const struct uncore_estimate *estimate,
		      struct uncore_count *count)
{
	double variance;

	count->standard_error = count->error = NAN;
	if (estimate->num_cells < SPREAD_FEWEST_CELLS) {
		count->reason = "too few turns to tell the error";
		return;
	}
	variance = spread_variance(estimate->rests, estimate->num_cells,
				   1 - estimate->share);
	variance += spread_unshown(estimate, variance);
	count->standard_error = sqrt(variance);
	count->error =
		spread_student(estimate->num_cells - 1, estimate->level) *
			count->standard_error +
		estimate->hidden;
}

static void set_estimate(const struct sample *sample,
			 struct uncore_count *count)
{
	struct uncore_estimate estimate;
	bool lost_tally = false;

	for (size_t i = 0; i < sample->num; i++)
		lost_tally |= sample->session->rows[sample->rows[i]].lost_tally;
	count->is_estimate = true;
	count->share = fmin(1, sample->ticks / fmax(1, sample->total));
	if (lost_tally) {
		count->valid = false;
		count->reason = "its occupancy counter begins at 0 in each "
				"turn, whatever the queue holds; ask for fewer "
				"occupancies of its box at a time";
	} else if (!estimate_sample(sample, &estimate)) {
		count->valid = false;
		count->reason = "its turn never came: the run was too short";
	} else {
		count->value = (uint64_t)llround(estimate.value);
		set_error(&estimate, count);
	}
}

void estimate_sum(const struct uncore_session *session, const size_t *rows,
		  size_t num, struct uncore_count *count)
{
	struct sample sample = sample_of(session, rows, num, NULL);
	bool all_exact = true;

	count->seen = 0;
	for (size_t i = 0; i < num; i++) {
		const struct session_row *row = &session->rows[rows[i]];

		all_exact &= is_exact(&sample, row);
		for (size_t e = 0; e < row->num_entries; e++)
			count->seen +=
				session->entries[row->first_entry + e].seen;
	}
	count->seen *= (uint64_t)sample.multiplier;
	count->value = count->seen;
	count->share = 1;
	count->seconds = session_seconds(session, (uint64_t)sample.ticks);
	if (!all_exact)
		set_estimate(&sample, count);
}

/* Adds the cells of a row to those of its event. */
static void add_cells(const struct uncore_session *session,
		      const struct session_row *row,
		      struct uncore_estimate *event)
{
	for (size_t e = 0; e < row->num_entries; e++) {
		const struct session_entry *entry =
			&session->entries[row->first_entry + e];

		event->seen += (double)entry->seen;
		for (size_t i = 0; i < SESSION_MAX_CELLS; i++)
			event->parts[i] += (double)entry->cells[i];
	}
}

/* In a long run a cell holds several rounds, and what came in one of them may
 * have met the turns of all. */
static bool is_burst(const struct uncore_session *session,
		     const struct uncore_estimate *event)
{
	return session->rounds.per_cell == 1 &&
	       event->seen >= SPREAD_BURST_EVENTS && spread_is_burst(event);
}

void estimate_look(struct uncore_session *session)
{
	const struct uncore_estimate none = {
		.num_cells = session->rounds.cell + 1
	};
	struct uncore_estimate event = none;

	session->has_burst = false;
	for (size_t i = 0; i < session->num_rows && session->cells; i++) {
		if (i && session->rows[i].event != session->rows[i - 1].event)
			event = none;
		add_cells(session, &session->rows[i], &event);
		if (i + 1 == session->num_rows ||
		    session->rows[i + 1].event != session->rows[i].event)
			session->has_burst |= is_burst(session, &event);
	}
}

void estimate_doubt(const struct uncore_session *session, const size_t *rows,
		    size_t num, struct uncore_count *sum)
{
	struct uncore_estimate estimate;

	if (!sum->valid || !sum->is_estimate ||
	    !uncore_session_estimate(session, rows, num, NULL, &estimate))
		return;
	if (estimate.num_cells < SPREAD_FEWEST_CELLS)
		sum->reason = "too few turns to tell the error; count fewer "
			      "events at a time";
	else if (is_burst(session, &estimate))
		sum->reason = "nearly all of it was seen in a short part of "
			      "the run, so nobody knows how much was missed; "
			      "count fewer events at a time";
	else if (estimate.seen < SPREAD_FEW_EVENTS && session->has_burst)
		sum->reason = "few or none were seen in its turns, and of "
			      "other events nearly all came in a short part "
			      "of the run, which may have been the turn of "
			      "others; count fewer events at a time";
	else
		return;
	sum->valid = false;
}
