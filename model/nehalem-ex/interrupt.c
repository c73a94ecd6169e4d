/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Interrupts and special cycles go through the U-Box of the requester's socket:
 *
 *	S-Box or hub -> U-Box -> S-Box of the CPU -AD-> core	interrupt
 *	S-Box -> U-Box -> both S-Boxes of the socket -> cores	special cycle
 *	U-Box -> all other U-Boxes, as NcMsgB			news of power
 *
 * When all have heard it the S-Box answers, then the U-Box. What a core hears
 * it hears by an event, since it changes what the core begins.
 *
 * Left out: interrupt routing by priority and the cores' APICs (an interrupt
 * names its CPU). Chosen: a fatal error broadcasts one Shutdown to the cores
 * and the model goes on, as a machine does whose software ignores it.
 */
#include "model/box/socket.h"
#include "model/nehalem-ex/special.h"
#include "model/nehalem-ex/system.h"
#include "signals.h"

uint64_t interrupt_tell(struct ex *ex, const struct packet *packet, uint64_t at)
{
	struct ex_socket *there = &ex->sockets[NODE_SOCKET(packet->dest)];
	bool is_interrupt =
		packet->cls == PACKET_NCB && packet->opcode != NCB_NC_MSG_B;
	struct agent_message message;

	agent_message(ex, there->agents[NODE_SIDE(packet->dest)], packet, at, 0,
		      &message);
	for (uint32_t left = message.cores; left; left &= left - 1) {
		unsigned core = (unsigned)__builtin_ctz(left);

		message_tell(&ex->engine, &there->socket->cores[core],
			     is_interrupt ? MESSAGE_INTERRUPT : packet->message,
			     message.core_at[core]);
	}
	return message.answer_at;
}

/* Interrupts */

enum system_buffer interrupt_buffer(const struct ex *ex, unsigned socket,
				    unsigned cpu)
{
	return cpu / ex->num_cores == socket ? SYSTEM_LOCAL_INT
					     : SYSTEM_REMOTE_INT;
}

/* From the U-Box to the CPU; when the U-Box hears of it. */
static uint64_t to_cpu(struct ex *ex, struct system *system,
		       const struct system_visit *visit,
		       const struct packet *request)
{
	struct socket *socket = ex->sockets[NODE_SOCKET(request->dest)].socket;
	unsigned cpu = request->core, core = cpu % ex->num_cores;
	struct packet packet = *request;
	uint64_t granted, at, sent;

	granted = system_grant(ex, system, visit->ready, 1, PACKET_FLITS_NCB);
	packet.dest = (uint8_t)NODE_SBOX(cpu / ex->num_cores,
					 socket_side(socket, core));
	packet.message = MESSAGE_INTERRUPT;
	packet.core = (uint8_t)core;
	if (!NODE_IS_IOH(request->source))
		sig_later(system->bank, SIG_UBOX_IPIS_SENT, granted, 1);
	at = system_send(ex, system, &packet, granted, &sent);
	system_leave(ex, system, visit, sent);
	return interrupt_tell(ex, &packet, at);
}

uint64_t interrupt_pass_on(struct ex *ex, struct system *system,
			   const struct system_visit *visit,
			   const struct packet *packet, struct packet *answer)
{
	uint64_t at = visit->ready;

	if (packet->core < ex->num_cores * ex->num_sockets)
		at = to_cpu(ex, system, visit, packet);
	else /* there is nobody */
		system_leave(ex, system, visit, at);
	return system_answer(ex, system, packet, at, answer);
}

/* Special cycles */

/* To all cores of the socket; when the U-Box knows that they have it. */
static uint64_t broadcast(struct ex *ex, unsigned socket,
			  const struct system_visit *visit, uint64_t line)
{
	struct system *system = system_of(ex, socket);
	uint64_t granted = system_grant(ex, system, visit->ready, EX_SIDES,
					PACKET_FLITS_MESSAGE);
	uint64_t sent = granted, last = granted;

	for (unsigned side = 0; side < EX_SIDES; side++) {
		struct packet packet = {
			.line = line,
			.cls = PACKET_NCS,
			.mc = MC_NCS,
			.opcode = NCS_NC_MSG_S,
			.flits = PACKET_FLITS_MESSAGE,
			.dest = (uint8_t)NODE_SBOX(socket, side),
			.message = MESSAGE_SPECIAL,
			.core = AGENT_ALL_CORES,
		};
		uint64_t at = system_send(ex, system, &packet, granted, &sent);

		last = sim_later(last, interrupt_tell(ex, &packet, at));
	}
	system_leave(ex, system, visit, sent);
	return last;
}

void interrupt_shut_down(struct ex *ex, unsigned socket)
{
	struct system *system = system_of(ex, socket);
	uint64_t now = engine_now(&ex->engine);
	struct system_visit visit;

	if (system->shut_down_until > now)
		return;
	visit = system_arrive(system, SYSTEM_SPECIAL, now);
	system->shut_down_until =
		broadcast(ex, socket, &visit, UNCORE_SPECIAL_SHUTDOWN);
}

void interrupt_go(struct special *special)
{
	struct ex *ex = special->access.ex;
	unsigned socket = special->access.socket;
	struct system *system = system_of(ex, socket);
	bool is_interrupt = special->access.kind == UNCORE_ACCESS_INTERRUPT;
	uint64_t at = special->acknowledged;
	struct system_visit visit;
	struct packet answer;

	special_take_entry(special, at);
	visit = system_arrive(
		system,
		is_interrupt
			? interrupt_buffer(ex, socket, special->packet.core)
			: SYSTEM_SPECIAL,
		special_send(special, at));
	at = visit.arrived;
	if (is_interrupt) {
		at = interrupt_pass_on(ex, system, &visit, &special->packet,
				       &answer);
	} else {
		at = broadcast(ex, socket, &visit, special->packet.line);
		at = system_answer(ex, system, &special->packet, at, &answer);
	}
	special_end(special, &answer, at);
}

/* News of power: one message to each other socket is under way at a time. */

/* To one other socket and back; *sent: it has left. */
static uint64_t tell(struct ex *ex, unsigned socket, unsigned other,
		     uint64_t granted, uint64_t *sent)
{
	struct system *there = system_of(ex, other);
	struct system_visit visit;
	struct packet answer, packet = {
		.cls = PACKET_NCB,
		.mc = MC_NCB,
		.opcode = NCB_NC_MSG_B,
		.flits = PACKET_FLITS_NCB,
		.dest = (uint8_t)NODE_UBOX(other),
		.requester = (uint8_t)NODE_UBOX(socket),
		.message = MESSAGE_POWER,
	};
	uint64_t at;

	at = system_send(ex, system_of(ex, socket), &packet, granted, sent);
	visit = system_arrive(there, SYSTEM_PM_IN, at);
	at = system_serve(ex, there, &visit, &packet);
	return system_answer(ex, there, &packet, at, &answer);
}

/* Returns when all have heard. */
static uint64_t tell_all(struct ex *ex, unsigned socket)
{
	struct system *system = system_of(ex, socket);
	unsigned num = ex->num_sockets;
	struct system_visit visit;
	uint64_t granted, sent = 0, last = 0;

	visit = system_arrive(system, SYSTEM_PM_OUT, engine_now(&ex->engine));
	granted = system_grant(ex, system, visit.ready, num - 1,
			       PACKET_FLITS_NCB);
	for (unsigned i = 1; i < num; i++)
		last = sim_later(last, tell(ex, socket, (socket + i) % num,
					    granted, &sent));
	system_leave(ex, system, &visit, sent);
	return last;
}

static void tell_more(void *object, uint64_t socket)
{
	struct ex *ex = object;

	system_of(ex, (unsigned)socket)->has_more_news = false;
	sleep_tell_news(ex, (unsigned)socket);
}

void sleep_tell_news(struct ex *ex, unsigned socket)
{
	struct system *system = system_of(ex, socket);

	if (ex->num_sockets < 2)
		return;
	if (system->news_until <= engine_now(&ex->engine)) {
		system->news_until = tell_all(ex, socket);
	} else if (!system->has_more_news) {
		system->has_more_news = true;
		sim_at(ex->engine.sim, system->news_until, tell_more, ex,
		       socket);
	}
}

void sleep_woken(struct ex *ex, unsigned socket)
{
	sig_pulse(system_of(ex, socket)->bank, SIG_UBOX_WOKEN, 1);
	sleep_tell_news(ex, socket);
}
