/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Station: a queue of the S-Box, or a pool of credits. It has so many places;
 * who enters stays in one from a cycle until another. Unlike struct places it
 * knows since when, so that one can ask whether it is empty in a cycle, and it
 * shows its length and when it is full. As journeys do not come in order, a
 * stay may be noted that ends before another one that is known begins.
 *
 * Invariants
 * 1. A stay takes the note of one that ends before it begins: so there are
 *    never more in a queue than it has notes. What was noted is forgotten.
 * 2. A small queue has more notes than places and forgets what is past only (as
 *    long as it can), for it is often full, and that is to be seen. Then those
 *    who stay on are counted before somebody enters.
 * 3. Notes from `used` on are of stays that are past.
 * 4. Between queue_enter() and queue_hold() a stay does not end.
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
	uint64_t last;	    /* the end of the last stay that is known */
	/* When the last one came, and when the next may leave: nobody
	 * overtakes. */
	uint64_t last_at, next_from;
	uint16_t room, size, used; /* places; notes */
	uint16_t signal, full_signal;
};

/* Slow paths. */
unsigned queue_enter_slowly(struct agent_queue *queue, unsigned used,
			    uint64_t *from);
uint64_t queue_wait(const struct agent_queue *queue, uint64_t from,
		    unsigned num);
unsigned queue_count(const struct agent_queue *queue, uint64_t at);
uint64_t queues_wait(const struct agent_queue *queues, unsigned num_queues,
		     unsigned room, uint64_t from, unsigned num);
void queues_show_full(const struct agent_queue *queues, unsigned num_queues,
		      unsigned room, struct sigbank *bank, unsigned signal,
		      const struct stay *last);

/* The first cycle from `from` on in which `num` places are free (and stay so
 * for all who have entered by now); UINT64_MAX if that is not known, because
 * of stays that do not end yet. */
static inline uint64_t queue_from(const struct agent_queue *queue,
				  uint64_t from, unsigned num)
{
	return queue->used + num <= queue->room
		       ? from
		       : queue_wait(queue, from, num);
}

/* The same where two or three neighbouring queues together have less room than
 * each for itself. */
static inline uint64_t queues_from(const struct agent_queue *queues,
				   unsigned num_queues, unsigned room,
				   uint64_t from, unsigned num)
{
	unsigned used = num;

	for (unsigned i = 0; i < num_queues; i++)
		used += queues[i].used;
	return used <= room ? from
			    : queues_wait(queues, num_queues, room, from, num);
}

/* Nobody stays in a cycle. */
static inline bool queue_is_empty(const struct agent_queue *queue, uint64_t at)
{
	return queue->last <= at || !queue_count(queue, at);
}

/* Takes a place; *from becomes the cycle in which there is one. Returns the
 * note. */
static inline unsigned queue_enter(struct agent_queue *queue, uint64_t now,
				   uint64_t *from)
{
	struct stay *stays = queue->stays;
	unsigned used = queue->used, place = 0;
	bool is_small = queue->size > queue->room;
	uint64_t past = is_small ? now : *from;

	while (used && stays[used - 1].until <= now)
		used--;
	while (place < used && stays[place].until > past)
		place++;
	if (used >= queue->room && (is_small || place == used))
		place = queue_enter_slowly(queue, used, from);
	queue->used = (uint16_t)(place < used ? used : place + 1);
	stays[place].from = *from;
	stays[place].until = UINT64_MAX;
	return place;
}

/* The stay in a place ends. */
static inline void queue_hold(struct agent_queue *queue, unsigned place,
			      uint64_t until)
{
	queue->stays[place].until = until;
	if (until > queue->last)
		queue->last = until;
}

/* The same, and it is shown. */
static inline void queue_leave(struct agent_queue *queue, struct sigbank *bank,
			       unsigned place, uint64_t until)
{
	queue_hold(queue, place, until);
	sig_span(bank, queue->signal, queue->stays[place].from, until, 1);
	if (queue->used >= queue->room)
		queues_show_full(queue, 1, queue->room, bank,
				 queue->full_signal, &queue->stays[place]);
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
