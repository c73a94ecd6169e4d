/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Guide 2.2. What may be sent on after ubox.cycles waits for the arbiter: the
 * way out belongs to one entry until the last of its packets has gone. Door
 * bells, power news of others and accesses to the socket's configuration
 * registers end here, one at a time each. Whose register it is follows from the
 * address: of four neighbouring lines the first belongs to the U-Box itself,
 * the second to the agents of the ring, the other two to the home agents with
 * their memory controllers. The real map is not public; this one lets any run
 * of addresses reach all of them.
 *
 * The guide broadcasts in the order in which the first five buffers stand in
 * enum system_buffer. Here who starts first has the first choice: entries meet
 * at the arbiter within the few cycles that one takes, so the order is seldom
 * another one.
 *
 * Left out: FERR, peer-to-peer packets, how many packets a buffer holds.
 */
#include "model/nehalem-ex/system.h"

#include <stdlib.h>

#include "model/box/socket.h"
#include "model/nehalem-ex/agent.h"
#include "model/nehalem-ex/router.h"
#include "signals.h"

static const uint16_t valid_signals[SYSTEM_CONFIG] = {
	[SYSTEM_SPECIAL] = SIG_UBOX_BUF_VALID_SPC_CYCLES,
	[SYSTEM_STST] = SIG_UBOX_BUF_VALID_STST,
	[SYSTEM_LOCK] = SIG_UBOX_BUF_VALID_LOCK,
	[SYSTEM_REMOTE_INT] = SIG_UBOX_BUF_VALID_REMOTE_INT,
	[SYSTEM_LOCAL_INT] = SIG_UBOX_BUF_VALID_LOCAL_INT,
	[SYSTEM_PM_OUT] = SIG_UBOX_BUF_VALID_PMI_OUT,
	[SYSTEM_DOOR_BELL] = SIG_UBOX_BUF_VALID_DOOR_BELL,
	[SYSTEM_PM_IN] = SIG_UBOX_BUF_VALID_PMI_IN,
};

static const uint16_t error_signals[] = {
	[SYSTEM_RECOVERABLE] = SIG_UBOX_RECOV,
	[SYSTEM_CORRECTED] = SIG_UBOX_CORRECTED_ERR,
	[SYSTEM_UNCORRECTED] = SIG_UBOX_UNCORRECTED_ERR,
	[SYSTEM_FATAL] = SIG_UBOX_FATAL_ERR,
};

/* Construction */

static void drive_signals(struct sigbank *bank)
{
	for (unsigned i = 0; i < SYSTEM_CONFIG; i++)
		sig_drives(bank, valid_signals[i], 1);
	sig_drives(bank, SIG_UBOX_U2R_REQUESTS, 1);
	sig_drives(bank, SIG_UBOX_U2B_REQUEST_CYCLES, 1);
	sig_drives(bank, SIG_UBOX_IPIS_SENT, 1);
	sig_drives(bank, SIG_UBOX_WOKEN, 1);
	for (unsigned i = SYSTEM_RECOVERABLE; i <= SYSTEM_FATAL; i++)
		sig_drives(bank, error_signals[i], 1);
}

struct system *system_new(struct ex *ex, unsigned socket, struct sigbank *bank)
{
	struct system *system = calloc(1, sizeof(*system));
	const struct socket *own = ex->sockets[socket].socket;

	if (!system)
		return NULL;
	system->bank = bank;
	system->socket = socket;
	system->node = NODE_UBOX(socket);
	system->cycles = socket_param(own, PARAM_UBOX_CYCLES);
	system->config_cycles = socket_param(own, PARAM_UBOX_CONFIG_CYCLES);
	system->ring_cycles = socket_param(own, PARAM_UBOX_RING_CYCLES);
	system->bbox_cycles = socket_param(own, PARAM_UBOX_BBOX_CYCLES);
	drive_signals(bank);
	if (socket)
		return system;
	system->lock = system_lock_new(ex);
	if (system->lock)
		return system;
	system_free(system);
	return NULL;
}

void system_free(struct system *system)
{
	if (system)
		free(system->lock);
	free(system);
}

void system_error(struct ex *ex, unsigned socket, enum system_error error)
{
	sig_pulse(system_of(ex, socket)->bank, error_signals[error], 1);
	if (error == SYSTEM_FATAL)
		interrupt_shut_down(ex, socket);
}

/* Buffers */

struct system_visit system_arrive(const struct system *system,
				  enum system_buffer buffer, uint64_t at)
{
	return (struct system_visit){ buffer, at, at + system->cycles };
}

static void show_valid(struct ex *ex, struct system *system,
		       enum system_buffer buffer, uint64_t from, uint64_t to)
{
	struct spans *valid = &system->valid[buffer];
	uint64_t at = from, end;

	for (; spans_gap(valid, &at, to, &end); at = end)
		sig_span(system->bank, valid_signals[buffer], at, end, 1);
	spans_add(valid, engine_now(&ex->engine), from, to);
}

void system_leave(struct ex *ex, struct system *system,
		  const struct system_visit *visit, uint64_t until)
{
	if (visit->buffer != SYSTEM_CONFIG)
		show_valid(ex, system, visit->buffer, visit->arrived, until);
}

/* What is sent */

uint64_t system_grant(struct ex *ex, struct system *system, uint64_t ready,
		      unsigned num, unsigned flits)
{
	/* the last one begins to leave when those before it have */
	return spans_take(&system->way, engine_now(&ex->engine), ready,
			  1 + (uint64_t)(num - 1) * flits);
}

static bool is_sbox(unsigned node)
{
	return !NODE_IS_IOH(node) && !NODE_IS_BBOX(node);
}

uint64_t system_carry(struct ex *ex, struct calendar *flits, unsigned socket,
		      enum rbox_port port, struct packet *packet, uint64_t at,
		      uint64_t *entered)
{
	uint64_t slot = calendar_take(flits, engine_now(&ex->engine), at + 1,
				      packet->flits);
	uint64_t room_from = 0;
	struct router_ride ride;

	if (is_sbox(packet->dest))
		room_from = agent_room_from(
			ex,
			ex->sockets[NODE_SOCKET(packet->dest)]
				.agents[NODE_SIDE(packet->dest)],
			packet->cls, false, slot);
	ride = router_carry(ex, socket, port, packet, slot, room_from);
	*entered = ride.entered;
	engine_busy_until(&ex->engine, ride.arrived);
	return ride.arrived;
}

uint64_t system_send(struct ex *ex, struct system *system,
		     struct packet *packet, uint64_t at, uint64_t *sent)
{
	packet->source = (uint8_t)system->node;
	at = system_carry(ex, &system->port, system->socket, RBOX_PORT_BBOX1,
			  packet, at, sent);
	if (is_sbox(packet->dest) && packet->cls >= PACKET_NCS)
		sig_later(system->bank, SIG_UBOX_U2R_REQUESTS, *sent, 1);
	return at;
}

uint64_t system_answer(struct ex *ex, struct system *system,
		       const struct packet *request, uint64_t at,
		       struct packet *answer)
{
	uint64_t sent;

	*answer = message_answer(request);
	return system_send(ex, system, answer, at, &sent);
}

/* What ends here */

enum { OF_UBOX, OF_RING, OF_BBOX0, OF_BBOX1, NUM_AGENTS };

static uint64_t serve_config(struct ex *ex, struct system *system,
			     uint64_t ready, uint64_t line)
{
	unsigned agent = line % NUM_AGENTS;
	unsigned cycles = agent == OF_UBOX   ? 0
			  : agent == OF_RING ? system->ring_cycles
					     : system->bbox_cycles;
	uint64_t all = system->config_cycles + cycles;
	uint64_t at = spans_take(&system->config, engine_now(&ex->engine),
				 ready, all);

	if (agent == OF_RING)
		sig_later(system->bank, SIG_UBOX_U2R_REQUESTS, at, 1);
	else if (agent != OF_UBOX)
		sig_span(system->bank, SIG_UBOX_U2B_REQUEST_CYCLES, at,
			 at + cycles, 1);
	return at + all;
}

uint64_t system_serve(struct ex *ex, struct system *system,
		      const struct system_visit *visit,
		      const struct packet *packet)
{
	struct calendar *bells = visit->buffer == SYSTEM_PM_IN
					 ? &system->power_in
					 : &system->bells;
	uint64_t done;

	if (visit->buffer == SYSTEM_CONFIG)
		done = serve_config(ex, system, visit->ready, packet->line);
	else
		done = calendar_take(bells, engine_now(&ex->engine),
				     visit->ready, 1) +
		       1;
	system_leave(ex, system, visit, done);
	return done;
}
