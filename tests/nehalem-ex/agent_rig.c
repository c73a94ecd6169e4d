/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 */
#include "tests/nehalem-ex/agent_rig.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model/machine/machine.h"
#include "model/pmu/tap.h"
#include "signals.h"
#include "sums.h"

struct rig rig;

static uint64_t dice_state;

void rig_seed(uint64_t seed)
{
	dice_state = seed;
}

unsigned dice(unsigned sides)
{
	dice_state = dice_state * UINT64_C(6364136223846793005) +
		     1442695040888963407u;
	return (unsigned)(dice_state >> 33) % sides;
}

/* Stand-ins */

struct router_ride router_carry(struct ex *ex, unsigned socket,
				enum rbox_port from, struct packet *packet,
				uint64_t ready, uint64_t room_from)
{
	struct calendar *wire =
		&rig.wires[socket][from == RBOX_PORT_SBOX1 ? 1 : 0];
	struct router_ride ride = {
		.has_waited = rig.credit_wait > 0,
		.credit_wait = rig.credit_wait,
	};

	assert_true(ready >= engine_now(&ex->engine));
	ride.entered = calendar_take(wire, engine_now(&ex->engine),
				     ready + rig.credit_wait, packet->flits);
	if (rig.credit_wait)
		ride.credit_wait = ride.entered - ready;
	ride.credit_at = ride.entered + RIG_PORT_CYCLES;
	ride.arrived = sim_later(
		ride.entered + packet->flits + RIG_ROUTE_CYCLES, room_from);
	ride.vn = rig.vn;
	rig.ride = ride;
	rig.num_rides++;
	return ride;
}

void router_idle_flit(struct ex *ex, unsigned socket, enum rbox_port port,
		      uint64_t at)
{
	(void)socket, (void)port;
	assert_true(at >= engine_now(&ex->engine));
	rig.num_idle_flits++;
	rig.idle_flit_at = at;
}

/* S-Box 0 is at stop 2 of 12, behind cores 0 and 1; S-Box 1 at stop 8, behind
 * cores 5 and 6. */
enum ring_direction rig_direction(unsigned side, unsigned core)
{
	static const unsigned ways[EX_SIDES] = { 0x07c, 0x383 };

	return ways[side] >> core & 1 ? RING_CW : RING_CCW;
}

struct floor_ride floor_ride(struct floor *floor,
			     const struct floor_route *route, uint64_t ready)
{
	const struct floor_routes *all = &floor->from_sbox[0][0];
	size_t place = (size_t)((const char *)route - (const char *)all);
	unsigned to = (unsigned)(place / sizeof(*all));
	unsigned ring =
		place % sizeof(*all) / sizeof(*route) % FLOOR_DATA_RINGS;
	unsigned slots = ring == RING_BL ? 2 : 1, socket = 0, side;
	struct calendar *stream;
	struct floor_ride ride;

	while (rig.floors[socket] != floor)
		socket++;
	side = to / EX_MAX_CORES;
	stream = &rig.slots[socket][side][ring]
			   [rig_direction(side, to % EX_MAX_CORES)];
	rig.injected = calendar_take(stream, engine_now(&rig.ex.engine),
				     ready + rig.ring_wait, slots);
	ride.injected = rig.injected + slots - 1;
	ride.arrived = ride.injected + RIG_RING_CYCLES;
	return ride;
}

/* The machine */

static const struct machine_param *params_of(const char *name)
{
	const struct machine *machine = machines;

	while (strcmp(machine->name, name))
		machine++;
	return machine->params;
}

static unsigned param_of(const char *name, size_t length)
{
	const struct machine_param *params = params_of("xeon-e7");
	unsigned i = 0;

	while (strncmp(params[i].name, name, length) || params[i].name[length])
		i++;
	return i;
}

static void set(const char *setting)
{
	size_t length = strcspn(setting, "=");

	rig.param[param_of(setting, length)] =
		strtod(setting + length + 1, NULL);
}

unsigned rig_param(const char *name)
{
	return (unsigned)rig.param[param_of(name, strlen(name))];
}

static void add_socket(unsigned index)
{
	struct socket *socket = calloc(1, sizeof(*socket));

	assert_non_null(socket);
	rig.sockets[index] = socket;
	rig.ex.sockets[index].socket = socket;
	rig.floors[index] = calloc(1, sizeof(struct floor));
	assert_non_null(rig.floors[index]);
	rig.ex.sockets[index].floor = rig.floors[index];
	socket->sim = rig.sim;
	socket->param = rig.param;
	socket->all = rig.sockets;
	socket->index = index;
	socket->num_sockets = rig.ex.num_sockets;
	socket->num_cores = rig.ex.num_cores;
}

static void add_agent(unsigned index, unsigned side, bool listens)
{
	struct sigbank *bank = tap_bank_new(rig.sim, NUM_SIG_SBOX);

	assert_non_null(bank);
	rig.banks[index][side] = bank;
	rig.ex.sockets[index].agents[side] =
		agent_new(&rig.ex, index, side, bank);
	assert_non_null(rig.ex.sockets[index].agents[side]);
	for (unsigned i = 0; listens && i < NUM_SIG_SBOX; i++)
		assert_true(sums_keep(bank, i));
}

void rig_start(unsigned num_sockets, const char *const *settings, bool listens)
{
	memset(&rig, 0, sizeof(rig));
	rig.vn = 2;
	rig.sim = sim_new();
	assert_non_null(rig.sim);
	for (unsigned i = 0; i < NUM_PARAMS; i++)
		rig.param[i] = params_of("xeon-e7")[i].value;
	for (; settings && *settings; settings++)
		set(*settings);
	rig.ex.engine.sim = rig.sim;
	rig.ex.num_sockets = num_sockets;
	rig.ex.num_cores = (unsigned)rig.param[PARAM_CORES];
	for (unsigned i = 0; i < num_sockets; i++) {
		add_socket(i);
		for (unsigned side = 0; side < EX_SIDES; side++)
			add_agent(i, side, listens);
	}
}

void rig_end(void)
{
	for (unsigned i = 0; i < rig.ex.num_sockets; i++) {
		for (unsigned side = 0; side < EX_SIDES; side++)
			agent_free(rig_agent(i, side));
		free(rig.sockets[i]);
		free(rig.floors[i]);
	}
	for (unsigned i = 0; i < rig.ex.num_sockets; i++)
		for (unsigned side = 0; side < EX_SIDES; side++)
			tap_bank_free(rig.banks[i][side]);
	sim_free(rig.sim);
}

void rig_at(uint64_t cycle)
{
	sim_run_until(rig.sim, cycle);
}

struct agent *rig_agent(unsigned socket, unsigned side)
{
	return rig.ex.sockets[socket].agents[side];
}

uint64_t rig_sum(unsigned signal)
{
	return sums_total(rig.banks[0][0], signal);
}

uint64_t rig_busy(unsigned signal)
{
	return sums_busy(rig.banks[0][0], signal);
}

struct packet rig_request(unsigned dest)
{
	return (struct packet){
		.line = 0x1234,
		.cls = PACKET_HOM,
		.mc = MC_HOM0,
		.opcode = HOM0_RD_DATA,
		.flits = PACKET_FLITS_SHORT,
		.source = NODE_SBOX(0, 0),
		.dest = (uint8_t)dest,
		.requester = NODE_SBOX(0, 0),
		.home = (uint8_t)dest,
		.cbox = 3,
	};
}

struct packet rig_line(unsigned source, unsigned serial)
{
	return (struct packet){
		.line = 0x1234,
		.serial = serial,
		.cls = PACKET_DRS,
		.mc = MC_DRS,
		.opcode = DRS_DATA_C_CMP,
		.state = RDS_E,
		.flits = PACKET_FLITS_LINE,
		.source = (uint8_t)source,
		.dest = NODE_SBOX(0, 0),
		.requester = NODE_SBOX(0, 0),
		.home = (uint8_t)source,
		.cbox = 3,
	};
}
