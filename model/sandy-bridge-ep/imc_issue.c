/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * When a request's rank takes commands, and what the channel learns of its
 * pages; how both age while time stands.
 *
 * Choices: the adaptive policy halves the time after which idle pages are
 * closed when most of a window of mistakes were pages closed by a miss, and
 * doubles it when most were rows opened again that the timer had closed last; a
 * sixteenth to sixteen times imc.page_idle. A read preempts a request that is
 * in its queue and wants the row that the read closes: a write that waits, or a
 * read that is worked off later.
 */
#include <string.h>

#include "model/sandy-bridge-ep/imc_parts.h"

/* The adaptive policy's time */

static void learn(struct imc *imc, unsigned *mistakes)
{
	uint64_t normal = imc->mc.config.page_idle_clocks;
	uint64_t *idle = &imc->mc.page_idle;

	if (imc->config.pages != IMC_PAGES_ADAPTIVE || !normal)
		return;
	++*mistakes;
	if (imc->too_late + imc->too_early < imc->config.page_window)
		return;
	if (imc->too_late > imc->too_early && *idle * 8 > normal)
		*idle /= 2;
	else if (imc->too_late < imc->too_early && *idle < normal * 16)
		*idle *= 2;
	imc->too_late = imc->too_early = 0;
}

/* A request is about to open its row. */
void imc_open(struct mc *mc, const struct mc_txn *txn)
{
	struct imc *imc = mc->owner;
	struct mc_bank *page = &mc->pages[txn->place.bank];
	int64_t row = txn->place.row;

	if (!txn->is_write && page->closed_row == row &&
	    page->closed >= txn->entry) {
		imc_pulse(imc, SIG_IMC_PREEMPTION_RD_PREEMPT_RD, page->closed);
		page->closed_row = -1;
	}
	if (mc->banks->banks[txn->place.bank].row >= 0)
		learn(imc, &imc->too_late);
	else if (page->timed_row == row)
		learn(imc, &imc->too_early);
}

static bool is_waited_for(const struct imc *imc, unsigned bank, int64_t row)
{
	if (!imc->pages[bank].num_waiting)
		return false;
	for (unsigned i = 0; i < imc->num_waiting; i++) {
		const struct dram_place *place =
			&imc->waiting[i].txn.dram.place;

		if (place->bank == bank && place->row == row)
			return true;
	}
	return false;
}

/* The first clock from one on in which nothing that is known of hinders the
 * request any more. */
static uint64_t rank_ready(struct imc *imc, const struct mc_txn *txn,
			   uint64_t clock)
{
	uint64_t next;

	while ((next = imc_heat_rest(imc, txn->rank,
				     mc_rank_pass(&imc->mc, txn, clock))) !=
	       clock) {
		mc_rank_use(&imc->mc, txn->rank, next);
		clock = next;
	}
	mc_rank_use(&imc->mc, txn->rank, clock);
	return clock;
}

uint64_t imc_issue(struct imc *imc, struct imc_txn *txn, uint64_t start,
		   uint64_t data)
{
	struct mc_txn *dram = &txn->dram;
	unsigned bank = dram->place.bank;

	start = rank_ready(imc, dram, start);
	mc_issue(&imc->mc, dram, start, sim_later(start, data), start);
	if (dram->precharge != MC_NEVER && !dram->is_write &&
	    is_waited_for(imc, bank, imc->mc.pages[bank].closed_row))
		imc_pulse(imc, SIG_IMC_PREEMPTION_RD_PREEMPT_WR,
			  dram->precharge);
	return dram->column;
}

/* While time stands */

/* The bank's latest column command, which the engine does not know of, was so
 * many clocks ago; less than 0: it is still to come. */
static void age(struct mc *mc, unsigned bank, int64_t clocks)
{
	struct mc_bank *page = &mc->pages[bank];
	int64_t present = (int64_t)mc->present;

	mc_page_forget(mc, bank);
	if (clocks >= (int64_t)mc->page_idle) {
		page->timed_row = mc->banks->banks[bank].row;
		mc->banks->banks[bank].row = -1;
		return;
	}
	page->last_column = present > clocks ? (uint64_t)(present - clocks) : 0;
	mc_page_touch(mc, bank);
}

/* How long ago, at the end of a quick stretch, a bank had its latest column
 * command: a request of the stretch would have had it some time after it began,
 * as those of late had. */
static int64_t idle_for(const struct imc *imc, unsigned bank, uint64_t stood)
{
	uint64_t end = imc->ep->quick_cycle;

	if (mc_is_set(imc->passed, bank))
		return (int64_t)ep_to_clock(imc->rate,
					    end - imc->pages[bank].passed) -
		       (int64_t)(imc->delay / IMC_DELAY_PARTS);
	return (int64_t)(stood + imc->mc.present) -
	       (int64_t)imc->mc.pages[bank].last_column;
}

void imc_go_on(struct imc *imc)
{
	struct mc *mc = &imc->mc;
	uint64_t end = imc->ep->quick_cycle, now = engine_now(&imc->ep->engine);
	uint64_t stood = end > now ? ep_to_clock(imc->rate, end - now) : 0;
	int64_t ranks[IMC_MAX_RANKS];

	imc_write_go_on(imc);
	imc_enter(imc, now);
	for (unsigned i = 0; i < mc->map.num_ranks; i++)
		ranks[i] = (int64_t)(stood + mc->present) -
			   (int64_t)mc->ranks[i].last_use;
	for (unsigned bank = 0; bank < mc->map.num_banks; bank++) {
		int64_t *rank = &ranks[dram_rank_of(&mc->map, bank)], idle;

		if (!mc_is_set(imc->passed, bank) && !mc_is_set(mc->idle, bank))
			continue;
		idle = idle_for(imc, bank, stood);
		*rank = idle < *rank ? idle : *rank;
		if (mc->page_idle)
			age(mc, bank, idle);
	}
	for (unsigned i = 0; i < mc->map.num_ranks; i++)
		mc_rank_age(mc, i, ranks[i] > 0 ? (uint64_t)ranks[i] : 0);
	memset(imc->passed, 0, sizeof(imc->passed));
}
