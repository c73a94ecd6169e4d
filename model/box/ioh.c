/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The hub at its link: who gets what comes from the system, answers to the
 * accesses of cores, and the traffic of its devices. Devices are no more than
 * that traffic and a time after which a register answers. A hub has room for
 * all answers to its own requests, so only accesses of cores may have to wait.
 */
#include "model/box/ioh.h"

#include <stdlib.h>

#include "model/box/ioh_parts.h"
#include "model/box/socket.h"
#include "model/nehalem-ex/hub.h"
#include "model/sim/bug.h"

/* As in core.c: how often a hub without traffic asks again. */
enum { POLL_CYCLES = 2000, MAX_POLL_CYCLES = 64000 };

static void run(struct ioh *ioh);

/* Accesses of cores */

static bool reads(const struct packet *packet)
{
	return packet->cls == PACKET_NCS && packet->opcode != NCS_NC_CFG_WR &&
	       packet->opcode != NCS_NC_IO_WR &&
	       packet->opcode != NCS_NC_MSG_S;
}

static void answer(struct ioh *ioh, struct packet packet)
{
	packet.dest = packet.source;
	packet.source = (uint8_t)ioh->node;
	if (reads(&packet)) {
		packet.cls = PACKET_DRS;
		packet.mc = MC_DRS;
		packet.opcode = DRS_DATA_NC;
		packet.flits = PACKET_FLITS_LINE;
	} else {
		packet.cls = PACKET_NDR;
		packet.mc = MC_NDR;
		packet.opcode = packet.message ? NDR_CMP_D : NDR_CMP;
		packet.flits = PACKET_FLITS_SHORT;
	}
	packet.message = MESSAGE_NONE;
	outlet_send(&ioh->outlet, &packet);
}

static void answer_first(void *object, uint64_t unused)
{
	struct ioh *ioh = object;
	struct packet packet = ioh->in[ioh->in_first];

	(void)unused;
	ioh->in_first = (ioh->in_first + 1) % IOH_IN_ROOM;
	ioh->in_count--;
	answer(ioh, packet);
}

/* A core locks the bus: what is under way ends before the hub agrees, and
 * nothing begins until the lock is released. */
static void stop_or_start(struct ioh *ioh, const struct packet *packet)
{
	ioh->is_stopped = packet->message == MESSAGE_STOP_REQ1;
	if (ioh->is_stopped && ioh->num_requests) {
		ioh->owes_answer = true;
		ioh->stop = *packet;
		return;
	}
	answer(ioh, *packet);
	ioh_go_on(ioh);
}

static bool take_access(struct ioh *ioh, const struct packet *packet)
{
	struct sim *sim = ioh->socket->sim;
	unsigned last = (ioh->in_first + ioh->in_count) % IOH_IN_ROOM;

	if (ioh->in_count + ioh->outlet.queues[PACKET_NDR].count +
		    ioh->outlet.queues[PACKET_DRS].count >=
	    IOH_IN_ROOM)
		return false;
	ioh->in[last] = *packet;
	ioh->in_count++;
	sim_at(sim, sim_now(sim) + ioh->latency_cycles, answer_first, ioh,
	       0);
	return true;
}

/* The link */

static void end_interrupt(struct ioh *ioh, unsigned serial)
{
	ioh->interrupts &= ~(1u << (serial - IOH_INTERRUPTS));
	ioh_go_on(ioh);
}

static bool deliver(void *object, const struct packet *packet)
{
	struct ioh *ioh = object;

	switch (packet->cls) {
	case PACKET_DRS: ioh_take_data(ioh, packet); return true;
	case PACKET_NDR:
		if (packet->serial >= IOH_INTERRUPTS)
			end_interrupt(ioh, packet->serial);
		else
			ioh_take_completion(ioh, packet);
		return true;
	case PACKET_NCS:
	case PACKET_NCB:
		if (packet->message != MESSAGE_STOP_REQ1 &&
		    packet->message != MESSAGE_START_REQ2)
			return take_access(ioh, packet);
		stop_or_start(ioh, packet);
		return true;
	default: BUG("a hub was asked or snooped");
	}
}

static void credit(void *object, enum packet_class cls, unsigned vn,
		   unsigned flits)
{
	struct ioh *ioh = object;

	(void)cls, (void)vn, (void)flits;
	outlet_credit(&ioh->outlet);
}

static void sent(void *object, const struct packet *packet)
{
	struct ioh *ioh = object;

	if (packet->cls != PACKET_NDR && packet->cls != PACKET_DRS)
		return;
	rbox_resume(ioh->socket->rbox, RBOX_PORT_QPI3, PACKET_NCS);
	rbox_resume(ioh->socket->rbox, RBOX_PORT_QPI3, PACKET_NCB);
}

/* Traffic */

/* A run ends when neither a core nor a hub has traffic. */
static void set_state(struct ioh *ioh, enum ioh_state state)
{
	struct socket *socket = ioh->socket;

	socket->num_live -= ioh->state != IOH_ENDED;
	socket->num_live += state != IOH_ENDED;
	socket->num_running -= ioh->state == IOH_RUNS;
	socket->num_running += state == IOH_RUNS;
	ioh->state = state;
	if (!socket->num_running && socket->stops_dry)
		sim_stop_at(socket->sim, sim_now(socket->sim) + 1);
}

static void run_again(void *object, uint64_t time)
{
	struct ioh *ioh = object;

	if (ioh->run_at == time)
		run(ioh);
}

static void run_at(struct ioh *ioh, uint64_t time)
{
	ioh->run_at = time;
	sim_at(ioh->socket->sim, time, run_again, ioh, time);
}

static bool fetch(struct ioh *ioh)
{
	struct uncore_traffic *traffic = ioh->socket->traffic;
	int got;

	if (ioh->has_access)
		return true;
	if (ioh->state == IOH_ENDED)
		return false;
	got = traffic->next_io(traffic->context, ioh->hub, &ioh->access);
	if (got <= 0) {
		set_state(ioh, got ? IOH_WAITS : IOH_ENDED);
		return false;
	}
	set_state(ioh, IOH_RUNS);
	ioh->poll_cycles = POLL_CYCLES;
	ioh->has_access = true;
	ioh->ready += ioh->access.gap;
	return true;
}

/* An interrupt to a CPU, or a door bell to a socket's U-Box. */
static bool interrupt(struct ioh *ioh, unsigned target)
{
	const struct socket *socket = ioh->socket;
	bool is_bell = target >= UNCORE_IO_SOCKET(0);
	unsigned to = is_bell ? target - UNCORE_IO_SOCKET(0)
			      : target / socket->num_cores;
	unsigned n = (unsigned)__builtin_ctz(~ioh->interrupts);
	struct packet packet = {
		.serial = IOH_INTERRUPTS + n,
		.number = ++ioh->number,
		.cls = PACKET_NCB,
		.mc = MC_NCB,
		.opcode = is_bell ? NCB_NC_MSG_B : NCB_INT_PHYSICAL,
		.flits = PACKET_FLITS_NCB,
		.source = (uint8_t)ioh->node,
		.dest = (uint8_t)NODE_UBOX(to % socket->num_sockets),
		.requester = (uint8_t)ioh->node,
		.message = is_bell ? MESSAGE_DOOR_BELL : MESSAGE_INTERRUPT,
		.core = (uint8_t)target,
	};

	if (n >= ioh->max_interrupts)
		return false;
	ioh->interrupts |= 1u << n;
	outlet_send(&ioh->outlet, &packet);
	return true;
}

/* True when the access has begun. */
static bool begin(struct ioh *ioh)
{
	const struct uncore_access *access = &ioh->access;

	if (ioh->is_stopped)
		return false;
	switch (access->kind) {
	case UNCORE_ACCESS_READ: return ioh_begin(ioh, access->line, 0);
	case UNCORE_ACCESS_OWN: return ioh_begin(ioh, access->line, 1);
	case UNCORE_ACCESS_NT_WRITE: return ioh_begin(ioh, access->line, 2);
	case UNCORE_ACCESS_UC_READ:
		return ioh_begin_plain(ioh, access->line, 0);
	case UNCORE_ACCESS_UC_WRITE:
		return ioh_begin_plain(ioh, access->line,
				       DRS_NON_SNP_WR_DATA_PTL);
	case UNCORE_ACCESS_WC_WRITE:
		return ioh_begin_plain(ioh, access->line, DRS_NON_SNP_WR_DATA);
	case UNCORE_ACCESS_INTERRUPT: return interrupt(ioh, access->target);
	default: return true; /* only time passes */
	}
}

static void run(struct ioh *ioh)
{
	uint64_t now = sim_now(ioh->socket->sim);

	ioh->is_stuck = false;
	while (fetch(ioh)) {
		if (ioh->ready > now) {
			run_at(ioh, ioh->ready);
			return;
		}
		ioh->is_stuck = !begin(ioh);
		if (ioh->is_stuck)
			return;
		ioh->has_access = false;
		ioh->ready = now;
	}
	if (ioh->state != IOH_WAITS)
		return;
	run_at(ioh, now + ioh->poll_cycles);
	if (ioh->poll_cycles < MAX_POLL_CYCLES)
		ioh->poll_cycles *= 2;
}

void ioh_go_on(struct ioh *ioh)
{
	if (ioh->owes_answer && !ioh->num_requests) {
		ioh->owes_answer = false;
		answer(ioh, ioh->stop);
	}
	if (ioh->is_stuck && !ioh->is_stopped)
		run(ioh);
}

/* In the engine of journeys. */
static struct hub *hub_of(const struct ioh *ioh)
{
	return ioh->socket->ex ? ioh->socket->ex->sockets[ioh->hub].hub : NULL;
}

void ioh_start(struct ioh *ioh)
{
	uint64_t now = sim_now(ioh->socket->sim);

	if (ioh->socket->ex) {
		hub_start(hub_of(ioh));
		return;
	}
	if (!ioh->socket->traffic->next_io) {
		set_state(ioh, IOH_ENDED);
		ioh->run_at = SIM_NEVER;
		ioh->has_access = ioh->is_stuck = false;
		return;
	}
	set_state(ioh, IOH_RUNS);
	ioh->has_access = ioh->is_stuck = false;
	ioh->poll_cycles = POLL_CYCLES;
	ioh->ready = now;
	run_at(ioh, now);
}

/* Construction */

struct ioh *ioh_new(struct socket *socket)
{
	struct ioh *ioh = calloc(1, sizeof(*ioh));
	struct rbox_client client = { ioh, deliver, credit };

	if (!ioh)
		return NULL;
	ioh->socket = socket;
	ioh->hub = socket->index;
	ioh->node = NODE_IOH(ioh->hub);
	ioh->latency_cycles = socket_param(socket, PARAM_IO_LATENCY);
	ioh->room = socket_param(socket, PARAM_IO_REQUESTS);
	ioh->home_snoops = socket_param(socket, PARAM_BBOX_DIRECTORY);
	ioh->max_interrupts = socket_param(socket, PARAM_IO_INTERRUPTS);
	for (unsigned i = 0; i < IOH_MAX_HOMES; i++)
		ioh->credits[i] = socket_param(socket, PARAM_IO_TRACKER);
	ioh->state = IOH_ENDED;
	outlet_init(&ioh->outlet, socket->sim, socket->rbox, RBOX_PORT_QPI3);
	ioh->outlet.sent = sent;
	ioh->outlet.object = ioh;
	if (rbox_attach(socket->rbox, RBOX_PORT_QPI3, &client))
		return ioh;
	free(ioh);
	return NULL;
}

void ioh_free(struct ioh *ioh)
{
	free(ioh);
}

bool ioh_is_idle(const struct ioh *ioh)
{
	return !ioh->num_requests && !ioh->interrupts && !ioh->in_count &&
	       !ioh->is_stopped && !ioh->outlet.count;
}

uint64_t ioh_num_reads(const struct ioh *ioh)
{
	return hub_of(ioh) ? hub_of(ioh)->num_reads : ioh->num_reads;
}

uint64_t ioh_num_writes(const struct ioh *ioh)
{
	return hub_of(ioh) ? hub_of(ioh)->num_writes : ioh->num_writes;
}
