/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What a special request is as a packet.
 *
 * Chosen: the lower half of a device's page has registers, which are read and
 * written by parts of a line (NcRdPtl, NcWrPtl, WcWrPtl), the upper half
 * memory, which goes by whole lines (NcRd, NcWr, WcWr). What is meant for a hub
 * that is not there goes to the U-Box of the socket, which answers for nobody.
 */
#include "model/box/socket.h"
#include "model/nehalem-ex/special.h"

enum { TARGET_SOCKETS = UNCORE_IO_SOCKET(0), HALF_PAGE_LINES = 32 };

/* What a kind becomes; `whole` where it is of a whole line. */
struct form {
	uint8_t mc, opcode, whole, flits, message;
};

static const struct form forms[CORE_NUM_ACCESS_KINDS] = {
	[UNCORE_ACCESS_UC_READ] = { MC_NCS, NCS_NC_RD_PTL, NCS_NC_RD,
				    PACKET_FLITS_NCS_READ, 0 },
	[UNCORE_ACCESS_UC_WRITE] = { MC_NCB, NCB_NC_WR_PTL, NCB_NC_WR,
				     PACKET_FLITS_NCB, 0 },
	[UNCORE_ACCESS_WC_WRITE] = { MC_NCB, NCB_WC_WR_PTL, NCB_WC_WR,
				     PACKET_FLITS_NCB, 0 },
	[UNCORE_ACCESS_IO_READ] = { MC_NCS, NCS_NC_IO_RD, NCS_NC_IO_RD,
				    PACKET_FLITS_NCS_READ, 0 },
	[UNCORE_ACCESS_IO_WRITE] = { MC_NCS, NCS_NC_IO_WR, NCS_NC_IO_WR,
				     PACKET_FLITS_NCS_WRITE, 0 },
	[UNCORE_ACCESS_CFG_READ] = { MC_NCS, NCS_NC_CFG_RD, NCS_NC_CFG_RD,
				     PACKET_FLITS_NCS_READ, 0 },
	[UNCORE_ACCESS_CFG_WRITE] = { MC_NCS, NCS_NC_CFG_WR, NCS_NC_CFG_WR,
				      PACKET_FLITS_NCS_WRITE, 0 },
	[UNCORE_ACCESS_LOCK] = { MC_NCS, NCS_NC_MSG_S, NCS_NC_MSG_S,
				 PACKET_FLITS_MESSAGE, MESSAGE_LOCK },
	[CORE_ACCESS_UNLOCK] = { MC_NCS, NCS_NC_MSG_S, NCS_NC_MSG_S,
				 PACKET_FLITS_MESSAGE, MESSAGE_UNLOCK },
	[UNCORE_ACCESS_INTERRUPT] = { MC_NCB, NCB_INT_PHYSICAL,
				      NCB_INT_PHYSICAL, PACKET_FLITS_NCB,
				      MESSAGE_INTERRUPT },
	[UNCORE_ACCESS_SPECIAL] = { MC_NCS, NCS_NC_MSG_S, NCS_NC_MSG_S,
				    PACKET_FLITS_MESSAGE, MESSAGE_SPECIAL },
};

static unsigned node_of(const struct socket *socket,
			const struct core_miss *miss)
{
	switch (miss->kind) {
	case UNCORE_ACCESS_LOCK:
	case CORE_ACCESS_UNLOCK: return NODE_UBOX(0); /* the quiesce master */
	case UNCORE_ACCESS_INTERRUPT:
	case UNCORE_ACCESS_SPECIAL: return NODE_UBOX(socket->index);
	default: break;
	}
	if (miss->target < socket->num_hubs)
		return NODE_IOH(miss->target);
	if (miss->target >= TARGET_SOCKETS &&
	    miss->target < TARGET_SOCKETS + socket->num_sockets)
		return NODE_UBOX(miss->target - TARGET_SOCKETS);
	return NODE_UBOX(socket->index);
}

struct packet special_packet(const struct access *access)
{
	const struct core *core = access->core;
	const struct core_miss *miss = &core->misses[access->entry];
	const struct form *form = &forms[miss->kind];
	bool is_interrupt = miss->kind == UNCORE_ACCESS_INTERRUPT;
	unsigned source = NODE_SBOX(access->socket, access->slice->side);
	unsigned dest = node_of(access->here->socket, miss);

	return (struct packet){
		.line = miss->kind == UNCORE_ACCESS_SPECIAL ? miss->target
							    : miss->line,
		.cls = form->mc == MC_NCB ? PACKET_NCB : PACKET_NCS,
		.mc = form->mc,
		.opcode = miss->line & HALF_PAGE_LINES ? form->whole
						       : form->opcode,
		.flits = form->flits,
		.source = (uint8_t)source,
		.dest = (uint8_t)dest,
		.requester = (uint8_t)source,
		.home = (uint8_t)dest,
		.message = form->message,
		.core = (uint8_t)(is_interrupt ? miss->target : core->index),
		.cbox = (uint8_t)access->slice->index,
	};
}
