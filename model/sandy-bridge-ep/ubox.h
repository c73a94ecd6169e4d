/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The U-Box: interrupts, locks, messages to cores, registers.
 */
#ifndef UNCORE_EP_UBOX_H
#define UNCORE_EP_UBOX_H

#include "model/sandy-bridge-ep/ep.h"

/* NULL without memory. */
struct ubox *ubox_new(struct ep *ep, unsigned socket,
		      const struct uc_family *family);
void ubox_free(struct ubox *ubox);

/* A core's access that no slice answers (core_is_special()) begins now:
 * interrupts, locks, special cycles, configuration, devices' registers and
 * memory (which go on to iio_serve()), the state before C6. core_done() follows
 * by an event. */
void ubox_begin(struct ep *ep, struct core *core, unsigned entry);

/* An interrupt of a device for a CPU of the system is at the U-Box of `socket`
 * in the cycle `at`. */
void ubox_interrupt(struct ep *ep, unsigned socket, unsigned cpu, uint64_t at);

#endif
