/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * R2PCIe, the ring stop of I/O, and the devices behind it (IIO): DMA of devices
 * into and out of the LLC, uncached accesses of cores to devices.
 */
#ifndef UNCORE_IIO_H
#define UNCORE_IIO_H

#include "model/parts/io/devices.h"
#include "model/sandy-bridge-ep/ep.h"
#include "model/sandy-bridge-ep/irp.h"
#include "model/sandy-bridge-ep/ring.h"
#include "model/station/calendar.h"
#include "model/station/occupancy.h"
#include "model/station/places.h"

enum { IIO_RINGS = RING_BL + 1 };

/* The queue of a ring. A message is in it from its insertion until the cycle in
 * which the last of it gets on the ring, a cycle for each slot at least. */
struct iio_egress {
	struct places room;
	struct occupancy inside, refused, refused_by_way[2];
};

/* Messages of a class for the IIO, and the credits for it. Data of devices'
 * reads have room from the start. */
struct iio_ingress {
	struct places room, credits;
	unsigned place; /* of the message that is on its way */
	struct occupancy rejected;
};

enum { IIO_MAX_STACKS = 6 };

struct iio_stack {
	struct sigbank *bank;
	struct irp irp;
};

struct iio {
	struct ep *ep;
	struct socket *socket;
	struct iio_stack stacks[IIO_MAX_STACKS];
	struct sigbank *bank; /* of the stack that devices are behind by .. */
	struct irp *irp;      /* .. default, and of R2PCIe */
	unsigned index, latency, line_cycles, credit_cycles;
	/* The stop */
	struct iio_egress egress[IIO_RINGS];
	struct iio_ingress ingress[IIO_NUM_CLASSES];
	struct calendar inserts, grants;
	struct calendar port; /* into the IIO */
	struct devices devices;
};

/* NULL without memory. */
struct iio *iio_new(struct ep *ep, unsigned socket,
		    const struct uc_family *family);
void iio_free(struct iio *iio);

/* In place of ring_send() for all that leaves R2PCIe's stop: the message is put
 * into the egress, in the cycle `at` or when there is room. */
struct ring_ride iio_send(struct ep *ep, unsigned socket, enum ring_kind kind,
			  unsigned to, uint64_t at, unsigned slots);

/* From when on R2PCIe's ingress has room for a message of class NCB or NCS that
 * its sender has in the cycle `at`; iio_serve() or iio_hear() of it follows. */
uint64_t iio_room_from(struct iio *iio, enum packet_class cls, uint64_t at);

/* An uncached access of a core (enum uncore_access_kind, behind
 * UNCORE_ACCESS_NONE, of the device that `target` says) has come to the socket
 * of the device and is at R2PCIe's ring stop in the cycle `at`: returns the
 * cycle in which the answer is ready for the ring there. */
uint64_t iio_serve(struct iio *iio, unsigned kind, uint16_t target,
		   uint64_t at);

/* A message of the U-Box (NCS) is at R2PCIe's ring stop in the cycle `at`;
 * returns when the devices' side has it. */
uint64_t iio_hear(struct iio *iio, uint64_t at);

/* By an event: the device that has asked for the bus (PHOLD) has it. Returns
 * when it gives it back, at R2PCIe. */
uint64_t iio_hold(struct iio *iio);

const char *iio_check_rest(const struct iio *iio, uint64_t now);

/* iio_stop.c, for iio.c. */
void iio_stop_init(struct iio *iio);
void iio_stop_fini(struct iio *iio);

/* A message is in the ingress from a cycle on: when the IIO has it. */
uint64_t iio_hand_over(struct iio *iio, enum iio_class cls, uint64_t arrived);

/* iio_tell.c: the stacks begin. A port by a target: that of who asks, or is
 * asked by a core; that of a device which another one asks. */
void iio_start_stacks(struct iio *iio, const struct uc_family *family);
unsigned iio_port_of(const struct iio *iio, uint16_t target);
bool iio_is_peer(const struct iio *iio, uint16_t target);

/* A request of a device at a port from its issue until it is over; one of a
 * core (enum uncore_access_kind) that a device has and answers in a cycle; one
 * of a device (from a port, to another) that goes, arrives and is answered. */
void iio_tell_of_cpu(struct iio *iio, enum irp_request request, unsigned port,
		     uint64_t from, uint64_t until);
void iio_tell_by_cpu(const struct iio *iio, unsigned kind, unsigned port,
		     uint64_t at, uint64_t answered);
void iio_tell_peer(const struct iio *iio, bool is_read, uint16_t target,
		   uint64_t from, uint64_t at, uint64_t answered);

#endif
