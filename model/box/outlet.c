/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Packets on their way into the R-Box.
 */
#include "model/box/outlet.h"

#include <string.h>

#include "model/sim/bug.h"

void outlet_init(struct outlet *outlet, struct sim *sim, struct rbox *rbox,
		 enum rbox_port port)
{
	memset(outlet, 0, sizeof(*outlet));
	outlet->sim = sim;
	outlet->rbox = rbox;
	outlet->port = port;
}

static void pump(void *object, uint64_t unused);

static void start(struct outlet *outlet)
{
	uint64_t time = sim_now(outlet->sim) + 1;

	if (outlet->is_pumping || outlet->waits_for_credit)
		return;
	outlet->is_pumping = true;
	sim_at(outlet->sim, time > outlet->free_at ? time : outlet->free_at,
	       pump, outlet, 0);
}

static bool try_class(struct outlet *outlet, unsigned cls)
{
	struct outlet_queue *queue = &outlet->queues[cls];
	struct packet packet = queue->packets[queue->first];

	if (!rbox_send(outlet->rbox, outlet->port, &packet))
		return false;
	queue->first = (queue->first + 1) % OUTLET_ROOM;
	queue->count--;
	outlet->count--;
	outlet->free_at = sim_now(outlet->sim) + packet.flits;
	if (outlet->sent)
		outlet->sent(outlet->object, &packet);
	return true;
}

static void pump(void *object, uint64_t unused)
{
	struct outlet *outlet = object;

	(void)unused;
	outlet->is_pumping = false;
	for (unsigned i = 0; i < PACKET_NUM_CLASSES; i++) {
		unsigned cls = (outlet->next + i) % PACKET_NUM_CLASSES;

		if (!outlet->queues[cls].count || !try_class(outlet, cls))
			continue;
		outlet->next = (cls + 1) % PACKET_NUM_CLASSES;
		if (outlet->count)
			start(outlet);
		return;
	}
	outlet->waits_for_credit = outlet->count;
}

void outlet_send(struct outlet *outlet, const struct packet *packet)
{
	struct outlet_queue *queue = &outlet->queues[packet->cls];

	if (queue->count == OUTLET_ROOM)
		BUG("more under way than there can be");
	queue->packets[(queue->first + queue->count++) % OUTLET_ROOM] = *packet;
	outlet->count++;
	/* a class that has credits need not wait for one that has none */
	if (queue->count == 1)
		outlet->waits_for_credit = false;
	start(outlet);
}

void outlet_credit(struct outlet *outlet)
{
	outlet->waits_for_credit = false;
	if (outlet->count)
		start(outlet);
}
