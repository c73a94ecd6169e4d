/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Queues of packets, with their length as a signal.
 */
#include "model/box/packet_queue.h"

#include <stddef.h>

void packet_queue_init(struct packet_queue *queue, struct sigbank *bank,
		       unsigned signal, unsigned room)
{
	queue->bank = bank;
	queue->signal = signal;
	queue->room = room;
}

bool packet_queue_is_full(const struct packet_queue *queue)
{
	return queue->count >= queue->room;
}

void packet_queue_push(struct packet_queue *queue, const struct packet *packet)
{
	unsigned last = (queue->first + queue->count) % PACKET_QUEUE_ROOM;

	queue->packets[last] = *packet;
	queue->count++;
	sig_add(queue->bank, queue->signal, 1);
}

const struct packet *packet_queue_head(const struct packet_queue *queue)
{
	return queue->count ? &queue->packets[queue->first] : NULL;
}

void packet_queue_pop(struct packet_queue *queue)
{
	queue->count--;
	/* an empty queue begins anew, where the host's cache has it */
	queue->first =
		queue->count ? (queue->first + 1) % PACKET_QUEUE_ROOM : 0;
	sig_add(queue->bank, queue->signal, -1);
}
