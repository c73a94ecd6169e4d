/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Queues of packets, with their length as a signal.
 */
#include "model/box/packet_queue.h"

#include <stddef.h>

void packet_queue_init(struct packet_queue *queue, struct sigbank *bank,
		       unsigned signal, unsigned full_signal, unsigned room)
{
	queue->bank = bank;
	queue->signal = signal;
	queue->full_signal = full_signal;
	queue->room = room;
}

bool packet_queue_is_full(const struct packet_queue *queue)
{
	return queue->count >= queue->room;
}

struct queued_packet *packet_queue_push(struct packet_queue *queue,
					const struct packet *packet,
					uint64_t ready)
{
	unsigned last = (queue->first + queue->count) % PACKET_QUEUE_ROOM;
	struct queued_packet *queued = &queue->packets[last];

	queued->packet = *packet;
	queued->ready = ready;
	queued->is_direct = false;
	queued->is_half_line = false;
	sig_add(queue->bank, queue->signal, 1);
	if (++queue->count == queue->room)
		sig_set(queue->bank, queue->full_signal, 1);
	return queued;
}

void packet_queue_pop(struct packet_queue *queue)
{
	if (queue->count-- == queue->room)
		sig_set(queue->bank, queue->full_signal, 0);
	queue->is_bypassed = false;
	/* an empty queue begins anew, where the host's cache has it */
	queue->first =
		queue->count ? (queue->first + 1) % PACKET_QUEUE_ROOM : 0;
	sig_add(queue->bank, queue->signal, -1);
}
