/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The machine's parameters as a memory channel wants them.
 */
#include <stddef.h>
#include <string.h>

#include "model/sandy-bridge-ep/imc_parts.h"

#define OWN(member) offsetof(struct imc_config, member)

struct setting {
	size_t offset;
	enum param param;
};

static const struct setting counts[] = {
	{ OWN(front_clocks), PARAM_IMC_FRONT },
	{ OWN(back_clocks), PARAM_IMC_BACK },
	{ OWN(forward_clocks), PARAM_IMC_FORWARD },
	{ OWN(ecc_clocks), PARAM_IMC_ECC },
	{ OWN(write_high), PARAM_IMC_WRITE_HIGH },
	{ OWN(write_low), PARAM_IMC_WRITE_LOW },
	{ OWN(write_idle), PARAM_IMC_WRITE_IDLE },
	{ OWN(underfill_clocks), PARAM_IMC_UNDERFILL },
	{ OWN(page_window), PARAM_IMC_PAGE_WINDOW },
	{ OWN(mc.refresh_high), PARAM_IMC_REFRESH_HIGH },
	{ OWN(mc.refresh_panic), PARAM_IMC_REFRESH_PANIC },
	{ OWN(mc.refresh_idle_clocks), PARAM_IMC_REFRESH_IDLE },
	{ OWN(heat.percent), PARAM_IMC_THROTTLE },
	{ OWN(heat.hot_percent), PARAM_IMC_THROTTLE_HOT },
	{ OWN(ranks_of_dimm), PARAM_DRAM_RANKS },
};

static const struct setting long_counts[] = {
	{ OWN(mc.page_idle_clocks), PARAM_IMC_PAGE_IDLE },
	{ OWN(mc.power_down_clocks), PARAM_IMC_POWER_DOWN_IDLE },
	{ OWN(mc.self_refresh_clocks), PARAM_IMC_SELF_REFRESH },
	{ OWN(heat.fault_clocks), PARAM_IMC_FAULT_TIME },
	{ OWN(heat.look_clocks), PARAM_IMC_SENSOR },
	{ OWN(heat.period_clocks), PARAM_IMC_THROTTLE_PERIOD },
};

static const struct setting reals[] = {
	{ OWN(heat.ambient_c), PARAM_IMC_AMBIENT },
	{ OWN(heat.hot_c), PARAM_IMC_TRIP_HOT },
	{ OWN(heat.critical_c), PARAM_IMC_TRIP_CRITICAL },
	{ OWN(heat.fault_k), PARAM_IMC_FAULT_RISE },
};

#define NUM(list) (sizeof(list) / sizeof((list)[0]))

static void take(const struct socket *socket, struct imc_config *config)
{
	for (size_t i = 0; i < NUM(counts); i++)
		*(unsigned *)((char *)config + counts[i].offset) =
			socket_param(socket, counts[i].param);
}

static void take_long(const struct socket *socket, struct imc_config *config)
{
	const double *p = socket->param;

	for (size_t i = 0; i < NUM(long_counts); i++)
		*(uint64_t *)((char *)config + long_counts[i].offset) =
			(uint64_t)(p[long_counts[i].param] + 0.5);
	for (size_t i = 0; i < NUM(reals); i++)
		memcpy((char *)config + reals[i].offset, &p[reals[i].param],
		       sizeof(*p));
}

const char *imc_configure(const struct socket *socket,
			  struct imc_config *config)
{
	struct dram_config *dram = &config->mc.dram;

	*config = (struct imc_config){ .mc.has_check = socket->values };
	config->pages = socket_param(socket, PARAM_IMC_PAGE_POLICY);
	config->power = socket_param(socket, PARAM_IMC_POWER_DOWN);
	config->mc.has_power_down = config->power != IMC_POWER_OFF;
	take(socket, config);
	take_long(socket, config);
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
