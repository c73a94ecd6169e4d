/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The machine's parameters as a memory channel wants them.
 */
#include <stddef.h>
#include <string.h>

#include "model/sandy-bridge-ep/imc_parts.h"

#define DRAM(member) offsetof(struct dram_config, member)
#define OWN(member)  offsetof(struct imc_config, member)

struct setting {
	size_t offset;
	enum param param;
};

static const struct setting dram_counts[] = {
	{ DRAM(banks), PARAM_DRAM_BANKS },
	{ DRAM(groups), PARAM_DRAM_GROUPS },
	{ DRAM(lines_per_stripe), PARAM_DRAM_STRIPE },
	{ DRAM(burst_clocks), PARAM_DRAM_BURST },
	{ DRAM(cl_clocks), PARAM_DRAM_CL },
	{ DRAM(cwl_clocks), PARAM_DRAM_CWL },
	{ DRAM(trcd_clocks), PARAM_DRAM_TRCD },
	{ DRAM(trp_clocks), PARAM_DRAM_TRP },
	{ DRAM(tras_clocks), PARAM_DRAM_TRAS },
	{ DRAM(trrd_clocks), PARAM_DRAM_TRRD },
	{ DRAM(tfaw_clocks), PARAM_DRAM_TFAW },
	{ DRAM(tccd_clocks), PARAM_DRAM_TCCD },
	{ DRAM(twtr_clocks), PARAM_DRAM_TWTR },
	{ DRAM(trrd_l_clocks), PARAM_DRAM_TRRD_L },
	{ DRAM(tccd_l_clocks), PARAM_DRAM_TCCD_L },
	{ DRAM(twtr_l_clocks), PARAM_DRAM_TWTR_L },
	{ DRAM(twr_clocks), PARAM_DRAM_TWR },
	{ DRAM(trtp_clocks), PARAM_DRAM_TRTP },
	{ DRAM(trtrs_clocks), PARAM_DRAM_TRTRS },
	{ DRAM(trefi_clocks), PARAM_DRAM_TREFI },
	{ DRAM(trfc_clocks), PARAM_DRAM_TRFC },
	{ DRAM(tzqcs_clocks), PARAM_DRAM_TZQCS },
	{ DRAM(tmrd_clocks), PARAM_DRAM_TMRD },
	{ DRAM(tmod_clocks), PARAM_DRAM_TMOD },
	{ DRAM(tzqinit_clocks), PARAM_DRAM_TZQINIT },
	{ DRAM(tdllk_clocks), PARAM_DRAM_TDLLK },
	{ DRAM(txs_clocks), PARAM_DRAM_TXS },
	{ DRAM(tcke_clocks), PARAM_DRAM_TCKE },
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
	{ OWN(refresh_high), PARAM_IMC_REFRESH_HIGH },
	{ OWN(refresh_panic), PARAM_IMC_REFRESH_PANIC },
	{ OWN(refresh_idle_clocks), PARAM_IMC_REFRESH_IDLE },
	{ OWN(heat.percent), PARAM_IMC_THROTTLE },
	{ OWN(heat.hot_percent), PARAM_IMC_THROTTLE_HOT },
	{ OWN(ranks_of_dimm), PARAM_DRAM_RANKS },
};

static const struct setting long_counts[] = {
	{ OWN(page_idle_clocks), PARAM_IMC_PAGE_IDLE },
	{ OWN(power_down_clocks), PARAM_IMC_POWER_DOWN_IDLE },
	{ OWN(self_refresh_clocks), PARAM_IMC_SELF_REFRESH },
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

static void take(const struct socket *socket, const struct setting *list,
		 size_t num, void *base)
{
	for (size_t i = 0; i < num; i++)
		*(unsigned *)((char *)base + list[i].offset) =
			socket_param(socket, list[i].param);
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

static void shape(const struct socket *socket, struct imc_config *config)
{
	struct dram_config *dram = &config->dram;
	bool is_slow = config->power == IMC_POWER_SLOW;

	dram->cycles_per_clock = 1;
	dram->buses = 1;
	dram->ranks = socket_param(socket, PARAM_DRAM_RANKS) *
		      socket_param(socket, PARAM_DRAM_DIMMS);
	dram->bank_hash = socket_param(socket, PARAM_DRAM_BANK_HASH);
	dram->lines_per_row = socket_param(socket, PARAM_DRAM_ROW) * 1024 / 64;
	dram->rows =
		(unsigned)(socket->memory_lines /
			   socket_param(socket, PARAM_IMC_CHANNELS) /
			   dram->ranks / dram->banks / dram->lines_per_row);
	dram->txp_clocks = socket_param(socket, is_slow ? PARAM_IMC_TXPDLL
							: PARAM_DRAM_TXP);
}

const char *imc_configure(const struct socket *socket,
			  struct imc_config *config)
{
	*config = (struct imc_config){ .has_check = socket->values };
	config->pages = socket_param(socket, PARAM_IMC_PAGE_POLICY);
	config->power = socket_param(socket, PARAM_IMC_POWER_DOWN);
	take(socket, dram_counts, NUM(dram_counts), &config->dram);
	take(socket, counts, NUM(counts), config);
	take_long(socket, config);
	shape(socket, config);
	if (config->dram.ranks > IMC_MAX_RANKS)
		return "a channel has 8 ranks at most";
	if (config->write_low >= config->write_high)
		return "imc.write_low must be lower than imc.write_high";
	if (config->refresh_high > config->refresh_panic)
		return "imc.refresh_high must not be above imc.refresh_panic";
	if (config->heat.critical_c < config->heat.hot_c)
		return "imc.trip_critical must not be below imc.trip_hot";
	return dram_config_check(&config->dram);
}

const char *imc_config_check(const struct socket *socket)
{
	struct imc_config config;

	return imc_configure(socket, &config);
}
