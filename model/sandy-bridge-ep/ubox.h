/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The U-Box: interrupts, messages to cores, registers (ubox.c), locks
 * (ubox_lock.c).
 */
#ifndef UNCORE_EP_UBOX_H
#define UNCORE_EP_UBOX_H

#include "model/parts/system/message.h"
#include "model/sandy-bridge-ep/trip.h"
#include "model/station/calendar.h"
#include "model/station/spans.h"

struct ubox_lock;

struct ubox {
	struct ep *ep;
	struct socket *socket;
	struct sigbank *bank;
	unsigned index, cycles, register_cycles, channel_cycles, save_cycles;
	struct calendar in, out; /* messages that come; that go to cores */
	struct spans registers;
	uint64_t monitored[EP_MAX_CORES]; /* lines, of the cores .. */
	uint32_t armed;			  /* .. whose bits are set */
	struct ubox_lock *lock;		  /* of the machine: in socket 0 */
};

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

/* For ubox_lock.c */

/* Cores of the socket (a bit each) are told, from the cycle `at` on, one a
 * cycle; `signal` of each, if it is not 0. When the last has answered. */
uint64_t ubox_tell_cores(struct ubox *ubox, uint32_t cores,
			 enum packet_message message, unsigned signal,
			 uint64_t at);

static inline uint32_t ubox_all_cores(const struct ubox *ubox)
{
	return (UINT32_C(1) << ubox->ep->num_cores) - 1;
}

static inline struct trip_stop ubox_stop(const struct ep *ep, unsigned socket)
{
	return (struct trip_stop){ socket, ep_ubox_stop(ep) };
}

/* A core's request is over in the cycle `at`, in which its ring stop has the
 * answer. */
void ubox_end(struct ep *ep, struct core *core, unsigned entry, uint64_t at);

/* ubox_lock.c. A free one, to be freed; NULL without memory. */
struct ubox_lock *ubox_lock_new(struct ep *ep);
/* A core asks for the lock now, or gives it back. */
void ubox_lock_ask(struct ep *ep, struct core *core, unsigned entry);
void ubox_lock_give_back(struct ep *ep, struct core *core, unsigned entry);

#endif
