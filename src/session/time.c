/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Each box has a time of its own, from the write that enables it to the one
 * that disables it, and its counts are divided by that. On a model both are at
 * one cycle for all boxes; elsewhere each access has the time at which it was
 * done.
 */

#include "base/clock.h"
#include "session/batch.h"
#include "session/session.h"

/* No uncore clock of any family is faster; where nobody says how fast it is,
 * counters are read as often as if it were this. */
#define FASTEST_CLOCK_HZ 4e9

void time_init(struct uncore_session *session)
{
	struct uncore_target_status status;

	session->clock_hz = FASTEST_CLOCK_HZ;
	session->clock = SESSION_WALL;
	if (uncore_target_status(session->target, &status))
		return;
	if (status.clock_hz > 0)
		session->clock_hz = status.clock_hz;
	if (status.is_stepped)
		session->clock = SESSION_STEPS;
}

uint64_t time_of_batch(struct uncore_session *session,
		       const struct session_batch *batch)
{
	struct uncore_target_status status;

	if (batch->cycle != UNCORE_NO_CYCLE) {
		session->clock = SESSION_CYCLES;
		return batch->cycle;
	}
	if (session->clock == SESSION_STEPS &&
	    !uncore_target_status(session->target, &status))
		return status.cycle;
	return clock_now_ns();
}

uint64_t time_of_op(const struct uncore_session *session,
		    const struct session_batch *batch, size_t op,
		    uint64_t otherwise)
{
	if (session->clock != SESSION_WALL || !batch->ops[op].time_ns)
		return otherwise;
	return batch->ops[op].time_ns;
}

double session_seconds(const struct uncore_session *session, uint64_t ticks)
{
	if (session->clock == SESSION_WALL)
		return (double)ticks / 1e9;
	return (double)ticks / session->clock_hz;
}

void time_pass(struct uncore_session *session, uint64_t now)
{
	for (size_t s = 0; s < session->num_slices; s++) {
		struct session_slice *slice = &session->slices[s];

		if (session->cells && s != session->rounds.present)
			continue;
		for (size_t i = 0; i < session->num_units; i++)
			if (now > session->units[i].since)
				session->units[i].ticks[s] +=
					now - session->units[i].since;
		slice->ticks += now - session->last;
		slice->cells[session->rounds.cell] += now - session->last;
	}
	for (size_t i = 0; i < session->num_units; i++)
		session->units[i].since = now;
	session->last = now;
}

bool uncore_session_slice_time(const struct uncore_session *session,
			       size_t slice, struct uncore_slice_time *time)
{
	const struct session_slice *found = &session->slices[slice];

	if (slice >= (session->cells ? session->num_slices : 1) ||
	    session->state == SESSION_OPEN)
		return false;
	*time = (struct uncore_slice_time){
		.seconds = session_seconds(session, found->ticks),
		.cycles = session->clock == SESSION_WALL ? UNCORE_NO_CYCLE
							 : found->ticks,
		.turns = found->turns,
	};
	return true;
}
