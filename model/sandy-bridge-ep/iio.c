/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Devices behind R2PCIe. A read or write of memory goes to the CBo of its line
 * (cbo_device()); read data pass the ingress like all that goes to the IIO. An
 * interrupt is a message to the U-Box of the CPU's socket. A device of the old
 * kind asks for the bus (PHOLD), makes its access while it has it, and gives it
 * back.
 *
 * Chosen: accesses that need no snoops go the way of those that do.
 */
#include "model/sandy-bridge-ep/iio.h"

#include <stdlib.h>

#include "model/box/socket.h"
#include "model/sandy-bridge-ep/cbo.h"
#include "model/sandy-bridge-ep/pcu.h"
#include "model/sandy-bridge-ep/trip.h"
#include "model/sandy-bridge-ep/ubox.h"

static void begin(void *object, unsigned place, unsigned kind);
static uint64_t interrupt(void *object, unsigned target);
static void hold(void *object);

static const struct devices_kind behind = {
	.begin = begin,
	.interrupt = interrupt,
	.hold = hold,
};

struct iio *iio_new(struct ep *ep, unsigned socket,
		    const struct uc_family *family)
{
	struct socket *own = ep->sockets[socket].socket;
	struct iio *iio = calloc(1, sizeof(*iio));

	if (!iio)
		return NULL;
	iio->ep = ep;
	iio->socket = own;
	iio->index = socket;
	iio->latency = socket_param(own, PARAM_IO_LATENCY);
	iio->line_cycles = socket_param(own, PARAM_R2PCIE_LINE_CYCLES);
	iio->credit_cycles = socket_param(own, PARAM_R2PCIE_CREDIT_CYCLES);
	devices_init(&iio->devices, own, &behind, iio,
		     socket_param(own, PARAM_R2PCIE_REQUESTS),
		     socket_param(own, PARAM_R2PCIE_INTERRUPTS));
	iio_start_stacks(iio, family);
	iio_stop_init(iio);
	return iio;
}

void iio_free(struct iio *iio)
{
	if (iio)
		iio_stop_fini(iio);
	free(iio);
}

/* Memory */

/* A read, or one write, that is ready at R2PCIe: when it is over. */
static uint64_t move_line(struct iio *iio, unsigned kind, uint16_t target,
			  uint64_t line, uint64_t at)
{
	unsigned port = iio_port_of(iio, target);
	bool is_read =
		kind == UNCORE_ACCESS_READ || kind == UNCORE_ACCESS_UC_READ;
	enum cbo_device device = is_read ? CBO_DEVICE_READ
				 : kind == UNCORE_ACCESS_UC_WRITE
					 ? CBO_DEVICE_PARTIAL
					 : CBO_DEVICE_WRITE;
	uint64_t from = at;

	if (!is_read)
		ubox_is_written(iio->ep, iio->index, ep_io_stop(iio->ep), line,
				at);
	at = cbo_device(iio->ep, iio->index, device, line, at);
	if (is_read)
		at = iio_hand_over(iio, IIO_DRS, at);
	else
		irp_tell_ack(&iio->stacks[port / UNCORE_IO_PARTS].irp, at);
	iio_tell_of_cpu(iio,
			is_read			       ? IRP_READ
			: device == CBO_DEVICE_PARTIAL ? IRP_PART
						       : IRP_LINE,
			port, from, at);
	engine_busy_until(&iio->ep->engine, at);
	pcu_io_until(iio->ep->sockets[iio->index].pcu, at);
	return at;
}

/* sim_fn: the second write of a line, in a place of the requests. */
static void write_again(void *object, uint64_t place)
{
	struct iio *iio = object;
	uint64_t line = iio->devices.lines[place];

	devices_end(&iio->devices, (unsigned)place,
		    move_line(iio, UNCORE_ACCESS_OWN,
			      iio->devices.targets[place], line,
			      engine_now(&iio->ep->engine)));
}

/* A device asks another one of the socket: what it writes is posted, a read is
 * answered as one of a core. */
static uint64_t ask_peer(struct iio *iio, bool is_read, uint16_t target,
			 uint64_t from)
{
	uint64_t at = calendar_take(&iio->port, from, from, iio->line_cycles) +
		      iio->line_cycles;
	uint64_t answered = is_read ? at + iio->latency : at;

	iio_tell_peer(iio, is_read, target, from, at, answered);
	engine_busy_until(&iio->ep->engine, answered);
	return answered;
}

static void begin(void *object, unsigned place, unsigned access)
{
	struct iio *iio = object;
	uint64_t line = iio->devices.lines[place];
	uint16_t target = iio->devices.targets[place];
	uint64_t now = engine_now(&iio->ep->engine), at;

	if (iio_is_peer(iio, target)) {
		devices_end(&iio->devices, place,
			    ask_peer(iio, access == UNCORE_ACCESS_READ, target,
				     now));
		return;
	}
	at = move_line(iio, access, target, line, now);
	if (access == UNCORE_ACCESS_NT_WRITE)
		sim_at(iio->ep->engine.sim, at, write_again, iio, place);
	else
		devices_end(&iio->devices, place, at);
}

/* Interrupts */

/* Of a device for a CPU, as a message or by a legacy wire; or a door bell. */
static uint64_t interrupt(void *object, unsigned target)
{
	struct iio *iio = object;
	struct ep *ep = iio->ep;
	enum ubox_message message = ubox_message_of(target);
	unsigned socket = ubox_socket_of(ep, target);
	struct packet packet = {
		.line = target,
		.cls = PACKET_NCB,
		.mc = MC_NCB,
		.opcode = message == UBOX_DOORBELL ? NCB_NC_MSG_B
						   : NCB_INT_PHYSICAL,
	};
	struct trip_stop here = { iio->index, ep_io_stop(ep) };
	struct trip_stop there = { socket, ep_ubox_stop(ep) };
	uint64_t at =
		trip_go(ep, here, there, &packet, engine_now(&ep->engine), -1)
			.arrived;

	at = ubox_get(ep, socket, message, target, at);
	at = trip_answer(ep, there, here, &packet, at);
	irp_tell_ack(iio->irp, at);
	engine_busy_until(&ep->engine, at);
	return at;
}

/* The bus */

static void hold(void *object)
{
	struct iio *iio = object;

	ubox_hold(iio->ep, iio->index);
}

uint64_t iio_hold(struct iio *iio)
{
	uint64_t line = iio->devices.access.line;
	uint64_t at = move_line(iio, UNCORE_ACCESS_UC_WRITE,
				iio->devices.access.target, line,
				engine_now(&iio->ep->engine));

	devices_give_back(&iio->devices, at);
	return at;
}

/* Places and credits are given back within some cycles; what is held for much
 * longer never is. */
#define LONG_CYCLES (UINT64_C(1) << 32)

const char *iio_check_rest(const struct iio *iio, uint64_t now)
{
	uint64_t late = now + LONG_CYCLES;

	for (unsigned i = 0; i < IIO_NUM_CLASSES; i++) {
		if (places_taken(&iio->ingress[i].credits, late))
			return "a credit of R2PCIe for the IIO is lost";
		if (places_taken(&iio->ingress[i].room, late))
			return "R2PCIe's ingress has a message for ever";
	}
	for (unsigned i = 0; i < IIO_RINGS; i++)
		if (places_taken(&iio->egress[i].room, late))
			return "R2PCIe's egress has a message for ever";
	if (devices_have_lost(&iio->devices, late))
		return "a device has an access for ever";
	return NULL;
}
