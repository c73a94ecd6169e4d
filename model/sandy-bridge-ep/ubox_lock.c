/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The lock of the machine (model/parts/system/lock.h), whose master is the
 * U-Box of socket 0. A Lock or Unlock goes there by the U-Box of its socket;
 * StopReq1 and StartReq2 go to all U-Boxes, and by these to cores and the IIO.
 *
 * A device of the old kind asks for it by PHOLD, gets it by an acknowledgement,
 * and holds it for one access.
 */
#include <stdlib.h>

#include "model/box/socket.h"
#include "model/parts/system/lock.h"
#include "model/sandy-bridge-ep/iio.h"
#include "model/sandy-bridge-ep/ubox.h"
#include "signals.h"

enum { MAX_TURNS = EP_MAX_SOCKETS * (EP_MAX_CORES + 1) };
_Static_assert(MAX_TURNS <= (unsigned)LOCK_TURNS, "see lock.h");

/* Who asks: a core, or the devices of a socket. */
struct turn {
	struct core *core; /* NULL: devices */
	unsigned entry, socket;
	unsigned stop; /* of the socket, where it is */
};

struct ubox_lock {
	struct lock lock;
	struct ep *ep;
	struct turn turns[MAX_TURNS];
};

static uint64_t tell_all(void *object, unsigned turn, bool is_stop,
			 uint64_t at);
static void grant(void *object, unsigned turn, uint64_t at);

static const struct lock_kind by_messages = {
	.tell_all = tell_all,
	.grant = grant,
};

struct ubox_lock *ubox_lock_new(struct ep *ep)
{
	struct ubox_lock *own = calloc(1, sizeof(*own));

	if (!own)
		return NULL;
	own->ep = ep;
	own->lock.kind = &by_messages;
	own->lock.object = own;
	return own;
}

static struct ubox_lock *lock_of(const struct ep *ep)
{
	return ep->sockets[0].ubox->lock;
}

static const struct packet message = {
	.cls = PACKET_NCS,
	.mc = MC_NCS,
	.opcode = NCS_NC_MSG_S,
};

static uint64_t send(struct ep *ep, struct trip_stop from, struct trip_stop to,
		     uint64_t at)
{
	struct packet packet = message;

	return trip_go(ep, from, to, &packet, at, -1).arrived;
}

/* From a ring stop to the U-Box of its socket and on to the master; *passed:
 * the first has it. */
static uint64_t go_to_master(struct ep *ep, unsigned socket, unsigned stop,
			     uint64_t at, uint64_t *passed)
{
	struct ubox *ubox = ep->sockets[socket].ubox;
	struct trip_stop from = { socket, stop };

	at = send(ep, from, ubox_stop(ep, socket), at);
	at = *passed = calendar_take(&ubox->in, engine_now(&ep->engine), at, 1);
	at += ubox->cycles;
	if (!socket)
		return at;
	return send(ep, ubox_stop(ep, socket), ubox_stop(ep, 0), at) +
	       ep->sockets[0].ubox->cycles;
}

/* The master's answer to who has asked or given back. */
static uint64_t answer(struct ep *ep, const struct turn *turn, uint64_t at)
{
	struct trip_stop to = { turn->socket, turn->stop };

	return trip_answer(ep, ubox_stop(ep, 0), to, &message, at);
}

/* StopReq1, StartReq2 */

static struct trip_stop iio_stop_of(const struct ep *ep, unsigned socket)
{
	return (struct trip_stop){ socket, ep_io_stop(ep) };
}

/* The answer of a socket's U-Box is ready: when the master has it. */
static uint64_t answer_master(struct ep *ep, unsigned socket, uint64_t at)
{
	return socket ? trip_answer(ep, ubox_stop(ep, socket), ubox_stop(ep, 0),
				    &message, at)
		      : at;
}

/* The IIO of a socket agrees from the cycle `at` on: when the master knows. */
static uint64_t iio_agrees(struct ep *ep, unsigned socket, uint64_t at)
{
	at = trip_answer(ep, iio_stop_of(ep, socket), ubox_stop(ep, socket),
			 &message, at);
	return answer_master(ep, socket, at);
}

/* sim_fn: its DMA is over. */
static void iio_is_over(void *object, uint64_t socket)
{
	struct ubox_lock *own = object;

	lock_agree(&own->lock, iio_agrees(own->ep, (unsigned)socket,
					  engine_now(&own->ep->engine)));
}

static void iio_stands(void *object, unsigned socket, uint64_t at)
{
	struct ubox_lock *own = object;

	sim_at(own->ep->engine.sim, at, iio_is_over, own, socket);
}

static void stop_iio(void *object, uint64_t socket)
{
	struct ubox_lock *own = object;

	devices_stop(&own->ep->sockets[socket].iio->devices, iio_stands, own);
}

static void start_iio(void *object, uint64_t socket)
{
	struct ubox_lock *own = object;

	devices_go_on(&own->ep->sockets[socket].iio->devices);
}

/* The U-Box of a socket has the message: when the master has the answers, but
 * for what the IIO finds out. */
static uint64_t tell_socket(struct ubox_lock *own, const struct turn *turn,
			    unsigned socket, bool is_stop, uint64_t at)
{
	struct ep *ep = own->ep;
	struct ubox *ubox = ep->sockets[socket].ubox;
	struct iio *iio = ep->sockets[socket].iio;
	uint32_t cores = ubox_all_cores(ubox);
	uint64_t last, there;

	if (turn->core && turn->socket == socket)
		cores &= ~(UINT32_C(1) << turn->core->index);
	last = ubox_tell_cores(ubox, cores,
			       is_stop ? MESSAGE_STOP_REQ1 : MESSAGE_START_REQ2,
			       SIG_UBOX_EP_U2C_EVENTS_OTHER, at);
	last = answer_master(ep, socket, last);
	if (!turn->core && turn->socket == socket)
		return last;
	at = iio_room_from(iio, PACKET_NCS, at);
	there = iio_hear(iio, send(ep, ubox_stop(ep, socket),
				   iio_stop_of(ep, socket), at));
	sim_at(ep->engine.sim, there, is_stop ? stop_iio : start_iio, own,
	       socket);
	engine_busy_until(&ep->engine, there + 1);
	if (!is_stop)
		return sim_later(last, iio_agrees(ep, socket, there));
	own->lock.num_awaited++;
	return last;
}

static uint64_t tell_all(void *object, unsigned turn, bool is_stop, uint64_t at)
{
	struct ubox_lock *own = object;
	struct ep *ep = own->ep;
	uint64_t last = at;

	for (unsigned i = 0; i < ep->num_sockets; i++) {
		uint64_t there = at;

		if (i)
			there = send(ep, ubox_stop(ep, 0), ubox_stop(ep, i),
				     at) +
				ep->sockets[i].ubox->cycles;
		last = sim_later(last, tell_socket(own, &own->turns[turn], i,
						   is_stop, there));
	}
	return last;
}

/* Cores */

/* Asks by the turn of a number; when the U-Box of its socket has passed it. */
static uint64_t ask(struct ep *ep, const struct turn *turn, unsigned number)
{
	struct ubox_lock *own = lock_of(ep);
	uint64_t passed, ready;

	own->turns[number] = *turn;
	ready = go_to_master(ep, turn->socket, turn->stop,
			     engine_now(&ep->engine), &passed);
	lock_ask(&own->lock, number, ready);
	return passed;
}

void ubox_lock_ask(struct ep *ep, struct core *core, unsigned entry)
{
	unsigned socket = core->socket->index;
	const struct turn turn = {
		.core = core,
		.entry = entry,
		.socket = socket,
		.stop = ep_core_stop(ep, core->index),
	};
	uint64_t passed = ask(ep, &turn, core->number);

	sig_later(ep->sockets[socket].ubox->bank, SIG_UBOX_EP_LOCK_CYCLES,
		  passed, 1);
}

void ubox_lock_give_back(struct ep *ep, struct core *core, unsigned entry)
{
	struct ubox_lock *own = lock_of(ep);
	unsigned number = own->lock.holder;
	const struct turn *turn = &own->turns[number];
	uint64_t passed, at;

	at = go_to_master(ep, turn->socket, turn->stop, engine_now(&ep->engine),
			  &passed);
	at = lock_give_back(&own->lock, number, at);
	ubox_end(ep, core, entry, answer(ep, turn, at));
	lock_next(&own->lock);
}

/* PHOLD: its ends are known by events only. */

enum { HOLD = SIG_UBOX_EP_PHOLD_CYCLES_ASSERT_TO_ACK };

void ubox_hold(struct ep *ep, unsigned socket)
{
	const struct turn turn = { .socket = socket, .stop = ep_io_stop(ep) };
	unsigned number = ep->num_sockets * ep->num_cores + socket;
	uint64_t passed = ask(ep, &turn, number);

	message_rise(&ep->engine, ep->sockets[socket].ubox->bank, HOLD, passed);
}

/* sim_fn: the device makes its access, and gives the bus back. */
static void hold(void *object, uint64_t socket)
{
	struct ubox_lock *own = object;
	struct ep *ep = own->ep;
	uint64_t at = iio_hold(ep->sockets[socket].iio), passed;

	at = go_to_master(ep, (unsigned)socket, ep_io_stop(ep), at, &passed);
	message_fall(&ep->engine, ep->sockets[socket].ubox->bank, HOLD + 1,
		     passed);
	lock_give_back(&own->lock, own->lock.holder, at);
	lock_next(&own->lock);
}

static void grant(void *object, unsigned number, uint64_t at)
{
	struct ubox_lock *own = object;
	const struct turn *turn = &own->turns[number];
	struct ep *ep = own->ep;
	struct sigbank *bank = ep->sockets[turn->socket].ubox->bank;

	at = answer(ep, turn, at);
	if (turn->core) {
		ubox_end(ep, turn->core, turn->entry, at);
		return;
	}
	message_fall(&ep->engine, bank, HOLD, at);
	message_rise(&ep->engine, bank, HOLD + 1, at);
	sim_at(ep->engine.sim, at, hold, own, turn->socket);
}
