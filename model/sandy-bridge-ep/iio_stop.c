/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * R2PCIe between the ring and the IIO:
 *
 *	devices' requests, data, answers -> egress of a ring -> ring
 *	ring -> ingress of a class, a credit of the IIO for it -> IIO
 *
 * Acknowledgements end here as soon as they are off the ring, where two that
 * come in the same cycle bounce (ring.c).
 *
 * A cycle has one insertion into the egress and one message to the IIO. The
 * head of an egress queue tries its ring in each cycle; a slot that is taken is
 * a NACK. The head of an ingress queue asks for a credit in each cycle, too;
 * there being none is a REJECT. The IIO takes a message from its port every
 * r2pcie.line_cycles and gives the credit back r2pcie.credit_cycles later.
 *
 * Chosen, since no source says it: senders wait for room in the ingress where
 * they are, as the CBo does by its IIO credits, so that nothing bounces on BL.
 */
#include "model/box/socket.h"
#include "model/sandy-bridge-ep/iio.h"
#include "signals.h"

void iio_stop_init(struct iio *iio)
{
	static const enum param credits[] = { PARAM_R2PCIE_DRS_CREDITS,
					      PARAM_R2PCIE_NCB_CREDITS,
					      PARAM_R2PCIE_NCS_CREDITS };
	const struct socket *s = iio->socket;

	for (unsigned i = 0; i < IIO_RINGS; i++)
		places_init(&iio->egress[i].room,
			    socket_param(s, PARAM_R2PCIE_EGRESS));
	for (unsigned i = 0; i < IIO_NUM_CLASSES; i++) {
		places_init(&iio->ingress[i].room,
			    socket_param(s, PARAM_R2PCIE_INGRESS));
		places_init(&iio->ingress[i].credits,
			    socket_param(s, credits[i]));
	}
	/* Those of the bridges are the ring's. */
	sig_drives(iio->bank, 0, SIG_R2PCIE_SBO0_CREDITS_ACQUIRED_AD);
	sig_add(iio->bank, SIG_R2PCIE_CLOCKTICKS, 1);
	sig_drives(iio->bank, FIRST_SIG_IIO, NUM_SIG_IIO);
}

void iio_stop_fini(struct iio *iio)
{
	for (unsigned i = 0; i < IIO_RINGS; i++) {
		occupancy_free(&iio->egress[i].inside);
		occupancy_free(&iio->egress[i].refused);
		occupancy_free(&iio->egress[i].refused_by_way[0]);
		occupancy_free(&iio->egress[i].refused_by_way[1]);
	}
	for (unsigned i = 0; i < IIO_NUM_CLASSES; i++)
		occupancy_free(&iio->ingress[i].rejected);
	for (unsigned i = 0; i < IIO_MAX_STACKS; i++)
		irp_fini(&iio->stacks[i].irp);
}

/* One more is there from a cycle until another: the signal is 1 in those in
 * which that makes `num` of them. */
static void join(struct iio *iio, struct occupancy *occupancy, uint64_t from,
		 uint64_t until, unsigned num, unsigned signal)
{
	struct occupancy_steps steps;

	if (from >= until)
		return;
	occupancy_forget(occupancy, engine_now(&iio->ep->engine));
	steps = occupancy_enter(occupancy, from, until, 1);
	for (unsigned i = steps.first; i < steps.end; i++)
		if (occupancy->steps[i].count == num)
			sig_span(iio->bank, signal, occupancy->steps[i].at,
				 occupancy->steps[i + 1].at, 1);
}

struct ring_ride iio_send(struct ep *ep, unsigned socket, enum ring_kind kind,
			  unsigned to, uint64_t at, unsigned slots)
{
	struct iio *iio = ep->sockets[socket].iio;
	struct iio_egress *egress = &iio->egress[kind];
	uint64_t now = engine_now(&ep->engine);
	uint64_t ready = at, last;
	unsigned place = places_take(&egress->room, now, &at);
	struct ring_ride ride;

	irp_tell_stall(iio->irp, kind, ready, at);
	at = calendar_take(&iio->inserts, now, at, 1);
	ride = ring_send(ep, socket, kind, ep_io_stop(ep), to, at + 1, slots);
	places_hold(&egress->room, place, ride.injected);
	sig_later(iio->bank, SIG_R2PCIE_TXR_INSERTS, at, 1);
	sig_span(iio->bank, R2PCIE_TXR_CYCLES_NE(kind), at, ride.injected, 1);
	join(iio, &egress->inside, at, ride.injected, egress->room.num,
	     R2PCIE_TXR_CYCLES_FULL(kind));
	last = ride.injected - (slots - 1);
	join(iio, &egress->refused, at + 1, last, 1, R2PCIE_TXR_NACKS(kind));
	join(iio, &egress->refused_by_way[ride.is_counter_clockwise], at + 1,
	     last, 1, R2PCIE_TXR_NACK(ride.is_counter_clockwise, kind));
	engine_busy_until(&ep->engine, ride.arrived);
	return ride;
}

static enum iio_class class_of(enum packet_class cls)
{
	return cls == PACKET_NCB ? IIO_NCB : IIO_NCS;
}

uint64_t iio_room_from(struct iio *iio, enum packet_class cls, uint64_t at)
{
	struct iio_ingress *ingress = &iio->ingress[class_of(cls)];

	ingress->place =
		places_take(&ingress->room, engine_now(&iio->ep->engine), &at);
	return at;
}

uint64_t iio_hand_over(struct iio *iio, enum iio_class cls, uint64_t arrived)
{
	struct iio_ingress *ingress = &iio->ingress[cls];
	uint64_t now = engine_now(&iio->ep->engine), from = arrived + 1,
		 granted, until;
	unsigned credit = places_take(&ingress->credits, now, &from);
	uint64_t taken;

	granted = calendar_take(&iio->grants, now, from, 1);
	taken = calendar_take(&iio->port, now, granted, iio->line_cycles) +
		iio->line_cycles;
	until = taken + iio->credit_cycles;
	places_hold(&ingress->credits, credit, until);
	if (cls != IIO_DRS)
		places_hold(&ingress->room, ingress->place, granted);
	irp_tell_ingress(iio->irp, cls, granted, taken, ingress->credits.num);
	sig_later(iio->bank, R2PCIE_RXR_INSERTS(cls), arrived, 1);
	sig_span(iio->bank, R2PCIE_RXR_CYCLES_NE(cls), arrived, granted, 1);
	join(iio, &ingress->rejected, arrived + 1, from, 1,
	     R2PCIE_IIO_CREDITS_REJECT(cls));
	sig_later(iio->bank, R2PCIE_IIO_CREDITS_ACQUIRED(cls), granted, 1);
	sig_span(iio->bank, R2PCIE_IIO_CREDITS_USED(cls), granted, until, 1);
	engine_busy_until(&iio->ep->engine, until);
	return taken;
}

uint64_t iio_hear(struct iio *iio, uint64_t at)
{
	return iio_hand_over(iio, IIO_NCS, at);
}

/* Writes to memory of a device are posted: whoever wrote goes on as soon as the
 * IIO has one. All else is answered by the device. */
uint64_t iio_serve(struct iio *iio, unsigned kind, uint16_t target, uint64_t at)
{
	bool is_posted = kind == UNCORE_ACCESS_UC_WRITE ||
			 kind == UNCORE_ACCESS_WC_WRITE;

	enum iio_class cls = is_posted ? IIO_NCB : IIO_NCS;
	uint64_t answered;

	at = iio_hand_over(iio, cls, at);
	answered = is_posted ? at : at + iio->latency;
	irp_tell_outbound(iio->irp, cls, at, answered);
	iio_tell_by_cpu(iio, kind, iio_port_of(iio, target), at, answered);
	return answered;
}
