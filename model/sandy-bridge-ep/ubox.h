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

/* What a U-Box gets for cores, as the unit masks of EVENT_MSG have it. */
enum ubox_message {
	UBOX_WIRE, /* an interrupt by a legacy wire */
	UBOX_MSI,
	UBOX_IPI,
	UBOX_DOORBELL,
	UBOX_PRIORITY,
};

/* What a device's interrupt for a target (UNCORE_IO_WIRE(), UNCORE_IO_SOCKET(),
 * a CPU) is, and the socket whose U-Box gets it. */
enum ubox_message ubox_message_of(unsigned target);
unsigned ubox_socket_of(const struct ep *ep, unsigned target);

/* A message of a core or a device is at the U-Box of `socket` in the cycle
 * `at`: an interrupt goes on to its CPU, if that is there. Returns when the
 * answer to the sender is ready. */
uint64_t ubox_get(struct ep *ep, unsigned socket, enum ubox_message message,
		  unsigned target, uint64_t at);

/* The socket's devices ask for the bus now (PHOLD): iio_hold() follows. */
void ubox_hold(struct ep *ep, unsigned socket);

/* All cores of a socket are told, from the cycle `at` on, of an error that some
 * box has found and dealt with, of one that was not put right, or of what else
 * there is (heat, power). */
enum ubox_news { UBOX_CORRECTED, UBOX_UNCORRECTED, UBOX_OTHER };
void ubox_tell(struct ep *ep, unsigned socket, enum ubox_news news,
	       uint64_t at);

/* A core is about to sleep, and arms its monitor for the line of its access; it
 * sleeps, it wakes, and tells of its priority for interrupts. */
void ubox_dozes(struct ep *ep, struct core *core);
void ubox_sleeps(struct ep *ep, struct core *core);
void ubox_wakes(struct ep *ep, struct core *core);

/* A line is written by somebody at a stop of a socket in the cycle `at`; who
 * monitors it is woken. */
void ubox_find_monitor(struct ep *ep, unsigned socket, unsigned stop,
		       uint64_t line, uint64_t at);
static inline void ubox_is_written(struct ep *ep, unsigned socket,
				   unsigned stop, uint64_t line, uint64_t at)
{
	if (ep->num_monitors)
		ubox_find_monitor(ep, socket, stop, line, at);
}

#endif
