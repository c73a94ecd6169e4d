/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * From ring stop to ring stop. What leaves R2PCIe goes by its egress.
 */
#include "model/sandy-bridge-ep/trip.h"

#include "model/parts/system/message.h"
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

static unsigned slots_of(const struct packet *packet)
{
	return 1 + (packet->flits >= PACKET_FLITS_LINE);
}

static bool is_home_stop(const struct ep *ep, unsigned stop)
{
	return !ep->kind->mesh &&
	       (stop == ep_home_stop(ep, 0) || stop == ep_home_stop(ep, 1));
}

static bool is_link_stop(const struct ep *ep, unsigned stop)
{
	return !ep->kind->mesh && stop - ep_link_stop(ep, 0) < ep->num_links;
}

/* Responses of home agents and other links come to a link on AD
 * (R3QPI: TxR_AD.NDR). */
static enum ring_kind ring_to_link(const struct ep *ep, unsigned from,
				   enum packet_class cls)
{
	enum ring_kind kind = trip_ring(cls);

	return kind == RING_AK && (is_home_stop(ep, from) ||
				   is_link_stop(ep, from))
		       ? RING_AD
		       : kind;
}

static inline struct ring_ride hop(struct ep *ep, unsigned socket,
				   unsigned from, unsigned to,
				   enum ring_kind kind, uint64_t ready,
				   unsigned slots)
{
	return from == ep_io_stop(ep)
		       ? iio_send(ep, socket, kind, to, ready, slots)
		       : ring_carry(ep, socket, kind, from, to, ready, slots);
}

static void address(const struct ep *ep, struct packet *packet,
		    struct trip_stop from, struct trip_stop to)
{
	packet->source = (uint8_t)(from.socket * 4);
	packet->dest = (uint8_t)(to.stop == ep_io_stop(ep) ? NODE_IOH(to.socket)
							   : to.socket * 4);
}

/* Over one link after the other; in a socket between it goes from stop to stop
 * of its two links. */
static SIG_SLOW struct trip go_far(struct ep *ep, struct trip_stop from,
				   struct trip_stop to, struct packet *packet,
				   uint64_t ready, int core)
{
	enum packet_class cls = packet->cls;
	struct trip_stop here = from;
	struct qll_trip over = { 0 };
	struct ring_ride ride;
	struct trip trip = { 0 };
	unsigned link = 0, old, slots = slots_of(packet);

	address(ep, packet, from, to);
	packet->home = (uint8_t)(ep_range(ep, packet->line)->socket * 4);
	while (here.socket != to.socket) {
		old = link;
		link = ep_route(ep, here.socket, to.socket, packet->line);
		ready = qll_room_from(ep, here.socket, link, cls, ready);
		ride = hop(ep, here.socket, here.stop, ep_link_stop(ep, link),
			   ring_to_link(ep, here.stop, cls), ready, slots);
		if (here.socket == from.socket)
			trip.injected = ride.injected;
		else
			qll_leaves(ep, here.socket, old, packet->line, cls,
				   over.arrived, &ride);
		here.stop = ep_link_stop(ep, link);
		old = here.socket;
		here.socket = ep_far_end(ep, here.socket, link);
		over = qll_send(ep, old, link, packet, ride.arrived,
				core >= 0 && here.socket == to.socket);
		ready = over.arrived;
	}
	trip.is_direct = over.is_direct && core >= 0;
	ride = hop(ep, to.socket, here.stop,
		   trip.is_direct ? ep_core_stop(ep, (unsigned)core) : to.stop,
		   trip_ring(cls), over.arrived, slots);
	qll_leaves(ep, to.socket, link, packet->line, cls, over.arrived, &ride);
	trip.arrived = ride.arrived;
	trip.landed = over.arrived;
	return trip;
}

void trip_tell_far(struct ep *ep, struct trip_stop from, struct trip_stop to,
		   struct packet *packet)
{
	packet->flits = (uint8_t)message_flits(packet);
	address(ep, packet, from, to);
	while (from.socket != to.socket) {
		unsigned link =
			ep_route(ep, from.socket, to.socket, packet->line);

		qll_pass(ep, from.socket, link, packet);
		from.socket = ep_far_end(ep, from.socket, link);
	}
}

struct trip trip_carry(struct ep *ep, struct trip_stop from,
		       struct trip_stop to, struct packet *packet,
		       uint64_t ready, int core)
{
	struct ring_ride ride;

	packet->flits = (uint8_t)message_flits(packet);
	if (from.socket != to.socket)
		return go_far(ep, from, to, packet, ready, core);
	ride = hop(ep, from.socket, from.stop, to.stop, trip_ring(packet->cls),
		   ready, slots_of(packet));
	return (struct trip){ ride.injected, ride.arrived, false, 0 };
}

uint64_t trip_answer(struct ep *ep, struct trip_stop from, struct trip_stop to,
		     const struct packet *request, uint64_t ready)
{
	struct packet answer = message_answer(request);

	return trip_go(ep, from, to, &answer, ready, -1).arrived;
}
