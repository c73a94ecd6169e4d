/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * A bus lock (model/parts/system/lock.h). The quiesce master is the U-Box of
 * socket 0, whose StopReq1 and StartReq2 go to all S-Boxes, for their cores,
 * and to all hubs. A Lock that comes while the lock is held waits in the
 * U-Box's buffer, and its transaction goes on in that of the Unlock. So what it
 * holds meanwhile is shown by events.
 */
#include "model/parts/system/lock.h"

#include <stdlib.h>

#include "model/box/socket.h"
#include "model/nehalem-ex/hub.h"
#include "model/nehalem-ex/special.h"
#include "model/nehalem-ex/system.h"
#include "signals.h"

enum { MAX_CPUS = EX_MAX_SOCKETS * EX_MAX_CORES };
_Static_assert(MAX_CPUS <= (unsigned)LOCK_TURNS, "see lock.h");

struct system_lock {
	struct lock lock;
	struct ex *ex;
	unsigned num_locks;		   /* in the buffer */
	struct special specials[MAX_CPUS]; /* by the number of the core */
};

static uint64_t tell_all(void *object, unsigned turn, bool is_stop,
			 uint64_t at);
static void grant(void *object, unsigned turn, uint64_t at);

static const struct lock_kind by_messages = {
	.tell_all = tell_all,
	.grant = grant,
};

struct system_lock *system_lock_new(struct ex *ex)
{
	struct system_lock *own = calloc(1, sizeof(*own));

	if (!own)
		return NULL;
	own->ex = ex;
	own->lock.kind = &by_messages;
	own->lock.object = own;
	return own;
}

/* The buffer of Locks and Unlocks */

static void count_locks(struct system_lock *own, int n)
{
	own->num_locks += (unsigned)n;
	sig_set(system_of(own->ex, 0)->bank, SIG_UBOX_BUF_VALID_LOCK,
		own->num_locks > 0);
}

static void enter(void *own, uint64_t unused)
{
	(void)unused;
	count_locks(own, 1);
}

static void leave(void *own, uint64_t unused)
{
	(void)unused;
	count_locks(own, -1);
}

/* A Lock or Unlock goes to the U-Box; it may be worked on then. */
static uint64_t go_to_master(struct system_lock *own, struct special *special)
{
	uint64_t at = special->acknowledged;

	special_take_entry(special, at);
	at = special_send(special, at);
	sim_at(own->ex->engine.sim, at, enter, own, 0);
	return at + system_of(own->ex, 0)->cycles;
}

/* StopReq1, StartReq2 */

/* The hub's answer is at the U-Box. */
static uint64_t hub_agrees(struct hub *hub, uint64_t at)
{
	const struct packet message = {
		.cls = PACKET_NCS,
		.mc = MC_NCS,
		.opcode = NCS_NC_MSG_S,
		.source = NODE_UBOX(0),
		.requester = NODE_UBOX(0),
	};
	struct packet answer = message_answer(&message);

	return hub_send(hub, &answer, at);
}

static void hub_stands(void *object, unsigned socket, uint64_t at)
{
	struct system_lock *own = object;

	lock_agree(&own->lock, hub_agrees(own->ex->sockets[socket].hub, at));
}

static void stop_hub(void *object, uint64_t socket)
{
	struct system_lock *own = object;

	devices_stop(&own->ex->sockets[socket].hub->devices, hub_stands, own);
}

static void start_hub(void *object, uint64_t socket)
{
	struct system_lock *own = object;

	devices_go_on(&own->ex->sockets[socket].hub->devices);
}

/* Returns when those have answered of whom that is known. */
static uint64_t tell_hubs(struct system_lock *own, struct packet *packet,
			  uint64_t at, uint64_t *sent)
{
	struct ex *ex = own->ex;
	unsigned num = ex->sockets[0].socket->num_hubs;
	bool is_stop = packet->message == MESSAGE_STOP_REQ1;
	uint64_t last = at;

	for (unsigned i = 0; i < num; i++) {
		struct hub *hub = ex->sockets[i].hub;
		uint64_t there;

		packet->dest = (uint8_t)hub->node;
		there = system_send(ex, system_of(ex, 0), packet, at, sent);
		sim_at(ex->engine.sim, there, is_stop ? stop_hub : start_hub,
		       own, i);
		engine_busy_until(&ex->engine, there + 1);
		if (!is_stop)
			last = sim_later(last, hub_agrees(hub, there));
	}
	if (is_stop)
		own->lock.num_awaited = num;
	return last;
}

static uint64_t tell_all(void *object, unsigned turn, bool is_stop, uint64_t at)
{
	struct system_lock *own = object;
	struct ex *ex = own->ex;
	struct system *master = system_of(ex, 0);
	const struct packet *asks = &own->specials[turn].packet;
	unsigned sboxes = EX_SIDES * ex->num_sockets;
	unsigned hubs = ex->sockets[0].socket->num_hubs;
	struct system_visit visit = { .buffer = SYSTEM_STST };
	struct packet packet = {
		.line = asks->line,
		.cls = PACKET_NCS,
		.mc = MC_NCS,
		.opcode = NCS_NC_MSG_S,
		.flits = PACKET_FLITS_MESSAGE,
		.message = is_stop ? MESSAGE_STOP_REQ1 : MESSAGE_START_REQ2,
		.core = AGENT_ALL_CORES,
		/* who is left out */
		.requester = asks->requester,
		.cbox = asks->core,
	};
	uint64_t sent, last;

	visit.arrived = last =
		system_grant(ex, master, at, sboxes + hubs, packet.flits);
	sim_at(ex->engine.sim, visit.arrived, leave, own, 0);
	for (unsigned i = 0; i < sboxes; i++) {
		packet.dest = (uint8_t)NODE_SBOX(i / EX_SIDES, i % EX_SIDES);
		at = system_send(ex, master, &packet, visit.arrived, &sent);
		last = sim_later(last, interrupt_tell(ex, &packet, at));
	}
	last = sim_later(last, tell_hubs(own, &packet, visit.arrived, &sent));
	system_leave(ex, master, &visit, sent);
	return last;
}

/* Locks and Unlocks */

static void answer(struct system_lock *own, unsigned turn, uint64_t at)
{
	struct special *special = &own->specials[turn];
	struct packet packet;

	at = system_answer(own->ex, system_of(own->ex, 0), &special->packet, at,
			   &packet);
	special_end(special, &packet, at);
}

static void grant(void *object, unsigned turn, uint64_t at)
{
	answer(object, turn, at);
}

/* What it holds is shown by events from now on. */
static void open(struct special *special)
{
	const struct access *access = &special->access;
	struct engine *engine = &access->ex->engine;

	special->is_open = true;
	message_rise(engine, access->slice->bank, SIG_CBOX_OCCUPANCY_MAF,
		     special->acknowledged);
	message_rise(engine,
		     access->here->socket->sbox_banks[access->slice->side],
		     SIG_SBOX_REQ_TBL_REMOTE, special->taken);
}

void lock_go(const struct special *asks)
{
	struct system_lock *own = system_of(asks->access.ex, 0)->lock;
	unsigned turn = asks->access.core->number;
	struct special *special = &own->specials[turn];
	uint64_t ready;

	*special = *asks;
	ready = go_to_master(own, special);
	if (asks->access.kind == UNCORE_ACCESS_LOCK) {
		open(special);
		lock_ask(&own->lock, turn, ready);
		return;
	}
	answer(own, turn, lock_give_back(&own->lock, turn, ready));
	lock_next(&own->lock);
}
