/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 */
#include "model/sandy-bridge-ep/trip.h"

#include "model/sandy-bridge-ep/iio.h"
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

static struct ring_ride ride_on(struct ep *ep, unsigned socket,
				const struct packet *packet, unsigned from,
				unsigned to, uint64_t at, unsigned slots)
{
	enum ring_kind kind = trip_ring((enum packet_class)packet->cls);
	struct ring_ride ride =
		from == EP_STOP_R2PCIE
			? iio_send(ep, socket, kind, to, at, slots)
			: ring_send(ep, socket, kind, from, to, at, slots);

	ep_busy_until(ep, ride.arrived);
	return ride;
}

static struct trip go_far(struct ep *ep, const struct trip_way *way,
			  struct packet *packet, uint64_t ready, int core)
{
	enum ring_kind kind = trip_ring(packet->cls);
	enum packet_class cls = packet->cls;
	unsigned stop = EP_STOP_R3QPI_0 + qll_of(packet->line);
	struct qll_trip over;
	struct ring_ride ride;
	struct trip trip;

	ready = qll_room_from(ep, way->from.socket, packet->line, cls, ready);
	ride = ride_on(ep, way->from.socket, packet, way->from.stop, stop,
		       ready, way->slots);
	trip.injected = ride.injected;
	over = qll_send(ep, way->from.socket, packet, ride.arrived, core >= 0);
	trip.is_direct = over.is_direct && core >= 0;
	ride = ride_on(ep, way->to.socket, packet, stop,
		       trip.is_direct ? ep_cbo_stop((unsigned)core)
				      : way->to.stop,
		       over.arrived, way->slots);
	qll_leaves(ep, way->to.socket, packet->line, kind, cls, over.arrived,
		   ride.injected);
	trip.arrived = ride.arrived;
	return trip;
}

struct trip trip_carry(struct ep *ep, const struct trip_way *way,
		      struct packet *packet, uint64_t ready, int core)
{
	struct ring_ride ride;

	if (way->from.socket != way->to.socket)
		return go_far(ep, way, packet, ready, core);
	ride = ride_on(ep, way->from.socket, packet, way->from.stop,
		       way->to.stop, ready, way->slots);
	return (struct trip){ ride.injected, ride.arrived, false };
}

struct trip trip_go(struct ep *ep, struct trip_stop from, struct trip_stop to,
		    struct packet *packet, uint64_t ready, int core)
{
	const enum packet_class cls = packet->cls;
	const struct trip_way way = { from, to,
				      trip_ring(cls) == RING_BL ? 2 : 1 };

	packet->flits = (uint8_t)flits_of(cls);
	packet->source = (uint8_t)(from.socket * 4);
	packet->dest = (uint8_t)(to.socket * 4);
	packet->home = (uint8_t)(ep_home(ep, packet->line).socket * 4);
	return trip_carry(ep, &way, packet, ready, core);
}
