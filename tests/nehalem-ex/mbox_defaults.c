/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * See mbox_defaults.h.
 */
#include "mbox_defaults.h"

#include <string.h>

#include "model/box/socket.h"

void mbox_config_default(struct mbox_config *config)
{
	static double param[NUM_PARAMS];
	static struct socket socket = {
		.param = param,
		.memory_lines = UINT64_C(1) << 30,
	};
	const struct machine *machine = machines;

	while (strcmp(machine->name, "xeon-e7"))
		machine++;
	for (unsigned i = 0; i < NUM_PARAMS; i++)
		param[i] = machine->params[i].value;
	mbox_configure(&socket, config);
	config->dram.lines_per_row *= 2;
	config->dram.rows /= 2;
	config->front_cycles = 20;
	config->smi_cycles = 26;
	config->response_cycles = 10;
}

void dram_config_default(struct dram_config *config)
{
	struct mbox_config mbox;

	mbox_config_default(&mbox);
	*config = mbox.dram;
}

uint64_t mbox_idle_read_cycles(const struct mbox_config *config, bool is_open)
{
	const struct dram_config *d = &config->dram;
	uint64_t clocks = d->cl_clocks + d->burst_clocks;
	uint64_t clock = d->cycles_per_clock;

	if (!is_open)
		clocks += d->trcd_clocks;
	return (config->front_cycles + clock - 1) / clock * clock +
	       clocks * clock + 2 * config->smi_cycles +
	       config->response_cycles;
}
