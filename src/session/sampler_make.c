/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The counters of a sampler: one for each event and instance that the machine
 * has, in every socket, where the session has put it. Equal events share one.
 */
#include "session/sampler.h"

#include <stdlib.h>

#include "access/access.h"
#include "uncore/error.h"
#include "uncore/schedule.h"

/* The register of a counter; sockets are alike. */
static uint64_t address_of(const struct uncore_sampler *sampler, size_t event,
			   unsigned instance)
{
	long item = uncore_schedule_item(
		uncore_session_schedule(sampler->session), 0, event);

	return uncore_plan_counter_address(sampler->plan, (size_t)item,
					   instance);
}

/* Parts have fewer boxes than the largest of their family. */
static bool is_there(const struct uncore_sampler *sampler,
		     const struct uncore_event *event, size_t index,
		     unsigned instance)
{
	if (event->instance != EVENT_ANY &&
	    instance != (unsigned)event->instance)
		return false;
	return !access_absent(sampler->target, 0,
			      address_of(sampler, index, instance));
}

static int make_counter(struct uncore_sampler *sampler,
			struct sampler_counter *counter, unsigned instance,
			char **error)
{
	const struct uc_family *family = family_row(sampler->target->family);
	uint64_t address = address_of(sampler, counter->event_index, instance);

	counter->instance = instance;
	counter->reg = uc_register_at(family, address);
	counter->multiplier = uncore_event_multiplier(counter->event);
	counter->period /= counter->multiplier;
	counter->lot = address;
	counter->next = counter->period ? sampler_stretch(sampler, counter) : 0;
	return sampler_find_registers(sampler, counter, error);
}

/* The counters of an event, in one socket. */
static int make_counters(struct uncore_sampler *sampler,
			 struct sampler_socket *socket,
			 const struct uncore_sampled *sampled, size_t index,
			 size_t *num, char **error)
{
	const struct uncore_event *event = sampled->event;
	int result = 0;

	for (unsigned i = 0; i < event->box->num_instances && !result; i++) {
		struct sampler_counter *counter = &socket->counters[*num];

		if (!is_there(sampler, event, index, i))
			continue;
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
	};
	if (!socket->counters)
		return UNCORE_ERR_NO_MEMORY;
	for (size_t i = 0; i < num_events && !result; i++)
		result = make_counters(sampler, socket, &events[i], i, &num,
				       error);
	return result ? result : share_counters(socket, error);
}

int sampler_make_sockets(struct uncore_sampler *sampler,
			 const struct uncore_sampled *events, size_t num_events,
			 char **error)
{
	int result = 0;

	for (size_t i = 0; i < num_events; i++)
		for (unsigned n = 0; n < events[i].event->box->num_instances;
		     n++)
			sampler->num_counters +=
				is_there(sampler, events[i].event, i, n);
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
