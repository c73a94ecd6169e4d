/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * A sampler is in one of these states:
 *
 *     open --start()--> running --stop()--> stopped
 *
 * Running: the session has programmed and started all counters, those that
 * sample were set to run over, and interrupts come; on a model in this process
 * they are handled on its threads. Stopped: nothing counts, what was left is in
 * the queue. close() lets the session put the registers back.
 */
#include "session/sampler.h"
#include "base/clock.h"

#include <stdlib.h>
#include <time.h>

#include "access/access.h"
#include "base/sized.h"
#include "base/text.h"
#include "session/guard.h"
#include "session/session.h"
#include "uncore/error.h"
#include "uncore/schedule.h"

static const double seconds_between_looks = 0.1;

/* Cycles of quick stretches are none of the engine's. */
static uint64_t skipped(const struct uncore_sampler *sampler)
{
	const struct uncore_target *target = sampler->target;

	return target->ops->skipped ? target->ops->skipped(target->context) : 0;
}

int sampler_run(struct sampler_socket *socket, uint64_t *cycle)
{
	int code = batch_run(&socket->batch, socket->sampler->target, NULL);

	/* a refused list stays, for the message */
	if (code)
		return code;
	socket->batch.num = 0;
	if (cycle)
		*cycle = socket->batch.cycle;
	if (cycle && *cycle != UNCORE_NO_CYCLE)
		*cycle += skipped(socket->sampler);
	return 0;
}

int sampler_refused(const struct sampler_socket *socket, char **error)
{
	int code =
		batch_refused(&socket->batch, socket->sampler->target, error);

	return code ? code : UNCORE_ERR_IO;
}

static void on_pmi(void *context, unsigned socket, unsigned core,
		   uint64_t cycle)
{
	struct uncore_sampler *sampler = context;
	struct sampler_socket *row = &sampler->sockets[socket];
	int code = sampler_take_overflows(row, core, cycle + skipped(sampler));

	if (code)
		row->failed = code;
}

/* All events in one slice, or the reason why not. */
static int open_session(struct uncore_sampler *sampler,
			struct uncore_event *const *events, size_t num_events,
			char **error)
{
	const struct uncore_session_options options = {
		.struct_size = sizeof(options),
		.no_multiplex = true,
		.force = sampler->options.force,
		.owner = sampler->options.owner,
	};
	int result =
		uncore_session_open_with(sampler->target, events, num_events,
					 &options, &sampler->session, error);

	if (result)
		return result;
	sampler->session->is_sampled = true;
	sampler->session->shows_all = sampler->options.once;
	sampler->plan = uncore_schedule_plan(
		uncore_session_schedule(sampler->session), 0);
	return 0;
}

static int set_up(struct uncore_sampler *sampler,
		  const struct uncore_sampled *events, size_t num_events,
		  char **error)
{
	struct uncore_event **list = calloc(num_events + 1, sizeof(*list));
	int result = list ? 0 : UNCORE_ERR_NO_MEMORY;

	for (size_t i = 0; i < num_events && !result; i++) {
		list[i] = events[i].event;
		if (events[i].period)
			result = uncore_sampler_check(list[i], events[i].period,
						      error);
	}
	if (!result)
		result = open_session(sampler, list, num_events, error);
	if (!result)
		result = sampler_find_master(sampler, error);
	if (!result)
		result = sampler_make_sockets(sampler, events, num_events,
					      error);
	free(list);
	return result;
}

int uncore_sampler_open(struct uncore_target *target,
			const struct uncore_sampled *events, size_t num_events,
			const struct uncore_sampler_options *options,
			struct uncore_sampler **sampler, char **error)
{
	struct uncore_sampler *new = calloc(1, sizeof(*new));
	int result;

	if (!new)
		return UNCORE_ERR_NO_MEMORY;
	new->target = target;
	result = options ? sized_take(&new->options, sizeof(new->options),
				      options, error)
			 : 0;
	if (!result)
		result = set_up(new, events, num_events, error);
	if (result)
		uncore_sampler_close(new);
	else
		*sampler = new;
	return result;
}

int uncore_sampler_start(struct uncore_sampler *sampler, char **error)
{
	int result;

	sampler->is_exact =
		!uncore_target_on_pmi(sampler->target, on_pmi, sampler);
	result = uncore_session_start(sampler->session, error);
	sampler->start_seconds = clock_now_seconds();
	if (!result)
		result = sampler_arm_all(sampler, error);
	sampler->is_running = !result;
	return result;
}

bool uncore_sampler_is_exact(const struct uncore_sampler *sampler)
{
	return sampler->is_exact;
}

int uncore_sampler_serve(struct uncore_sampler *sampler, unsigned socket,
			 unsigned core, uint64_t cycle, char **error)
{
	struct sampler_socket *row;
	int code;

	if (socket >= sampler->num_sockets || !sampler->is_running)
		return 0;
	row = &sampler->sockets[socket];
	if (cycle < row->resumed)
		return 0;
	code = sampler_take_overflows(row, core, cycle);
	return code ? sampler_refused(row, error) : 0;
}

/* Whether a box has told the socket's global status about an overflow. Where
 * all stands still and none has, it was not a freeze: the status is read after
 * what it explains. */
static int look(struct sampler_socket *socket, bool *has_overflow)
{
	const struct uncore_sampler *sampler = socket->sampler;
	int code;

	batch_read(&socket->batch, socket->socket, sampler->master);
	batch_read(&socket->batch, socket->socket, sampler->master_status);
	code = sampler_run(socket, NULL);
	if (code)
		return code;
	*has_overflow = socket->batch.ops[1].value & sampler->overflow_bits;
	if (!*has_overflow && !socket->is_frozen && sampler->shows_run &&
	    !(socket->batch.ops[0].value & sampler->shows_run))
		guard_note(sampler->session, socket->socket, sampler->master,
			   socket->batch.ops[0].value);
	return 0;
}

/* An error once somebody else has changed what was set; without samples nobody
 * would look. */
static int check(struct uncore_sampler *sampler, char **error)
{
	double now = clock_now_seconds();
	const char *why;
	int result = 0;

	if (sampler->is_running && now >= sampler->next_look) {
		sampler->next_look = now + seconds_between_looks;
		result = guard_look(sampler->session, error);
	}
	why = guard_why(sampler->session);
	if (result || !why)
		return result;
	return text_error(UNCORE_ERR_IN_USE, error,
			  "what was sampled is not what was asked for: %s",
			  why);
}

int uncore_sampler_poll(struct uncore_sampler *sampler, char **error)
{
	int result = check(sampler, error);

	for (size_t i = 0; i < sampler->num_sockets; i++) {
		struct sampler_socket *socket = &sampler->sockets[i];
		bool has_overflow = false;
		int code;

		if (result || sampler->is_exact || !sampler->is_running)
			return result;
		code = look(socket, &has_overflow);
		if (!code && has_overflow)
			code = sampler_take_overflows(socket, 0,
						      UNCORE_NO_CYCLE);
		if (code)
			return sampler_refused(socket, error);
		result = check(sampler, error);
	}
	return result;
}

/* An interrupt that is on its way when counting stops must not come after the
 * registers have been put back: its mark would stay. Some cycles are enough. */
static void let_interrupts_come(const struct uncore_sampler *sampler)
{
	const struct timespec time = { .tv_nsec = 1000000 };

	if (!sampler->is_exact)
		nanosleep(&time, NULL);
}

int uncore_sampler_stop(struct uncore_sampler *sampler, char **error)
{
	bool has_overflow;
	int result = 0;

	for (size_t i = 0; i < sampler->num_sockets && !result; i++) {
		struct sampler_socket *socket = &sampler->sockets[i];

		if (sampler->is_running && !sampler->is_exact &&
		    look(socket, &has_overflow))
			result = sampler_refused(socket, error);
	}
	if (!result)
		result = uncore_session_stop(sampler->session, error);
	let_interrupts_come(sampler);
	if (sampler->is_exact)
		uncore_target_on_pmi(sampler->target, NULL, NULL);
	for (size_t i = 0; i < sampler->num_sockets && !result; i++) {
		struct sampler_socket *socket = &sampler->sockets[i];

		if (sampler->is_running && sampler_take_rest(socket))
			result = sampler_refused(socket, error);
	}
	if (!result && sampler->is_running && sampler->options.once)
		result = sampler_keep_state(sampler);
	sampler->is_running = false;
	return result ? result : check(sampler, error);
}

void uncore_sampler_set_period(struct uncore_sampler *sampler, size_t event,
			       uint64_t period)
{
	for (size_t i = 0; i < sampler->num_sockets; i++)
		for (size_t j = 0; j < sampler->num_counters; j++) {
			struct sampler_counter *counter =
				&sampler->sockets[i].counters[j];

			if (counter->event_index == event && counter->period)
				counter->period = period / counter->multiplier;
		}
}

uint64_t uncore_sampler_frozen(const struct uncore_sampler *sampler,
			       unsigned socket)
{
	return sampler->sockets[socket].frozen_cycles;
}

bool uncore_sampler_stopped(const struct uncore_sampler *sampler,
			    unsigned socket, bool *is_freeze, uint64_t *cycle)
{
	*is_freeze = sampler->sockets[socket].is_frozen;
	*cycle = sampler->sockets[socket].stop_cycle;
	return *cycle != UNCORE_NO_CYCLE;
}

void uncore_sampler_close(struct uncore_sampler *sampler)
{
	if (!sampler)
		return;
	if (sampler->is_exact)
		uncore_target_on_pmi(sampler->target, NULL, NULL);
	uncore_session_close(sampler->session);
	for (size_t i = 0; sampler->sockets && i < sampler->num_sockets; i++) {
		free(sampler->sockets[i].counters);
		batch_free(&sampler->sockets[i].batch);
		sampler_queue_free(&sampler->sockets[i].queue);
	}
	free(sampler->sockets);
	free(sampler->states);
	free(sampler->counts);
	free(sampler->note);
	free(sampler);
}
