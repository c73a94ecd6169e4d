/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * See memory_rig.h.
 */
#include "memory_rig.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct memory_rig rig;

struct mbox_config rig_config(void)
{
	struct mbox_config config;

	mbox_config_default(&config);
	config.dram.trefi_clocks = 0;
	config.patrol_interval_cycles = 0;
	config.page_policy = MBOX_PAGE_OPEN;
	config.sched = MBOX_SCHED_TRADEOFF;
	config.has_check = true;
	return config;
}

static void record(void *object, const struct dram_command *command)
{
	(void)object;
	if (rig.num_commands < RIG_MAX_COMMANDS)
		rig.commands[rig.num_commands++] = *command;
}

static void count_error(void *object, enum mbox_error error)
{
	(void)object;
	rig.num_errors[error]++;
}

static void plan_faults(const char *faults)
{
	char *text = strdup(faults ? faults : ""), *rest = NULL;

	fault_plan_init(&rig.plan, 1);
	for (char *spec = strtok_r(text, " ", &rest); spec;
	     spec = strtok_r(NULL, " ", &rest))
		assert_null(fault_plan_add(&rig.plan, spec));
	free(text);
	rig.faults = (struct faults){ .plan = &rig.plan };
}

void rig_listen(unsigned id)
{
	struct tap_wish wish = { .signal = (uint16_t)id };

	tap_look(rig.bank);
	assert_true(tap_sums_begin(rig.bank, &wish));
	rig.before[id] = tap_sums(rig.bank, &wish).total;
}

void rig_start(struct mbox_config config, const char *faults, bool is_heard)
{
	assert_null(mbox_config_check(&config));
	memset(&rig, 0, sizeof(rig));
	plan_faults(faults);
	config.faults = &rig.faults;
	config.on_error = count_error;
	rig.ex.engine.sim = sim_new();
	rig.bank = tap_bank_new(rig.ex.engine.sim, NUM_SIG_MBOX);
	assert_non_null(rig.ex.engine.sim);
	assert_non_null(rig.bank);
	for (unsigned i = 0; is_heard && i < NUM_SIG_MBOX; i++)
		rig_listen(i);
	rig.memory = memory_new(&rig.ex, rig.bank, &config);
	assert_non_null(rig.memory);
	if (config.has_check)
		assert_int_equal(memory_trace(rig.memory, record, NULL), 0);
}

void rig_stop(void)
{
	const char *fault = memory_check(rig.memory);

	if (fault)
		fail_msg("%s", fault);
	memory_free(rig.memory);
	tap_bank_free(rig.bank);
	sim_free(rig.ex.engine.sim);
}

void rig_run_to(uint64_t cycle)
{
	sim_run_until(rig.ex.engine.sim, cycle);
	memory_settle(rig.memory, cycle);
}

void rig_run(uint64_t cycles)
{
	rig_run_to(rig_now() + cycles);
}

uint64_t rig_now(void)
{
	return engine_now(&rig.ex.engine);
}

uint64_t rig_line(unsigned bank, unsigned row, unsigned column)
{
	struct dram dram;
	struct dram_config config;

	dram_config_default(&config);
	dram_init(&dram, &config);
	return dram_line_at(&dram, (struct dram_place){
					   .bank = (uint8_t)bank,
					   .row = row,
					   .column = (uint16_t)column,
				   });
}

uint64_t rig_command(unsigned command, uint64_t line, unsigned fvid,
		     uint64_t at)
{
	return memory_command(&rig.ex, rig.memory, command, line, line * 64,
			      fvid, at, &rig.response);
}

uint64_t rig_read(uint64_t line, unsigned fvid, uint64_t at)
{
	return rig_command(MBOX_CMD_READ, line, fvid, at);
}

uint64_t rig_write(uint64_t line, unsigned fvid, uint64_t at)
{
	return rig_command(MBOX_CMD_WRITE, line, fvid, at);
}

void rig_send(unsigned command, uint64_t line, unsigned number)
{
	rig.answers[number] = rig_command(command, line, number, rig_now());
	rig.responses[number] = rig.response;
	rig.all_answers[rig.num_sent++] = rig.answers[number];
}

bool rig_is_ready(void)
{
	uint64_t now = rig_now();

	return memory_ready_from(&rig.ex, rig.memory, now) == now;
}

unsigned rig_num_answers(void)
{
	unsigned num = 0;

	for (unsigned i = 0; i < rig.num_sent; i++)
		num += rig.all_answers[i] <= rig_now();
	return num;
}

uint64_t rig_sum(unsigned id)
{
	struct tap_wish wish = { .signal = (uint16_t)id };

	tap_look(rig.bank);
	return tap_sums(rig.bank, &wish).total - rig.before[id];
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
