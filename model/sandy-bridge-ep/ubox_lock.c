/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The lock of the machine: who holds it has stopped all other cores and all
 * devices. The U-Box of socket 0 is the master:
 *
 *	Lock -> U-Box of the socket -> master, StopReq1 -> all U-Boxes
 *		-> their cores, but for the one that asks, and the IIO
 *	     <- when all have answered; the IIO does so when its DMA is over
 *	Unlock -> the same way, StartReq2 -> the same
 *	     <- when all have answered; then the next one goes on
 *
 * A device of the old kind asks for it by PHOLD, gets it by an acknowledgement,
 * and holds it for one access.
 *
 * Invariants
 * 1. The lock is held from the transaction of a Lock until that of its Unlock.
 * 2. Who waits for it goes on in the order of arrival at the master.
 * 3. A core that waits is stopped and started like all others.
 */
#include <stdlib.h>
#include <string.h>

#include "model/box/socket.h"
#include "model/sandy-bridge-ep/iio.h"
#include "model/sandy-bridge-ep/ubox_parts.h"
#include "signals.h"

enum { MAX_TURNS = EP_MAX_SOCKETS * (EP_MAX_CORES + 1) };

/* Who asks: a core, or the devices of a socket. */
struct turn {
	struct core *core; /* NULL: devices */
	unsigned entry, socket;
	unsigned stop;	/* of the socket, where it is */
	uint64_t ready; /* at the master */
};

struct ubox_lock {
	struct ep *ep;
	bool is_held;
	uint64_t free_from;   /* if it is not */
	struct turn *holder;  /* if it is, or about to be, */
	unsigned num_awaited; /* IIOs that have not agreed yet, */
	uint64_t agreed;      /* and when all others have */
	unsigned num;
	uint8_t waiting[MAX_TURNS];
	struct turn turns[MAX_TURNS];
};

struct ubox_lock *ubox_lock_new(struct ep *ep)
{
	struct ubox_lock *lock = calloc(1, sizeof(*lock));

	if (lock)
		lock->ep = ep;
	return lock;
}

void ubox_lock_free(struct ubox_lock *lock)
{
	free(lock);
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

static void end_stop(struct ubox_lock *lock);

/* sim_fn: its DMA is over. */
static void iio_is_over(void *object, uint64_t socket)
{
	struct ubox_lock *lock = object;

	lock->agreed = sim_later(lock->agreed,
				 iio_agrees(lock->ep, (unsigned)socket,
					    engine_now(&lock->ep->engine)));
	if (!--lock->num_awaited)
		end_stop(lock);
}

static void iio_stands(void *object, unsigned socket, uint64_t at)
{
	struct ubox_lock *lock = object;

	sim_at(lock->ep->engine.sim, at, iio_is_over, lock, socket);
}

static void stop_iio(void *object, uint64_t socket)
{
	struct ubox_lock *lock = object;

	devices_stop(iio_devices(lock->ep->sockets[socket].iio), iio_stands,
		     lock);
}

static void start_iio(void *object, uint64_t socket)
{
	struct ubox_lock *lock = object;

	devices_go_on(iio_devices(lock->ep->sockets[socket].iio));
}

/* The U-Box of a socket has the message: when the master has the answers, but
 * for what the IIO finds out. */
static uint64_t tell_socket(struct ubox_lock *lock, unsigned socket,
			    bool is_stop, uint64_t at)
{
	struct ep *ep = lock->ep;
	struct ubox *ubox = ep->sockets[socket].ubox;
	const struct turn *holder = lock->holder;
	struct iio *iio = ep->sockets[socket].iio;
	uint32_t cores = ubox_all_cores(ubox);
	uint64_t last, there;

	if (holder->core && holder->socket == socket)
		cores &= ~(UINT32_C(1) << holder->core->index);
	last = ubox_tell_cores(ubox, cores,
			       is_stop ? MESSAGE_STOP_REQ1 : MESSAGE_START_REQ2,
			       SIG_UBOX_EP_U2C_EVENTS_OTHER, at);
	last = answer_master(ep, socket, last);
	if (!holder->core && holder->socket == socket)
		return last;
	at = iio_room_from(iio, PACKET_NCS, at);
	there = iio_hear(iio, send(ep, ubox_stop(ep, socket),
				   iio_stop_of(ep, socket), at));
	sim_at(ep->engine.sim, there, is_stop ? stop_iio : start_iio, lock,
	       socket);
	engine_busy_until(&ep->engine, there + 1);
	if (!is_stop)
		return sim_later(last, iio_agrees(ep, socket, there));
	lock->num_awaited++;
	return last;
}

static uint64_t tell_all(struct ubox_lock *lock, bool is_stop, uint64_t at)
{
	struct ep *ep = lock->ep;
	uint64_t last = at;

	for (unsigned i = 0; i < ep->num_sockets; i++) {
		uint64_t there = at;

		if (i)
			there = send(ep, ubox_stop(ep, 0), ubox_stop(ep, i),
				     at) +
				ep->sockets[i].ubox->cycles;
		last = sim_later(last, tell_socket(lock, i, is_stop, there));
	}
	return last;
}

/* Lock */

static void stop(struct ubox_lock *lock, struct turn *turn)
{
	lock->is_held = true;
	lock->holder = turn;
	lock->agreed =
		tell_all(lock, true, sim_later(turn->ready, lock->free_from));
	if (!lock->num_awaited)
		end_stop(lock);
}

static void next(struct ubox_lock *lock)
{
	struct turn *turn = &lock->turns[lock->waiting[0]];

	lock->num--;
	memmove(lock->waiting, lock->waiting + 1, lock->num);
	stop(lock, turn);
}

/* In the order in which they come to the master. */
static void wait(struct ubox_lock *lock, const struct turn *turn)
{
	unsigned place = lock->num++;

	for (; place; place--) {
		uint8_t before = lock->waiting[place - 1];

		if (lock->turns[before].ready <= turn->ready)
			break;
		lock->waiting[place] = before;
	}
	lock->waiting[place] = (uint8_t)(turn - lock->turns);
}

static uint64_t ask(struct ep *ep, const struct turn *like, unsigned number)
{
	struct ubox_lock *lock = lock_of(ep);
	struct turn *turn = &lock->turns[number];
	uint64_t passed;

	*turn = *like;
	turn->ready = go_to_master(ep, like->socket, like->stop,
				   engine_now(&ep->engine), &passed);
	if (lock->is_held)
		wait(lock, turn);
	else
		stop(lock, turn);
	return passed;
}

void ubox_lock_ask(struct ep *ep, struct core *core, unsigned entry)
{
	unsigned socket = core->socket->index;
	const struct turn turn = {
		.core = core,
		.entry = entry,
		.socket = socket,
		.stop = ep_cbo_stop(ep, core->index),
	};
	uint64_t passed = ask(ep, &turn, core->number);

	sig_later(ep->sockets[socket].ubox->bank, SIG_UBOX_EP_LOCK_CYCLES,
		  passed, 1);
}

/* Unlock: the master has it in the cycle `at`; when all have started. */
static uint64_t end(struct ubox_lock *lock, uint64_t at)
{
	lock->free_from = tell_all(lock, false, at);
	lock->is_held = false;
	return lock->free_from;
}

void ubox_lock_give_back(struct ep *ep, struct core *core, unsigned entry)
{
	struct ubox_lock *lock = lock_of(ep);
	const struct turn *turn = lock->holder;
	uint64_t passed, at;

	at = go_to_master(ep, turn->socket, turn->stop, engine_now(&ep->engine),
			  &passed);
	ubox_end(ep, core, entry, answer(ep, turn, end(lock, at)));
	if (lock->num)
		next(lock);
}

/* PHOLD: its ends are known by events only. */

enum { HOLD = SIG_UBOX_EP_PHOLD_CYCLES_ASSERT_TO_ACK };

/* sim_fn: one of the two signals rises, falls. */
static void rise(void *ubox, uint64_t signal)
{
	sig_add(((struct ubox *)ubox)->bank, (unsigned)signal, 1);
}

static void fall(void *ubox, uint64_t signal)
{
	sig_add(((struct ubox *)ubox)->bank, (unsigned)signal, -1);
}

void ubox_hold(struct ep *ep, unsigned socket)
{
	const struct turn turn = { .socket = socket, .stop = ep_io_stop(ep) };
	unsigned number = ep->num_sockets * ep->num_cores + socket;
	uint64_t passed = ask(ep, &turn, number);

	sim_at(ep->engine.sim, passed, rise, ep->sockets[socket].ubox, HOLD);
}

/* The device makes its access, and gives the bus back. */
static void hold(void *object, uint64_t socket)
{
	struct ubox_lock *lock = object;
	struct ep *ep = lock->ep;
	struct ubox *ubox = ep->sockets[socket].ubox;
	uint64_t at = iio_hold(ep->sockets[socket].iio), passed;

	at = go_to_master(ep, (unsigned)socket, ep_io_stop(ep), at, &passed);
	sim_at(ep->engine.sim, passed, fall, ubox, HOLD + 1);
	end(lock, at);
	if (lock->num)
		next(lock);
}

/* All stand: who asked may go on. */
static void end_stop(struct ubox_lock *lock)
{
	struct turn *turn = lock->holder;
	struct ep *ep = lock->ep;
	struct ubox *ubox = ep->sockets[turn->socket].ubox;
	uint64_t at = answer(ep, turn, lock->agreed);

	if (turn->core) {
		ubox_end(ep, turn->core, turn->entry, at);
		return;
	}
	sim_at(ep->engine.sim, at, fall, ubox, HOLD);
	sim_at(ep->engine.sim, at, rise, ubox, HOLD + 1);
	sim_at(ep->engine.sim, at, hold, lock, turn->socket);
}
