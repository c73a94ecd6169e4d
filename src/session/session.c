/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * A session is in one of these states:
 *
 *     open --start()--> running --stop()--> stopped
 *
 * Open: a schedule exists, nobody else may begin here, nothing has been
 * written. Running: `saved` holds what the registers held before, and so does
 * the journal; counters are programmed and enabled. Stopped: they hold their
 * last value. close() writes `saved` back.
 *
 * Registers are accessed in batches over all sockets: where there is a way, all
 * sockets start, take turns, are read and stop at the same cycle.
 */
#include "session/session.h"

#include <stdlib.h>
#include <string.h>

#include "access/access.h"
#include "base/sized.h"
#include "base/text.h"
#include "session/guard.h"
#include "session/journal.h"
#include "session/lock.h"
#include "session/neighbour.h"
#include "session/sampled.h"
#include "table/enable.h"
#include "uncore/error.h"

static int take_turns_refused(const struct uncore_session *session,
			      char **error)
{
	struct text text = { 0 };
	const char *reason;
	int code;

	for (size_t i = 0;
	     (reason = uncore_schedule_reason(session->schedule, i)); i++)
		text_add(&text, "%s%s", i ? "; " : "", reason);
	code = text_error(UNCORE_ERR_CONFLICT, error,
			  "the events do not fit together and shall not take "
			  "turns: it would take %zu slices%s%s",
			  uncore_schedule_slices(session->schedule),
			  text.data ? ": " : "", text.data ? text.data : "");
	text_free(&text);
	return code;
}

static int make_schedule(struct uncore_session *session,
			 struct uncore_event *const *events,
			 const struct uncore_session_options *options,
			 char **error)
{
	int result = uncore_schedule_new(uncore_target_family(session->target),
					 events, session->num_events,
					 options->groups, options->num_groups,
					 &session->schedule, error);

	if (!result && options->no_multiplex &&
	    uncore_schedule_slices(session->schedule) > 1)
		result = take_turns_refused(session, error);
	return result;
}

static bool has_pmu_for_each(const struct uncore_session *session,
			     const struct uncore_session_options *options)
{
	return uncore_schedule_slices(session->schedule) > 1 &&
	       session->target->ops->beside && !options->takes_turns;
}

static int make(struct uncore_session *session,
		struct uncore_event *const *events,
		const struct uncore_session_options *options, char **error)
{
	int result;

	session->events = calloc(session->num_events, sizeof(*session->events));
	session->is_forced = options->force;
	session->owner =
		options->owner ? strdup(options->owner) : lock_command();
	if (!session->events || !session->owner)
		return UNCORE_ERR_NO_MEMORY;
	for (size_t i = 0; i < session->num_events; i++)
		session->events[i] = events[i];
	if (!count_init(session))
		return UNCORE_ERR_NO_MEMORY;
	result = make_schedule(session, events, options, error);
	if (!result)
		result = program_make(
			session, has_pmu_for_each(session, options), error);
	if (!result)
		result = rounds_init(session, options->seed);
	if (!result)
		result = lock_take(session->target, session->owner,
				   &session->lock, error);
	if (!result)
		result = journal_check(session->target, session->lock,
				       options->force, error);
	if (!result)
		result = neighbour_check(session->target, options->force,
					 &session->is_shared, error);
	return result;
}

int uncore_session_open_with(struct uncore_target *target,
			     struct uncore_event *const *events,
			     size_t num_events,
			     const struct uncore_session_options *options,
			     struct uncore_session **session, char **error)
{
	struct uncore_session_options own = { .struct_size = sizeof(own) };
	struct uncore_session *new;
	int result = 0;

	if (options)
		result = sized_take(&own, sizeof(own), options, error);
	if (result)
		return result;
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
	time_init(new);
	result = make(new, events, &own, error);
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
	return session->num_pmus > 1 ? NULL : session->schedule;
}

/* Starting */

/* Whether the session resets all boxes that a switch governs, this one among
 * them. */
static bool is_reset(const struct uncore_session *session, unsigned box)
{
	const struct uc_domain *domain =
		uc_domain_of(session_family(session), box);

	for (size_t i = 0; i < session->num_switches; i++)
		if (domain ==
		    uc_domain_governed(
			    session_family(session),
			    session->registers[session->switches[i].reg].reg))
			return domain;
	return false;
}

static const struct uc_register *freeze_of(const struct uc_family *family)
{
	return family->freeze ? &family->registers[family->freeze->reg] : NULL;
}

/* Where one register governs all boxes, any of them may run over; else those
 * that are used, and only if a control asks for it, as who samples does. */
bool session_tells(const struct uncore_session *session,
		   const struct uc_register *reg)
{
	const struct uc_family *family = session_family(session);

	if (reg->role != UC_ROLE_GLOBAL_STATUS)
		return false;
	if (enable_is_gated(family, reg->box))
		return true;
	if (!session->is_sampled)
		return false;
	if (family->freeze && reg == &family->registers[family->freeze->status])
		return true;
	for (size_t i = 0; i < session->num_places; i++)
		if (session->places[i].box == reg->box &&
		    session->places[i].instance == reg->instance)
			return true;
	return false;
}

/* What changes by being counted with: what is written, overflow bits of the
 * boxes, and, as a reset is for all, every counter and every box that could
 * count. */
static bool want_of_socket(struct uncore_session *session, unsigned socket)
{
	const struct uc_family *family = session_family(session);
	struct saved *saved = &session->pmu->saved;
	bool has_room = true;

	for (size_t i = 0; i < session->num_registers; i++)
		has_room &=
			saved_want(saved, socket, session->registers[i].reg);
	for (size_t i = 0; i < session->num_counters; i++)
		if (session->counters[i].socket == socket)
			has_room &= saved_want(saved, socket,
					       session->counters[i].reg);
	for (unsigned i = 0; i < family->num_registers; i++) {
		const struct uc_register *reg = &family->registers[i];

		if (session_tells(session, reg) ||
		    (reg == freeze_of(family) &&
		     (session->is_sampled || !session->is_shared)) ||
		    (!session->is_shared && is_reset(session, reg->box) &&
		     (reg->role == UC_ROLE_GLOBAL_CTL ||
		      enable_is_counter(reg))))
			has_room &= saved_want(saved, socket, reg);
	}
	return has_room;
}

static int save(struct uncore_session *session, char **error)
{
	struct saved *saved = &session->pmu->saved;

	saved->is_shared = session->is_shared;
	for (unsigned s = 0; s < session->target->num_sockets; s++)
		if (!want_of_socket(session, s))
			return UNCORE_ERR_NO_MEMORY;
	for (size_t i = 0; i < session->num_units; i++)
		if (!saved_want(saved, session->units[i].socket,
				session->units[i].witness))
			return UNCORE_ERR_NO_MEMORY;
	return saved_read(saved, session->pmu->target, error);
}

/* It is long since this was opened: somebody may have come. What is saved must
 * not be his, or it would be put back under his hands, and he would not see
 * that anybody was there. */
static int save_alone(struct uncore_session *session, char **error)
{
	int result;

	if (!session->target->ops->is_shared)
		return program_each(session, save, error);
	result = neighbour_check(session->target, session->is_forced,
				 &session->is_shared, error);
	if (result)
		return result;
	guard_choose(session);
	return save(session, error);
}

/* Bits of enable registers that are not our counters'. */
static void keep_others(struct uncore_session *session)
{
	for (unsigned s = 0; s < session->target->num_sockets; s++)
		for (size_t i = 0; i < session->num_registers; i++) {
			const struct uc_register *reg =
				session->registers[i].reg;

			if (reg->role == UC_ROLE_GLOBAL_CTL)
				session->keep[s * session->num_registers + i] =
					saved_value(&session->pmu->saved, s,
						    reg);
		}
	for (size_t i = 0; i < session->num_counters; i++) {
		const struct session_counter *counter = &session->counters[i];
		struct enable enable;

		if (!enable_find(session_family(session), counter->reg,
				 &enable))
			continue;
		for (size_t r = 0; r < session->num_registers; r++)
			if (session->registers[r].reg == enable.box)
				session->keep[counter->socket *
						      session->num_registers +
					      r] &= ~enable.box_bits;
	}
}

/* What is no uncore does not wait while we begin. */
static int look_back(struct uncore_session *session, char **error)
{
	int result = guard_look(session, error);

	if (result || !guard_why(session))
		return result;
	return text_error(UNCORE_ERR_IN_USE, error,
			  "'%s' was taken by somebody else in the same moment "
			  "(%s); try again",
			  uncore_target_origin(session->target),
			  guard_why(session));
}

static int start(struct uncore_session *session, char **error)
{
	int result = save_alone(session, error);

	if (!result)
		result = guard_tell_others(session, error);
	if (!result)
		result = journal_write(session->target, session->owner,
				       &session->pmu->saved, session->lock,
				       error);
	if (result)
		return result;
	if (session->is_shared)
		keep_others(session);
	result = program_each(session, turn_start, error);
	session->state = SESSION_RUNNING;
	return result ? result : look_back(session, error);
}

static int start_all(struct uncore_session *session, char **error)
{
	int result;

	if (session->state != SESSION_OPEN)
		return text_error(UNCORE_ERR_STATE, error,
				  "the session has been started before");
	lock_enter(session->lock, session->target);
	result = start(session, error);
	lock_leave(session->lock);
	return result;
}

int uncore_session_start(struct uncore_session *session, char **error)
{
	int result = start_all(session, error);

	return result ? result : sampled_start(session);
}

/* Going on */

static int not_started(char **error)
{
	return text_error(UNCORE_ERR_STATE, error,
			  "the session has not been started");
}

int uncore_session_read(struct uncore_session *session, char **error)
{
	if (session->state == SESSION_OPEN)
		return not_started(error);
	return count_read(session, error);
}

int session_read_estimated(struct uncore_session *session, char **error)
{
	int result;

	session->skips_state = true;
	result = count_read(session, error);
	session->skips_state = false;
	return result;
}

int uncore_session_rotate(struct uncore_session *session, char **error)
{
	int result;

	if (session->state == SESSION_OPEN)
		return not_started(error);
	if (session->state == SESSION_STOPPED)
		return count_read(session, error);
	lock_enter(session->lock, session->target);
	result = turn_next(session, error);
	lock_leave(session->lock);
	return result;
}

int uncore_session_stop(struct uncore_session *session, char **error)
{
	int result = 0;

	if (session->state == SESSION_RUNNING) {
		/* until all is put back */
		lock_enter(session->lock, session->target);
		result = program_each(session, turn_stop, error);
		if (!result)
			session->state = SESSION_STOPPED;
	}
	if (!result)
		sampled_stop(session);
	return result;
}

bool uncore_session_cycles(const struct uncore_session *session,
			   uint64_t *cycles)
{
	if (sampled_cycles(session, cycles))
		return true;
	if (sampled_tells_part(session))
		return false;
	if (session->state != SESSION_STOPPED ||
	    session->stop_cycle == UNCORE_NO_CYCLE)
		return false;
	*cycles = session->stop_cycle - session->start_cycle;
	return true;
}

static int put_back(struct uncore_session *session, char **error)
{
	return saved_put_back(&session->pmu->saved, session->pmu->target,
			      error);
}

void uncore_session_close(struct uncore_session *session)
{
	if (!session)
		return;
	if (session->state != SESSION_OPEN) {
		lock_enter(session->lock, session->target);
		/* A server that is gone took its registers with it. */
		if (!program_each(session, put_back, NULL) ||
		    *uncore_target_error(session->target))
			journal_remove(session->lock);
	}
	sampled_free(session);
	lock_drop(session->lock);
	program_free(session);
	rounds_free(session);
	uncore_schedule_free(session->schedule);
	free(session->events);
	free(session->are_state);
	free(session->wrap_seconds);
	free(session->owner);
	free(session->reason);
	free(session);
}
