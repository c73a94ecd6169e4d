/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Non-coherent messages between cores, U-Boxes and devices.
 */
#include "model/sandy-bridge-ep/way.h"

uint64_t way_send(struct ep *ep, const struct way *way, struct packet *packet,
		  unsigned slots, uint64_t at)
{
	const struct trip_way trip = { way->from, way->to, slots };

	return trip_carry(ep, &trip, packet, at, -1).arrived;
}

static bool reads(const struct packet *packet)
{
	return packet->cls == PACKET_NCS && packet->opcode != NCS_NC_CFG_WR &&
	       packet->opcode != NCS_NC_IO_WR && packet->opcode != NCS_NC_MSG_S;
}

uint64_t way_answer(struct ep *ep, const struct way *way,
		    const struct packet *request, unsigned slots, uint64_t at)
{
	const struct way back = { way->to, way->from };
	bool has_data = reads(request);
	struct packet answer = *request;

	answer.source = request->dest;
	answer.dest = request->source;
	answer.cls = has_data ? PACKET_DRS : PACKET_NDR;
	answer.mc = has_data ? MC_DRS : MC_NDR;
	answer.opcode = has_data ? DRS_DATA_NC : NDR_CMP;
	if (request->cls == PACKET_NCS && request->opcode == NCS_NC_MSG_S)
		answer.opcode = NDR_CMP_D;
	answer.flits = has_data ? PACKET_FLITS_LINE : PACKET_FLITS_SHORT;
	return way_send(ep, &back, &answer, has_data ? slots : 1, at);
}
