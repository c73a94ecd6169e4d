/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * A bus lock. The U-Box of socket 0 is the quiesce master:
 *
 *	Lock -> U-Box 0, StopReq1 -> all S-Boxes -> their cores, and all hubs
 *	     <- CmpD when all have answered; a hub does so when its DMA is over
 *	Unlock -> U-Box 0, StartReq2 -> the same
 *	     <- CmpD when all have answered; then the next Lock goes on
 *
 * A Lock that comes while the lock is held waits: in the buffer of the U-Box
 * or, where its S-Box has no entry to spare, on the ring before that. Its
 * transaction stops and goes on in that of the Unlock. So what it holds
 * meanwhile is shown by events.
 *
 * Invariants
 * 1. The lock is held from the transaction of a Lock until that of its Unlock.
 * 2. Who waits at the U-Box goes on in the order of arrival there; who waits
 *    for an entry of an S-Box gets it in the order of the starts.
 * 3. Locks leave each S-Box two entries, for the write and the unlock of a core
 *    that has the lock, and for write-backs.
 */
#include "model/nehalem-ex/lock.h"

#include <stdlib.h>
#include <string.h>

#include "model/box/socket.h"
#include "model/nehalem-ex/hub.h"
#include "model/nehalem-ex/interrupt.h"
#include "model/nehalem-ex/special.h"
#include "model/nehalem-ex/system.h"
#include "signals.h"

enum { MAX_CPUS = EX_MAX_SOCKETS * EX_MAX_CORES };

/* A core's Lock. */
struct turn {
	struct special special;
	uint64_t ready; /* in the U-Box it may be worked on */
};

/* Locks at an S-Box that have an entry of its table, or have none. */
struct entries {
	uint8_t with, without;
};

struct lock {
	struct ex *ex;
	unsigned table_room;
	bool is_held;
	uint64_t free_from;   /* if it is not */
	unsigned num_locks;   /* in the buffer */
	struct turn *locker;  /* who holds it, */
	unsigned num_awaited; /* hubs that have not agreed yet, */
	uint64_t agreed;      /* and when all others have */
	struct entries entries[EX_MAX_SOCKETS][EX_SIDES];
	unsigned num, num_outside; /* who wait at the U-Box, without entry */
	uint8_t waiting[MAX_CPUS], outside[MAX_CPUS];
	struct turn turns[MAX_CPUS]; /* by the number of the core */
};

struct lock *lock_new(struct ex *ex)
{
	struct lock *lock = calloc(1, sizeof(*lock));

	if (!lock)
		return NULL;
	lock->ex = ex;
	lock->table_room =
		socket_param(ex->sockets[0].socket, PARAM_SBOX_REQUEST_TABLE);
	return lock;
}

void lock_free(struct lock *lock)
{
	free(lock);
}

bool lock_has_no_entry(const struct lock *lock, unsigned socket, unsigned side)
{
	const struct entries *entries = &lock->entries[socket][side];

	return entries->without || lock->table_room < 3u + entries->with;
}

static struct entries *entries_of(struct lock *lock,
				  const struct special *special)
{
	return &lock->entries[special->access.socket]
			     [special->access.slice->side];
}

/* The buffer of Locks and Unlocks */

static void count_locks(struct lock *lock, int n)
{
	lock->num_locks += (unsigned)n;
	sig_set(system_of(lock->ex, 0)->bank, SIG_UBOX_BUF_VALID_LOCK,
		lock->num_locks > 0);
}

static void enter(void *lock, uint64_t unused)
{
	(void)unused;
	count_locks(lock, 1);
}

static void leave(void *lock, uint64_t unused)
{
	(void)unused;
	count_locks(lock, -1);
}

/* A Lock or Unlock goes to the U-Box; it may be worked on then. */
static uint64_t go_to_master(struct lock *lock, struct special *special,
			     uint64_t at)
{
	at = special_send(special, at, 0);
	sim_at(lock->ex->engine.sim, at, enter, lock, 0);
	return at + system_of(lock->ex, 0)->cycles;
}

/* StopReq1, StartReq2 */

static struct packet message_to_all(const struct special *special,
				    enum packet_message message)
{
	return (struct packet){
		.line = special->packet.line,
		.cls = PACKET_NCS,
		.mc = MC_NCS,
		.opcode = NCS_NC_MSG_S,
		.flits = PACKET_FLITS_MESSAGE,
		.message = (uint8_t)message,
		.core = AGENT_ALL_CORES,
		/* who is left out */
		.requester = special->packet.requester,
		.cbox = special->packet.core,
	};
}

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
	struct packet answer = system_answer_to(&message, hub->node);

	return hub_send(hub, &answer, at, 0);
}

static void end_stop(struct lock *lock, uint64_t at);

static void hub_stands(void *object, unsigned socket, uint64_t at)
{
	struct lock *lock = object;
	struct hub *hub = lock->ex->sockets[socket].hub;

	lock->agreed = sim_later(lock->agreed, hub_agrees(hub, at));
	if (!--lock->num_awaited)
		end_stop(lock, lock->agreed);
}

static void stop_hub(void *object, uint64_t socket)
{
	struct lock *lock = object;

	devices_stop(&lock->ex->sockets[socket].hub->devices, hub_stands, lock);
}

static void start_hub(void *object, uint64_t socket)
{
	struct lock *lock = object;

	devices_go_on(&lock->ex->sockets[socket].hub->devices);
}

/* Returns when those have answered of whom that is known. */
static uint64_t tell_hubs(struct lock *lock, struct packet *packet, uint64_t at,
			  uint64_t *sent)
{
	struct ex *ex = lock->ex;
	unsigned num = ex->sockets[0].socket->num_hubs;
	bool is_stop = packet->message == MESSAGE_STOP_REQ1;
	uint64_t last = at;

	for (unsigned i = 0; i < num; i++) {
		struct hub *hub = ex->sockets[i].hub;
		uint64_t there;

		packet->dest = (uint8_t)hub->node;
		there = system_send(ex, system_of(ex, 0), packet, at, 0, sent);
		sim_at(ex->engine.sim, there, is_stop ? stop_hub : start_hub,
		       lock, i);
		engine_busy_until(&ex->engine, there + 1);
		if (!is_stop)
			last = sim_later(last, hub_agrees(hub, there));
	}
	if (is_stop)
		lock->num_awaited = num;
	return last;
}

/* The Lock or Unlock becomes a message to all, from `ready` on: when it has
 * been answered, but for what hubs find out. */
static uint64_t broadcast(struct lock *lock, const struct special *special,
			  enum packet_message message, uint64_t ready)
{
	struct ex *ex = lock->ex;
	struct system *master = system_of(ex, 0);
	struct packet packet = message_to_all(special, message);
	unsigned hubs = ex->sockets[0].socket->num_hubs;
	struct system_visit visit = { .buffer = SYSTEM_STST };
	uint64_t sent, last;

	visit.arrived = last =
		system_grant(ex, master, ready,
			     EX_SIDES * ex->num_sockets + hubs, packet.flits);
	sim_at(ex->engine.sim, visit.arrived, leave, lock, 0);
	for (unsigned i = 0; i < EX_SIDES * ex->num_sockets; i++) {
		uint64_t at;

		packet.dest = (uint8_t)NODE_SBOX(i / EX_SIDES, i % EX_SIDES);
		at = system_send(ex, master, &packet, visit.arrived, 0, &sent);
		last = sim_later(last, interrupt_tell(ex, &packet, at));
	}
	last = sim_later(last, tell_hubs(lock, &packet, visit.arrived, &sent));
	system_leave(ex, master, &visit, sent);
	return last;
}

/* Lock */

static void send(struct lock *lock, struct turn *turn, uint64_t at)
{
	struct special *special = &turn->special;
	struct access *access = &special->access;

	special_take_entry(special, at);
	entries_of(lock, special)->with++;
	turn->ready = go_to_master(lock, special, at);
	special_rise(lock->ex,
		     access->here->socket->sbox_banks[access->slice->side],
		     SIG_SBOX_REQ_TBL_REMOTE, special->taken);
}

static void wait(struct lock *lock, const struct turn *turn);

/* sim_fn: somebody whose entry nobody knew of looks again. */
static void let_in_again(void *of, uint64_t number);

/* From when on there is an entry for a Lock at an S-Box, as far as is known; 0:
 * it has to look again. */
static uint64_t entry_from(struct lock *lock, struct turn *turn,
			   struct entries *entries)
{
	struct ex *ex = lock->ex;
	uint64_t now = engine_now(&ex->engine);
	uint64_t from =
		agent_table_from_lock(ex, turn->special.access.agent, now);

	if (from != PLACES_NEVER)
		return from;
	sim_at(ex->engine.sim, access_known(from, now), let_in_again, lock,
	       (uint64_t)(entries - lock->entries[0]));
	return 0;
}

/* Those who wait at an S-Box in the order in which they came, as far as there
 * are entries. */
static void let_in(struct lock *lock, struct entries *entries)
{
	unsigned num = lock->num_outside;
	bool is_open = true;

	lock->num_outside = 0;
	for (unsigned i = 0; i < num; i++) {
		struct turn *turn = &lock->turns[lock->outside[i]];
		uint64_t from = 0;

		if (is_open && entries_of(lock, &turn->special) == entries &&
		    lock->table_room >= 3u + entries->with) {
			from = entry_from(lock, turn, entries);
			is_open = from;
		}
		if (!from) {
			lock->outside[lock->num_outside++] = lock->outside[i];
			continue;
		}
		entries->without--;
		send(lock, turn, from);
		wait(lock, turn);
	}
}

/* All stand: the core may go on. */
static void end_stop(struct lock *lock, uint64_t at)
{
	struct special *special = &lock->locker->special;
	struct packet answer;

	at = system_answer(lock->ex, system_of(lock->ex, 0), &special->packet,
			   at, &answer);
	entries_of(lock, special)->with--;
	special_end(special, &answer, at);
	let_in(lock, entries_of(lock, special));
}

static void stop(struct lock *lock, struct turn *turn)
{
	lock->is_held = true;
	lock->locker = turn;
	lock->agreed = broadcast(lock, &turn->special, MESSAGE_STOP_REQ1,
				 sim_later(turn->ready, lock->free_from));
	if (!lock->num_awaited)
		end_stop(lock, lock->agreed);
}

/* The one who has been in the buffer longest goes on. */
static void next(struct lock *lock)
{
	struct turn *turn = &lock->turns[lock->waiting[0]];

	lock->num--;
	memmove(lock->waiting, lock->waiting + 1, lock->num);
	stop(lock, turn);
}

/* The lock may have become free meanwhile. */
static void let_in_again(void *of, uint64_t number)
{
	struct lock *lock = of;

	let_in(lock, &lock->entries[0][number]);
	if (!lock->is_held && lock->num)
		next(lock);
}

/* In the order in which they come to the U-Box. */
static void wait(struct lock *lock, const struct turn *turn)
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

static void begin(struct lock *lock, const struct special *special)
{
	const struct access *access = &special->access;
	unsigned side = access->slice->side, number = access->core->number;
	struct turn *turn = &lock->turns[number];

	*turn = (struct turn){ .special = *special };
	turn->special.is_open = true;
	special_rise(lock->ex, access->slice->bank, SIG_CBOX_OCCUPANCY_MAF,
		     special->acknowledged);
	if (lock_has_no_entry(lock, access->socket, side)) {
		entries_of(lock, special)->without++;
		lock->outside[lock->num_outside++] = (uint8_t)number;
		return;
	}
	send(lock, turn, special->acknowledged);
	if (lock->is_held)
		wait(lock, turn);
	else
		stop(lock, turn);
}

/* Unlock */

static void end(struct lock *lock, struct special *special)
{
	struct packet answer;
	uint64_t ready, at;

	special_take_entry(special, special->acknowledged);
	ready = go_to_master(lock, special, special->acknowledged);
	lock->free_from = broadcast(lock, special, MESSAGE_START_REQ2, ready);
	at = system_answer(lock->ex, system_of(lock->ex, 0), &special->packet,
			   lock->free_from, &answer);
	special_end(special, &answer, at);
	lock->is_held = false;
	if (lock->num)
		next(lock);
}

void lock_go(struct special *special)
{
	struct lock *lock = system_lock(special->access.ex);

	if (special->access.kind == UNCORE_ACCESS_LOCK)
		begin(lock, special);
	else
		end(lock, special);
}
