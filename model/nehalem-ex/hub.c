/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The hub at its link: what its devices send, and answers to the accesses of
 * cores, after a time that a register takes. A hub has room for all that comes.
 */
#include "model/nehalem-ex/hub.h"

#include <stdlib.h>

#include "model/box/socket.h"
#include "model/nehalem-ex/agent.h"
#include "model/nehalem-ex/router.h"
#include "model/nehalem-ex/system.h"

enum { FIRST_BELL = UNCORE_IO_SOCKET(0) };

static uint64_t interrupt(void *object, unsigned target);

static const struct devices_kind behind = {
	.room_from = dma_room_from,
	.begin = dma_begin,
	.interrupt = interrupt,
};

struct hub *hub_new(struct ex *ex, unsigned socket)
{
	struct hub *hub = calloc(1, sizeof(*hub));
	struct socket *own = ex->sockets[socket].socket;

	if (!hub)
		return NULL;
	hub->ex = ex;
	hub->socket = own;
	hub->index = socket;
	hub->node = NODE_IOH(socket);
	hub->latency_cycles = socket_param(own, PARAM_IO_LATENCY);
	devices_init(&hub->devices, own, &behind, hub,
		     socket_param(own, PARAM_IO_REQUESTS),
		     socket_param(own, PARAM_IO_INTERRUPTS));
	for (unsigned i = 0; i < HUB_MAX_HOMES; i++)
		places_init(&hub->credits[i],
			    socket_param(own, PARAM_IO_TRACKER));
	return hub;
}

void hub_free(struct hub *hub)
{
	free(hub);
}

/* The link */

uint64_t hub_send(struct hub *hub, struct packet *packet, uint64_t at)
{
	uint64_t entered;

	packet->source = (uint8_t)hub->node;
	return system_carry(hub->ex, &hub->port, hub->index, RBOX_PORT_QPI3,
			    packet, at, &entered);
}

uint64_t hub_answer(struct hub *hub, const struct packet *request, uint64_t at,
		    struct packet *answer)
{
	*answer = message_answer(request);
	return hub_send(hub, answer, at + hub->latency_cycles);
}

/* Interrupts of devices */

/* To a CPU, or a door bell of a socket's U-Box. */
static struct packet interrupt_packet(struct hub *hub, unsigned target)
{
	const struct socket *socket = hub->socket;
	bool is_bell = target >= FIRST_BELL;
	unsigned to =
		is_bell ? target - FIRST_BELL : target / socket->num_cores;

	return (struct packet){
		.number = hub->devices.number,
		.cls = PACKET_NCB,
		.mc = MC_NCB,
		.opcode = is_bell ? NCB_NC_MSG_B : NCB_INT_PHYSICAL,
		.flits = PACKET_FLITS_NCB,
		.source = (uint8_t)hub->node,
		.dest = (uint8_t)NODE_UBOX(to % socket->num_sockets),
		.requester = (uint8_t)hub->node,
		.message = is_bell ? MESSAGE_DOOR_BELL : MESSAGE_INTERRUPT,
		.core = (uint8_t)target,
	};
}

static uint64_t interrupt(void *object, unsigned target)
{
	struct hub *hub = object;
	struct ex *ex = hub->ex;
	struct packet packet = interrupt_packet(hub, target), answer;
	unsigned socket = NODE_SOCKET(packet.dest);
	struct system *system = system_of(ex, socket);
	bool is_bell = packet.message == MESSAGE_DOOR_BELL;
	struct system_visit visit;
	uint64_t at = engine_now(&ex->engine);

	at = hub_send(hub, &packet, at);
	visit = system_arrive(
		system,
		is_bell ? SYSTEM_DOOR_BELL
			: interrupt_buffer(ex, socket, packet.core),
		at);
	if (!is_bell)
		return interrupt_pass_on(ex, system, &visit, &packet, &answer);
	at = system_serve(ex, system, &visit, &packet);
	return system_answer(ex, system, &packet, at, &answer);
}
