/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * A count is the sum of the differences between reads, modulo the width of the
 * counter: a wrap between two reads is no loss, two of them are. How soon a
 * counter can wrap follows from its width, from how much the event can add in
 * a cycle, and from the clock.
 *
 * Sub-counters (accumulate) pass on only each 4th, 32nd, ... event. Given
 * another event they begin at 0, and what is in them at the end of the turn is
 * lost: half of a step on average, which is added. Therefore cells hold twice
 * the growth.
 *
 * A tally follows a queue with a few bits beside each counter of the box, by
 * what enters and leaves. It goes on while the counter keeps its event, its
 * turn or not; given another event and back it begins at 0, whatever the queue
 * holds, and nobody knows what is missing.
 */
#include <math.h>
#include <stdlib.h>

#include "access/access.h"
#include "base/text.h"
#include "session/batch.h"
#include "session/guard.h"
#include "session/sampled.h"
#include "session/session.h"
#include "uncore/error.h"

/* A fixed counter may be wider than the others of its box. */
uint64_t count_mask(const struct uncore_event *event)
{
	if (event->row && event->row->select == UC_SELECT_FIXED)
		return uc_layout_of(event->family, event->box_index,
				    UC_ROLE_FIXED_COUNTER)
			->writable;
	return uc_bits(event->box->width_bits - 1u, 0);
}

uint64_t count_correct(const struct uncore_event *event, uint64_t raw,
		       uint64_t written)
{
	const uint64_t carry = UINT64_C(1) << event->box->early_carry;

	raw &= count_mask(event);
	if (event->box->early_carry && (raw & (carry - 1)) <= 1 &&
	    raw / carry != written / carry)
		raw -= carry;
	return raw & count_mask(event);
}

/* What the counter of an event can grow by in a cycle; of codes that are no
 * event of the guide, the most that any event of the box can; where that is not
 * published, what a threshold can be compared with. */
static double most_per_cycle(const struct uncore_event *event)
{
	enum { MOST_COMPARED = 255 };
	unsigned most = event->row ? event->row->max_increment : 0;

	for (unsigned i = 0; !most && i < event->box->num_events; i++)
		if (event->box->events[i].max_increment > most)
			most = event->box->events[i].max_increment;
	if (!most)
		most = MOST_COMPARED;
	return fmax(1, ceil((double)most / uncore_event_multiplier(event)));
}

bool count_init(struct uncore_session *session)
{
	session->least_wrap = INFINITY;
	session->wrap_seconds =
		calloc(session->num_events, sizeof(*session->wrap_seconds));
	session->are_state =
		calloc(session->num_events, sizeof(*session->are_state));
	if (!session->wrap_seconds || !session->are_state)
		return false;
	for (size_t i = 0; i < session->num_events; i++) {
		const struct uncore_event *event = session->events[i];

		session->are_state[i] = uncore_event_is_state(event);
		session->wrap_seconds[i] =
			(double)count_mask(event) /
			(most_per_cycle(event) * session->clock_hz);
		session->least_wrap =
			fmin(session->least_wrap, session->wrap_seconds[i]);
	}
	return true;
}

double uncore_session_read_seconds(const struct uncore_session *session)
{
	return session->least_wrap / 2;
}

static bool is_at_hand(const struct uncore_session *session,
		       const struct session_counter *counter)
{
	return &session->pmus[counter->pmu] == session->pmu;
}

int count_base(struct uncore_session *session, char **error)
{
	struct session_batch batch = { 0 };
	int result;

	for (size_t i = 0; i < session->num_counters; i++)
		if (is_at_hand(session, &session->counters[i]))
			batch_read(&batch, session->counters[i].socket,
				   session->counters[i].reg);
	result = batch_run(&batch, session->pmu->target, error);
	for (size_t i = 0, op = 0; i < session->num_counters && !result; i++) {
		struct session_counter *counter = &session->counters[i];

		if (is_at_hand(session, counter))
			counter->raw =
				count_correct(session->events[counter->event],
					      batch.ops[op++].value, 0);
	}
	batch_free(&batch);
	return result;
}

static const struct session_slice *present(const struct uncore_session *session)
{
	return &session->slices[session->rounds.present];
}

static bool is_asked(const struct uncore_session *session,
		     const struct session_counter *counter)
{
	return !session->skips_state || !session->are_state[counter->event];
}

void count_ask(const struct uncore_session *session,
	       struct session_batch *batch)
{
	const struct session_slice *slice = present(session);

	for (size_t i = 0; i < slice->num_counters; i++) {
		const struct session_counter *counter =
			&session->counters[slice->counters[i]];

		if (is_asked(session, counter))
			batch_read(batch, counter->socket, counter->reg);
	}
}

/* Whether the counter could have gone round since its last read. */
static bool is_late(struct uncore_session *session, size_t event,
		    uint64_t ticks)
{
	double seconds = session_seconds(session, ticks);
	double most = session->wrap_seconds[event];

	if (seconds < most)
		return false;
	if (!session->reason)
		text_error(0, &session->reason,
			   "read %.0f s after the read before, but the counter "
			   "can wrap in %.0f s: multiples of 2^%u may be "
			   "missing",
			   seconds, most,
			   (unsigned)session->events[event]->box->width_bits);
	return true;
}

/* Going round takes longer than this, so it was set back. */
static void note_setback(struct uncore_session *session,
			 const struct session_counter *counter, uint64_t now)
{
	double seconds = session_seconds(session, now - counter->read_at);
	double least = session->wrap_seconds[counter->event];

	if (session->target->ops->is_shared && seconds < least / 4 &&
	    counter->delta > count_mask(session->events[counter->event]) / 2)
		guard_note_set_back(session, counter->socket, counter->reg);
}

static void add_growth(struct uncore_session *session,
		       struct session_entry *entry, uint64_t ticks)
{
	struct session_counter *counter = &session->counters[entry->counter];
	struct session_row *row = &session->rows[entry->row];

	entry->seen += counter->delta;
	row->valid = true;
	if (is_late(session, row->event, ticks))
		row->may_have_wrapped = true;
	if (!entry->cells)
		return;
	entry->cells[session->rounds.cell] += 2 * counter->delta;
	if (counter->is_fresh && counter->delta &&
	    uncore_event_multiplier(session->events[row->event]) > 1) {
		entry->cells[session->rounds.cell]++;
		entry->restarts++;
	}
}

void count_take(struct uncore_session *session,
		const struct session_batch *batch, size_t first, uint64_t now)
{
	const struct session_slice *slice = present(session);

	for (size_t i = 0; i < slice->num_counters; i++) {
		struct session_counter *counter =
			&session->counters[slice->counters[i]];
		const struct uncore_event *event =
			session->events[counter->event];
		uint64_t raw;

		if (!is_asked(session, counter))
			continue;
		raw = count_correct(event, batch->ops[first++].value, 0);
		counter->delta = (raw - counter->raw) & count_mask(event);
		counter->raw = raw;
		note_setback(session, counter, now);
	}
	for (size_t i = 0; i < slice->num_entries; i++) {
		struct session_entry *entry =
			&session->entries[slice->entries[i]];
		const struct session_counter *counter =
			&session->counters[entry->counter];

		if (is_asked(session, counter))
			add_growth(session, entry, now - counter->read_at);
	}
	for (size_t i = 0; i < slice->num_counters; i++) {
		struct session_counter *counter =
			&session->counters[slice->counters[i]];

		if (!is_asked(session, counter))
			continue;
		counter->read_at = now;
		counter->is_fresh = counter->is_fresh && !counter->delta;
	}
}

void count_begin_turn(struct uncore_session *session, uint64_t now)
{
	struct session_slice *slice = &session->slices[session->rounds.present];

	slice->turns++;
	for (size_t i = 0; i < slice->num_entries; i++) {
		const struct session_entry *entry =
			&session->entries[slice->entries[i]];
		struct session_counter *counter =
			&session->counters[entry->counter];
		size_t event = session->rows[entry->row].event;

		if (!entry->is_first)
			continue;
		counter->is_fresh = counter->event != event ||
				    session->state == SESSION_OPEN;
		if (counter->is_fresh && session->state != SESSION_OPEN &&
		    session->events[event]->row &&
		    session->events[event]->row->tally_bits)
			session->rows[entry->row].lost_tally = true;
		counter->event = event;
		counter->read_at = now;
	}
}

void count_end_turn(struct uncore_session *session)
{
	const struct session_slice *slice = present(session);

	for (size_t i = 0; i < slice->num_entries; i++) {
		struct session_entry *entry =
			&session->entries[slice->entries[i]];

		if (session->counters[entry->counter].is_fresh)
			entry->silences++;
	}
}

static int read_slice(struct uncore_session *session, char **error)
{
	struct session_batch batch = { 0 };
	size_t counters;
	int result;

	count_ask(session, &batch);
	counters = batch.num;
	guard_ask(session, &batch);
	result = batch_run(&batch, session->pmu->target, error);
	if (!result) {
		uint64_t now = time_of_batch(session, &batch);

		if (session->state == SESSION_STOPPED)
			now = session->last;
		else
			time_pass(session, now);
		count_take(session, &batch, 0, now);
		estimate_look(session);
		guard_take(session, &batch, counters);
	}
	batch_free(&batch);
	return result;
}

int count_read(struct uncore_session *session, char **error)
{
	return program_each(session, read_slice, error);
}

static const char *note_of(const struct uncore_event *event)
{
	switch (uncore_event_multiplier(event)) {
	case 1: return "";
	case 4: return "count multiplied by 4, its sub-counter's modulus";
	case 32: return "count multiplied by 32, its sub-counter's modulus";
	case 128: return "count multiplied by 128, its sub-counter's modulus";
	case 256: return "count multiplied by 256, its sub-counter's modulus";
	default: return "count multiplied by its sub-counter's modulus";
	}
}

/* Whether an entry of a slice is the occupancy that another row's event
 * follows. */
static bool is_followed(const struct uncore_session *session,
			const struct session_row *row,
			const struct session_entry *entry)
{
	const struct session_row *other = &session->rows[entry->row];
	const struct uncore_event *event = session->events[row->event];
	const struct uncore_event *its = session->events[other->event];

	return other->socket == row->socket &&
	       other->instance == row->instance && its->box == event->box &&
	       session->counters[entry->counter].reg->index + 1u ==
		       event->row->of_counter &&
	       its->row->max_increment != 1;
}

/* An event that counts what another counter has was put where that has none. */
static bool follows_nothing(const struct uncore_session *session,
			    const struct session_row *row)
{
	const struct uc_event *event = session->events[row->event]->row;

	if (!event || !event->of_counter)
		return false;
	for (size_t i = 0; i < row->num_entries; i++) {
		const struct session_slice *slice =
			&session->slices[session->entries[row->first_entry + i]
						 .slice];
		bool found = false;

		for (size_t n = 0; n < slice->num_entries && !found; n++)
			found = is_followed(
				session, row,
				&session->entries[slice->entries[n]]);
		if (!found)
			return true;
	}
	return false;
}

/* What somebody else has done to the box of a row, or NULL. */
static const char *row_why(const struct uncore_session *session,
			   const struct session_row *row)
{
	const struct session_entry *entry = &session->entries[row->first_entry];

	if (!row->num_entries)
		return NULL;
	return session->units[session->counters[entry->counter].unit].why;
}

/* The least part of the time that a row's counters were let count. */
static double row_share(const struct uncore_session *session,
			const struct session_row *row)
{
	double least = 1;

	for (size_t i = 0; i < row->num_entries; i++) {
		const struct session_counter *counter =
			&session->counters[session->entries[row->first_entry +
							    i]
						   .counter];

		least = fmin(least,
			     access_share(session->target, counter->socket,
					  counter->reg->address));
	}
	return least;
}

/* Where somebody else shares the counters out, what was counted is an estimate,
 * or nothing was. */
static void set_share(const struct uncore_session *session, const size_t *rows,
		      size_t num, struct uncore_count *count)
{
	double least = 1;

	for (size_t i = 0; i < num; i++)
		least = fmin(least,
			     row_share(session, &session->rows[rows[i]]));
	if (least == 1)
		return;
	count->is_estimate = true;
	count->share *= least;
	count->standard_error = count->error = NAN;
	count->reason = "others count there, too: the kernel let it count for "
			"a part of the time, and how far off the rest is "
			"nobody knows";
	if (least > 0)
		return;
	count->valid = false;
	count->reason = "the kernel never let it count: others have the "
			"counters that can, or no counter can count it beside "
			"the other events of its box";
}

static bool count_own(const struct uncore_session *session, size_t index,
		      struct uncore_count *count)
{
	const struct session_row *row;

	if (index >= session->num_rows)
		return false;
	row = &session->rows[index];
	*count = (struct uncore_count){
		.event = session->events[row->event],
		.event_index = row->event,
		.socket = row->socket,
		.instance = row->instance,
		.valid = row->valid,
		.may_have_wrapped = row->may_have_wrapped,
		.note = note_of(session->events[row->event]),
		.reason = row->valid ? "" : "the counter was never read",
	};
	if (row->may_have_wrapped)
		count->reason = session->reason ? session->reason : "";
	estimate_sum(session, &index, 1, count);
	set_share(session, &index, 1, count);
	if (count->valid && follows_nothing(session, row)) {
		count->valid = false;
		count->reason = "it is the occupancy of another counter, which "
				"counts none: ask for one in this box, too";
	}
	if (row_why(session, row)) {
		count->valid = false;
		count->reason = row_why(session, row);
	}
	return true;
}

uint64_t count_seen(const struct uncore_session *session, size_t index)
{
	const struct session_row *row;
	uint64_t seen = 0;

	row = &session->rows[index];
	for (size_t i = 0; i < row->num_entries; i++)
		seen += session->entries[row->first_entry + i].seen;
	return seen *
	       (uint64_t)uncore_event_multiplier(session->events[row->event]);
}

bool uncore_session_count(const struct uncore_session *session, size_t index,
			  struct uncore_count *count)
{
	if (!count_own(session, index, count))
		return false;
	sampled_count(session, &index, 1, count);
	return true;
}

static bool sum_own(const struct uncore_session *session, const size_t *indices,
		    size_t num, struct uncore_count *sum)
{
	struct uncore_count one;

	for (size_t i = 0; i < num; i++) {
		if (!count_own(session, indices[i], &one))
			return false;
		if (!i)
			*sum = one;
		if (one.event_index != sum->event_index)
			return false;
		sum->may_have_wrapped |= one.may_have_wrapped;
		if (one.valid && !one.may_have_wrapped)
			continue;
		sum->valid &= one.valid;
		sum->reason = one.reason;
	}
	if (num) {
		estimate_sum(session, indices, num, sum);
		estimate_doubt(session, indices, num, sum);
		set_share(session, indices, num, sum);
	}
	return num;
}

bool uncore_session_sum(const struct uncore_session *session,
			const size_t *indices, size_t num,
			struct uncore_count *sum)
{
	if (!sum_own(session, indices, num, sum))
		return false;
	sampled_count(session, indices, num, sum);
	return true;
}
