/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What a C-Box puts on the rings: data and GO messages for cores, requests,
 * responses and data for its S-Box.
 */
#include "model/box/cbox.h"
#include "model/box/core.h"
#include "model/box/sbox.h"
#include "model/box/socket.h"
#include "signals.h"

static struct egress *egress_to(struct cbox *cbox, struct egress egress[],
				unsigned stop)
{
	return &egress[ring_direction(&cbox->socket->ring, cbox->stop, stop)];
}

void cbox_send_data(struct cbox *cbox, unsigned core, unsigned entry)
{
	struct core *target = &cbox->socket->cores[core];

	egress_send_line(egress_to(cbox, cbox->bl, target->stop), core_done,
			 target, entry, target->stop, target->fill_cycles,
			 target->bank, SIG_CBOX_SINKS_C2P_BL, &target->bl_port);
}

void cbox_send_go(struct cbox *cbox, unsigned core)
{
	struct core *target = &cbox->socket->cores[core];

	egress_send_shown(egress_to(cbox, cbox->ak, target->stop), target->bank,
			  SIG_CBOX_SINKS_C2P_AK, target->stop,
			  &target->ak_port);
}

/* A home relies on the order in which an agent answers and writes back: who
 * gave a line away says so before it says that it has none. A message that
 * bounces goes round the ring while others come, so what is later has to bounce
 * too. Requests that snoop follow in the same way, but nobody waits for them:
 * they may have to wait for snoops of others. */
static bool is_ordered(unsigned opcode)
{
	return opcode == HOM0_WB_MTO_I || opcode == HOM0_WB_MTO_E ||
	       opcode == HOM0_WB_MTO_S || opcode == HOM0_EVCT_CLN;
}

/* All that was sent before has been taken. */
static bool is_its_turn(const struct cbox *cbox, uint32_t order)
{
	return (int32_t)(cbox->hom_taken - order) >= 0;
}

/* Arguments: the table entry, whose C-Box sends it, the opcode, the order. */
static bool request_sink(void *object, uint64_t argument)
{
	struct sbox *sbox = object;
	struct cbox *cbox = &sbox->socket->cboxes[argument >> 8 & 0xff];
	unsigned opcode = argument >> 16 & 0xff;

	if (!is_its_turn(cbox, (uint32_t)(argument >> 24)) ||
	    !sbox_request(sbox, argument & 0xff, opcode))
		return false;
	cbox->hom_taken += is_ordered(opcode);
	cbox->s_credits++;
	return true;
}

void cbox_send_request(struct cbox *cbox, unsigned serial, unsigned opcode)
{
	struct sbox *sbox = &cbox->socket->sboxes[cbox->side];

	cbox->s_credits--;
	egress_send(egress_to(cbox, cbox->ad, sbox->stop), request_sink, sbox,
		    serial | cbox->index << 8 | opcode << 16 |
			    (uint64_t)cbox->hom_sent << 24,
		    sbox->stop);
	cbox->hom_sent += is_ordered(opcode);
}

static bool packet_sink(void *object, uint64_t unused)
{
	struct packet_node *node = object;
	struct cbox *cbox = node->owner;
	struct socket *socket = cbox->socket;
	bool is_hom = node->packet.cls == PACKET_HOM;

	(void)unused;
	if ((is_hom && !is_its_turn(cbox, node->order)) ||
	    !sbox_send(&socket->sboxes[cbox->side], &node->packet))
		return false;
	cbox->hom_taken += is_hom;
	cbox->s_credits++;
	packet_give(&socket->packets, node);
	return true;
}

void cbox_send_packet(struct cbox *cbox, const struct packet *packet)
{
	struct socket *socket = cbox->socket;
	unsigned stop = socket->sboxes[cbox->side].stop;
	struct egress *egress = packet->cls == PACKET_DRS ? cbox->bl : cbox->ad;
	struct packet_node *node = packet_take(&socket->packets, packet, cbox);

	node->order = cbox->hom_sent;
	cbox->hom_sent += packet->cls == PACKET_HOM;
	cbox->s_credits--;
	egress_send(egress_to(cbox, egress, stop), packet_sink, node, 0, stop);
}
