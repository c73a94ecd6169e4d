/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The hub at its link: answers to the accesses of cores, and the traffic of its
 * devices, which are no more than that traffic and a time after which a
 * register answers. Each access of a device begins by an event. A hub has room
 * for all answers to its own requests, so only accesses of cores may have to
 * wait.
 */
#include "model/nehalem-ex/hub.h"

#include <stdlib.h>

#include "model/box/socket.h"
#include "model/nehalem-ex/agent.h"
#include "model/nehalem-ex/interrupt.h"
#include "model/nehalem-ex/lock.h"
#include "model/nehalem-ex/router.h"
#include "model/nehalem-ex/system.h"

/* As in core.c: how often a hub without traffic asks again. */
enum { POLL_CYCLES = 2000, MAX_POLL_CYCLES = 64000 };

enum { IN_ROOM = 64, FIRST_BELL = UNCORE_IO_SOCKET(0) };

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
	hub->state = HUB_ENDED;
	places_init(&hub->answers, IN_ROOM);
	places_init(&hub->requests, socket_param(own, PARAM_IO_REQUESTS));
	places_init(&hub->interrupts, socket_param(own, PARAM_IO_INTERRUPTS));
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

static uint64_t room_at(struct ex *ex, const struct packet *packet,
			uint64_t from, uint64_t room_from)
{
	const struct ex_socket *there = &ex->sockets[NODE_SOCKET(packet->dest)];

	if (NODE_IS_BBOX(packet->dest))
		return room_from;
	return agent_room_from(ex, there->agents[NODE_SIDE(packet->dest)],
			       packet->cls, false, from);
}

/* *entered: its first flit is on the link. */
static uint64_t send(struct hub *hub, struct packet *packet, uint64_t at,
		     uint64_t room_from, uint64_t *entered)
{
	struct ex *ex = hub->ex;
	uint64_t slot = calendar_take(&hub->port, engine_now(&ex->engine),
				      at + 1, packet->flits);
	struct router_ride ride =
		router_carry(ex, hub->index, RBOX_PORT_QPI3, packet, slot,
			     room_at(ex, packet, slot, room_from));

	*entered = ride.entered;
	engine_busy_until(&ex->engine, ride.arrived);
	return ride.arrived;
}

uint64_t hub_send(struct hub *hub, struct packet *packet, uint64_t at,
		  uint64_t room_from)
{
	uint64_t entered;

	packet->source = (uint8_t)hub->node;
	return send(hub, packet, at, room_from, &entered);
}

void hub_expect(struct ex *ex, struct hub *hub, uint64_t from,
		struct hub_visit *visit)
{
	visit->room_from = from;
	visit->place = places_take(&hub->answers, engine_now(&ex->engine),
				   &visit->room_from);
}

uint64_t hub_answer(struct ex *ex, struct hub *hub,
		    const struct hub_visit *visit, const struct packet *request,
		    uint64_t at, struct packet *answer)
{
	uint64_t entered;

	(void)ex;
	*answer = system_answer_to(request, hub->node);
	at = send(hub, answer, at + hub->latency_cycles, 0, &entered);
	places_hold(&hub->answers, visit->place, entered);
	return at;
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
		.number = ++hub->number,
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

static void interrupt(struct hub *hub, unsigned target)
{
	struct ex *ex = hub->ex;
	struct packet packet = interrupt_packet(hub, target), answer;
	unsigned socket = NODE_SOCKET(packet.dest), place;
	struct system *system = system_of(ex, socket);
	bool is_bell = packet.message == MESSAGE_DOOR_BELL;
	struct system_visit visit;
	uint64_t at = engine_now(&ex->engine);

	place = places_take(&hub->interrupts, at, &at);
	system_expect(ex, system,
		      is_bell ? SYSTEM_DOOR_BELL
			      : interrupt_buffer(ex, socket, packet.core),
		      at, &visit);
	at = hub_send(hub, &packet, at, visit.room_from);
	system_arrive(system, &visit, at);
	if (is_bell) {
		at = system_serve(ex, system, &visit, &packet);
		at = system_answer(ex, system, &packet, at, &answer);
	} else {
		at = interrupt_pass_on(ex, system, &visit, &packet, &answer);
	}
	places_hold(&hub->interrupts, place, at);
}

/* Traffic */

static void run(struct hub *hub);

/* A run ends when neither a core nor a hub has traffic. */
static void set_state(struct hub *hub, enum hub_state state)
{
	struct socket *socket = hub->socket;

	socket->num_live -= hub->state != HUB_ENDED;
	socket->num_live += state != HUB_ENDED;
	socket->num_running -= hub->state == HUB_RUNS;
	socket->num_running += state == HUB_RUNS;
	hub->state = state;
	if (!socket->num_running && socket->stops_dry)
		sim_stop_at(socket->sim, sim_now(socket->sim) + 1);
}

static void run_again(void *object, uint64_t time)
{
	struct hub *hub = object;

	if (hub->run_at == time)
		run(hub);
}

static void run_at(struct hub *hub, uint64_t time)
{
	hub->run_at = time;
	sim_at(hub->ex->engine.sim, time, run_again, hub, time);
}

static bool fetch(struct hub *hub)
{
	struct uncore_traffic *traffic = hub->socket->traffic;
	int got;

	if (hub->has_access)
		return true;
	if (hub->state == HUB_ENDED)
		return false;
	got = traffic->next_io(traffic->context, hub->index, &hub->access);
	if (got <= 0) {
		set_state(hub, got ? HUB_WAITS : HUB_ENDED);
		return false;
	}
	set_state(hub, HUB_RUNS);
	hub->poll_cycles = POLL_CYCLES;
	hub->has_access = true;
	hub->ready += hub->access.gap;
	return true;
}

static bool is_dma(unsigned kind)
{
	return kind == UNCORE_ACCESS_READ || kind == UNCORE_ACCESS_OWN ||
	       kind == UNCORE_ACCESS_NT_WRITE ||
	       kind == UNCORE_ACCESS_UC_READ ||
	       kind == UNCORE_ACCESS_UC_WRITE || kind == UNCORE_ACCESS_WC_WRITE;
}

/* The cycle in which the next access may begin. */
static uint64_t begin_from(struct hub *hub)
{
	uint64_t now = engine_now(&hub->ex->engine);

	if (hub->ready > now)
		return hub->ready;
	if (is_dma(hub->access.kind))
		return dma_from(hub, &hub->access);
	if (hub->access.kind == UNCORE_ACCESS_INTERRUPT)
		return places_from(&hub->interrupts, now, now);
	return now;
}

static void begin(struct hub *hub)
{
	if (is_dma(hub->access.kind))
		dma_begin(hub, &hub->access);
	else if (hub->access.kind == UNCORE_ACCESS_INTERRUPT)
		interrupt(hub, hub->access.target);
}

static void run(struct hub *hub)
{
	uint64_t now = engine_now(&hub->ex->engine);

	while (fetch(hub)) {
		uint64_t from = begin_from(hub);

		if (from > now && from != PLACES_NEVER)
			run_at(hub, from);
		if (from > now || hub->is_stopped)
			return;
		begin(hub);
		hub->has_access = false;
		hub->ready = now;
	}
	if (hub->state != HUB_WAITS)
		return;
	run_at(hub, now + hub->poll_cycles);
	if (hub->poll_cycles < MAX_POLL_CYCLES)
		hub->poll_cycles *= 2;
}

void hub_look(struct hub *hub)
{
	if (hub->owes_answer && !hub->num_asking && !hub->num_writing) {
		hub->owes_answer = false;
		lock_hub_stands(hub, sim_later(engine_now(&hub->ex->engine),
					       hub->busy_until));
	}
	if (hub->has_access)
		run_at(hub, engine_now(&hub->ex->engine));
}

void hub_stop(struct hub *hub)
{
	hub->is_stopped = hub->owes_answer = true;
	hub_look(hub);
}

void hub_go_on(struct hub *hub)
{
	hub->is_stopped = false;
	hub_look(hub);
}

void hub_start(struct hub *hub)
{
	bool has_traffic = hub->socket->traffic->next_io;

	set_state(hub, has_traffic ? HUB_RUNS : HUB_ENDED);
	hub->has_access = false;
	hub->poll_cycles = POLL_CYCLES;
	hub->ready = engine_now(&hub->ex->engine);
	if (has_traffic)
		run_at(hub, hub->ready);
	else
		hub->run_at = SIM_NEVER;
}
