/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The non-coherent classes. System bound: uncached, port and configuration
 * accesses, interrupts and messages of cores, in queues of their own for each
 * C-Box; what goes to the U-Box of the own socket in class NCS is "local".
 * Ring bound: messages and interrupts of U-Boxes (guide 2.5.4.3: NcMsgS is all
 * of NCS, NcMsgB, IntLogical and IntPhysical are all of NCB), over AD to one
 * core or to all behind this S-Box. When all have it the S-Box answers; these
 * are its only system bound NDR packets, and each has a place in their queue
 * from the beginning, so that nothing waits with an answer in hand.
 */
#include <stdlib.h>

#include "model/box/core.h"
#include "model/box/sbox.h"
#include "model/box/socket.h"
#include "signals.h"

enum { ALL_CORES = 0xff };

/* System bound */

static unsigned queue_for(const struct sbox *sbox, const struct packet *packet)
{
	unsigned place = socket_place(sbox->socket, packet->cbox);

	if (packet->cls == PACKET_NCB)
		return SBOX_NCB + place;
	return packet->dest == NODE_UBOX(sbox->socket->index)
		       ? SBOX_LOC_NCS + place
		       : SBOX_NCS + place;
}

/* A lock keeps its entry while another core has the bus: it leaves one for that
 * core's write, and then its unlock. */
static bool has_entry(const struct sbox *sbox, const struct packet *packet,
		      unsigned maf)
{
	unsigned left = sbox->table_room - sbox->num_requests;

	if (packet->message == MESSAGE_LOCK && left < 3)
		return false;
	return !sbox_table_is_full(sbox, maf);
}

bool sbox_request_nc(struct sbox *sbox, const struct packet *packet,
		     unsigned maf, unsigned entry)
{
	unsigned which = queue_for(sbox, packet);
	struct packet copy = *packet;
	struct sbox_request request = {
		.line = packet->line,
		.cbox = packet->cbox,
		.maf = (uint8_t)maf,
		.home = packet->dest,
		.core = packet->core,
		.entry = (uint8_t)entry,
		.is_nc = true,
	};
	const struct sbox_request *taken;

	if (!has_entry(sbox, packet, maf))
		return false; /* all C-Boxes hear when an entry is free */
	if (packet_queue_is_full(&sbox->out[which])) {
		sbox->nc_waiting |=
			1u << socket_place(sbox->socket, packet->cbox);
		return false;
	}
	taken = sbox_take_entry(sbox, &request);
	copy.serial = (uint32_t)(taken - sbox->table);
	copy.number = taken->number;
	copy.source = copy.requester = (uint8_t)sbox->node;
	copy.home = packet->dest;
	/* the guide: the U-Box of the same socket is remote */
	sig_pulse(sbox->bank, SIG_SBOX_TO_R_B_REQUESTS_REMOTE, 1);
	sbox_put(sbox, which, &copy);
	return true;
}

void sbox_nc_has_room(struct sbox *sbox, unsigned which)
{
	struct socket *socket = sbox->socket;
	unsigned place = (which - SBOX_NCB) % SBOX_CBOXES;

	if (which == SBOX_NDR) {
		if (sbox->in[SBOX_RING_NCS].count ||
		    sbox->in[SBOX_RING_NCB].count)
			sbox_run_at(sbox, SBOX_PUMP_NC,
				    sim_now(socket->sim) + 1);
		return;
	}
	if (!(sbox->nc_waiting >> place & 1))
		return;
	sbox->nc_waiting &= ~(1u << place);
	cbox_credit(&socket->cboxes[sbox->side * (socket->num_cores / 2) +
				    place]);
}

/* Ring bound */

static void answer(struct sbox *sbox, struct sbox_delivery *delivery)
{
	struct packet packet = delivery->packet;
	bool was_message = packet.opcode == NCS_NC_MSG_S &&
			   packet.cls == PACKET_NCS;

	packet.cls = PACKET_NDR;
	packet.mc = MC_NDR;
	packet.opcode = was_message ? NDR_CMP_D : NDR_CMP;
	packet.flits = PACKET_FLITS_SHORT;
	packet.dest = packet.source;
	packet.source = (uint8_t)sbox->node;
	delivery->is_used = false;
	sbox->num_deliveries--;
	sbox_put(sbox, SBOX_NDR, &packet);
}

static bool message_sink(void *object, uint64_t argument)
{
	struct sbox *sbox = object;
	struct sbox_delivery *delivery = &sbox->deliveries[argument & 0xff];
	struct packet *packet = &delivery->packet;
	bool is_interrupt = packet->mc == MC_NCB &&
			    (packet->opcode == NCB_INT_LOGICAL ||
			     packet->opcode == NCB_INT_PHYSICAL);

	core_message(&sbox->socket->cores[argument >> 8],
		     is_interrupt ? MESSAGE_INTERRUPT : packet->message);
	if (!--delivery->num_left)
		answer(sbox, delivery);
	return true;
}

/* The cores that a message is for, as bits. */
static unsigned cores_for(const struct sbox *sbox, const struct packet *packet)
{
	const struct socket *socket = sbox->socket;
	unsigned cores = 0;

	if (packet->core != ALL_CORES)
		return 1u << packet->core % socket->num_cores;
	for (unsigned i = 0; i < socket->num_cores; i++)
		if (socket_side(socket, i) == sbox->side)
			cores |= 1u << i;
	if (packet->message == MESSAGE_STOP_REQ1 &&
	    packet->requester == sbox->node)
		cores &= ~(1u << packet->cbox); /* who locks goes on */
	return cores;
}

/* NULL: no place for the answer; a place that becomes free runs the pump. */
static struct sbox_delivery *begin(struct sbox *sbox,
				   const struct packet *packet)
{
	struct packet_queue *answers = &sbox->out[SBOX_NDR];
	struct sbox_delivery *delivery = sbox->deliveries;
	unsigned cores = cores_for(sbox, packet);

	if (answers->count + sbox->num_deliveries >= answers->room)
		return NULL;
	while (delivery->is_used)
		delivery++;
	*delivery = (struct sbox_delivery){
		.packet = *packet,
		.cores_left = (uint16_t)cores,
		.num_left = (uint8_t)__builtin_popcount(cores),
		.is_used = true,
	};
	sbox->num_deliveries++;
	return delivery;
}

/* Sends to one core; false: no room on the way to the ring. */
static bool deliver(struct sbox *sbox, struct sbox_delivery *delivery)
{
	unsigned number = (unsigned)__builtin_ctz(delivery->cores_left);
	struct core *core = &sbox->socket->cores[number];
	struct egress *egress = sbox_egress(sbox, sbox->ad, core->stop);

	if (!sbox_egress_has_room(sbox, egress))
		return false;
	delivery->cores_left &= (uint16_t)(delivery->cores_left - 1);
	egress_send(egress, message_sink, sbox,
		    (uint64_t)number << 8 |
			    (uint64_t)(delivery - sbox->deliveries),
		    core->stop);
	return true;
}

static void finish(struct sbox *sbox, unsigned which)
{
	unsigned i = which - SBOX_RING_NCS;
	struct sbox_delivery *delivery = sbox->started[i];

	sbox->started[i] = NULL;
	if (!delivery->num_left)
		answer(sbox, delivery); /* there was nobody to tell */
	packet_queue_pop(&sbox->in[which]);
	sbox->next_nc = which == SBOX_RING_NCS;
	sbox_give_back(sbox, which == SBOX_RING_NCS ? PACKET_NCS : PACKET_NCB,
		       false);
}

/* One step of the head of a queue: a message to a core. */
static bool step(struct sbox *sbox, unsigned which)
{
	struct packet_queue *queue = &sbox->in[which];
	struct queued_packet *head = packet_queue_first(queue);
	struct sbox_delivery **started = &sbox->started[which - SBOX_RING_NCS];

	if (!queue->count || head->ready > sim_now(sbox->socket->sim))
		return false;
	if (!*started)
		*started = begin(sbox, &head->packet);
	if (!*started ||
	    ((*started)->cores_left && !deliver(sbox, *started)))
		return false;
	if (!(*started)->cores_left)
		finish(sbox, which);
	return true;
}

/* Sends one message to one core, of NCS and NCB in turn. */
void sbox_pump_nc(struct sbox *sbox)
{
	uint64_t now = sim_now(sbox->socket->sim);
	unsigned first = sbox->next_nc ? SBOX_RING_NCB : SBOX_RING_NCS;
	unsigned second = sbox->next_nc ? SBOX_RING_NCS : SBOX_RING_NCB;
	bool has_sent = step(sbox, first) || step(sbox, second);

	if (has_sent)
		sbox->pumps[SBOX_PUMP_NC].free_at = now + 1;
	for (unsigned which = SBOX_RING_NCS; which <= SBOX_RING_NCB; which++) {
		struct packet_queue *queue = &sbox->in[which];

		if (queue->count &&
		    (has_sent || packet_queue_first(queue)->ready > now))
			sbox_run_at(sbox, SBOX_PUMP_NC,
				    packet_queue_first(queue)->ready);
	}
}
