/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What match/mask filters see of a packet.
 */
#include "model/box/packet.h"

/* See NODE_IOH(). */
static uint8_t visible_node(unsigned node)
{
	return (uint8_t)(NODE_IS_IOH(node) ? 16 + 4 * NODE_HUB(node) : node);
}

void packet_publish(struct sigbank *bank, unsigned signal,
		    const struct packet *packet)
{
	struct sig_header header = {
		.address = packet->line * 64,
		.message_class = packet->mc,
		.opcode = packet->opcode,
		.state = packet->state,
		.vn = packet->vn,
		.flits = packet->flits,
		.home_node = visible_node(packet->home),
		.dest_node = visible_node(packet->dest),
		.requester_node = visible_node(packet->requester),
	};

	sig_packet(bank, signal, &header);
}
