/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * See imc_rig.h.
 */
#include "imc_rig.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "../nehalem-ex/sums.h"

enum { LONG = 4000 }; /* after the last request: all has gone */

struct imc_rig rig;

static void set(enum param param, double value)
{
	rig.param[param] = value;
}

void rig_defaults(void)
{
	const struct machine *machine = machines;

	while (strcmp(machine->name, "xeon-e5-2600"))
		machine++;
	memset(&rig, 0, sizeof(rig));
	for (unsigned i = 0; i < NUM_PARAMS; i++)
		rig.param[i] = machine->params[i].value;
	set(PARAM_UNCORE_CLOCK, 800);
	set(PARAM_DRAM_TREFI, 0);
	set(PARAM_DRAM_BANK_HASH, 0);
	set(PARAM_IMC_POWER_DOWN, 0);
	set(PARAM_IMC_SELF_REFRESH, 0);
	set(PARAM_IMC_PAGE_POLICY, 0);
	set(PARAM_IMC_PAGE_IDLE, 0);
	set(PARAM_IMC_WRITE_HIGH, 24);
	set(PARAM_IMC_WRITE_LOW, 8);
	set(PARAM_IMC_WRITE_IDLE, 0);
	rig.random = 88172645463325252u;
}

static void record(void *object, const struct dram_command *command)
{
	(void)object;
	assert_true(rig.num_commands < RIG_MAX_COMMANDS);
	rig.commands[rig.num_commands++] = *command;
}

static void listen(void)
{
	for (unsigned id = 0; id < NUM_SIG_IMC; id++) {
		struct tap_wish total = sums_wish(id, false);

		if (rig.wants_totals_only)
			assert_true(tap_sums_begin(rig.bank, &total));
		else
			assert_true(sums_keep(rig.bank, id));
	}
}

void rig_start(const char *fault)
{
	struct ep_clock clock;

	fault_plan_init(&rig.plan, 1);
	if (fault)
		assert_null(fault_plan_add(&rig.plan, fault));
	rig.ep.engine.sim = sim_new();
	rig.ep.num_sockets = 1;
	rig.ep.sockets[0].socket = &rig.socket;
	rig.socket.sim = rig.ep.engine.sim;
	rig.socket.param = rig.param;
	rig.socket.memory_lines = UINT64_C(32) << 24;
	rig.socket.faults = (struct faults){ .plan = &rig.plan };
	rig.socket.values = values_new();
	rig.bank = tap_bank_new(rig.ep.engine.sim, NUM_SIG_IMC);
	clock = ep_clock(&rig.socket, 800);
	tap_bank_set_clock(rig.bank, (uint32_t)clock.num, (uint32_t)clock.den);
	assert_null(imc_config_check(&rig.socket));
	rig.imc = imc_new_on(&rig.ep, 0, 0, rig.bank);
	assert_non_null(rig.imc);
	listen();
	assert_int_equal(imc_trace(rig.imc, record, NULL), 0);
}

void rig_run_to(uint64_t cycle)
{
	sim_run_until(rig.ep.engine.sim, cycle);
	tap_look(rig.bank);
}

void rig_stop(void)
{
	const char *fault;

	rig_run_to(engine_now(&rig.ep.engine) + LONG);
	assert_true(imc_is_idle(rig.imc, engine_now(&rig.ep.engine)));
	fault = imc_check(rig.imc);
	if (fault)
		fail_msg("%s", fault);
	imc_free(rig.imc);
	tap_bank_free(rig.bank);
	values_free(rig.socket.values);
	sim_free(rig.ep.engine.sim);
}

uint64_t rig_line(unsigned rank, unsigned bank, unsigned row, unsigned column)
{
	unsigned stripe = (unsigned)rig.param[PARAM_DRAM_STRIPE];
	unsigned lines = (unsigned)rig.param[PARAM_DRAM_ROW] * 16;
	unsigned ranks = (unsigned)(rig.param[PARAM_DRAM_RANKS] *
				    rig.param[PARAM_DRAM_DIMMS]);
	uint64_t line = (uint64_t)row * (lines / stripe) + column / stripe;

	return ((line * ranks + rank) * 8 + bank) * stripe + column % stripe;
}

static uint64_t read(enum imc_request kind, uint64_t line, uint64_t at)
{
	uint64_t from = imc_read_from(rig.imc, at);

	assert_true(from >= at && from != SIM_NEVER);
	return imc_read(rig.imc, kind, line, from);
}

uint64_t rig_read(uint64_t line, uint64_t at)
{
	return read(IMC_READ, line, at);
}

uint64_t rig_underfill(uint64_t line, uint64_t at)
{
	return read(IMC_UNDERFILL, line, at);
}

uint64_t rig_isoch(uint64_t line, uint64_t at)
{
	return read(IMC_READ_ISOCH, line, at);
}

void rig_write(uint64_t line, uint64_t at)
{
	uint64_t from = imc_write_from(rig.imc, at);

	assert_true(from >= at && from != SIM_NEVER);
	imc_write(rig.imc, IMC_WRITE, line, from);
}

uint64_t rig_sum(unsigned id)
{
	return sums_total(rig.bank, id);
}

uint64_t rig_busy(unsigned id)
{
	return sums_busy(rig.bank, id);
}

unsigned rig_count(enum dram_cmd cmd)
{
	unsigned num = 0;

	for (unsigned i = 0; i < rig.num_commands; i++)
		num += rig.commands[i].cmd == cmd;
	return num;
}

uint64_t rig_clock_of(enum dram_cmd cmd, unsigned n)
{
	for (unsigned i = 0; i < rig.num_commands; i++)
		if (rig.commands[i].cmd == cmd && !n--)
			return rig.commands[i].clock;
	return UINT64_MAX;
}

uint64_t rig_random(uint64_t below)
{
	rig.random ^= rig.random << 13;
	rig.random ^= rig.random >> 7;
	rig.random ^= rig.random << 17;
	return rig.random % below;
}
