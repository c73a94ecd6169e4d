/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Queues whose length the PMU can see, and how long they really are: counted in
 * the tables of the boxes, entry by entry, not by what the boxes publish. The
 * two agree in every cycle, or Little's law would not hold.
 */
#ifndef UNCORE_QUEUES_H
#define UNCORE_QUEUES_H

#include <stddef.h>
#include <stdint.h>

struct socket;
struct sigbank;

enum queue_box { QUEUE_CBOX, QUEUE_SBOX, QUEUE_BBOX, QUEUE_MBOX, QUEUE_RBOX };

struct queue {
	const char *name;
	const char *occupancy; /* the event that adds up its length */
	const char *entries;   /* the one that counts entries, or NULL */
	enum queue_box box;
	uint16_t signals[5]; /* the sum of these is the length; 0: no more */
	unsigned (*length)(const struct socket *socket, unsigned instance);
};

/* Queue number index, or NULL past the last one. */
const struct queue *queue_at(size_t index);

/* Boxes of a socket that have the queue (for an R-Box its ports). */
unsigned queue_instances(const struct queue *queue,
			 const struct socket *socket);

/* What the box publishes. */
int64_t queue_level(const struct queue *queue, const struct socket *socket,
		    unsigned instance);

#endif
