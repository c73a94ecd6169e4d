/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * R2PCIe, the ring stop of I/O, and the devices behind it (IIO): DMA of devices
 * into and out of the LLC, uncached accesses of cores to devices.
 */
#ifndef UNCORE_IIO_H
#define UNCORE_IIO_H

#include "model/sandy-bridge-ep/ep.h"

/* NULL without memory. */
struct iio *iio_new(struct ep *ep, unsigned socket,
		    const struct uc_family *family);
void iio_free(struct iio *iio);

/* Traffic of its devices has been set (uncore_traffic.next_io, for the hub of
 * the socket's number): begin to take it. */
void iio_start(struct iio *iio);

/* An access of a device that has been under way longest, as kind->device. */
bool iio_device(const struct iio *iio, uint64_t *latest, uint64_t *line);

/* Nothing of devices is under way. */
bool iio_is_settled(const struct iio *iio, uint64_t now);

/* An uncached access of a core (enum uncore_access_kind, behind
 * UNCORE_ACCESS_NONE, of a device) has come to the socket of the device and is
 * at R2PCIe's ring stop in the cycle `at`: returns the cycle in which the answer
 * is ready for the ring there. */
uint64_t iio_serve(struct iio *iio, unsigned kind, uint64_t at);

const char *iio_check_rest(const struct iio *iio, uint64_t now);

#endif
