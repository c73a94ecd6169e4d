/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * A queue of packets inside a box, whose length the PMU can see.
 */
#ifndef UNCORE_PACKET_QUEUE_H
#define UNCORE_PACKET_QUEUE_H

#include <stdbool.h>

#include "model/box/packet.h"

enum { PACKET_QUEUE_ROOM = 128 };

/* A first-in first-out queue of packets whose length is a signal. */
struct packet_queue {
	struct sigbank *bank;
	unsigned signal;
	unsigned room; /* beyond this senders have to wait */
	unsigned first, count;
	struct packet packets[PACKET_QUEUE_ROOM];
};

/* An empty queue that shows its length on a signal of the bank. */
void packet_queue_init(struct packet_queue *queue, struct sigbank *bank,
		       unsigned signal, unsigned room);

/* Has as many packets as its room says; one more can still be pushed. */
bool packet_queue_is_full(const struct packet_queue *queue);
void packet_queue_push(struct packet_queue *queue, const struct packet *packet);

/* The first packet, or NULL; it stays where it is until the next push. */
const struct packet *packet_queue_head(const struct packet_queue *queue);
void packet_queue_pop(struct packet_queue *queue);

#endif
