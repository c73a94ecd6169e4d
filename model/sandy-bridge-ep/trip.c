/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 */
#include "model/sandy-bridge-ep/trip.h"

#include "model/sandy-bridge-ep/qll.h"

enum ring_kind trip_ring(enum packet_class cls)
{
	switch (cls) {
	case PACKET_HOM:
	case PACKET_SNP: return RING_AD;
	case PACKET_NDR: return RING_AK;
	default: return RING_BL;
	}
}

static unsigned flits_of(enum packet_class cls)
{
	return cls == PACKET_DRS   ? PACKET_FLITS_LINE
	       : cls == PACKET_NCB ? PACKET_FLITS_NCB
	       : cls == PACKET_NCS ? PACKET_FLITS_NCS_WRITE
				   : PACKET_FLITS_SHORT;
}

static struct trip go_far(struct ep *ep, struct trip_stop from,
			  struct trip_stop to, struct packet *packet,
			  uint64_t ready, int core)
{
	enum ring_kind kind = trip_ring(packet->cls);
	enum packet_class cls = packet->cls;
	unsigned slots = kind == RING_BL ? 2 : 1;
	unsigned stop = EP_STOP_R3QPI_0 + qll_of(packet->line);
	struct qll_trip over;
	struct ring_ride ride;
	struct trip trip;

	ready = qll_room_from(ep, from.socket, packet->line, cls, ready);
	ride = ring_send(ep, from.socket, kind, from.stop, stop, ready, slots);
	trip.injected = ride.injected;
	over = qll_send(ep, from.socket, packet, ride.arrived, core >= 0);
	trip.is_direct = over.is_direct && core >= 0;
	ride = ring_send(ep, to.socket, kind, stop,
			 trip.is_direct ? ep_cbo_stop((unsigned)core) : to.stop,
			 over.arrived, slots);
	qll_leaves(ep, to.socket, packet->line, kind, cls, over.arrived,
		   ride.injected);
	trip.arrived = ride.arrived;
	return trip;
}

struct trip trip_go(struct ep *ep, struct trip_stop from, struct trip_stop to,
		    struct packet *packet, uint64_t ready, int core)
{
	enum ring_kind kind = trip_ring(packet->cls);
	struct ring_ride ride;

	packet->flits = (uint8_t)flits_of(packet->cls);
	packet->source = (uint8_t)(from.socket * 4);
	packet->dest = (uint8_t)(to.socket * 4);
	packet->home = (uint8_t)(ep_home(ep, packet->line).socket * 4);
	if (from.socket != to.socket)
		return go_far(ep, from, to, packet, ready, core);
	ride = ring_send(ep, from.socket, kind, from.stop, to.stop, ready,
			 kind == RING_BL ? 2 : 1);
	return (struct trip){ ride.injected, ride.arrived, false };
}
