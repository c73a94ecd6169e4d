/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * A session is in one of these states:
 *
 *     open --start()--> running --stop()--> stopped
 *
 * Open: a plan exists, nothing has been written. Running: `saved` holds what
 * the registers held before, counters are programmed and enabled. Stopped: they
 * hold their last value. close() writes `saved` back.
 *
 * A count is the sum of the differences between reads, modulo the width of the
 * counter: a wrap between two reads is no loss.
 */
#include "session/session.h"

#include <stdlib.h>

#include "access/access.h"
#include "base/text.h"
#include "uncore/error.h"

static unsigned num_instances(const struct uncore_event *event)
{
	return event->instance == EVENT_ANY ? event->box->num_instances : 1;
}

/* One row for each counter that is read. */
static int make_counts(struct uncore_session *session)
{
	unsigned num_sockets = session->target->num_sockets;
	size_t total = 0;

	for (size_t e = 0; e < session->num_events; e++)
		total +=
			(size_t)num_sockets * num_instances(session->events[e]);
	session->counts = calloc(total ? total : 1, sizeof(*session->counts));
	if (!session->counts)
		return UNCORE_ERR_NO_MEMORY;
	for (size_t e = 0; e < session->num_events; e++) {
		const struct uncore_event *event = session->events[e];
		unsigned first =
			event->instance == EVENT_ANY ? 0 : event->instance;

		for (unsigned s = 0; s < num_sockets; s++)
			for (unsigned i = 0; i < num_instances(event); i++)
				session->counts[session->num_counts++] =
					(struct session_count){
						.event = e,
						.socket = s,
						.instance = first + i,
					};
	}
	return 0;
}

int uncore_session_open(struct uncore_target *target,
			struct uncore_event *const *events, size_t num_events,
			struct uncore_session **session, char **error)
{
	struct uncore_session *new;
	int result = 0;

	if (!num_events)
		return text_error(UNCORE_ERR_UNKNOWN_EVENT, error,
				  "there is no event to count");
	for (size_t i = 0; i < num_events && !result; i++)
		result = uncore_session_can_count(target, events[i], error);
	if (result)
		return result;
	new = calloc(1, sizeof(*new));
	if (!new)
		return UNCORE_ERR_NO_MEMORY;
	new->target = target;
	new->num_events = num_events;
	new->events = calloc(num_events, sizeof(*new->events));
	result = new->events ? 0 : UNCORE_ERR_NO_MEMORY;
	for (size_t i = 0; i < num_events && !result; i++)
		new->events[i] = events[i];
	if (!result)
		result = uncore_plan_new(target->family, events, num_events,
					 &new->plan, error);
	if (!result)
		result = uncore_plan_writes(new->plan, 0, num_events - 1,
					    &new->writes, &new->num_writes,
					    error);
	if (!result)
		result = make_counts(new);
	if (result)
		uncore_session_close(new);
	else
		*session = new;
	return result;
}

static int refused(int code, const char *what, const char *name,
		   unsigned socket, char **error)
{
	return text_error(code, error, "cannot %s %s of socket %u: %s", what,
			  name, socket, uncore_error_message(code));
}

static int save(struct uncore_session *session, char **error)
{
	unsigned num_sockets = session->target->num_sockets;
	size_t n = session->num_writes;

	session->saved = calloc(n * num_sockets, sizeof(*session->saved));
	if (!session->saved)
		return UNCORE_ERR_NO_MEMORY;
	for (unsigned s = 0; s < num_sockets; s++)
		for (size_t i = 0; i < n; i++) {
			const struct uncore_write *write = &session->writes[i];
			int result = uncore_target_read(
				session->target, s, write->address,
				&session->saved[s * n + i]);

			if (result)
				return refused(result, "read", write->name, s,
					       error);
		}
	return 0;
}

static int write_all(struct uncore_session *session, unsigned socket,
		     size_t first, size_t end, char **error)
{
	for (size_t i = first; i < end; i++) {
		const struct uncore_write *write = &session->writes[i];
		int result = uncore_target_write(session->target, socket,
						 write->address, write->value);

		if (result)
			return refused(result, "write", write->name, socket,
				       error);
	}
	return 0;
}

static uint64_t width_mask(const struct uncore_event *event)
{
	return uc_bits(event->box->width_bits - 1u, 0);
}

/* The W-Box's counters read 2^24 too high where the low 24 bits have just
 * wrapped (guide, 2.8.2, and the note on counter reads in 2.8.3.2). */
static uint64_t correct(const struct uncore_event *event, uint64_t raw)
{
	const uint64_t carry = UINT64_C(1) << 24;

	if (event->box->type == UC_BOX_W && raw >= carry &&
	    (raw & (carry - 1)) <= 1)
		return raw - carry;
	return raw;
}

static int read_one(struct uncore_session *session, struct session_count *count,
		    uint64_t *raw, char **error)
{
	const struct uncore_event *event = session->events[count->event];
	uint32_t address = uncore_plan_counter_address(
		session->plan, count->event, count->instance);
	int result = uncore_target_read(session->target, count->socket, address,
					raw);

	if (result)
		return refused(result, "read", "a counter", count->socket,
			       error);
	*raw = correct(event, *raw & width_mask(event));
	return 0;
}

/* What the counters hold before they start: 0, unless somebody else wrote. */
static int read_base(struct uncore_session *session, char **error)
{
	int result = 0;

	for (size_t i = 0; i < session->num_counts && !result; i++) {
		session->counts[i].value = 0;
		result = read_one(session, &session->counts[i],
				  &session->counts[i].last, error);
	}
	return result;
}

int uncore_session_start(struct uncore_session *session, char **error)
{
	unsigned num_sockets = session->target->num_sockets;
	size_t enable = session->num_writes - 1;
	int result;

	if (session->state != SESSION_OPEN)
		return text_error(UNCORE_ERR_STATE, error,
				  "the session has been started before");
	result = save(session, error);
	if (result)
		return result;
	session->state = SESSION_RUNNING;
	for (unsigned s = 0; s < num_sockets && !result; s++)
		result = write_all(session, s, 0, enable, error);
	if (!result)
		result = read_base(session, error);
	for (unsigned s = 0; s < num_sockets && !result; s++)
		result = write_all(session, s, enable, enable + 1, error);
	return result;
}

int uncore_session_read(struct uncore_session *session, char **error)
{
	if (session->state == SESSION_OPEN)
		return text_error(UNCORE_ERR_STATE, error,
				  "the session has not been started");
	for (size_t i = 0; i < session->num_counts; i++) {
		struct session_count *count = &session->counts[i];
		const struct uncore_event *event =
			session->events[count->event];
		uint64_t raw;
		int result = read_one(session, count, &raw, error);

		if (result)
			return result;
		count->value += (raw - count->last) & width_mask(event);
		count->last = raw;
		count->valid = true;
	}
	return 0;
}

int uncore_session_stop(struct uncore_session *session, char **error)
{
	struct uncore_write stop = uncore_plan_stop(session->plan);

	if (session->state != SESSION_RUNNING)
		return 0;
	for (unsigned s = 0; s < session->target->num_sockets; s++) {
		int result = uncore_target_write(session->target, s,
						 stop.address, stop.value);

		if (result)
			return refused(result, "write", stop.name, s, error);
	}
	session->state = SESSION_STOPPED;
	return 0;
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

bool uncore_session_count(const struct uncore_session *session, size_t index,
			  struct uncore_count *count)
{
	const struct session_count *row;
	const struct uncore_event *event;

	if (index >= session->num_counts)
		return false;
	row = &session->counts[index];
	event = session->events[row->event];
	*count = (struct uncore_count){
		.event = event,
		.event_index = row->event,
		.socket = row->socket,
		.instance = row->instance,
		.value = row->value * uncore_event_multiplier(event),
		.valid = row->valid,
		.note = note_of(event),
		.reason = row->valid ? "" : "the counter was never read",
	};
	return true;
}

static bool is_written_again(const struct uncore_session *session, size_t index)
{
	for (size_t i = index + 1; i < session->num_writes; i++)
		if (session->writes[i].address ==
		    session->writes[index].address)
			return true;
	return false;
}

/* The set-up sequence once more with the old values at its end: the steps in
 * between (counting off, filters off) are needed as much as before. */
static void put_back(struct uncore_session *session)
{
	size_t n = session->num_writes;

	for (unsigned s = 0; s < session->target->num_sockets; s++)
		for (size_t i = 0; i < n; i++)
			uncore_target_write(
				session->target, s, session->writes[i].address,
				is_written_again(session, i)
					? session->writes[i].value
					: session->saved[s * n + i]);
}

void uncore_session_close(struct uncore_session *session)
{
	if (!session)
		return;
	if (session->state != SESSION_OPEN)
		put_back(session);
	uncore_plan_free(session->plan);
	free(session->events);
	free(session->writes);
	free(session->saved);
	free(session->counts);
	free(session);
}
