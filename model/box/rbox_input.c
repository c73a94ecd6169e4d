/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Input ports: the buffer of a port with a queue per class, the wire from a box
 * and the receiving end of a link. Who sends has a credit for the buffer, so
 * there always is an entry for what arrives (Table 2-38: 96 flits of VNA shared
 * by the classes, and one packet of each class on VN0).
 *
 * The arbiter sees the first packets of each class, the entry table; the others
 * wait in the overflow table until there is room (2.6.1.1).
 */
#include <assert.h>

#include "model/box/rbox_parts.h"

unsigned rbox_vna_free(const struct rbox *rbox, enum rbox_port port)
{
	return rbox->inputs[port].lane.vna_free;
}

bool rbox_vn0_free(const struct rbox *rbox, enum rbox_port port,
		   enum packet_class cls)
{
	return rbox->inputs[port].lane.vn0_free >> cls & 1;
}

bool rbox_can_send(const struct rbox *rbox, enum rbox_port port,
		   enum packet_class cls, unsigned flits)
{
	return qpi_has_credit(&rbox->inputs[port].lane, cls, flits);
}

bool rbox_send(struct rbox *rbox, enum rbox_port port,
	       const struct packet *packet)
{
	struct rbox_input *input = &rbox->inputs[port];
	uint64_t now = sim_now(rbox->sim);
	struct qpi_parcel *parcel;

	assert(packet->cls < PACKET_NUM_CLASSES && packet->flits &&
	       packet->flits <= RBOX_MAX_FLITS);
	if (!qpi_has_credit(&input->lane, packet->cls, packet->flits))
		return false;
	if (input->wire_free < now)
		input->wire_free = now;
	parcel = qpi_send(&input->lane);
	parcel->entry_time =
		input->wire_free + rbox->config.pipeline_cycles - 1;
	parcel->packet = *packet;
	qpi_spend_credit(&input->lane, &parcel->packet);
	qpi_exchange_parcels(&input->lane);
	input->wire_free += packet->flits;
	sim_first(rbox->sim, parcel->entry_time, port, rbox_enter, rbox, port);
	return true;
}

static uint8_t route(const struct rbox *rbox, const struct packet *packet)
{
	static const uint8_t sbox_ports[] = { RBOX_PORT_SBOX0,
					      RBOX_PORT_SBOX1 };
	static const uint8_t bbox_ports[] = { RBOX_PORT_BBOX0,
					      RBOX_PORT_BBOX1 };
	unsigned socket = NODE_SOCKET(packet->dest);
	unsigned side = NODE_SIDE(packet->dest);

	if (socket != rbox->socket)
		return rbox->routes[socket];
	return NODE_IS_BBOX(packet->dest) ? bbox_ports[side] : sbox_ports[side];
}

/* Puts a packet at the end of its class; the port that it will leave by. */
static uint8_t append(struct rbox *rbox, struct rbox_input *input,
		      const struct packet *packet)
{
	struct rbox_queue *queue = &input->queues[packet->cls];
	uint8_t index = input->free_entries;
	struct rbox_entry *entry = &input->entries[index];

	input->free_entries = entry->next;
	entry->packet = *packet;
	entry->entered = sim_now(rbox->sim);
	entry->out = route(rbox, packet);
	entry->next = RBOX_NO_ENTRY;
	if (queue->count++)
		input->entries[queue->last].next = index;
	else
		queue->first = index;
	queue->last = index;
	return entry->out;
}

void rbox_enter(void *object, uint64_t port)
{
	struct rbox *rbox = object;
	struct rbox_input *input = &rbox->inputs[port];
	struct packet *packet = &qpi_take(&input->lane)->packet;
	struct rbox_queue *queue = &input->queues[packet->cls];
	uint64_t now = sim_now(rbox->sim);
	uint8_t out = append(rbox, input, packet);

	rbox_publish_entry(rbox, (unsigned)port, packet);
	if (queue->count > rbox->config.entry_table) {
		rbox_publish_overflow(rbox, (unsigned)port, packet->cls, 1);
		return;
	}
	rbox_publish_table(rbox, (unsigned)port, packet->cls);
	if (queue->count == 1) {
		queue->since = now;
		input->classes |= (uint8_t)(1u << packet->cls);
		rbox->waiting |= (uint8_t)(1u << port);
		/* It bids in this cycle, the decision is the next one's. */
		rbox_publish_bids(
			rbox, (unsigned)port, packet->cls,
			RBOX_BID_QUEUE | RBOX_BID_LOCAL |
				(input->read_free > now ? RBOX_BID_FAIL : 0));
	} else if (input->entries[queue->first].out == out) {
		return; /* it cannot overtake, and the first has bid */
	}
	rbox_look_at(rbox, 1u << port,
		     now + 1 > rbox->outputs[out].free
			     ? now + 1
			     : rbox->outputs[out].free);
}

/* Gives back the credit: its flits leave at the rate at which others come. */
static void release(struct rbox *rbox, unsigned port,
		    const struct packet *packet)
{
	struct rbox_input *input = &rbox->inputs[port];
	const struct rbox_client *client = &rbox->outputs[port].client;

	if (input->is_connected) {
		qpi_return_credit(&input->lane, packet,
				  sim_now(rbox->sim) +
					  rbox_window_cycles(&rbox->config));
		rbox_end_window(rbox);
		return;
	}
	qpi_restore_credit(&input->lane, packet);
	if (client->credit)
		client->credit(client->object, packet->cls, packet->vn,
			       packet->flits);
}

/* Takes the entry at `index`, which follows `before`, out of its queue. */
struct packet rbox_remove(struct rbox *rbox, unsigned port, unsigned cls,
			  uint8_t before, uint8_t index)
{
	struct rbox_input *input = &rbox->inputs[port];
	struct rbox_queue *queue = &input->queues[cls];
	struct rbox_entry *entry = &input->entries[index];
	struct packet packet = entry->packet;

	if (before == RBOX_NO_ENTRY)
		queue->first = entry->next;
	else
		input->entries[before].next = entry->next;
	if (queue->last == index)
		queue->last = before;
	entry->next = input->free_entries;
	input->free_entries = index;
	queue->since = sim_now(rbox->sim);
	if (queue->count-- > rbox->config.entry_table) {
		rbox_publish_overflow(rbox, port, cls, -1);
		rbox_publish_table(rbox, port, cls);
	}
	if (!queue->count) {
		input->classes &= (uint8_t) ~(1u << cls);
		if (!input->classes)
			rbox->waiting &= (uint8_t) ~(1u << port);
	}
	release(rbox, port, &packet);
	return packet;
}

void rbox_exchange(struct rbox *rbox)
{
	for (unsigned port = 0; port < RBOX_NUM_PORTS; port++) {
		struct qpi_lane *in = &rbox->inputs[port].lane;
		struct rbox_output *output = &rbox->outputs[port];
		uint32_t i = in->visible_parcels;

		if (!rbox->inputs[port].is_connected)
			continue;
		for (; i != in->sent; i++)
			sim_first(rbox->sim,
				  in->parcels[i & in->mask].entry_time, port,
				  rbox_enter, rbox, port);
		qpi_exchange_parcels(in);
		rbox_check_link(rbox, port);
		if (!qpi_exchange_credits(output->lane))
			continue;
		rbox_look_at(rbox, output->waiters,
			     qpi_next_credit_time(output->lane));
		output->waiters = 0;
	}
}
