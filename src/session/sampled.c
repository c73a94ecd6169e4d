/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The counters are read where windows begin and end, and so are the classes of
 * accesses. Beside the rows of the session the cycles of the model's clock are
 * an event: how long all of it took.
 *
 * A part of the run has windows of its own: what of each window came in it, and
 * of each stretch. So nothing is taken for it from what came elsewhere, where
 * the same class of accesses may cost something else; and few windows tell that
 * they are few, as of a run.
 */
#include "session/sampled.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "access/access.h"
#include "base/text.h"
#include "session/spread.h"
#include "session/windows.h"
#include "uncore/error.h"

/* The counts of events and classes somewhere in a run, or between two places.
 */
struct spot {
	uint64_t *counts; /* num_rows + 1 */
	uint64_t classes[ACCESS_NUM_CLASSES];
};

struct part {
	struct windows *windows; /* NULL: it was never entered */
	struct spot piece;	 /* of the window so far */
	bool is_inside, has_piece;
};

struct session_sampled {
	struct uncore_session *session;
	struct windows *windows;
	size_t num_rows; /* and one event more: the cycles */
	uint64_t *counts, *now, *rest;
	uint64_t classes[ACCESS_NUM_CLASSES];
	struct part *parts;
	size_t num_parts;
	struct spot cut; /* since which parts have not got what was theirs */
	const struct windows *told; /* all of it, or a part */
	uint64_t begin;		    /* cycles, those of stretches, too */
	bool is_in_window, has_start;
	bool is_weighed, is_reading;
	bool has_failed; /* something could not be read or kept */
};

static struct session_sampled *of(const struct uncore_session *session)
{
	return session->sampled;
}

/* Counts of all rows that are estimated, and cycles, since the session's start.
 */
static int read_counts(struct session_sampled *sampled, uint64_t *counts)
{
	struct uncore_target_status status = { 0 };
	struct uncore_session *session = sampled->session;
	int result;

	sampled->is_reading = true;
	result = session_read_estimated(session, NULL);
	for (size_t i = 0; i < sampled->num_rows && !result; i++)
		counts[i] = count_seen(session, i);
	sampled->is_reading = false;
	if (!result)
		result = session->target->ops->status(session->target->context,
						      &status);
	counts[sampled->num_rows] = status.cycle;
	return result;
}

static void subtract(uint64_t *from, const uint64_t *what, size_t num)
{
	for (size_t i = 0; i < num; i++)
		from[i] = what[i] - from[i];
}

/* Parts */

/* What all windows may have too many, of any event and of rows that were not
 * open: found by trying (docs/sampled.md). */
#define DOUBT	   0.001
#define ROWS_DOUBT 0.08

static bool is_of_rows(const struct uncore_event *event)
{
	return event->row && event->row->is_of_rows;
}

static struct windows *make_windows(const struct session_sampled *sampled)
{
	struct windows *windows =
		windows_new(ACCESS_NUM_CLASSES, sampled->num_rows + 1);
	struct uncore_count count;

	for (size_t i = 0; windows && i < sampled->num_rows; i++) {
		uncore_session_count(sampled->session, i, &count);
		windows_set_step(windows, i,
				 uncore_event_multiplier(count.event));
		windows_set_doubt(windows, i,
				  is_of_rows(count.event) ? ROWS_DOUBT : DOUBT);
	}
	if (windows)
		windows_set_doubt(windows, sampled->num_rows, DOUBT);
	return windows;
}

static void add(uint64_t *to, const uint64_t *what, size_t num)
{
	for (size_t i = 0; i < num; i++)
		to[i] += what[i];
}

/* What has come since the last cut belongs to the parts that the run is in. */
static void give(struct session_sampled *sampled, struct part *part)
{
	const struct spot *cut = &sampled->cut;

	if (!sampled->is_in_window) {
		windows_quick(part->windows, cut->classes);
	} else if (!sampled->has_start) {
		windows_start(part->windows, cut->classes, cut->counts);
	} else {
		add(part->piece.counts, cut->counts, sampled->num_rows + 1);
		add(part->piece.classes, cut->classes, ACCESS_NUM_CLASSES);
		part->has_piece = true;
	}
}

/* At `now`, which has been read. */
static void cut(struct session_sampled *sampled, const uint64_t *classes)
{
	size_t num = sampled->num_rows + 1;

	if (!sampled->num_parts)
		return;
	subtract(sampled->cut.classes, classes, ACCESS_NUM_CLASSES);
	subtract(sampled->cut.counts, sampled->now, num);
	for (size_t i = 0; i < sampled->num_parts; i++)
		if (sampled->parts[i].is_inside)
			give(sampled, &sampled->parts[i]);
	memcpy(sampled->cut.classes, classes, sizeof(sampled->cut.classes));
	memcpy(sampled->cut.counts, sampled->now, num * sizeof(*sampled->now));
}

/* What of the window that ends came in a part is a window of the part. */
static void end_pieces(struct session_sampled *sampled)
{
	size_t num = sampled->num_rows + 1;

	for (size_t i = 0; i < sampled->num_parts; i++) {
		struct part *part = &sampled->parts[i];

		if (!part->has_piece)
			continue;
		sampled->has_failed |=
			windows_add(part->windows, part->piece.classes,
				    part->piece.counts) != 0;
		memset(part->piece.counts, 0,
		       num * sizeof(*part->piece.counts));
		memset(part->piece.classes, 0, sizeof(part->piece.classes));
		part->has_piece = false;
	}
}

static struct part *find_part(struct session_sampled *sampled, size_t number)
{
	struct part *parts = sampled->parts, *part;

	if (number >= sampled->num_parts) {
		parts = reallocarray(parts, number + 1, sizeof(*parts));
		if (!parts)
			return NULL;
		sampled->parts = parts;
		memset(&parts[sampled->num_parts], 0,
		       (number + 1 - sampled->num_parts) * sizeof(*parts));
		sampled->num_parts = number + 1;
	}
	part = &parts[number];
	if (!part->windows) {
		part->windows = make_windows(sampled);
		if (part->windows)
			windows_set_part(part->windows);
	}
	if (!part->piece.counts)
		part->piece.counts = calloc(sampled->num_rows + 1,
					    sizeof(*part->piece.counts));
	return part->windows && part->piece.counts ? part : NULL;
}

int uncore_session_part(struct uncore_session *session, size_t number,
			bool begins, char **error)
{
	struct session_sampled *sampled = of(session);
	uint64_t classes[ACCESS_NUM_CLASSES];
	struct part *part;

	if (!sampled || sampled->is_weighed)
		return 0;
	if (read_counts(sampled, sampled->now))
		return text_error(UNCORE_ERR_IO, error,
				  "the counters could not be read");
	session->target->ops->classes(session->target->context, classes);
	part = find_part(sampled, number);
	if (!part)
		return text_error(UNCORE_ERR_NO_MEMORY, error, "out of memory");
	cut(sampled, classes);
	part->is_inside = begins;
	return 0;
}

static void free_parts(struct session_sampled *sampled)
{
	for (size_t i = 0; i < sampled->num_parts; i++) {
		windows_free(sampled->parts[i].windows);
		free(sampled->parts[i].piece.counts);
	}
	free(sampled->parts);
	free(sampled->cut.counts);
}

bool uncore_session_tell(const struct uncore_session *session, size_t number)
{
	struct session_sampled *sampled = of(session);

	if (!sampled || !sampled->is_weighed)
		return false;
	sampled->told = sampled->windows;
	if (number == UNCORE_WHOLE)
		return true;
	if (number >= sampled->num_parts || !sampled->parts[number].windows)
		return false;
	sampled->told = sampled->parts[number].windows;
	return true;
}

/* Seams */

static void note(struct session_sampled *sampled, bool begins,
		 const uint64_t *classes)
{
	uint64_t *passed = sampled->classes;
	size_t num = sampled->num_rows + 1;

	sampled->has_failed |= read_counts(sampled, sampled->now) != 0;
	if (sampled->has_failed)
		return;
	cut(sampled, classes);
	if (!begins)
		end_pieces(sampled);
	subtract(passed, classes, ACCESS_NUM_CLASSES);
	subtract(sampled->counts, sampled->now, num);
	if (begins)
		windows_quick(sampled->windows, passed);
	else if (!sampled->has_start)
		windows_start(sampled->windows, passed, sampled->counts);
	else if (windows_add(sampled->windows, passed, sampled->counts))
		sampled->has_failed = true;
	sampled->has_start = true;
	sampled->is_in_window = begins;
	memcpy(sampled->classes, classes, sizeof(sampled->classes));
	memcpy(sampled->counts, sampled->now, num * sizeof(*sampled->now));
}

/* What happens in a rest is known, and stands for nothing else: it is none of
 * the window's. */
static void note_rest(struct session_sampled *sampled, bool begins)
{
	static const uint64_t no_classes[ACCESS_NUM_CLASSES];
	size_t num = sampled->num_rows + 1;

	sampled->has_failed |= read_counts(sampled, sampled->now) != 0;
	if (sampled->has_failed)
		return;
	if (begins) {
		memcpy(sampled->rest, sampled->now,
		       num * sizeof(*sampled->now));
		return;
	}
	subtract(sampled->rest, sampled->now, num);
	windows_start(sampled->windows, no_classes, sampled->rest);
	for (size_t i = 0; i < sampled->num_parts; i++)
		if (sampled->parts[i].is_inside)
			windows_start(sampled->parts[i].windows, no_classes,
				      sampled->rest);
	add(sampled->counts, sampled->rest, num);
	add(sampled->cut.counts, sampled->rest, num);
}

static void on_window(void *context, unsigned seam, const uint64_t *classes)
{
	if (seam == ACCESS_REST_BEGINS || seam == ACCESS_REST_ENDS)
		note_rest(context, seam == ACCESS_REST_BEGINS);
	else
		note(context, seam == ACCESS_WINDOW_BEGINS, classes);
}

static size_t count_rows(const struct uncore_session *session)
{
	struct uncore_count count;
	size_t num = 0;

	while (uncore_session_count(session, num, &count))
		num++;
	return num;
}

int sampled_start(struct uncore_session *session)
{
	const struct access_ops *ops = session->target->ops;
	struct session_sampled *sampled;

	if (session->is_sampled || !ops->on_window ||
	    !ops->classes(session->target->context, NULL))
		return 0;
	sampled = calloc(1, sizeof(*sampled));
	if (!sampled)
		return UNCORE_ERR_NO_MEMORY;
	sampled->session = session;
	sampled->num_rows = count_rows(session);
	sampled->counts =
		calloc(sampled->num_rows + 1, sizeof(*sampled->counts));
	sampled->now = calloc(sampled->num_rows + 1, sizeof(*sampled->now));
	sampled->rest = calloc(sampled->num_rows + 1, sizeof(*sampled->rest));
	sampled->cut.counts =
		calloc(sampled->num_rows + 1, sizeof(*sampled->cut.counts));
	sampled->windows = make_windows(sampled);
	sampled->told = sampled->windows;
	session->sampled = sampled;
	if (!sampled->counts || !sampled->now || !sampled->rest ||
	    !sampled->cut.counts || !sampled->windows)
		return UNCORE_ERR_NO_MEMORY;
	sampled->is_in_window = true;
	ops->classes(session->target->context, sampled->classes);
	if (read_counts(sampled, sampled->counts))
		return UNCORE_ERR_IO;
	sampled->begin = sampled->counts[sampled->num_rows] +
			 ops->skipped(session->target->context);
	ops->on_window(session->target->context, on_window, sampled);
	return 0;
}

/* The cycles. */
static struct uncore_count count_time(const struct session_sampled *sampled)
{
	struct uncore_count count = { 0 };

	windows_count(sampled->told, &sampled->num_rows, 1, &count);
	return count;
}

/* How long it took by the model's clock, which in stretches goes on by what
 * accesses of each class have cost of late. */
static uint64_t clock_cycles(const struct session_sampled *sampled)
{
	const struct uncore_target *target = sampled->session->target;

	return sampled->counts[sampled->num_rows] - sampled->begin +
	       target->ops->skipped(target->context);
}

/* The clock follows each core, and so knows when one computes alone or who
 * waits for whom; windows do not. Where they say something else it is they that
 * may be wrong, and of all events. */
static void heed_clock(struct session_sampled *sampled)
{
	struct uncore_count count = count_time(sampled);
	double off = fabs((double)clock_cycles(sampled) - (double)count.value);

	if (count.valid && off > count.error)
		windows_doubt(sampled->windows, sampled->num_rows, off);
}

void sampled_stop(struct uncore_session *session)
{
	struct session_sampled *sampled = of(session);
	uint64_t classes[ACCESS_NUM_CLASSES];

	if (!sampled || sampled->is_weighed)
		return;
	session->target->ops->on_window(session->target->context, NULL, NULL);
	session->target->ops->classes(session->target->context, classes);
	note(sampled, !sampled->is_in_window, classes);
	sampled->has_failed |= windows_weigh(sampled->windows) != 0;
	heed_clock(sampled);
	end_pieces(sampled);
	for (size_t i = 0; i < sampled->num_parts; i++)
		if (sampled->parts[i].windows)
			sampled->has_failed |=
				windows_weigh(sampled->parts[i].windows) != 0;
	sampled->is_weighed = true;
}

void sampled_free(struct uncore_session *session)
{
	struct session_sampled *sampled = of(session);

	if (!sampled)
		return;
	if (!sampled->is_weighed)
		session->target->ops->on_window(session->target->context, NULL,
						NULL);
	windows_free(sampled->windows);
	free_parts(sampled);
	free(sampled->counts);
	free(sampled->now);
	free(sampled->rest);
	free(sampled);
}

/* Telling */

/* Else the model's clock tells it better. */
static bool is_told(const struct uncore_count *count)
{
	return count->valid &&
	       count->error <= SPREAD_MOST_GOOD * (double)count->value;
}

bool sampled_tells_part(const struct uncore_session *session)
{
	const struct session_sampled *sampled = of(session);

	return sampled && sampled->told != sampled->windows;
}

/* Where windows do not tell them, by the model's clock. */
bool sampled_cycles(const struct uncore_session *session, uint64_t *cycles)
{
	const struct session_sampled *sampled = of(session);
	struct uncore_count count;

	if (!sampled || !sampled->is_weighed)
		return false;
	count = count_time(sampled);
	if (!count.valid && sampled_tells_part(session))
		return false;
	*cycles = is_told(&count) || sampled_tells_part(session)
			  ? count.value
			  : clock_cycles(sampled);
	return true;
}

bool uncore_session_sampling(const struct uncore_session *session,
			     struct uncore_sampling *sampling)
{
	const struct session_sampled *sampled = of(session);
	struct uncore_count time;

	if (!sampled || !sampled->is_weighed)
		return false;
	time = count_time(sampled);
	*sampling = (struct uncore_sampling){
		.accesses = (uint64_t)windows_accesses(sampled->told),
		.share = windows_share(sampled->told),
		.windows = windows_num(sampled->told),
		.time_error =
			is_told(&time)
				? session_seconds(session, (uint64_t)time.error)
				: NAN,
	};
	sampling->reason = session->target->ops->needs_detail(
		session->target->context, &sampling->kept);
	return true;
}

/* Windows are too short to see it. */
static bool is_slow(const struct uncore_event *event)
{
	return event->row && event->row->is_slow;
}

void sampled_count(const struct uncore_session *session, const size_t *rows,
		   size_t num, struct uncore_count *count)
{
	const struct session_sampled *sampled = of(session);
	const char *reason = count->reason;
	uint64_t cycles, seen = count->seen;

	if (!sampled || !sampled->is_weighed || sampled->is_reading)
		return;
	if (sampled_cycles(session, &cycles))
		count->seconds = session_seconds(session, cycles);
	if (!count->valid || uncore_event_is_state(count->event) ||
	    windows_share(sampled->told) >= 1)
		return;
	if (is_slow(count->event)) {
		count->valid = false;
		count->is_estimate = true;
		count->reason = "it wants rests that are longer than what is "
				"looked at in detail: --detail=full tells";
		return;
	}
	if (sampled->has_failed) {
		count->valid = false;
		count->reason = "a window could not be read or kept: there is "
				"no memory left";
		return;
	}
	windows_count(sampled->told, rows, num, count);
	if (sampled->told == sampled->windows)
		count->seen = seen;
	if (count->valid)
		count->reason = reason;
}

bool sampled_time(const struct uncore_session *session,
		  struct uncore_estimate *estimate)
{
	const struct session_sampled *sampled = of(session);

	return sampled && sampled->is_weighed &&
	       windows_estimate(sampled->told, &sampled->num_rows, 1, estimate);
}

bool sampled_estimate(const struct uncore_session *session, const size_t *rows,
		      size_t num, struct uncore_estimate *estimate)
{
	const struct session_sampled *sampled = of(session);
	struct uncore_count count;

	if (!sampled || !sampled->is_weighed || !num ||
	    !uncore_session_count(session, rows[0], &count) ||
	    uncore_event_is_state(count.event) || is_slow(count.event))
		return false;
	return windows_estimate(sampled->told, rows, num, estimate);
}
