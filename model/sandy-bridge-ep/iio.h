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
#include "model/sandy-bridge-ep/ring.h"

/* NULL without memory. */
struct iio *iio_new(struct ep *ep, unsigned socket,
		    const struct uc_family *family);
void iio_free(struct iio *iio);

struct devices *iio_devices(struct iio *iio);

/* In place of ring_send() for all that leaves R2PCIe's stop: the message is put
 * into the egress, in the cycle `at` or when there is room. */
struct ring_ride iio_send(struct ep *ep, unsigned socket, enum ring_kind kind,
			  unsigned to, uint64_t at, unsigned slots);

/* From when on R2PCIe's ingress has room for a message of class NCB or NCS that
 * its sender has in the cycle `at`; iio_serve() or iio_hear() of it follows. */
uint64_t iio_room_from(struct iio *iio, enum packet_class cls, uint64_t at);

/* An uncached access of a core (enum uncore_access_kind, behind
 * UNCORE_ACCESS_NONE, of a device) has come to the socket of the device and is
 * at R2PCIe's ring stop in the cycle `at`: returns the cycle in which the
 * answer is ready for the ring there. */
uint64_t iio_serve(struct iio *iio, unsigned kind, uint64_t at);

/* A message of the U-Box (NCS) is at R2PCIe's ring stop in the cycle `at`;
 * returns when the devices' side has it. */
uint64_t iio_hear(struct iio *iio, uint64_t at);

/* By an event: the device that has asked for the bus (PHOLD) has it. Returns
 * when it gives it back, at R2PCIe. */
uint64_t iio_hold(struct iio *iio);

const char *iio_check_rest(const struct iio *iio, uint64_t now);

#endif
