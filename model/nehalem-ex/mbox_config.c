/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The settings of an M-Box. The guide gives structure, not sizes: queue sizes
 * and latencies here are estimates that put an idle read of memory near what
 * was measured on such machines; DRAM timing is that of DDR3-1066 7-7-7.
 */
#include "model/nehalem-ex/mbox.h"

#include <stddef.h>

/* A patrol scrubber reads all memory about once a day: 32 GB are 2^29 lines, a
 * day is 230 * 10^12 cycles. */
#define PATROL_INTERVAL_CYCLES 429153

void mbox_config_default(struct mbox_config *config)
{
	*config = (struct mbox_config){
		.page_policy = MBOX_PAGE_ADAPTIVE,
		.sched = MBOX_SCHED_ADAPTIVE,
		.read_queue_entries = 32,
		.write_queue_entries = 32,
		.write_high_entries = 24,
		.write_low_entries = 8,
		.retry_queue_entries = 16,
		.retry_resume_entries = 12,
		.retry_starve_entries = 8,
		.front_cycles = 20,
		.smi_cycles = 26,
		.response_cycles = 10,
		.write_frames = 4,
		.page_idle_cycles = 1000,
		.patrol_interval_cycles = PATROL_INTERVAL_CYCLES,
		.page_window = 128,
		.mode_window = 256,
		.buffer_cycles = 6,
		.sync_frames = 42,
		.link_init_frames = 400,
		.fast_reset_frames = 200,
		.error_trials = 2,
		.loss_limit = 4,
		.spare_lines = 1024,
		.num_fvids = 64,
		.heat = {
			.dimms = 2,
			.ambient_c = 38,
			.lo_c = 80,
			.mid_c = 85,
			.resistance_k_per_w = 4,
			.tau_cycles = 80e9,
			.cycle_ns = 0.375,
			.idle_w = 1.1,
			.row_nj = 48,
			.column_nj = 18,
			.refresh_nj = 560,
			.look_cycles = 20000,
			.throttle_cycles = 10000,
			.fault_k = 60,
			.fault_cycles = 400000,
		},
	};
	dram_config_default(&config->dram);
}

const char *mbox_config_check(const struct mbox_config *config)
{
	const struct mbox_config *c = config;

	if (c->page_policy > MBOX_PAGE_ADAPTIVE)
		return "the page policy is open, closed or adaptive";
	if (c->sched > MBOX_SCHED_ADAPTIVE)
		return "the scheduling mode is tradeoff, rdprio, wrprio or "
		       "adaptive";
	if (!c->read_queue_entries || !c->write_queue_entries)
		return "a dispatch queue has at least one entry";
	if (c->write_high_entries > c->write_queue_entries ||
	    c->write_low_entries >= c->write_high_entries)
		return "the write watermarks must be low < high <= entries of "
		       "the write queue";
	if (c->retry_queue_entries < 2 ||
	    c->retry_resume_entries >= c->retry_queue_entries)
		return "the retry queue must resume below its size of at least "
		       "2 entries";
	if (!c->retry_starve_entries ||
	    c->retry_starve_entries > c->retry_queue_entries)
		return "the retry queue must be starved between 1 entry and "
		       "all of them";
	if (!c->page_window || !c->mode_window)
		return "the windows of the adaptive policies must not be 0";
	if (c->heat.dimms != 1 && c->heat.dimms != 2)
		return "a DDR3 bus has 1 or 2 DIMMs";
	if (c->heat.lo_c >= c->heat.mid_c)
		return "the low trip point of a DIMM must be below the middle "
		       "one";
	if (!c->heat.look_cycles || !c->heat.throttle_cycles ||
	    !c->heat.fault_cycles || !(c->heat.tau_cycles > 0) ||
	    !(c->heat.cycle_ns > 0))
		return "the times of the DIMMs' temperatures must not be 0";
	if (c->early_ack_cycles > c->response_cycles)
		return "a speculative acknowledgement cannot be earlier than "
		       "the data: by mbox.response_cycles at most";
	return dram_config_check(&c->dram);
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
