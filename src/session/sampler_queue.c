/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Samples wait here until the model stands still: handlers of several sockets
 * run at the same time, and what a caller does with a sample takes long.
 */
#include "session/sampler.h"

#include <stdlib.h>
#include <string.h>

#include "session/guard.h"
#include "uncore/error.h"

static bool grow(void **list, size_t *size, size_t num, size_t bytes)
{
	size_t wanted = *size ? *size : 64;
	void *new;

	while (wanted < num)
		wanted *= 2;
	if (wanted == *size)
		return true;
	new = realloc(*list, wanted * bytes);
	if (!new)
		return false;
	*list = new;
	*size = wanted;
	return true;
}

static bool make_room(struct sampler_socket *socket)
{
	struct sampler_queue *queue = &socket->queue;
	const struct uncore_sampler *sampler = socket->sampler;
	size_t size = queue->size;
	char *notes;

	if (!grow((void **)&queue->samples, &size, queue->num + 1,
		  sizeof(*queue->samples)))
		return false;
	if (size != queue->size && sampler->options.note_bytes) {
		notes = realloc(queue->notes,
				size * sampler->options.note_bytes);
		if (!notes)
			return false;
		queue->notes = notes;
	}
	queue->size = size;
	return grow((void **)&queue->values, &queue->size_values,
		    queue->num_values + sampler->num_counters,
		    sizeof(*queue->values));
}

static void add_values(struct sampler_socket *socket)
{
	struct sampler_queue *queue = &socket->queue;

	for (size_t i = 0; i < socket->sampler->num_counters; i++) {
		struct sampler_counter *counter = &socket->counters[i];

		queue->values[queue->num_values++] =
			counter->counted - counter->told;
		counter->told = counter->counted;
	}
}

int sampler_queue_add(struct sampler_socket *socket,
		      const struct uncore_sample *sample, bool has_values,
		      bool has_note, uint64_t requester)
{
	const struct uncore_sampler_options *options =
		&socket->sampler->options;
	struct sampler_queue *queue = &socket->queue;
	struct sampler_waiting *waiting;

	has_note = has_note && options->note;
	if (!make_room(socket))
		return UNCORE_ERR_NO_MEMORY;
	waiting = &queue->samples[queue->num];
	*waiting = (struct sampler_waiting){
		.sample = *sample,
		.first_value = queue->num_values,
		.has_values = has_values,
		.has_note = has_note,
	};
	if (has_values)
		add_values(socket);
	if (has_note)
		options->note(options->context, requester,
			      queue->notes + queue->num * options->note_bytes);
	queue->num++;
	queue->is_checked = false;
	return 0;
}

void sampler_queue_free(struct sampler_queue *queue)
{
	free(queue->samples);
	free(queue->values);
	free(queue->notes);
}

/* The socket whose first sample is the oldest, or NULL. */
static struct sampler_socket *find_oldest(struct uncore_sampler *sampler)
{
	struct sampler_socket *oldest = NULL;
	double seconds = 0;

	for (size_t i = 0; i < sampler->num_sockets; i++) {
		struct sampler_socket *socket = &sampler->sockets[i];
		const struct sampler_queue *queue = &socket->queue;

		if (queue->first == queue->num)
			continue;
		if (!oldest ||
		    queue->samples[queue->first].sample.seconds < seconds) {
			oldest = socket;
			seconds = queue->samples[queue->first].sample.seconds;
		}
	}
	return oldest;
}

static size_t take_counts(struct uncore_sampler *sampler,
			  const struct sampler_socket *socket,
			  const struct sampler_waiting *waiting)
{
	const uint64_t *values = socket->queue.values + waiting->first_value;

	if (!waiting->has_values)
		return 0;
	for (size_t i = 0; i < sampler->num_counters; i++) {
		const struct sampler_counter *counter = &socket->counters[i];

		sampler->counts[i] = (struct uncore_sample_count){
			.event = counter->event_index,
			.instance = counter->instance,
			.value = values[i] * counter->multiplier,
			.seconds = waiting->sample.length_seconds,
		};
	}
	return sampler->num_counters;
}

/* Whether what waits is what was asked for. */
static int check(struct uncore_sampler *sampler, bool *is_sound)
{
	bool is_checked = true;
	int code = 0;

	for (size_t i = 0; i < sampler->num_sockets; i++) {
		struct sampler_queue *queue = &sampler->sockets[i].queue;

		is_checked &= queue->is_checked || queue->first == queue->num;
		queue->is_checked = true;
	}
	if (!is_checked)
		code = guard_look(sampler->session, NULL);
	*is_sound = !guard_why(sampler->session);
	return code;
}

int uncore_sampler_take(struct uncore_sampler *sampler,
			struct uncore_sample *sample,
			const struct uncore_sample_count **counts,
			size_t *num_counts, const void **note)
{
	struct sampler_socket *socket = find_oldest(sampler);
	size_t note_bytes = sampler->options.note_bytes;
	const struct sampler_waiting *waiting;
	struct sampler_queue *queue;
	bool is_sound;
	int code;

	for (size_t i = 0; i < sampler->num_sockets; i++)
		if (sampler->sockets[i].failed)
			return sampler->sockets[i].failed;
	code = check(sampler, &is_sound);
	if (code || !socket || !is_sound)
		return code;
	queue = &socket->queue;
	waiting = &queue->samples[queue->first];
	*sample = waiting->sample;
	*num_counts = take_counts(sampler, socket, waiting);
	*counts = sampler->counts;
	*note = NULL;
	if (waiting->has_note) {
		memcpy(sampler->note, queue->notes + queue->first * note_bytes,
		       note_bytes);
		*note = sampler->note;
	}
	queue->first++;
	if (queue->first == queue->num)
		queue->first = queue->num = queue->num_values = 0;
	return 1;
}
