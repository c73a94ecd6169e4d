/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * A queue of packets inside a box, whose length the PMU can see.
 */
#ifndef UNCORE_PACKET_QUEUE_H
#define UNCORE_PACKET_QUEUE_H

#include <stdbool.h>
#include <stdint.h>

#include "model/box/packet.h"

enum { PACKET_QUEUE_ROOM = 128 };

struct queued_packet {
	struct packet packet;
	uint64_t ready; /* cycle in which it is through the box */
	bool is_direct;	   /* came over a link of its own */
	bool is_half_line; /* its first half goes on before the second */
};

/* A first-in first-out queue of packets whose length is a signal, and whether
 * it is full another. */
struct packet_queue {
	struct sigbank *bank;
	unsigned signal, full_signal;
	unsigned room; /* beyond this senders have to wait */
	unsigned first, count;
	bool is_bypassed; /* the head found it empty and goes past it */
	struct queued_packet packets[PACKET_QUEUE_ROOM];
};

/* An empty queue that shows its length and being full on signals. */
void packet_queue_init(struct packet_queue *queue, struct sigbank *bank,
		       unsigned signal, unsigned full_signal, unsigned room);

/* Has as many packets as its room says; one more can still be pushed. */
bool packet_queue_is_full(const struct packet_queue *queue);

/* The packet may leave in the cycle `ready`. */
struct queued_packet *packet_queue_push(struct packet_queue *queue,
					const struct packet *packet,
					uint64_t ready);

/* The first packet; it stays where it is until the next push. The queue must
 * not be empty. */
static inline struct queued_packet *
packet_queue_first(struct packet_queue *queue)
{
	return &queue->packets[queue->first];
}

void packet_queue_pop(struct packet_queue *queue);

#endif
