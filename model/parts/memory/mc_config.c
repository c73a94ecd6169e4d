/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The machine's parameters of the DRAM behind each memory controller.
 */
#include "model/box/socket.h"
#include "model/parts/memory/mc.h"

#define DRAM(member, param) MC_SETTING(struct dram_config, member, param)

static const struct mc_setting settings[] = {
	DRAM(buses, PARAM_DRAM_BUSES),
	DRAM(banks, PARAM_DRAM_BANKS),
	DRAM(groups, PARAM_DRAM_GROUPS),
	DRAM(bank_hash, PARAM_DRAM_BANK_HASH),
	DRAM(lines_per_stripe, PARAM_DRAM_STRIPE),
	DRAM(burst_clocks, PARAM_DRAM_BURST),
	DRAM(cl_clocks, PARAM_DRAM_CL),
	DRAM(cwl_clocks, PARAM_DRAM_CWL),
	DRAM(trcd_clocks, PARAM_DRAM_TRCD),
	DRAM(trp_clocks, PARAM_DRAM_TRP),
	DRAM(tras_clocks, PARAM_DRAM_TRAS),
	DRAM(trrd_clocks, PARAM_DRAM_TRRD),
	DRAM(tfaw_clocks, PARAM_DRAM_TFAW),
	DRAM(tccd_clocks, PARAM_DRAM_TCCD),
	DRAM(twtr_clocks, PARAM_DRAM_TWTR),
	DRAM(trrd_l_clocks, PARAM_DRAM_TRRD_L),
	DRAM(tccd_l_clocks, PARAM_DRAM_TCCD_L),
	DRAM(twtr_l_clocks, PARAM_DRAM_TWTR_L),
	DRAM(twr_clocks, PARAM_DRAM_TWR),
	DRAM(trtp_clocks, PARAM_DRAM_TRTP),
	DRAM(trtrs_clocks, PARAM_DRAM_TRTRS),
	DRAM(trefi_clocks, PARAM_DRAM_TREFI),
	DRAM(trfc_clocks, PARAM_DRAM_TRFC),
	DRAM(tzqcs_clocks, PARAM_DRAM_TZQCS),
	DRAM(tmrd_clocks, PARAM_DRAM_TMRD),
	DRAM(tmod_clocks, PARAM_DRAM_TMOD),
	DRAM(tzqinit_clocks, PARAM_DRAM_TZQINIT),
	DRAM(tdllk_clocks, PARAM_DRAM_TDLLK),
	DRAM(txs_clocks, PARAM_DRAM_TXS),
	DRAM(txp_clocks, PARAM_DRAM_TXP),
	DRAM(tcke_clocks, PARAM_DRAM_TCKE),
	DRAM(zqcal_refreshes, PARAM_DRAM_ZQCAL),
};

void mc_take(const struct socket *socket, const struct mc_setting *list,
	     size_t num, void *owner)
{
	for (size_t i = 0; i < num; i++) {
		void *member = (char *)owner + list[i].offset;
		double value = socket->param[list[i].param];

		switch (list[i].type) {
		case MC_UNSIGNED:
			*(unsigned *)member = (unsigned)(value + 0.5);
			break;
		case MC_LONG:
			*(uint64_t *)member = (uint64_t)(value + 0.5);
			break;
		default: *(double *)member = value;
		}
	}
}

void mc_configure(const struct socket *socket, unsigned controllers,
		  struct dram_config *dram)
{
	*dram = (struct dram_config){ .cycles_per_clock = 1 };
	mc_take(socket, settings, sizeof(settings) / sizeof(settings[0]), dram);
	/* of a machine that says nothing of these */
	dram->buses = dram->buses ? dram->buses : 1;
	dram->groups = dram->groups ? dram->groups : 1;
	dram->ranks = socket_param(socket, PARAM_DRAM_RANKS) *
		      socket_param(socket, PARAM_DRAM_DIMMS);
	dram->lines_per_row = socket_param(socket, PARAM_DRAM_ROW) * 1024 / 64;
	dram->rows =
		(unsigned)(socket->memory_lines / controllers / dram->buses /
			   dram->ranks / dram->banks / dram->lines_per_row);
}
