/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Station: a queue of the S-Box, or a buffer that its credits are for. It has
 * so many places; who enters stays in one from a cycle until another. Unlike
 * struct places it knows since when, so that one can ask whether it is empty in
 * a cycle, and shows when it is full. As transactions do not come in order, a
 * stay may be noted that ends before another one that is known begins.
 *
 * Invariants
 * 1. A stay is noted when its end is known; between queue_from() and
 *    queue_stay() nobody else is.
 * 2. Stays that end by `now` may be forgotten at any time. `last` is the end of
 *    the last one: when that is past, all are.
 * 3. There are some notes more than places, so that nearly always only what is
 *    past is forgotten; else what ends first.
 */
#ifndef UNCORE_AGENT_QUEUE_H
#define UNCORE_AGENT_QUEUE_H

#include <stdbool.h>
#include <stdint.h>

#include "model/pmu/signal.h"

struct stay {
	uint64_t from, until;
};

struct agent_queue {
	struct stay *stays; /* the notes */
	uint64_t last;
	/* When the last one came, and when the next may leave: nobody
	 * overtakes. */
	uint64_t last_at, next_from;
	uint16_t room, size, used; /* places; notes */
	uint16_t full_signal;
	uint16_t number; /* the owner's */
};

/* Slow paths. */
SIG_SLOW uint64_t queues_wait(struct agent_queue *queues, unsigned num_queues,
			      unsigned room, uint64_t now, uint64_t from,
			      unsigned num);
SIG_SLOW void queue_make_room(struct agent_queue *queue, uint64_t now);
SIG_SLOW bool queue_has_nobody(struct agent_queue *queue, uint64_t now,
			       uint64_t at);
SIG_SLOW void queues_show_full(struct agent_queue *queues, unsigned num_queues,
			       unsigned room, struct sigbank *bank,
			       unsigned signal, uint64_t now, uint64_t from,
			       uint64_t until);

/* The first cycle from `from` on in which `num` places are free, and stay so
 * for all who have entered by now. */
static inline uint64_t queue_from(struct agent_queue *queue, uint64_t now,
				  uint64_t from, unsigned num)
{
	if (queue->used + num <= queue->room || queue->last <= from)
		return from;
	return queues_wait(queue, 1, queue->room, now, from, num);
}

/* The same where two or three neighbouring queues together have less room than
 * each for itself. */
static inline uint64_t queues_from(struct agent_queue *queues,
				   unsigned num_queues, unsigned room,
				   uint64_t now, uint64_t from, unsigned num)
{
	unsigned used = num;

	for (unsigned i = 0; i < num_queues; i++)
		used += queues[i].used;
	return used <= room
		       ? from
		       : queues_wait(queues, num_queues, room, now, from, num);
}

/* Nobody stays in a cycle. */
static inline bool queue_is_empty(struct agent_queue *queue, uint64_t now,
				  uint64_t at)
{
	return queue->last <= at || queue_has_nobody(queue, now, at);
}

/* A stay is known. */
static inline void queue_stay(struct agent_queue *queue, uint64_t now,
			      uint64_t from, uint64_t until)
{
	if (queue->last <= now)
		queue->used = 0;
	else if (queue->used == queue->size)
		queue_make_room(queue, now);
	queue->stays[queue->used++] = (struct stay){ from, until };
	if (until > queue->last)
		queue->last = until;
}

/* The same, and where the queue is full that is shown. */
static inline void queue_show_stay(struct agent_queue *queue,
				   struct sigbank *bank, uint64_t now,
				   uint64_t from, uint64_t until)
{
	queue_stay(queue, now, from, until);
	if (queue->used >= queue->room)
		queues_show_full(queue, 1, queue->room, bank,
				 queue->full_signal, now, from, until);
}

/* Who comes in the cycle `at` and may leave from `ready` on does not overtake
 * those who came before: when he may leave. */
static inline uint64_t queue_in_order(const struct agent_queue *queue,
				      uint64_t at, uint64_t ready)
{
	return at >= queue->last_at && ready < queue->next_from
		       ? queue->next_from
		       : ready;
}

static inline void queue_note_order(struct agent_queue *queue, uint64_t at,
				    uint64_t next_from)
{
	if (at < queue->last_at)
		return;
	queue->last_at = at;
	queue->next_from = next_from;
}

#endif
