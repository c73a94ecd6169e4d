/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What happened while an event did not count: docs/multiplexing.md derives the
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

#include "session/session.h"

/* Fewer turns tell nothing about how much they differ; below so many events
 * seen the spread of rare events is put in its place. */
enum { FEWEST_CELLS = 3, FEW_EVENTS = 32 };

/* Half of the 1 % that may lie outside, for a number of degrees of freedom. */
static double student(unsigned freedom)
{
	static const double table[] = { 0,	63.657, 9.925, 5.841, 4.604,
					4.032,	3.707,	3.499, 3.355, 3.250 };
	const double z = 2.5758293, z3 = z * z * z, z5 = z3 * z * z,
		     z7 = z5 * z * z;
	double n = freedom;

	if (freedom < sizeof(table) / sizeof(table[0]))
		return table[freedom];
	return z + (z3 + z) / 4 / n + (5 * z5 + 16 * z3 + 3 * z) / 96 / n / n +
	       (3 * z7 + 19 * z5 + 17 * z3 - 15 * z) / 384 / n / n / n;
}

static uint64_t total_ticks(const struct uncore_session *session)
{
	uint64_t ticks = 0;

	for (size_t i = 0; i < session->num_slices; i++)
		ticks += session->slices[i].ticks;
	return ticks;
}

/* Whether nothing was missed: it counted in all slices, and went on where it
 * was, if it has a sub-counter, though it may have changed its counter. */
static bool is_exact(const struct uncore_session *session,
		     const struct session_row *row)
{
	if (session->num_slices == 1)
		return true;
	return row->num_entries == session->num_slices && !row->lost_tally &&
	       (uncore_event_multiplier(session->events[row->event]) == 1 ||
		row->restarts + row->silences <= 1);
}

/* What the rows of a sum have in common. */
struct sample {
	const struct uncore_session *session;
	const size_t *rows;
	size_t num;
	double multiplier;
	double total; /* ticks of the run */
	double ticks; /* that the rows counted, on average */
};

/* Ticks that the event counted in a cell. */
static double cell_time(const struct sample *sample, size_t cell)
{
	const struct uncore_session *session = sample->session;
	const struct session_row *row = &session->rows[sample->rows[0]];
	uint64_t ticks = 0;

	for (size_t i = 0; i < row->num_entries; i++) {
		size_t slice = session->entries[row->first_entry + i].slice;

		ticks += session->slices[slice].cells[cell];
	}
	return (double)ticks;
}

static double cell_count(const struct sample *sample, size_t cell)
{
	uint64_t twice = 0;

	for (size_t i = 0; i < sample->num; i++)
		twice += sample->session->rows[sample->rows[i]].cells[cell];
	return (double)twice / 2 * sample->multiplier;
}

struct sums {
	double x, y;   /* over all cells */
	double spread; /* sum of d^2 */
	unsigned cells;
};

static struct sums add_cells(const struct sample *sample)
{
	struct sums sums = { 0 };
	double rate;

	for (size_t i = 0; i < SESSION_MAX_CELLS; i++) {
		double time = cell_time(sample, i);

		sums.x += time;
		sums.y += cell_count(sample, i);
		sums.cells += time > 0;
	}
	rate = sums.x > 0 ? sums.y / sums.x : 0;
	for (size_t i = 0; i < SESSION_MAX_CELLS; i++) {
		double rest =
			cell_count(sample, i) - rate * cell_time(sample, i);

		sums.spread += rest * rest;
	}
	return sums;
}

static uint64_t cells_of(const struct session_row *row)
{
	uint64_t twice = 0;

	for (size_t i = 0; i < SESSION_MAX_CELLS; i++)
		twice += row->cells[i];
	return twice;
}

/* Each row by the time of its own box. */
static double value_of(const struct sample *sample)
{
	double value = 0;

	for (size_t i = 0; i < sample->num; i++) {
		const struct session_row *row =
			&sample->session->rows[sample->rows[i]];
		double ticks = (double)session_row_ticks(sample->session, row);

		if (ticks > 0)
			value += (double)cells_of(row) / 2 *
				 sample->multiplier * sample->total / ticks;
	}
	return value;
}

/* What sub-counters lose when they begin anew (see count.c): the spread of
 * what was added for it, and all that turns without a count may hide. */
static double lost_variance(const struct sample *sample, double share)
{
	double restarts = 0;

	for (size_t i = 0; i < sample->num; i++)
		restarts += (double)sample->session->rows[sample->rows[i]]
				    .restarts;
	return restarts * sample->multiplier * sample->multiplier / 12 /
	       (share * share);
}

static double hidden(const struct sample *sample, double share)
{
	double silences = 0;

	if (sample->multiplier <= 1)
		return 0;
	for (size_t i = 0; i < sample->num; i++)
		silences += (double)sample->session->rows[sample->rows[i]]
				    .silences;
	return silences * (sample->multiplier - 1) / share;
}

static void set_error(const struct sample *sample, const struct sums *sums,
		      struct uncore_count *count)
{
	double share = fmin(1, sample->ticks / sample->total);
	double seen = (double)count->seen / sample->multiplier;
	double unit = sample->multiplier / share;
	double variance, rare;

	count->share = share;
	count->standard_error = count->error = NAN;
	if (sample->session->rows[sample->rows[0]].lost_tally) {
		count->reason = "may be too low by an unknown amount: its "
				"occupancy counter begins at 0 in each turn, "
				"whatever the queue holds";
		return;
	}
	if (sums->cells < FEWEST_CELLS) {
		count->reason = "too few turns to tell the error";
		return;
	}
	variance = sums->cells * (1 - share) * sums->spread /
		   (sums->cells - 1) / (share * share);
	rare = (seen + 3) * (1 - share) * unit * unit;
	if (seen < FEW_EVENTS && variance < rare)
		variance = rare;
	variance += sample->multiplier > 1 ? lost_variance(sample, share) : 0;
	count->standard_error = sqrt(variance);
	count->error = student(sums->cells - 1) * count->standard_error +
		       hidden(sample, share);
}

static void set_estimate(const struct sample *sample,
			 struct uncore_count *count)
{
	struct sums sums = add_cells(sample);

	count->is_estimate = true;
	if (sums.x <= 0 || sample->ticks <= 0) {
		count->valid = false;
		count->reason = "its turn never came: the run was too short";
		return;
	}
	count->value = (uint64_t)llround(value_of(sample));
	set_error(sample, &sums, count);
}

void estimate_sum(const struct uncore_session *session, const size_t *rows,
		  size_t num, struct uncore_count *count)
{
	const struct session_row *first = &session->rows[rows[0]];
	struct sample sample = {
		.session = session,
		.rows = rows,
		.num = num,
		.multiplier = uncore_event_multiplier(
			session->events[first->event]),
		.total = (double)total_ticks(session),
	};
	bool all_exact = true;
	double ticks = 0;

	count->seen = 0;
	for (size_t i = 0; i < num; i++) {
		const struct session_row *row = &session->rows[rows[i]];

		all_exact &= is_exact(session, row);
		for (size_t e = 0; e < row->num_entries; e++)
			count->seen +=
				session->entries[row->first_entry + e].seen;
		ticks += (double)session_row_ticks(session, row);
	}
	count->seen *= (uint64_t)sample.multiplier;
	count->value = count->seen;
	count->share = 1;
	sample.ticks = ticks / (double)num;
	count->seconds = session_seconds(session, (uint64_t)sample.ticks);
	if (!all_exact)
		set_estimate(&sample, count);
}
