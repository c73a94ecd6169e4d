/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * IRP, between the devices and R2PCIe: it makes their requests coherent. Here
 * it takes no time of its own; it tells what goes through it. The Xeon E5-2600
 * has one, too, which nobody can read: then nothing is told.
 *
 * Not here: ownership without the data of a write, which go with its request,
 * so that no snoop takes a line away; prefetches; requests for a line that
 * another one is at work on, which the devices hold back.
 */
#ifndef UNCORE_IRP_H
#define UNCORE_IRP_H

#include "model/pmu/engine.h"
#include "model/pmu/signal.h"
#include "model/sandy-bridge-ep/ring.h"
#include "model/station/occupancy.h"

/* Of a device; as data/xeon-e5-v2/facts.txt has them. */
enum irp_request { IRP_READ, IRP_LINE, IRP_PART };

/* Classes of what comes from the ring for devices, as the facts have them. */
enum iio_class { IIO_DRS, IIO_NCB, IIO_NCS, IIO_NUM_CLASSES };

struct irp {
	struct engine *engine;
	struct sigbank *bank; /* NULL: nobody looks */
	struct occupancy ingress[IIO_NUM_CLASSES];
};

void irp_init(struct irp *irp, struct engine *engine, struct sigbank *bank);
void irp_fini(struct irp *irp);

/* A request of a device, from its issue until its data, or the acknowledgement,
 * are there. An acknowledgement comes, or that of an interrupt. */
void irp_tell_request(const struct irp *irp, enum irp_request kind,
		      uint64_t from, uint64_t until);
void irp_tell_ack(const struct irp *irp, uint64_t at);

/* Something waits for room in R2PCIe's egress to a ring. */
void irp_tell_stall(const struct irp *irp, enum ring_kind kind, uint64_t from,
		    uint64_t until);

/* R2PCIe hands a message over, which is in the ingress then until the devices'
 * side has it; that has room for so many. */
void irp_tell_ingress(struct irp *irp, enum iio_class cls, uint64_t from,
		      uint64_t until, unsigned room);

/* A device has a request of a core, which it answers in another cycle. */
void irp_tell_outbound(const struct irp *irp, enum iio_class cls, uint64_t from,
		       uint64_t until);

#endif
