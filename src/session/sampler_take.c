/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * From an overflow to a sample, in the guide's order (2.1.4, 2.1.5): the PMU
 * stands still; all counters are read; overflow bits are cleared in the boxes,
 * then in the global status; the counters that ran over begin their next
 * period; everything is enabled with one write.
 *
 * Step a of 2.1.5, the reset of all counters, is left out: what is read along
 * would lose what its sub-counters hold, and differences need no reset.
 *
 * Between an overflow and the freeze pass some cycles, in which the same
 * counter goes on and others may run over, too. A counter is due when it has
 * counted to the end of its period, whatever its overflow bit says; whoever is
 * due is taken, and an interrupt that finds nobody only lets counting go on.
 */
#include "base/clock.h"
#include "session/guard.h"
#include "session/sampler.h"

#include "access/access.h"
#include "session/session.h"
#include "uncore/error.h"

static bool is_due(const struct sampler_counter *counter)
{
	return counter->period && counter->counted >= counter->next;
}

/* What the list read, from its op number `first` on. */
static void add_up(struct sampler_socket *socket, size_t first)
{
	bool is_exact = socket->sampler->is_exact;

	for (size_t i = 0; i < socket->sampler->num_counters; i++) {
		struct sampler_counter *counter = &socket->counters[i];
		uint64_t raw = count_correct(counter->event,
					     socket->batch.ops[first + i].value,
					     counter->written);
		uint64_t growth = (raw - counter->raw) & counter->mask;

		counter->raw = raw;
		/* by so much it cannot have grown */
		if (!is_exact && growth > counter->mask / 2)
			guard_note_set_back(socket->sampler->session,
					    socket->socket, counter->reg);
		else
			counter->counted += growth;
	}
	for (size_t i = 0; i < socket->sampler->num_counters; i++)
		if (socket->counters[i].same)
			socket->counters[i].counted =
				socket->counters[i].same->counted;
}

static void ask(struct sampler_socket *socket)
{
	for (size_t i = 0; i < socket->sampler->num_counters; i++)
		batch_read(&socket->batch, socket->socket,
			   socket->counters[i].reg);
}

static double wall_seconds(const struct uncore_sampler *sampler)
{
	return clock_now_seconds() - sampler->start_seconds;
}

/* A sample of this moment, of nobody yet. */
static struct uncore_sample begin(struct sampler_socket *socket, uint64_t cycle)
{
	const struct uncore_sampler *sampler = socket->sampler;
	double clock_hz = sampler->options.clock_hz;
	struct uncore_sample sample = {
		.socket = socket->socket,
		.cycle = UNCORE_NO_CYCLE,
		.event = -1,
		.instance = -1,
		.core = -1,
		.position = -1,
		.thread = -1,
	};

	if (cycle != UNCORE_NO_CYCLE && sampler->start_cycle != UNCORE_NO_CYCLE)
		sample.cycle = cycle - sampler->start_cycle;
	sample.seconds = sample.cycle != UNCORE_NO_CYCLE && clock_hz > 0
				 ? (double)sample.cycle / clock_hz
				 : wall_seconds(sampler);
	sample.length_seconds = sample.seconds - socket->last_seconds;
	return sample;
}

static uint64_t requester_of(const struct sampler_socket *socket,
			     const struct sampler_counter *counter)
{
	return access_requester(socket->sampler->target, socket->socket,
				counter->reg->address);
}

/* A sample for each counter that is due; the first has the counts. Whether
 * there was one. */
static bool add_samples(struct sampler_socket *socket,
			const struct uncore_sample *begun, bool has_note)
{
	bool has_any = false;

	for (size_t i = 0; i < socket->sampler->num_counters; i++) {
		struct sampler_counter *counter = &socket->counters[i];
		struct uncore_sample sample = *begun;
		uint64_t beyond = counter->counted - counter->next;

		counter->has_overflowed = is_due(counter);
		if (!counter->has_overflowed)
			continue;
		sample.event = (long)counter->event_index;
		sample.instance = counter->instance;
		sample.overrun = beyond * counter->multiplier;
		counter->next += sampler_stretch(socket->sampler, counter);
		for (sample.lost = 0; is_due(counter); sample.lost++)
			counter->next +=
				sampler_stretch(socket->sampler, counter);
		if (has_any)
			sample.length_seconds = 0;
		if (sampler_queue_add(socket, &sample, !has_any, has_note,
				      requester_of(socket, counter)))
			socket->failed = UNCORE_ERR_NO_MEMORY;
		has_any = true;
	}
	if (has_any)
		socket->last_seconds = begun->seconds;
	return has_any;
}

/* Everything that ran over begins anew, and counting goes on. */
static void resume(struct sampler_socket *socket)
{
	const struct uncore_sampler *sampler = socket->sampler;

	for (size_t i = 0; i < sampler->num_counters; i++)
		if (socket->counters[i].has_overflowed)
			sampler_clear(socket, &socket->counters[i]);
	batch_write(&socket->batch, socket->socket, sampler->master_clear,
		    sampler->clear_all);
	for (size_t i = 0; i < sampler->num_counters; i++)
		if (socket->counters[i].has_overflowed)
			sampler_arm(socket, &socket->counters[i]);
	batch_write(&socket->batch, socket->socket, sampler->master,
		    socket->master);
}

/* For good: it stays as it is. */
static void freeze(struct sampler_socket *socket, uint64_t cycle)
{
	const struct uncore_sampler *sampler = socket->sampler;

	socket->is_frozen = true;
	if (cycle != UNCORE_NO_CYCLE && sampler->start_cycle != UNCORE_NO_CYCLE)
		socket->stop_cycle = cycle - sampler->start_cycle;
	if (sampler->options.frozen)
		sampler->options.frozen(sampler->options.context,
					socket->socket, cycle);
}

int sampler_take_overflows(struct sampler_socket *socket, long core,
			   uint64_t cycle)
{
	struct uncore_sampler *sampler = socket->sampler;
	bool stops = !sampler->is_exact && !sampler->options.no_freeze;
	uint64_t read_cycle = UNCORE_NO_CYCLE, resume_cycle = UNCORE_NO_CYCLE;
	struct uncore_sample sample;
	bool has_any;
	int code;

	if (socket->is_frozen)
		return 0;
	if (stops)
		batch_write(&socket->batch, socket->socket, sampler->master,
			    sampler_still(socket));
	ask(socket);
	code = sampler_run(socket, &read_cycle);
	if (code)
		return code;
	add_up(socket, stops);
	if (cycle == UNCORE_NO_CYCLE)
		cycle = read_cycle;
	sample = begin(socket, cycle);
	sample.kind = sampler->options.once ? UNCORE_SAMPLE_FREEZE
					    : UNCORE_SAMPLE_PERIOD;
	sample.core = core;
	has_any = add_samples(socket, &sample, core >= 0);
	if (has_any && sampler->options.once) {
		freeze(socket, cycle);
		return 0;
	}
	resume(socket);
	code = sampler_run(socket, &resume_cycle);
	if (resume_cycle == UNCORE_NO_CYCLE)
		return code;
	if (stops && cycle != UNCORE_NO_CYCLE && resume_cycle > cycle)
		socket->frozen_cycles += resume_cycle - cycle;
	socket->resumed = resume_cycle;
	return code;
}

int sampler_take_rest(struct sampler_socket *socket)
{
	struct uncore_sample sample;
	uint64_t cycle = UNCORE_NO_CYCLE;
	int code;

	ask(socket);
	code = sampler_run(socket, &cycle);
	if (code)
		return code;
	add_up(socket, 0);
	sample = begin(socket, cycle);
	sample.kind = UNCORE_SAMPLE_PERIOD;
	if (socket->is_frozen)
		return 0;
	if (sample.cycle != UNCORE_NO_CYCLE)
		socket->stop_cycle = sample.cycle;
	if (!socket->sampler->options.once)
		add_samples(socket, &sample, false);
	sample = begin(socket, cycle);
	sample.kind = UNCORE_SAMPLE_END;
	return sampler_queue_add(socket, &sample, true, false, 0);
}
