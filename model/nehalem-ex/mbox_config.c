/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * From the parameters of the machine to the settings of its M-Boxes. The guide
 * gives structure, not sizes: queue sizes and latencies are estimates that put
 * an idle read of memory near what was measured on such machines.
 */
#include "model/box/socket.h"
#include "model/nehalem-ex/mbox.h"
#include "model/parts/memory/mc.h"

#define SETTING(member, param) MC_SETTING(struct mbox_config, member, param)

static const struct mc_setting settings[] = {
	SETTING(read_queue_entries, PARAM_MBOX_READ_QUEUE),
	SETTING(write_queue_entries, PARAM_MBOX_WRITE_QUEUE),
	SETTING(retry_queue_entries, PARAM_MBOX_RETRY_QUEUE),
	SETTING(front_cycles, PARAM_MBOX_CYCLES),
	SETTING(smi_cycles, PARAM_MBOX_SMI_CYCLES),
	SETTING(response_cycles, PARAM_MBOX_RESPONSE_CYCLES),
	SETTING(write_frames, PARAM_MBOX_WRITE_FRAMES),
	SETTING(buffer_cycles, PARAM_MBOX_BUFFER_CYCLES),
	SETTING(early_ack_cycles, PARAM_MBOX_EARLY_ACK),
	SETTING(page_window, PARAM_MBOX_PAGE_WINDOW),
	SETTING(mode_window, PARAM_MBOX_MODE_WINDOW),
	SETTING(sync_frames, PARAM_SMI_SYNC_FRAMES),
	SETTING(link_init_frames, PARAM_SMI_INIT_FRAMES),
	SETTING(fast_reset_frames, PARAM_SMI_RESET_FRAMES),
	SETTING(error_trials, PARAM_MBOX_ERROR_TRIALS),
	SETTING(loss_limit, PARAM_SMI_RETRY_LIMIT),
	SETTING(heat.dimms, PARAM_DRAM_DIMMS),
	SETTING(page_idle_cycles, PARAM_MBOX_PAGE_IDLE_CYCLES),
	SETTING(patrol_interval_cycles, PARAM_MBOX_PATROL_CYCLES),
	SETTING(power_down_cycles, PARAM_MBOX_POWER_DOWN_CYCLES),
	SETTING(self_refresh_cycles, PARAM_MBOX_SELF_REFRESH_CYCLES),
	SETTING(spare_lines, PARAM_MBOX_SPARE_LINES),
	SETTING(heat.look_cycles, PARAM_DIMM_SENSOR_CYCLES),
	SETTING(heat.throttle_cycles, PARAM_DIMM_THROTTLE_CYCLES),
	SETTING(heat.fault_cycles, PARAM_DIMM_FAULT_CYCLES),
	SETTING(heat.ambient_c, PARAM_DIMM_AMBIENT),
	SETTING(heat.lo_c, PARAM_DIMM_TRIP_LOW),
	SETTING(heat.mid_c, PARAM_DIMM_TRIP_MID),
	SETTING(heat.resistance_k_per_w, PARAM_DIMM_RESISTANCE),
	SETTING(heat.idle_w, PARAM_DIMM_IDLE_POWER),
	SETTING(heat.row_nj, PARAM_DIMM_ROW_ENERGY),
	SETTING(heat.column_nj, PARAM_DIMM_COLUMN_ENERGY),
	SETTING(heat.refresh_nj, PARAM_DIMM_REFRESH_ENERGY),
	SETTING(heat.fault_k, PARAM_DIMM_FAULT_RISE),
};

static void shape_dram(const struct socket *socket, struct dram_config *dram)
{
	const double *p = socket->param;
	double cycles = p[PARAM_DRAM_TCK] * p[PARAM_UNCORE_CLOCK] / 1000;

	mc_configure(socket, socket_param(socket, PARAM_MEMORY_CONTROLLERS),
		     dram);
	dram->cycles_per_clock = cycles < 1 ? 1 : (unsigned)(cycles + 0.5);
}

/* A part of a queue, in percent; at least `least`. */
static unsigned part(const struct socket *socket, unsigned entries,
		     enum param percent, unsigned least)
{
	unsigned number = entries * socket_param(socket, percent) / 100;

	return number < least ? least : number;
}

static void set_levels(const struct socket *socket, struct mbox_config *config)
{
	config->write_high_entries = part(socket, config->write_queue_entries,
					  PARAM_MBOX_WRITE_HIGH, 1);
	config->write_low_entries = part(socket, config->write_queue_entries,
					 PARAM_MBOX_WRITE_LOW, 0);
	if (config->write_low_entries >= config->write_high_entries)
		config->write_low_entries = config->write_high_entries - 1;
	config->retry_resume_entries = part(socket, config->retry_queue_entries,
					    PARAM_MBOX_RETRY_RESUME, 0);
	config->retry_starve_entries = part(socket, config->retry_queue_entries,
					    PARAM_MBOX_RETRY_STARVE, 1);
}

void mbox_configure(const struct socket *socket, struct mbox_config *config)
{
	double mhz = socket->param[PARAM_UNCORE_CLOCK];

	*config = (struct mbox_config){ .num_fvids = 64 };
	mc_take(socket, settings, sizeof(settings) / sizeof(settings[0]),
		config);
	shape_dram(socket, &config->dram);
	set_levels(socket, config);
	config->page_policy = socket_param(socket, PARAM_MBOX_PAGE_POLICY);
	config->sched = socket_param(socket, PARAM_MBOX_SCHED);
	config->has_init = socket_param(socket, PARAM_MBOX_INIT);
	config->heat.cycle_ns = 1000 / mhz;
	config->heat.tau_cycles = socket->param[PARAM_DIMM_TAU] * 1000 * mhz;
	config->has_check = socket->values;
}

/* What limits of single parameters do not rule out. */
const char *mbox_config_check(const struct mbox_config *config)
{
	if (config->write_low_entries >= config->write_high_entries)
		return "the write watermarks must be low < high";
	if (config->heat.lo_c >= config->heat.mid_c)
		return "the low trip point of a DIMM must be below the middle "
		       "one";
	if (config->early_ack_cycles > config->response_cycles)
		return "a speculative acknowledgement cannot be earlier than "
		       "the data: by mbox.response_cycles at most";
	return dram_config_check(&config->dram);
}
