/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The machine's parameters as a memory channel wants them.
 */
#include "model/sandy-bridge-ep/imc_parts.h"

#define SETTING(member, param) MC_SETTING(struct imc_config, member, param)

static const struct mc_setting settings[] = {
	SETTING(front_clocks, PARAM_IMC_FRONT),
	SETTING(back_clocks, PARAM_IMC_BACK),
	SETTING(forward_clocks, PARAM_IMC_FORWARD),
	SETTING(ecc_clocks, PARAM_IMC_ECC),
	SETTING(write_high, PARAM_IMC_WRITE_HIGH),
	SETTING(write_low, PARAM_IMC_WRITE_LOW),
	SETTING(write_idle, PARAM_IMC_WRITE_IDLE),
	SETTING(underfill_clocks, PARAM_IMC_UNDERFILL),
	SETTING(page_window, PARAM_IMC_PAGE_WINDOW),
	SETTING(mc.refresh_high, PARAM_IMC_REFRESH_HIGH),
	SETTING(mc.refresh_panic, PARAM_IMC_REFRESH_PANIC),
	SETTING(mc.refresh_idle_clocks, PARAM_IMC_REFRESH_IDLE),
	SETTING(heat.percent, PARAM_IMC_THROTTLE),
	SETTING(heat.hot_percent, PARAM_IMC_THROTTLE_HOT),
	SETTING(ranks_of_dimm, PARAM_DRAM_RANKS),
	SETTING(mc.page_idle_clocks, PARAM_IMC_PAGE_IDLE),
	SETTING(mc.power_down_clocks, PARAM_IMC_POWER_DOWN_IDLE),
	SETTING(mc.self_refresh_clocks, PARAM_IMC_SELF_REFRESH),
	SETTING(heat.fault_clocks, PARAM_IMC_FAULT_TIME),
	SETTING(heat.look_clocks, PARAM_IMC_SENSOR),
	SETTING(heat.period_clocks, PARAM_IMC_THROTTLE_PERIOD),
	SETTING(heat.ambient_c, PARAM_IMC_AMBIENT),
	SETTING(heat.hot_c, PARAM_IMC_TRIP_HOT),
	SETTING(heat.critical_c, PARAM_IMC_TRIP_CRITICAL),
	SETTING(heat.fault_k, PARAM_IMC_FAULT_RISE),
};

const char *imc_configure(const struct socket *socket,
			  struct imc_config *config)
{
	struct dram_config *dram = &config->mc.dram;

	*config = (struct imc_config){ .mc.has_check = socket->values };
	config->pages = socket_param(socket, PARAM_IMC_PAGE_POLICY);
	config->power = socket_param(socket, PARAM_IMC_POWER_DOWN);
	config->mc.has_power_down = config->power != IMC_POWER_OFF;
	mc_take(socket, settings, sizeof(settings) / sizeof(settings[0]),
		config);
	mc_configure(socket, socket_param(socket, PARAM_IMC_CHANNELS), dram);
	if (config->power == IMC_POWER_SLOW)
		dram->txp_clocks = socket_param(socket, PARAM_IMC_TXPDLL);
	if (dram->ranks > IMC_MAX_RANKS)
		return "a channel has 8 ranks at most";
	if (config->write_low >= config->write_high)
		return "imc.write_low must be lower than imc.write_high";
	if (config->mc.refresh_high > config->mc.refresh_panic)
		return "imc.refresh_high must not be above imc.refresh_panic";
	if (config->heat.critical_c < config->heat.hot_c)
		return "imc.trip_critical must not be below imc.trip_hot";
	return dram_config_check(dram);
}

const char *imc_config_check(const struct socket *socket)
{
	struct imc_config config;

	return imc_configure(socket, &config);
}
