/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * See home_rig.h.
 */
#include "home_rig.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model/box/socket.h"
#include "model/machine/config.h"
#include "model/pmu/counter.h"
#include "sums.h"

/* Stubs */

uint64_t memory_ready_from(struct ex *ex, struct memory *memory, uint64_t from)
{
	assert_true(from >= engine_now(&ex->engine));
	return sim_later(from, memory->ready_from);
}

/* The command goes on with what the one before it has begun. */
static bool goes_on(const struct memory *memory, unsigned command,
		    unsigned fvid, uint64_t at)
{
	const struct rig_command *last =
		&memory->commands[(memory->num - 1) % RIG_COMMANDS];

	return memory->num && command != MBOX_CMD_READ &&
	       last->command != MBOX_CMD_WRITE && last->fvid == fvid &&
	       last->done == at;
}

/* What is scripted is how long all commands of a piece of work take together:
 * the first one, or the last where the first is a copy. */
static uint64_t duration(struct memory *memory, unsigned command, unsigned fvid,
			 uint64_t at)
{
	uint64_t all;

	if (!memory->script)
		return memory->cycles[command & ~(unsigned)MBOX_POISONED];
	if (goes_on(memory, command, fvid, at)) {
		all = memory->left;
		memory->left = 0;
		return all;
	}
	assert_true(memory->num_script > 0);
	memory->num_script--;
	all = *memory->script++;
	if (command != MBOX_CMD_V2V)
		return all;
	memory->left = all - memory->cycles[command];
	return memory->cycles[command];
}

uint64_t memory_command(struct ex *ex, struct memory *memory, unsigned command,
			uint64_t line, uint64_t address, unsigned fvid,
			uint64_t at, enum mbox_response *response)
{
	uint64_t done = at + duration(memory, command, fvid, at);
	struct rig_command *noted =
		&memory->commands[memory->num++ % RIG_COMMANDS];

	(void)address;
	assert_true(at >= engine_now(&ex->engine) && at >= memory->ready_from);
	*response = command == MBOX_CMD_READ ? memory->response : MBOX_RSP_ACK;
	*noted = (struct rig_command){
		.command = command,
		.fvid = fvid,
		.line = line,
		.at = at,
		.done = done,
	};
	return noted->done;
}

struct router_ride router_carry(struct ex *ex, unsigned socket,
				enum rbox_port from, struct packet *packet,
				uint64_t ready, uint64_t room_from)
{
	struct router *router = ex->sockets[socket].router;
	uint64_t entered = sim_later(ready, router->credit_from);

	(void)from;
	assert_true(ready > engine_now(&ex->engine));
	router->num++;
	router->last = *packet;
	return (struct router_ride){
		.entered = entered,
		.has_waited = entered > ready,
		.credit_wait = entered - ready,
		.arrived = sim_later(entered + router->cycles + packet->flits,
				     room_from),
	};
}

/* The rig */

static void configure(struct home_rig *rig, const char *const *settings)
{
	char *error = NULL;
	struct uncore_model_config *config =
		uncore_model_config_new("xeon-e7", &error);

	assert_non_null(config);
	for (; settings && *settings; settings++)
		if (uncore_model_config_set(config, *settings, &error))
			fail_msg("%s", error);
	assert_true(NUM_PARAMS <= sizeof(rig->param) / sizeof(double));
	memcpy(rig->param, config->value, sizeof(config->value));
	uncore_model_config_free(config);
}

static void make_home(struct home_rig *rig, unsigned socket, unsigned side)
{
	struct ex_socket *place = &rig->ex.sockets[socket];
	struct memory *memory = &rig->memories[socket][side];
	struct sigbank *bank = tap_bank_new(rig->sim, NUM_SIG_BBOX);

	memory->cycles[MBOX_CMD_READ] = 100;
	memory->cycles[MBOX_CMD_WRITE] = 40;
	for (unsigned i = MBOX_CMD_MERGE; i < MBOX_NUM_COMMANDS; i++)
		memory->cycles[i] = 10;
	place->memories[side] = memory;
	rig->banks[socket][side] = bank;
	rig->traces[socket][side] =
		calloc(RIG_CYCLES, sizeof(struct rig_moment));
	place->homes[side] = home_new(&rig->ex, socket, side, bank);
	assert_non_null(place->homes[side]);
	for (unsigned id = 0; id < NUM_SIG_BBOX; id++) {
		assert_true(bank->driven[id]);
		assert_true(sums_keep(bank, id));
	}
}

struct home_rig *rig_new(unsigned sockets, const char *const *settings)
{
	struct home_rig *rig = calloc(1, sizeof(*rig));

	assert_non_null(rig);
	configure(rig, settings);
	rig->sim = sim_new();
	rig->ex.engine.sim = rig->sim;
	rig->ex.num_sockets = sockets;
	rig->ex.num_cores = 10;
	for (unsigned i = 0; i < sockets; i++) {
		struct socket *socket = calloc(1, sizeof(*socket));

		socket->param = rig->param;
		socket->sim = rig->sim;
		socket->index = i;
		socket->num_sockets = sockets;
		socket->num_cores = 10;
		socket->memory_lines = 1 << 20;
		rig->all[i] = socket;
		rig->ex.sockets[i].socket = socket;
		rig->routers[i].cycles = 20;
		rig->ex.sockets[i].router = &rig->routers[i];
		for (unsigned side = 0; side < EX_SIDES; side++)
			make_home(rig, i, side);
	}
	return rig;
}

void rig_free(struct home_rig *rig)
{
	for (unsigned i = 0; i < rig->num_listeners; i++) {
		counter_free(rig->listeners[i]);
		free(rig->listeners[i]);
	}
	for (unsigned i = 0; i < rig->ex.num_sockets; i++) {
		for (unsigned side = 0; side < EX_SIDES; side++) {
			home_free(rig->ex.sockets[i].homes[side]);
			tap_bank_free(rig->banks[i][side]);
			free(rig->traces[i][side]);
		}
		free(rig->all[i]);
	}
	sim_free(rig->sim);
	free(rig);
}

struct home *rig_home(struct home_rig *rig, unsigned socket, unsigned side)
{
	return rig->ex.sockets[socket].homes[side];
}

unsigned rig_listen(struct home_rig *rig, unsigned socket, unsigned side,
		    unsigned signal, unsigned mc, unsigned opcode)
{
	struct counter *counter = calloc(1, sizeof(*counter));
	struct expression expression;
	struct term term;

	memset(&expression, 0, sizeof(expression));
	memset(&term, 0, sizeof(term));
	term.signal = (uint16_t)signal;
	term.filtered = true;
	term.filter.opcodes[mc] = (uint16_t)(1u << opcode);
	term.filter.states = UINT16_MAX;
	expression.terms = &term;
	expression.num_terms = expression.max_terms = 1;
	assert_non_null(counter);
	assert_true(counter_init(counter, rig->banks[socket][side], 1));
	counter_configure(counter, &expression, true);
	rig->listeners[rig->num_listeners] = counter;
	return rig->num_listeners++;
}

uint64_t rig_heard(struct home_rig *rig, unsigned listener)
{
	return counter_read(rig->listeners[listener]);
}

static void look(struct home_rig *rig, unsigned socket, unsigned side,
		 uint64_t totals[NUM_SIG_BBOX], struct rig_moment *moment)
{
	for (unsigned id = 0; id < NUM_SIG_BBOX; id++) {
		uint64_t total = sums_total(rig->banks[socket][side], id);

		if (moment)
			moment->value[id] = (int16_t)(total - totals[id]);
		totals[id] = total;
	}
}

void rig_run(struct home_rig *rig, uint64_t until)
{
	uint64_t totals[EX_MAX_SOCKETS][EX_SIDES][NUM_SIG_BBOX];

	assert_true(until <= RIG_CYCLES);
	for (unsigned i = 0; i < 2 * rig->ex.num_sockets; i++)
		look(rig, i / 2, i % 2, totals[i / 2][i % 2], NULL);
	for (uint64_t now = sim_now(rig->sim); now < until; now++) {
		sim_run_until(rig->sim, now + 1);
		for (unsigned i = 0; i < 2 * rig->ex.num_sockets; i++)
			look(rig, i / 2, i % 2, totals[i / 2][i % 2],
			     &rig->traces[i / 2][i % 2][now]);
	}
}

int rig_at(const struct home_rig *rig, unsigned signal, uint64_t cycle)
{
	return rig->traces[0][0][cycle].value[signal];
}

void rig_check(const struct home_rig *rig, unsigned signal, uint64_t from,
	       uint64_t to, int n)
{
	for (uint64_t i = 0; i < sim_now(rig->sim); i++) {
		int want = i >= from && i < to ? n : 0;

		if (rig_at(rig, signal, i) != want)
			fail_msg("signal %u is %d in cycle %u, not %d", signal,
				 rig_at(rig, signal, i), (unsigned)i, want);
	}
}

uint64_t rig_sum(const struct home_rig *rig, unsigned signal)
{
	return sums_total(rig->banks[0][0], signal);
}

struct home_job rig_job(unsigned opcode, unsigned requester, uint64_t line,
			uint64_t arrived)
{
	return (struct home_job){
		.request = {
			.line = line,
			.cls = PACKET_HOM,
			.mc = MC_HOM0,
			.opcode = (uint8_t)opcode,
			.flits = 1,
			.source = (uint8_t)requester,
			.dest = NODE_BBOX(0, 0),
			.requester = (uint8_t)requester,
			.home = NODE_BBOX(0, 0),
			.number = (uint32_t)line,
		},
		.line = line,
		.local = line / 2,
		.arrived = arrived,
	};
}

static void arrive(struct home_rig *rig, struct home_job *job)
{
	if (!job->entered)
		home_arrive(&rig->ex, rig_home(rig, 0, 0), job);
}

void rig_begin(struct home_rig *rig, struct home_job *job)
{
	arrive(rig, job);
	home_begin(&rig->ex, rig_home(rig, 0, 0), job);
}

void rig_answer(struct home_rig *rig, struct home_job *job, unsigned opcode,
		unsigned source, uint64_t at, uint64_t data_at)
{
	struct home_answer answer = {
		.packet = job->request,
		.at = at,
		.data_at = data_at,
	};

	arrive(rig, job);
	answer.packet.mc = MC_HOM1;
	answer.packet.opcode = (uint8_t)opcode;
	answer.packet.source = (uint8_t)source;
	home_hear(&rig->ex, rig_home(rig, 0, 0), job, &answer);
}
