/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 */
#include "model/nehalem-ex/agent_queue.h"

enum { FEW = 8 }; /* notes that are quickly gone through */

/* Forgets what is past. */
static void tidy(struct agent_queue *queue, uint64_t now)
{
	unsigned left = 0;

	for (unsigned i = 0; i < queue->used; i++)
		if (queue->stays[i].until > now)
			queue->stays[left++] = queue->stays[i];
	queue->used = (uint16_t)left;
}

void queue_make_room(struct agent_queue *queue, uint64_t now)
{
	unsigned first = 0;

	tidy(queue, now);
	if (queue->used < queue->size)
		return;
	for (unsigned i = 1; i < queue->size; i++)
		if (queue->stays[i].until < queue->stays[first].until)
			first = i;
	queue->stays[first] = queue->stays[--queue->used];
}

/* Counts those who stay in a cycle or after it; *next becomes the first cycle
 * in which one less does, if that is before it. */
static unsigned count(const struct agent_queue *queue, uint64_t at,
		      uint64_t *next)
{
	unsigned num = 0;

	for (unsigned i = 0; i < queue->used; i++) {
		uint64_t until = queue->stays[i].until;

		num += until > at;
		if (until > at && until < *next)
			*next = until;
	}
	return num;
}

uint64_t queues_wait(struct agent_queue *queues, unsigned num_queues,
		     unsigned room, uint64_t now, uint64_t from, unsigned num)
{
	for (unsigned i = 0; i < num_queues; i++)
		tidy(&queues[i], now);
	for (;;) {
		uint64_t next = UINT64_MAX;
		unsigned taken = num;

		for (unsigned i = 0; i < num_queues; i++)
			taken += count(&queues[i], from, &next);
		if (taken <= room || next == UINT64_MAX)
			return from;
		from = next;
	}
}

bool queue_has_nobody(struct agent_queue *queue, uint64_t now, uint64_t at)
{
	if (queue->used > FEW)
		tidy(queue, now);
	for (unsigned i = 0; i < queue->used; i++)
		if (queue->stays[i].from <= at && queue->stays[i].until > at)
			return false;
	return true;
}

static unsigned count_at(const struct agent_queue *queues, unsigned num_queues,
			 uint64_t at, uint64_t *next)
{
	unsigned num = 0;

	for (unsigned q = 0; q < num_queues; q++)
		for (unsigned i = 0; i < queues[q].used; i++) {
			const struct stay *stay = &queues[q].stays[i];

			num += stay->from <= at && at < stay->until;
			if (stay->from > at && stay->from < *next)
				*next = stay->from;
			if (stay->until > at && stay->until < *next)
				*next = stay->until;
		}
	return num;
}

/* Queues (together) are full where as many as there is room for stay, the last
 * one among them. Called for each stay, so each such time is shown once: when
 * the last of its stays is known. */
void queues_show_full(struct agent_queue *queues, unsigned num_queues,
		      unsigned room, struct sigbank *bank, unsigned signal,
		      uint64_t now, uint64_t from, uint64_t until)
{
	unsigned used = 0;

	for (unsigned i = 0; i < num_queues; i++) {
		tidy(&queues[i], now);
		used += queues[i].used;
	}
	while (used >= room && from < until) {
		uint64_t next = until;

		if (count_at(queues, num_queues, from, &next) >= room)
			sig_span(bank, signal, from, next, 1);
		from = next;
	}
}
