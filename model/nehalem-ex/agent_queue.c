/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 */
#include "model/nehalem-ex/agent_queue.h"

#include "model/sim/bug.h"

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

uint64_t queues_wait(const struct agent_queue *queues, unsigned num_queues,
		     unsigned room, uint64_t from, unsigned num)
{
	for (;;) {
		uint64_t next = UINT64_MAX;
		unsigned taken = num;

		for (unsigned i = 0; i < num_queues; i++)
			taken += count(&queues[i], from, &next);
		if (taken <= room || from == UINT64_MAX)
			return from;
		from = next;
	}
}

uint64_t queue_wait(const struct agent_queue *queue, uint64_t from,
		    unsigned num)
{
	return queues_wait(queue, 1, queue->room, from, num);
}

/* Its places are taken, or may be: all notes are of stays to come. The one that
 * ends first makes way, if there is no other note. */
unsigned queue_enter_slowly(struct agent_queue *queue, unsigned used,
			    uint64_t *from)
{
	unsigned first = 0;

	*from = queue_wait(queue, *from, 1);
	if (*from == UINT64_MAX)
		BUG("a journey waits for a place that it holds itself");
	if (used < queue->size)
		return used;
	for (unsigned i = 1; i < queue->size; i++)
		if (queue->stays[i].until < queue->stays[first].until)
			first = i;
	return first;
}

unsigned queue_count(const struct agent_queue *queue, uint64_t at)
{
	unsigned num = 0;

	for (unsigned i = 0; i < queue->used; i++)
		num += queue->stays[i].from <= at && queue->stays[i].until > at;
	return num;
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
void queues_show_full(const struct agent_queue *queues, unsigned num_queues,
		      unsigned room, struct sigbank *bank, unsigned signal,
		      const struct stay *last)
{
	for (uint64_t at = last->from; at < last->until;) {
		uint64_t next = last->until;

		if (count_at(queues, num_queues, at, &next) >= room)
			sig_span(bank, signal, at, next, 1);
		at = next;
	}
}
