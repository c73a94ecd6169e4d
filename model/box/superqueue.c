/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * See superqueue.h.
 */
#include "model/box/superqueue.h"

static uint64_t now(const struct superqueue *queue)
{
	return queue->cycles + queue->stood;
}

static inline struct superqueue_entry *entry_at(struct superqueue *queue,
						uint32_t at)
{
	return &queue->entries[at % SUPERQUEUE_MAX];
}

/* Those that have ended are in use no more. */
static inline void retire(struct superqueue *queue)
{
	while (queue->first != queue->end) {
		const struct superqueue_entry *entry =
			entry_at(queue, queue->first);

		if (entry->ends > now(queue))
			return;
		queue->num_buffers -= entry->has_buffer;
		queue->first++;
	}
}

static void stand_until(struct superqueue *queue, uint64_t time)
{
	if (time > now(queue))
		queue->stood = time - queue->cycles;
	retire(queue);
}

/* Until there is a fill buffer. */
static void stand_for_buffer(struct superqueue *queue)
{
	while (queue->num_buffers >= queue->buffers) {
		uint32_t at = queue->first;

		while (!entry_at(queue, at)->has_buffer)
			at++;
		stand_until(queue, entry_at(queue, at)->ends);
	}
}

static uint32_t in_use(const struct superqueue *queue)
{
	return queue->end - queue->first;
}

/* All take as long: what comes last ends last. */
static struct superqueue_entry *take(struct superqueue *queue, uint64_t line)
{
	struct superqueue_entry *entry = entry_at(queue, queue->end++);

	if (queue->all_end < now(queue) + queue->latency)
		queue->all_end = now(queue) + queue->latency;
	*entry = (struct superqueue_entry){
		.line = line,
		.ends = queue->all_end,
	};
	return entry;
}

static void has_buffer(struct superqueue *queue, struct superqueue_entry *entry,
		       bool is_load)
{
	queue->num_buffers += !entry->has_buffer;
	entry->has_buffer = true;
	entry->is_load = is_load;
	entry->instruction = queue->instructions;
	if (queue->is_chained)
		queue->chain_ends = entry->ends;
}

/* Stands for loads that the window has no room for, the last to end first. */
static void stand_for_window(struct superqueue *queue)
{
	uint64_t oldest = queue->instructions;
	uint32_t at = queue->end;

	while (at != queue->first) {
		const struct superqueue_entry *entry = entry_at(queue, --at);

		if (!entry->is_load)
			continue;
		if (queue->instructions - entry->instruction > queue->window) {
			stand_until(queue, entry->ends);
			break;
		}
		if (entry->instruction < oldest)
			oldest = entry->instruction;
	}
	queue->oldest = oldest;
}

void superqueue_begin(struct superqueue *queue)
{
	if (queue->is_chained)
		stand_until(queue, queue->chain_ends);
	retire(queue);
	if (in_use(queue) &&
	    queue->instructions - queue->oldest > queue->window)
		stand_for_window(queue);
}

void superqueue_demand(struct superqueue *queue, uint64_t line, bool is_load)
{
	if (!queue->size)
		return;
	stand_for_buffer(queue);
	if (in_use(queue) >= queue->size)
		stand_until(queue, entry_at(queue, queue->first)->ends);
	has_buffer(queue, take(queue, line), is_load);
}

void superqueue_use(struct superqueue *queue, uint64_t line)
{
	uint32_t at;

	for (at = queue->first; at != queue->end; at++) {
		struct superqueue_entry *entry = entry_at(queue, at);

		if (entry->line != line || entry->ends <= now(queue))
			continue;
		stand_for_buffer(queue);
		if (entry->ends > now(queue))
			has_buffer(queue, entry, true);
		else if (queue->is_chained)
			queue->chain_ends = entry->ends;
	}
}

bool superqueue_prefetch(struct superqueue *queue, uint64_t line)
{
	if (!queue->size)
		return true;
	if (in_use(queue) >= queue->limit || in_use(queue) >= queue->size)
		return false;
	take(queue, line);
	return true;
}
