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

static void stand_until(struct superqueue *queue, uint64_t time)
{
	if (time > now(queue))
		queue->stood = time - queue->cycles;
}

/* The entries in use, or those of them with a fill buffer, and when the first
 * of these ends. */
static unsigned in_use(const struct superqueue *queue, bool with_buffer,
		       uint64_t *first_end)
{
	unsigned num = 0;

	*first_end = UINT64_MAX;
	if (queue->all_end <= now(queue))
		return 0;
	for (unsigned i = 0; i < queue->size; i++) {
		const struct superqueue_entry *entry = &queue->entries[i];

		if (entry->ends <= now(queue) ||
		    (with_buffer && !entry->has_buffer))
			continue;
		num++;
		if (entry->ends < *first_end)
			*first_end = entry->ends;
	}
	return num;
}

static struct superqueue_entry *take(struct superqueue *queue, uint64_t line)
{
	unsigned at = 0;

	while (queue->entries[at].ends > now(queue))
		at++;
	queue->all_end = now(queue) + queue->latency;
	queue->entries[at] = (struct superqueue_entry){
		.line = line,
		.ends = queue->all_end,
	};
	return &queue->entries[at];
}

static void has_buffer(struct superqueue *queue, struct superqueue_entry *entry,
		       bool is_load)
{
	entry->has_buffer = true;
	entry->is_load = is_load;
	entry->instruction = queue->instructions;
	if (queue->is_chained)
		queue->chain_ends = entry->ends;
}

void superqueue_begin(struct superqueue *queue)
{
	if (queue->is_chained)
		stand_until(queue, queue->chain_ends);
	if (queue->all_end <= now(queue))
		return;
	for (unsigned i = 0; i < queue->size; i++) {
		const struct superqueue_entry *entry = &queue->entries[i];

		if (entry->is_load &&
		    queue->instructions - entry->instruction > queue->window)
			stand_until(queue, entry->ends);
	}
}

void superqueue_demand(struct superqueue *queue, uint64_t line, bool is_load)
{
	uint64_t end;

	if (!queue->size)
		return;
	while (in_use(queue, true, &end) >= queue->buffers ||
	       in_use(queue, false, &end) >= queue->size)
		stand_until(queue, end);
	has_buffer(queue, take(queue, line), is_load);
}

void superqueue_use(struct superqueue *queue, uint64_t line)
{
	for (unsigned i = 0; i < queue->size; i++) {
		struct superqueue_entry *entry = &queue->entries[i];

		uint64_t end;

		if (entry->line != line || entry->ends <= now(queue))
			continue;
		while (in_use(queue, true, &end) >= queue->buffers)
			stand_until(queue, end);
		has_buffer(queue, entry, true);
	}
}

bool superqueue_prefetch(struct superqueue *queue, uint64_t line)
{
	uint64_t end;

	if (!queue->size)
		return true;
	if (in_use(queue, false, &end) >= queue->limit ||
	    in_use(queue, false, &end) >= queue->size)
		return false;
	take(queue, line);
	return true;
}
