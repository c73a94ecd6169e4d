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

/* Arguments: the table entry, whose C-Box sends it, the opcode. */
static bool request_sink(void *object, uint64_t argument)
{
	struct sbox *sbox = object;

	if (!sbox_request(sbox, argument & 0xff, argument >> 16 & 0xff))
		return false;
	sbox->socket->cboxes[argument >> 8 & 0xff].s_credits++;
	return true;
}

void cbox_send_request(struct cbox *cbox, unsigned serial, unsigned opcode)
{
	struct sbox *sbox = &cbox->socket->sboxes[cbox->side];

	cbox->s_credits--;
	egress_send(egress_to(cbox, cbox->ad, sbox->stop), request_sink, sbox,
		    serial | cbox->index << 8 | opcode << 16, sbox->stop);
}

static bool packet_sink(void *object, uint64_t unused)
{
	struct packet_node *node = object;
	struct cbox *cbox = node->owner;
	struct socket *socket = cbox->socket;

	(void)unused;
	if (!sbox_send(&socket->sboxes[cbox->side], &node->packet))
		return false;
	cbox->s_credits++;
	packet_give(&socket->packets, node);
	return true;
}

void cbox_send_packet(struct cbox *cbox, const struct packet *packet)
{
	struct socket *socket = cbox->socket;
	unsigned stop = socket->sboxes[cbox->side].stop;
	struct egress *egress = packet->cls == PACKET_DRS ? cbox->bl : cbox->ad;

	cbox->s_credits--;
	egress_send(egress_to(cbox, egress, stop), packet_sink,
		    packet_take(&socket->packets, packet, cbox), 0, stop);
}
