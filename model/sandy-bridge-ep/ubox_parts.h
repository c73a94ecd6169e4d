/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The U-Box's parts: messages and registers (ubox.c), locks (ubox_lock.c).
 */
#ifndef UNCORE_UBOX_PARTS_H
#define UNCORE_UBOX_PARTS_H

#include "model/parts/system/message.h"
#include "model/sandy-bridge-ep/trip.h"
#include "model/sandy-bridge-ep/ubox.h"
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
