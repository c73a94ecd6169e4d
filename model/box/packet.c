/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What match/mask filters see of a packet.
 */
#include "model/box/packet.h"

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
		.home_node = packet->home,
		.dest_node = packet->dest,
		.requester_node = packet->requester,
	};

	sig_packet(bank, signal, &header);
}
