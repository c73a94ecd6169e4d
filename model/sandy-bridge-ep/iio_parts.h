/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * R2PCIe as a ring stop (iio_stop.c) and the devices (iio.c), for these two.
 */
#ifndef UNCORE_IIO_PARTS_H
#define UNCORE_IIO_PARTS_H

#include "model/sandy-bridge-ep/iio.h"
#include "model/sandy-bridge-ep/irp.h"
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

struct iio {
	struct ep *ep;
	struct socket *socket;
	struct sigbank *bank;
	unsigned index, latency, line_cycles, credit_cycles;
	/* The stop */
	struct iio_egress egress[IIO_RINGS];
	struct iio_ingress ingress[IIO_NUM_CLASSES];
	struct calendar inserts, grants;
	struct calendar port; /* into the IIO */
	struct devices devices;
	struct irp irp;
};

void iio_stop_init(struct iio *iio);
void iio_stop_fini(struct iio *iio);

/* A message is in the ingress from a cycle on: when the IIO has it. */
uint64_t iio_hand_over(struct iio *iio, enum iio_class cls, uint64_t arrived);

#endif
