/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 */
#include "model/nehalem-ex/rbox.h"

/* Parts of a cycle in which the length of a flit is given. */
#define TICKS_PER_CYCLE	   600
#define TRANSFERS_PER_FLIT 4

void rbox_config_init(struct rbox_config *config)
{
	*config = (struct rbox_config){
		.link_num = 5,
		.link_den = 3,
		.link_latency_cycles = 40,
		.pipeline_cycles = 8,
		.vna_flits = 96,
		.entry_table = 4,
		.output_flits = 24,
		.output_packets = 2,
		.retry_flits = 128,
		.starvation_cycles = 256,
		.retry_limit = 4,
		.reset_cycles = 2000,
		.init_flits = 4,
		.wake_cycles = 100,
	};
}

static unsigned divisor(unsigned a, unsigned b)
{
	return b ? divisor(b, a % b) : a;
}

void rbox_config_link(struct rbox_config *config, double transfers_hz,
		      double clock_hz)
{
	double cycles = clock_hz / (transfers_hz / TRANSFERS_PER_FLIT);
	unsigned ticks = (unsigned)(cycles * TICKS_PER_CYCLE + 0.5);
	unsigned common = divisor(ticks, TICKS_PER_CYCLE);

	config->link_num = ticks / common;
	config->link_den = TICKS_PER_CYCLE / common;
}

unsigned rbox_window_cycles(const struct rbox_config *config)
{
	return config->link_latency_cycles + config->pipeline_cycles - 1;
}
