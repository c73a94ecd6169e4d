/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Non-coherent messages between cores, U-Boxes and devices.
 */
#include "model/sandy-bridge-ep/way.h"

#include "model/sandy-bridge-ep/iio.h"
#include "model/sandy-bridge-ep/qll.h"
#include "model/sandy-bridge-ep/ring.h"

static struct ring_ride hop(struct ep *ep, unsigned socket, enum ring_kind kind,
			    unsigned from, unsigned to, uint64_t at,
			    unsigned slots)
{
	struct ring_ride ride =
		from == EP_STOP_R2PCIE
			? iio_send(ep, socket, kind, to, at, slots)
			: ring_send(ep, socket, kind, from, to, at, slots, 0,
				    NULL);

	ep_busy_until(ep, ride.arrived);
	return ride;
}

uint64_t way_send(struct ep *ep, const struct way *way, struct packet *packet,
		  unsigned slots, uint64_t at)
{
	enum ring_kind kind = packet->cls == PACKET_NDR ? RING_AK : RING_BL;
	unsigned from = way->from.socket, to = way->to.socket;
	unsigned link = EP_STOP_R3QPI_0 + qll_of(packet->line);
	struct ring_ride ride;
	struct qll_trip trip;

	if (from == to)
		return hop(ep, from, kind, way->from.stop, way->to.stop, at,
			   slots)
			.arrived;
	at = qll_room_from(ep, from, packet->line, packet->cls, at);
	ride = hop(ep, from, kind, way->from.stop, link, at, slots);
	trip = qll_send(ep, from, packet, ride.arrived, false);
	ride = hop(ep, to, kind, link, way->to.stop, trip.arrived, slots);
	qll_leaves(ep, to, packet->line, kind, packet->cls, trip.arrived,
		   ride.injected);
	return ride.arrived;
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
