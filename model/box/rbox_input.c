/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Input ports: the buffer of a port with a queue per class, the wire from a box
 * and the receiving end of a link. Who sends has a credit for the buffer, so
 * there always is an entry for what arrives (Table 2-38: 96 flits of VNA shared
 * by the classes, and one packet of each class on VN0 and on VN1).
 *
 * The arbiter sees the first packets of each class, the entry table; the others
 * wait in the overflow table until there is room (2.6.1.1).
 */
#include <assert.h>

#include "model/box/rbox_parts.h"
#include "signals.h"

unsigned rbox_vna_free(const struct rbox *rbox, enum rbox_port port)
{
	return rbox->inputs[port].lane.vna_free;
}

bool rbox_vn0_free(const struct rbox *rbox, enum rbox_port port,
		   enum packet_class cls)
{
	return rbox->inputs[port].lane.places_free & qpi_place(0, cls);
}

bool rbox_vn1_free(const struct rbox *rbox, enum rbox_port port,
		   enum packet_class cls)
{
	return rbox->inputs[port].lane.places_free & qpi_place(1, cls);
}

bool rbox_can_send(const struct rbox *rbox, enum rbox_port port,
		   enum packet_class cls, unsigned flits)
{
	return qpi_has_credit(&rbox->inputs[port].lane, 0, cls, flits);
}

/* When the last flit of a packet is there: over the wire of a box, which starts
 * with the next free cycle, or over the link of a hub. */
static uint64_t arrival(struct rbox *rbox, unsigned port, unsigned flits)
{
	struct rbox_input *input = &rbox->inputs[port];
	uint64_t now = sim_now(rbox->sim);

	if (input->hub)
		return rbox_transmit(rbox, port, rbox_hub_link(input->hub),
				     &input->lane, flits);
	if (input->wire_free < now)
		input->wire_free = now;
	input->wire_free += flits;
	return input->wire_free;
}

bool rbox_send(struct rbox *rbox, enum rbox_port port,
	       const struct packet *packet)
{
	struct rbox_input *input = &rbox->inputs[port];
	struct qpi_parcel *parcel;

	assert(packet->cls < PACKET_NUM_CLASSES && packet->flits &&
	       packet->flits <= RBOX_MAX_FLITS && packet->network < 2);
	if (!qpi_has_credit(&input->lane, packet->network, packet->cls,
			    packet->flits))
		return false;
	parcel = qpi_send(&input->lane);
	parcel->entry_time = arrival(rbox, port, packet->flits) -
			     packet->flits + rbox->config.pipeline_cycles - 1;
	parcel->network = packet->network;
	parcel->packet = *packet;
	qpi_spend_credit(&input->lane, packet->network, &parcel->packet);
	qpi_exchange_parcels(&input->lane);
	rbox_arrives(rbox, port, parcel->entry_time);
	return true;
}

static uint8_t route(const struct rbox *rbox, const struct packet *packet)
{
	static const uint8_t sbox_ports[] = { RBOX_PORT_SBOX0,
					      RBOX_PORT_SBOX1 };
	static const uint8_t bbox_ports[] = { RBOX_PORT_BBOX0,
					      RBOX_PORT_BBOX1 };
	unsigned socket = NODE_AT(packet->dest);
	unsigned side = NODE_SIDE(packet->dest);

	if (socket != rbox->socket)
		return rbox->routes[socket];
	if (NODE_IS_IOH(packet->dest))
		return RBOX_PORT_QPI3;
	return NODE_IS_BBOX(packet->dest) ? bbox_ports[side] : sbox_ports[side];
}

/* Puts a packet at the end of its class. From one link to the next it changes
 * over to VN1. */
static struct rbox_entry *append(struct rbox *rbox, struct rbox_input *input,
				 const struct qpi_parcel *parcel)
{
	struct rbox_queue *queue = &input->queues[parcel->packet.cls];
	uint8_t index = input->free_entries;
	struct rbox_entry *entry = &input->entries[index];
	bool came_by_link = input->is_connected || input->hub;

	input->free_entries = entry->next;
	entry->packet = parcel->packet;
	entry->entered = parcel->entry_time;
	entry->out = route(rbox, &parcel->packet);
	entry->next = RBOX_NO_ENTRY;
	entry->network = parcel->network;
	entry->next_network = came_by_link && rbox->outputs[entry->out].lane
				      ? 1
				      : parcel->network;
	entry->met_overflow = false;
	if (queue->count++)
		input->entries[queue->last].next = index;
	else
		queue->first = index;
	queue->last = index;
	return entry;
}

/* The first packet of its class bids in this cycle; the decision is the next
 * one's, or that of the cycle in which the crossbar is free, if a target will
 * be there by then: nobody can take it away before. */
static void begin_to_bid(struct rbox *rbox, unsigned port,
			 struct rbox_entry *entry)
{
	struct rbox_input *input = &rbox->inputs[port];
	unsigned cls = entry->packet.cls;
	uint64_t now = entry->entered, look = now + 1;
	unsigned bids = RBOX_BID_QUEUE | RBOX_BID_LOCAL;

	input->queues[cls].since = now;
	input->classes |= (uint8_t)(1u << cls);
	rbox->waiting |= (uint8_t)(1u << port);
	if (rbox->outputs[entry->out].free > look &&
	    rbox_target_time(rbox, port, entry, now) <= now)
		look = rbox->outputs[entry->out].free;
	if (look > now + 1 || input->read_free > now)
		bids |= RBOX_BID_FAIL;
	rbox_publish_bids(rbox, port, cls, bids);
	rbox_look_at(rbox, 1u << port, look);
}

static void enter(struct rbox *rbox, unsigned port)
{
	struct rbox_input *input = &rbox->inputs[port];
	struct rbox_entry *entry = append(rbox, input, qpi_take(&input->lane));
	const struct rbox_queue *queue = &input->queues[entry->packet.cls];
	const struct rbox_entry *first = &input->entries[queue->first];

	rbox_publish_entry(rbox, port, &entry->packet);
	if (queue->count > rbox->config.entry_table) {
		rbox_publish_overflow(rbox, port, entry, 1);
		return;
	}
	rbox_publish_table(rbox, port, entry);
	if (queue->count == 1)
		begin_to_bid(rbox, port, entry);
	else if (first->out != entry->out ||
		 first->next_network != entry->next_network)
		rbox_look_at(rbox, 1u << port, entry->entered + 1);
	/* else it cannot overtake, and the first has bid */
}

static void enter_now(void *object, uint64_t port)
{
	enter(object, (unsigned)port);
}

/* Packets come in at the entry times of their parcels, which rise. */
void rbox_arrives(struct rbox *rbox, unsigned port, uint64_t entry_time)
{
	if (rbox->is_watched) {
		sim_first(rbox->sim, entry_time, port, enter_now, rbox, port);
		return;
	}
	rbox->arriving |= (uint8_t)(1u << port);
	if (entry_time + 1 < rbox->take_in_time)
		rbox->take_in_time = entry_time + 1;
	rbox_arbitrate_at(rbox, entry_time + 1);
}

/* Has those enter that did so before the cycle `time`, and notes when there
 * will be the next one. */
void rbox_take_in(struct rbox *rbox, uint64_t time)
{
	uint64_t next = SIM_NEVER;

	for (unsigned ports = rbox->arriving; ports; ports &= ports - 1) {
		unsigned port = (unsigned)__builtin_ctz(ports);
		const struct qpi_lane *lane = &rbox->inputs[port].lane;
		uint64_t entry_time = 0;

		while (lane->taken != lane->visible_parcels) {
			entry_time = lane->parcels[lane->taken & lane->mask]
					     .entry_time;
			if (entry_time >= time)
				break;
			enter(rbox, port);
		}
		if (lane->taken == lane->visible_parcels)
			rbox->arriving &= (uint8_t) ~(1u << port);
		else if (entry_time + 1 < next)
			next = entry_time + 1;
	}
	rbox->take_in_time = next;
}

/* From now on packets enter by events. */
void rbox_watch_arrivals(struct rbox *rbox)
{
	rbox_take_in(rbox, sim_now(rbox->sim));
	for (unsigned ports = rbox->arriving; ports; ports &= ports - 1) {
		unsigned port = (unsigned)__builtin_ctz(ports);
		const struct qpi_lane *lane = &rbox->inputs[port].lane;

		for (uint32_t i = lane->taken; i != lane->visible_parcels; i++)
			sim_first(rbox->sim,
				  lane->parcels[i & lane->mask].entry_time,
				  port, enter_now, rbox, port);
	}
	rbox->arriving = 0;
	rbox->take_in_time = SIM_NEVER;
}

/* Credits of a link travel with a packet that is being sent, or by themselves
 * in an idle flit. */
static void release_to_neighbour(struct rbox *rbox, unsigned port,
				 const struct packet *packet)
{
	struct rbox_input *input = &rbox->inputs[port];
	uint64_t now = sim_now(rbox->sim);

	qpi_return_credit(&input->lane, packet,
			  now + rbox_window_cycles(&rbox->config),
			  qpi_is_idle(&rbox->outputs[port].link, now));
	rbox_end_window(rbox);
}

static void release_to_box(struct rbox *rbox, unsigned port,
			   const struct packet *packet)
{
	const struct rbox_client *client = &rbox->outputs[port].client;

	qpi_restore_credit(&rbox->inputs[port].lane, packet->cls, packet->vn,
			   packet->flits);
	if (client->credit)
		client->credit(client->object, packet->cls, packet->vn,
			       packet->flits);
}

/* Gives back the credit: its flits leave at the rate at which others come. */
static void release(struct rbox *rbox, unsigned port,
		    const struct packet *packet)
{
	struct rbox_input *input = &rbox->inputs[port];

	if (input->is_connected)
		release_to_neighbour(rbox, port, packet);
	else if (input->hub)
		rbox_hub_credit(input->hub, packet);
	else
		release_to_box(rbox, port, packet);
}

/* The youngest entry of the entry table has come out of the overflow table. */
static void publish_moved(struct rbox *rbox, unsigned port,
			  const struct rbox_queue *queue)
{
	const struct rbox_entry *entries = rbox->inputs[port].entries;
	const struct rbox_entry *moved = &entries[queue->first];

	for (unsigned i = 1; i < rbox->config.entry_table; i++)
		moved = &entries[moved->next];
	rbox_publish_overflow(rbox, port, moved, -1);
	rbox_publish_table(rbox, port, moved);
}

/* Takes the entry at `index`, which follows `before`, out of its queue. It may
 * be used until rbox_forget(). */
struct rbox_entry *rbox_take_out(struct rbox *rbox, unsigned port, unsigned cls,
				 uint8_t before, uint8_t index)
{
	struct rbox_input *input = &rbox->inputs[port];
	struct rbox_queue *queue = &input->queues[cls];
	struct rbox_entry *entry = &input->entries[index];

	if (before == RBOX_NO_ENTRY)
		queue->first = entry->next;
	else
		input->entries[before].next = entry->next;
	if (queue->last == index)
		queue->last = before;
	queue->since = sim_now(rbox->sim);
	if (queue->count-- > rbox->config.entry_table)
		publish_moved(rbox, port, queue);
	if (!queue->count) {
		input->classes &= (uint8_t) ~(1u << cls);
		if (!input->classes)
			rbox->waiting &= (uint8_t) ~(1u << port);
	}
	release(rbox, port, &entry->packet);
	return entry;
}

void rbox_forget(struct rbox *rbox, unsigned port, struct rbox_entry *entry)
{
	struct rbox_input *input = &rbox->inputs[port];

	entry->next = input->free_entries;
	input->free_entries = (uint8_t)(entry - input->entries);
}

/* Credits that the neighbour has sent in idle flits. */
static void see_idle_flits(struct rbox *rbox, unsigned port)
{
	const struct qpi_lane *lane = rbox->outputs[port].lane;
	unsigned signal = rbox_signal(SIG_RBOX_FLITS_RECV_SPEC, port);
	uint32_t i = lane->visible_credits;

	if (!sig_is_tapped(rbox->bank, signal))
		return;
	for (; i != lane->credits_given; i++) {
		const struct qpi_credit *credit =
			&lane->credits[i & lane->mask];

		if (credit->is_idle_flit)
			sig_later(rbox->bank, signal, credit->time, 1);
	}
}

void rbox_exchange(struct rbox *rbox)
{
	for (unsigned port = 0; port < RBOX_NUM_PORTS; port++) {
		struct qpi_lane *in = &rbox->inputs[port].lane;
		struct rbox_output *output = &rbox->outputs[port];
		uint32_t i = in->visible_parcels;

		if (rbox->is_watched)
			rbox_check_phase(rbox, port);
		if (!rbox->inputs[port].is_connected)
			continue;
		rbox_take_notices(rbox, port);
		for (; i != in->sent; i++)
			rbox_arrives(rbox, port,
				     in->parcels[i & in->mask].entry_time);
		qpi_exchange_parcels(in);
		see_idle_flits(rbox, port);
		if (!qpi_exchange_credits(output->lane))
			continue;
		rbox_look_at(rbox, output->waiters,
			     qpi_next_credit_time(output->lane));
		output->waiters = 0;
	}
}
