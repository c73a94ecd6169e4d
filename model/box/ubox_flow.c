/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What the U-Box sends on. An arbiter gives the way out to one buffer after the
 * other, by priority; it belongs to the buffer until the last packet of its
 * entry has gone. The answers then end the request that the entry was made
 * of:
 *
 *	special cycle	NcMsgS to the S-Boxes of the socket
 *	interrupt	IntPhysical to the S-Box of the CPU
 *	PM out		NcMsgB to all other U-Boxes
 *	Lock		becomes StopReq1 to all S-Boxes and I/O hubs of the
 *			system; when all have answered, the core that locks
 *			goes on
 *	Unlock		the same with StartReq2
 *
 * The Lock buffer holds Locks that wait for their turn; only the Unlock of the
 * lock that is held overtakes them. Socket 0 is the quiesce master.
 */
#include <stdlib.h>

#include "model/sim/bug.h"

#include "model/box/socket.h"
#include "model/box/ubox_parts.h"
#include "signals.h"

static uint64_t now_of(const struct ubox *ubox)
{
	return sim_now(ubox->socket->sim);
}

/* Tasks */

static struct ubox_task *take_task(struct ubox *ubox, enum ubox_buffer buffer,
				   const struct packet *request)
{
	unsigned n = ubox->next_task;

	while (ubox->tasks[n].is_used)
		n = (n + 1) % UBOX_TASKS;
	ubox->next_task = (n + 1) % UBOX_TASKS;
	ubox->tasks[n] = (struct ubox_task){
		.request = *request,
		.buffer = (uint8_t)buffer,
		.is_used = true,
	};
	ubox->num_tasks++;
	ubox->sending = (int)n;
	return &ubox->tasks[n];
}

static void send(struct ubox *ubox, struct ubox_task *task,
		 struct packet packet, unsigned dest)
{
	packet.source = (uint8_t)ubox->node;
	packet.dest = (uint8_t)dest;
	packet.serial = UBOX_SERIAL | (uint32_t)(task - ubox->tasks);
	task->num_unsent++;
	task->num_unanswered++;
	outlet_send(&ubox->outlet, &packet);
}

/* To the S-Boxes of sockets first..first+num-1, and so many hubs. */
static void broadcast(struct ubox *ubox, struct ubox_task *task,
		      enum packet_message message, unsigned first, unsigned num,
		      unsigned num_hubs)
{
	struct packet packet = {
		.line = task->request.line,
		.cls = PACKET_NCS,
		.mc = MC_NCS,
		.opcode = NCS_NC_MSG_S,
		.flits = PACKET_FLITS_MESSAGE,
		.message = (uint8_t)message,
		.core = 0xff,
		/* who is left out */
		.requester = task->request.requester,
		.cbox = task->request.core,
	};

	for (unsigned i = first; i < first + num; i++)
		for (unsigned side = 0; side < SOCKET_SIDES; side++)
			send(ubox, task, packet, NODE_SBOX(i, side));
	for (unsigned i = 0; i < num_hubs; i++)
		send(ubox, task, packet, NODE_IOH(i));
}

static void interrupt(struct ubox *ubox, struct ubox_task *task)
{
	const struct socket *socket = ubox->socket;
	unsigned cpu = task->request.core;
	unsigned core = cpu % socket->num_cores;
	struct packet packet = {
		.line = task->request.line,
		.cls = PACKET_NCB,
		.mc = MC_NCB,
		.opcode = task->request.opcode,
		.flits = PACKET_FLITS_NCB,
		.message = MESSAGE_INTERRUPT,
		.core = (uint8_t)core,
		.requester = task->request.requester,
	};

	if (cpu >= socket->num_cores * socket->num_sockets)
		return; /* there is nobody */
	send(ubox, task, packet,
	     NODE_SBOX(cpu / socket->num_cores, socket_side(socket, core)));
	if (!NODE_IS_IOH(task->request.source))
		sig_pulse(ubox->bank, SIG_UBOX_IPIS_SENT, 1);
}

static void power_news(struct ubox *ubox, struct ubox_task *task)
{
	const struct socket *socket = ubox->socket;
	struct packet packet = {
		.cls = PACKET_NCB,
		.mc = MC_NCB,
		.opcode = NCB_NC_MSG_B,
		.flits = PACKET_FLITS_NCB,
		.message = MESSAGE_POWER,
		.requester = (uint8_t)ubox->node,
	};

	for (unsigned i = 1; i < socket->num_sockets; i++)
		send(ubox, task, packet,
		     NODE_UBOX((socket->index + i) % socket->num_sockets));
}

/* Ends */

static void unlock(struct ubox *ubox)
{
	switch (ubox->lock) {
	case UBOX_STOPPING: ubox->lock = UBOX_LOCKED; break;
	case UBOX_STARTING: ubox->lock = UBOX_UNLOCKED; break;
	default: BUG("nothing was to be stopped or started");
	}
	ubox_complete(ubox, &ubox->locker);
}

static void end_task(struct ubox *ubox, struct ubox_task *task)
{
	struct packet request = task->request;
	enum ubox_buffer buffer = task->buffer;

	task->is_used = false;
	ubox->num_tasks--;
	if (buffer == UBOX_STST) {
		unlock(ubox);
	} else if (buffer == UBOX_PM_OUT) {
		ubox->has_power_news = false;
		if (ubox->has_more_power_news)
			ubox_power_news(ubox);
	} else if (request.source == ubox->node) {
		ubox->is_shutting_down = false;
	} else {
		ubox_complete(ubox, &request);
	}
	ubox_arbitrate(ubox);
}

static void try_end(struct ubox *ubox, struct ubox_task *task)
{
	if (task->is_used && !task->num_unsent && !task->num_unanswered)
		end_task(ubox, task);
}

void ubox_answered(struct ubox *ubox, const struct packet *packet)
{
	struct ubox_task *task =
		&ubox->tasks[(packet->serial & ~UBOX_SERIAL) % UBOX_TASKS];

	task->num_unanswered--;
	try_end(ubox, task);
}

/* The buffer's entry is on its way: the next may come. */
static void all_sent(struct ubox *ubox, struct ubox_task *task)
{
	ubox->sending = -1;
	ubox_drop(ubox, task->buffer, 0);
	try_end(ubox, task);
	ubox_arbitrate(ubox);
}

void ubox_sent(void *object, const struct packet *packet)
{
	struct ubox *ubox = object;
	struct ubox_task *task;

	if ((packet->cls != PACKET_NCS && packet->cls != PACKET_NCB))
		return; /* an answer of ours */
	task = &ubox->tasks[packet->serial & ~UBOX_SERIAL];
	if (packet->message != MESSAGE_POWER && !NODE_IS_IOH(packet->dest))
		sig_pulse(ubox->bank, SIG_UBOX_U2R_REQUESTS, 1);
	if (!--task->num_unsent)
		all_sent(ubox, task);
}

/* Arbitration */

/* The Lock or Unlock that may go on, or -1. */
static int next_lock(struct ubox *ubox)
{
	enum packet_message wanted = ubox->lock == UBOX_UNLOCKED ? MESSAGE_LOCK
				     : ubox->lock == UBOX_LOCKED
					     ? MESSAGE_UNLOCK
					     : MESSAGE_NONE;
	struct ubox_slot *slot;

	for (unsigned n = 0; (slot = ubox_slot(ubox, UBOX_LOCK, n)); n++)
		if (slot->packet.message == wanted)
			return (int)n;
	return -1;
}

static void stop_or_start(struct ubox *ubox, int n)
{
	struct packet packet;

	ubox->locker = ubox_slot(ubox, UBOX_LOCK, (unsigned)n)->packet;
	ubox->lock = ubox->locker.message == MESSAGE_LOCK ? UBOX_STOPPING
							  : UBOX_STARTING;
	packet = ubox->locker;
	packet.message = ubox->lock == UBOX_STOPPING ? MESSAGE_STOP_REQ1
						     : MESSAGE_START_REQ2;
	ubox_drop(ubox, UBOX_LOCK, (unsigned)n);
	ubox_put(ubox, UBOX_STST, &packet, 0);
}

static void grant(struct ubox *ubox, enum ubox_buffer buffer)
{
	struct packet request = ubox_slot(ubox, buffer, 0)->packet;
	struct socket *socket = ubox->socket;
	struct ubox_task *task = take_task(ubox, buffer, &request);

	switch (buffer) {
	case UBOX_SPECIAL:
		broadcast(ubox, task, MESSAGE_SPECIAL, socket->index, 1, 0);
		break;
	case UBOX_STST:
		broadcast(ubox, task, request.message, 0, socket->num_sockets,
			  socket->num_hubs);
		break;
	case UBOX_PM_OUT: power_news(ubox, task); break;
	default: interrupt(ubox, task); break;
	}
	if (!task->num_unsent)
		all_sent(ubox, task);
}

static void look(void *object, uint64_t time)
{
	struct ubox *ubox = object;

	if (ubox->look_at != time)
		return;
	ubox->look_at = SIM_NEVER;
	ubox_arbitrate(ubox);
}

static void look_later(struct ubox *ubox, uint64_t time)
{
	if (time >= ubox->look_at)
		return;
	ubox->look_at = time;
	sim_at(ubox->socket->sim, time, look, ubox, time);
}

/* Whether entry n of the buffer may go on; sees to it that somebody looks when
 * it may. */
static bool is_ready(struct ubox *ubox, enum ubox_buffer buffer, int n)
{
	struct ubox_slot *slot =
		n < 0 ? NULL : ubox_slot(ubox, buffer, (unsigned)n);

	if (!slot)
		return false;
	if (slot->ready > now_of(ubox))
		look_later(ubox, slot->ready);
	return slot->ready <= now_of(ubox);
}

void ubox_arbitrate(struct ubox *ubox)
{
	for (unsigned i = UBOX_NUM_SENDING; i < UBOX_NUM_BUFFERS; i++)
		if (!ubox->buffers[i].is_active && is_ready(ubox, i, 0))
			ubox_serve(ubox, i);
	for (unsigned i = 0; i < UBOX_NUM_SENDING && ubox->sending < 0; i++) {
		int n = i == UBOX_LOCK ? next_lock(ubox) : 0;

		if (!is_ready(ubox, i, n))
			continue;
		if (i == UBOX_LOCK)
			stop_or_start(ubox, n);
		else
			grant(ubox, i);
		return;
	}
}
