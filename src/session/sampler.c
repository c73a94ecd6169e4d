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

#include <stdlib.h>
#include <time.h>

#include "access/access.h"
#include "uncore/error.h"
#include "uncore/schedule.h"

/* Accesses: reads of all counters and the master, or three writes for each
 * counter and three for the master. */
enum { OPS_PER_COUNTER = 3, OPS_BESIDES = 4 };

void ops_read(struct sampler_socket *socket, const struct uc_register *reg)
{
	socket->ops[socket->num_ops++] = (struct uncore_target_op){
		.socket = socket->socket,
		.address = reg->address,
	};
}

void ops_write(struct sampler_socket *socket, const struct uc_register *reg,
	       uint64_t value)
{
	socket->ops[socket->num_ops++] = (struct uncore_target_op){
		.socket = socket->socket,
		.address = reg->address,
		.is_write = true,
		.value = value,
	};
}

int ops_run(struct sampler_socket *socket, uint64_t *cycle)
{
	int code = uncore_target_batch(socket->sampler->target, socket->ops,
				       socket->num_ops, cycle);

	/* a refused list stays, for the message */
	if (!code)
		socket->num_ops = 0;
	return code;
}

int sampler_refused(const struct uncore_sampler *sampler,
		    const struct uncore_target_op *ops, size_t num,
		    char **error)
{
	const struct uc_family *family = family_row(sampler->target->family);
	const char *why = uncore_target_error(sampler->target);

	for (size_t i = 0; i < num; i++) {
		const struct uc_register *reg =
			uc_register_at(family, ops[i].address);

		if (ops[i].code)
			return text_error(
				ops[i].code, error,
				"cannot %s %s of socket %u: %s",
				ops[i].is_write ? "write" : "read",
				reg ? reg->name : "a register", ops[i].socket,
				*why ? why : uncore_error_message(ops[i].code));
	}
	return UNCORE_ERR_IO;
}

static void on_pmi(void *context, unsigned socket, unsigned core,
		   uint64_t cycle)
{
	struct uncore_sampler *sampler = context;
	struct sampler_socket *row = &sampler->sockets[socket];
	int code = take_overflows(row, core, cycle);

	if (code)
		row->failed = code;
}

static int make_counter(struct uncore_sampler *sampler,
			struct sampler_counter *counter, unsigned instance,
			char **error)
{
	const struct uc_family *family = family_row(sampler->target->family);
	long item =
		uncore_schedule_item(uncore_session_schedule(sampler->session),
				     0, counter->event_index);
	uint32_t address = uncore_plan_counter_address(sampler->plan,
						       (size_t)item, instance);

	counter->instance = instance;
	counter->reg = uc_register_at(family, address);
	counter->multiplier = uncore_event_multiplier(counter->event);
	counter->period /= counter->multiplier;
	counter->next = counter->period;
	return arm_find(sampler, counter, error);
}

/* The counters of an event, in one socket. */
static int make_counters(struct uncore_sampler *sampler,
			 struct sampler_socket *socket,
			 const struct uncore_sampled *sampled, size_t index,
			 size_t *num, char **error)
{
	const struct uncore_event *event = sampled->event;
	bool is_any = event->instance == EVENT_ANY;
	unsigned first = is_any ? 0 : (unsigned)event->instance;
	unsigned last = is_any ? event->box->num_instances - 1u : first;
	int result = 0;

	for (unsigned i = first; i <= last && !result; i++) {
		struct sampler_counter *counter = &socket->counters[*num];

		*counter = (struct sampler_counter){
			.event = event,
			.event_index = index,
			.period = sampled->period,
		};
		(*num)++;
		result = make_counter(sampler, counter, i, error);
	}
	return result;
}

/* Equal events share a counter, and a counter has one period. */
static int make_shared(struct sampler_counter *counter,
		       struct sampler_counter *other, char **error)
{
	if (counter->reg != other->reg)
		return 0;
	if (counter->period && other->period)
		return text_error(
			UNCORE_ERR_CONFLICT, error,
			"'%s' and '%s' are counted by the same counter, which "
			"has one period; give each a counter of its own "
			"(counter=0, counter=1), or one of them no period",
			uncore_event_text(other->event),
			uncore_event_text(counter->event));
	if (counter->period)
		other->same = counter;
	else if (other->period)
		counter->same = other;
	return 0;
}

static int share_counters(struct sampler_socket *socket, char **error)
{
	size_t num = socket->sampler->num_counters;
	int result = 0;

	for (size_t i = 0; i < num; i++)
		for (size_t j = 0; j < i && !result; j++)
			result = make_shared(&socket->counters[i],
					     &socket->counters[j], error);
	return result;
}

static int make_socket(struct uncore_sampler *sampler, unsigned index,
		       const struct uncore_sampled *events, size_t num_events,
		       char **error)
{
	struct sampler_socket *socket = &sampler->sockets[index];
	size_t num = 0;
	int result = 0;

	*socket = (struct sampler_socket){
		.sampler = sampler,
		.socket = index,
		.stop_cycle = UNCORE_NO_CYCLE,
		.counters = calloc(sampler->num_counters,
				   sizeof(*socket->counters)),
		.ops = calloc(sampler->num_counters * OPS_PER_COUNTER +
				      OPS_BESIDES,
			      sizeof(*socket->ops)),
	};
	if (!socket->counters || !socket->ops)
		return UNCORE_ERR_NO_MEMORY;
	for (size_t i = 0; i < num_events && !result; i++)
		result = make_counters(sampler, socket, &events[i], i, &num,
				       error);
	return result ? result : share_counters(socket, error);
}

static int make_sockets(struct uncore_sampler *sampler,
			const struct uncore_sampled *events, size_t num_events,
			char **error)
{
	int result = 0;

	for (size_t i = 0; i < num_events; i++)
		sampler->num_counters +=
			events[i].event->instance == EVENT_ANY
				? events[i].event->box->num_instances
				: 1;
	sampler->num_sockets = sampler->target->num_sockets;
	sampler->sockets =
		calloc(sampler->num_sockets, sizeof(*sampler->sockets));
	sampler->counts =
		calloc(sampler->num_counters, sizeof(*sampler->counts));
	sampler->note = calloc(1, sampler->options.note_bytes + 1);
	if (!sampler->sockets || !sampler->counts || !sampler->note)
		return UNCORE_ERR_NO_MEMORY;
	for (unsigned i = 0; i < sampler->num_sockets && !result; i++)
		result = make_socket(sampler, i, events, num_events, error);
	return result;
}

/* All events in one slice, or the reason why not. */
static int open_session(struct uncore_sampler *sampler,
			struct uncore_event *const *events, size_t num_events,
			char **error)
{
	const struct uncore_session_options options = {
		.no_multiplex = true,
		.force = sampler->options.force,
		.owner = sampler->options.owner,
	};
	int result =
		uncore_session_open_with(sampler->target, events, num_events,
					 &options, &sampler->session, error);

	if (!result)
		sampler->plan = uncore_schedule_plan(
			uncore_session_schedule(sampler->session), 0);
	return result;
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
		result = arm_find_master(sampler, error);
	if (!result)
		result = make_sockets(sampler, events, num_events, error);
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
	if (options)
		new->options = *options;
	result = set_up(new, events, num_events, error);
	if (result)
		uncore_sampler_close(new);
	else
		*sampler = new;
	return result;
}

int uncore_sampler_start(struct uncore_sampler *sampler, char **error)
{
	struct timespec now;
	int result;

	sampler->is_exact =
		!uncore_target_on_pmi(sampler->target, on_pmi, sampler);
	result = uncore_session_start(sampler->session, error);
	clock_gettime(CLOCK_MONOTONIC, &now);
	sampler->start_seconds = (double)now.tv_sec + (double)now.tv_nsec / 1e9;
	if (!result)
		result = arm_all(sampler, error);
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
	struct sampler_socket *row = &sampler->sockets[socket];
	int code;

	if (socket >= sampler->num_sockets || !sampler->is_running ||
	    cycle < row->resumed)
		return 0;
	code = take_overflows(row, core, cycle);
	return code ? sampler_refused(sampler, row->ops, row->num_ops, error)
		    : 0;
}

/* Whether a box has told the socket's U-Box about an overflow. */
static int look(struct sampler_socket *socket, bool *has_overflow)
{
	const struct uc_register *status = socket->sampler->master_status;
	uint64_t value = 0;
	int code;

	ops_read(socket, status);
	code = ops_run(socket, NULL);
	if (!code)
		value = socket->ops[0].value;
	*has_overflow = value & socket->sampler->overflow_bits;
	return code;
}

int uncore_sampler_poll(struct uncore_sampler *sampler, char **error)
{
	for (size_t i = 0; i < sampler->num_sockets; i++) {
		struct sampler_socket *socket = &sampler->sockets[i];
		bool has_overflow = false;
		int code;

		if (sampler->is_exact || !sampler->is_running)
			return 0;
		code = look(socket, &has_overflow);
		if (!code && has_overflow)
			code = take_overflows(socket, 0, UNCORE_NO_CYCLE);
		if (code)
			return sampler_refused(sampler, socket->ops,
					       socket->num_ops, error);
	}
	return 0;
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
	int result = uncore_session_stop(sampler->session, error);

	let_interrupts_come(sampler);
	if (sampler->is_exact)
		uncore_target_on_pmi(sampler->target, NULL, NULL);
	for (size_t i = 0; i < sampler->num_sockets && !result; i++) {
		struct sampler_socket *socket = &sampler->sockets[i];

		if (sampler->is_running && take_rest(socket))
			result = sampler_refused(sampler, socket->ops,
						 socket->num_ops, error);
	}
	if (!result && sampler->is_running && sampler->options.once)
		result = state_keep(sampler);
	sampler->is_running = false;
	return result;
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
		free(sampler->sockets[i].ops);
		queue_free(&sampler->sockets[i].queue);
	}
	free(sampler->sockets);
	free(sampler->states);
	free(sampler->counts);
	free(sampler->note);
	free(sampler);
}
