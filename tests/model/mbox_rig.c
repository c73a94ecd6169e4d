/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * See mbox_rig.h.
 */
#include "mbox_rig.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct mbox_rig rig;

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

void rig_start(struct mbox_config config, const char *faults)
{
	assert_null(mbox_config_check(&config));
	memset(&rig, 0, sizeof(rig));
	plan_faults(faults);
	config.faults = &rig.faults;
	config.on_error = count_error;
	mbox_probe_start(&rig.probe, &config);
	assert_non_null(rig.probe.mbox);
	mbox_trace(rig.probe.mbox, record, NULL);
}

void rig_stop(void)
{
	const char *fault = mbox_check(rig.probe.mbox);

	if (fault)
		fail_msg("%s", fault);
	mbox_probe_stop(&rig.probe);
}

void rig_run(uint64_t cycles)
{
	sim_run_until(rig.probe.sim, rig_now() + cycles);
}

uint64_t rig_now(void)
{
	return sim_now(rig.probe.sim);
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

static void answered(void *object, uint64_t number)
{
	(void)object;
	rig.answers[number] = rig_now();
	rig.responses[number] = mbox_response(rig.probe.mbox);
	rig.num_answers++;
}

void rig_command(unsigned command, uint64_t line, unsigned number)
{
	mbox_command(rig.probe.mbox, command, line, line * 64, number, answered,
		     NULL, number);
}

void rig_read(uint64_t line, unsigned number)
{
	rig_command(MBOX_CMD_READ, line, number);
}

void rig_write(uint64_t line, unsigned number)
{
	rig_command(MBOX_CMD_WRITE, line, number);
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
