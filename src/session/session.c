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
 *
 * Registers are accessed in batches over all sockets: where there is a way, all
 * sockets start, are read and stop at the same cycle.
 */
#include "session/session.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

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

int uncore_session_open_with(struct uncore_target *target,
			     struct uncore_event *const *events,
			     size_t num_events,
			     const struct uncore_session_options *options,
			     struct uncore_session **session, char **error)
{
	struct uncore_session *new;
	int result = 0;

	(void)options;
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

int uncore_session_open(struct uncore_target *target,
			struct uncore_event *const *events, size_t num_events,
			struct uncore_session **session, char **error)
{
	return uncore_session_open_with(target, events, num_events, NULL,
					session, error);
}

const struct uncore_schedule *
uncore_session_schedule(const struct uncore_session *session)
{
	(void)session;
	return NULL;
}

int uncore_session_rotate(struct uncore_session *session, char **error)
{
	return uncore_session_read(session, error);
}

double uncore_session_turn_seconds(const struct uncore_session *session)
{
	(void)session;
	return INFINITY;
}

static double now_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

bool uncore_session_slice_time(const struct uncore_session *session,
			       size_t slice, struct uncore_slice_time *time)
{
	if (slice || session->state == SESSION_OPEN)
		return false;
	*time = (struct uncore_slice_time){
		.seconds = (session->state == SESSION_STOPPED
				    ? session->stop_seconds
				    : now_seconds()) -
			   session->start_seconds,
		.cycles = UNCORE_NO_CYCLE,
		.turns = 1,
	};
	uncore_session_cycles(session, &time->cycles);
	return true;
}

bool uncore_session_slice_count(const struct uncore_session *session,
				size_t slice, size_t index, uint64_t *value)
{
	struct uncore_count count;

	if (slice || !uncore_session_count(session, index, &count) ||
	    !count.valid)
		return false;
	*value = count.value;
	return true;
}

static int refused(const struct uncore_session *session,
		   const struct uncore_target_op *op, const char *name,
		   char **error)
{
	const char *why = uncore_target_error(session->target);

	return text_error(op->code, error, "cannot %s %s of socket %u: %s",
			  op->is_write ? "write" : "read", name, op->socket,
			  op->code == UNCORE_ERR_DIED && *why
				  ? why
				  : uncore_error_message(op->code));
}

/* The first access that was refused, or NULL. */
static const struct uncore_target_op *
find_refused(const struct uncore_target_op *ops, size_t num)
{
	for (size_t i = 0; i < num; i++)
		if (ops[i].code)
			return &ops[i];
	return NULL;
}

/* Room for accesses, `each` per socket. */
static struct uncore_target_op *new_ops(const struct uncore_session *session,
					size_t each)
{
	return calloc(each * session->target->num_sockets + 1,
		      sizeof(struct uncore_target_op));
}

static int save(struct uncore_session *session, char **error)
{
	unsigned num_sockets = session->target->num_sockets;
	size_t n = session->num_writes;
	struct uncore_target_op *ops = new_ops(session, n);
	const struct uncore_target_op *bad = NULL;
	int result = 0;

	session->saved = calloc(n * num_sockets, sizeof(*session->saved));
	if (!session->saved || !ops) {
		free(ops);
		return UNCORE_ERR_NO_MEMORY;
	}
	for (size_t i = 0; i < n * num_sockets; i++)
		ops[i] = (struct uncore_target_op){
			.socket = (unsigned)(i / n),
			.address = session->writes[i % n].address,
		};
	if (uncore_target_batch(session->target, ops, n * num_sockets, NULL))
		bad = find_refused(ops, n * num_sockets);
	if (bad)
		result = refused(session, bad,
				 session->writes[(size_t)(bad - ops) % n].name,
				 error);
	for (size_t i = 0; i < n * num_sockets; i++)
		session->saved[i] = ops[i].value;
	free(ops);
	return result;
}

/* The same writes to every socket. */
static int write_all(struct uncore_session *session,
		     const struct uncore_write *writes, size_t num,
		     uint64_t *cycle, char **error)
{
	size_t total = num * session->target->num_sockets;
	struct uncore_target_op *ops = new_ops(session, num);
	const struct uncore_target_op *bad = NULL;
	int result = 0;

	if (!ops)
		return UNCORE_ERR_NO_MEMORY;
	for (size_t i = 0; i < total; i++)
		ops[i] = (struct uncore_target_op){
			.socket = (unsigned)(i / num),
			.address = writes[i % num].address,
			.value = writes[i % num].value,
			.is_write = true,
		};
	if (uncore_target_batch(session->target, ops, total, cycle))
		bad = find_refused(ops, total);
	if (bad)
		result = refused(session, bad,
				 writes[(size_t)(bad - ops) % num].name, error);
	free(ops);
	return result;
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

/* All counters into `raw`, one for each count. */
static int read_all(struct uncore_session *session, uint64_t *raw, char **error)
{
	size_t num = session->num_counts;
	struct uncore_target_op *ops = calloc(num, sizeof(*ops));
	const struct uncore_target_op *bad = NULL;
	int result = 0;

	if (!ops)
		return UNCORE_ERR_NO_MEMORY;
	for (size_t i = 0; i < num; i++) {
		const struct session_count *count = &session->counts[i];

		ops[i] = (struct uncore_target_op){
			.socket = count->socket,
			.address = uncore_plan_counter_address(
				session->plan, count->event, count->instance),
		};
	}
	if (uncore_target_batch(session->target, ops, num, NULL))
		bad = find_refused(ops, num);
	if (bad)
		result = refused(session, bad, "a counter", error);
	for (size_t i = 0; i < num; i++) {
		const struct uncore_event *event =
			session->events[session->counts[i].event];

		raw[i] = correct(event, ops[i].value & width_mask(event));
	}
	free(ops);
	return result;
}

/* What the counters hold before they start: 0, unless somebody else wrote. */
static int read_base(struct uncore_session *session, char **error)
{
	uint64_t *raw = calloc(session->num_counts, sizeof(*raw));
	int result = raw ? read_all(session, raw, error) : UNCORE_ERR_NO_MEMORY;

	for (size_t i = 0; i < session->num_counts && !result; i++) {
		session->counts[i].value = 0;
		session->counts[i].last = raw[i];
	}
	free(raw);
	return result;
}

int uncore_session_start(struct uncore_session *session, char **error)
{
	size_t enable = session->num_writes - 1;
	int result;

	if (session->state != SESSION_OPEN)
		return text_error(UNCORE_ERR_STATE, error,
				  "the session has been started before");
	result = save(session, error);
	if (result)
		return result;
	session->state = SESSION_RUNNING;
	result = write_all(session, session->writes, enable, NULL, error);
	if (!result)
		result = read_base(session, error);
	if (!result)
		result = write_all(session, &session->writes[enable], 1,
				   &session->start_cycle, error);
	session->start_seconds = now_seconds();
	return result;
}

static void add_up(struct session_count *count, uint64_t raw, uint64_t mask)
{
	count->value += (raw - count->last) & mask;
	count->last = raw;
	count->valid = true;
}

int uncore_session_read(struct uncore_session *session, char **error)
{
	uint64_t *raw;
	int result;

	if (session->state == SESSION_OPEN)
		return text_error(UNCORE_ERR_STATE, error,
				  "the session has not been started");
	raw = calloc(session->num_counts, sizeof(*raw));
	result = raw ? read_all(session, raw, error) : UNCORE_ERR_NO_MEMORY;
	for (size_t i = 0; i < session->num_counts && !result; i++) {
		struct session_count *count = &session->counts[i];

		add_up(count, raw[i],
		       width_mask(session->events[count->event]));
	}
	free(raw);
	return result;
}

int uncore_session_stop(struct uncore_session *session, char **error)
{
	struct uncore_write stop = uncore_plan_stop(session->plan);
	int result;

	if (session->state != SESSION_RUNNING)
		return 0;
	result = write_all(session, &stop, 1, &session->stop_cycle, error);
	session->stop_seconds = now_seconds();
	if (!result)
		session->state = SESSION_STOPPED;
	return result;
}

bool uncore_session_cycles(const struct uncore_session *session,
			   uint64_t *cycles)
{
	if (session->state != SESSION_STOPPED ||
	    session->stop_cycle == UNCORE_NO_CYCLE)
		return false;
	*cycles = session->stop_cycle - session->start_cycle;
	return true;
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
		.seen = row->value * uncore_event_multiplier(event),
		.share = 1,
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
	size_t total = n * session->target->num_sockets;
	struct uncore_target_op *ops = new_ops(session, n);

	for (size_t i = 0; ops && i < total; i++)
		ops[i] = (struct uncore_target_op){
			.socket = (unsigned)(i / n),
			.address = session->writes[i % n].address,
			.value = is_written_again(session, i % n)
					 ? session->writes[i % n].value
					 : session->saved[i],
			.is_write = true,
		};
	if (ops)
		uncore_target_batch(session->target, ops, total, NULL);
	free(ops);
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
