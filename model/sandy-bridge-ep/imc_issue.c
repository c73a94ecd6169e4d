/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Pages, and the commands of a request: the first clocks that are lawful beside
 * all commands that have one already. So row hits and other banks go ahead of
 * what has to wait.
 *
 * A page stays open until another row of its bank is wanted (PRE_COUNT, page
 * miss), its rank is refreshed or put to sleep (DRAM_PRE_ALL), or it has not
 * been used for long (page close). With closed pages the last column command
 * for a row closes it by itself, which the guide does not count as PRE.
 *
 * Choices: the adaptive policy halves the time after which idle pages are
 * closed when most of a window of mistakes were pages closed by a miss, and
 * doubles it when most were rows opened again that the timer had closed last; a
 * sixteenth to sixteen times imc.page_idle. A read preempts a request that is
 * in its queue and wants the row that the read closes: a write that waits, or a
 * read that is worked off later.
 */
#include "model/sandy-bridge-ep/imc_parts.h"

static void give(struct imc *imc, enum dram_cmd cmd, const struct imc_txn *txn,
		 uint64_t clock)
{
	if (imc->trace)
		imc_show(imc, cmd, txn->place.bank, txn->place.row, clock);
}

/* The adaptive policy's time */

static void learn(struct imc *imc, unsigned *mistakes)
{
	uint64_t normal = imc->config.page_idle_clocks;

	if (imc->config.pages != IMC_PAGES_ADAPTIVE || !normal)
		return;
	++*mistakes;
	if (imc->too_late + imc->too_early < imc->config.page_window)
		return;
	if (imc->too_late > imc->too_early && imc->page_idle * 8 > normal)
		imc->page_idle /= 2;
	else if (imc->too_late < imc->too_early && imc->page_idle < normal * 16)
		imc->page_idle *= 2;
	imc->too_late = imc->too_early = 0;
}

/* Idle pages */

static void forget_idle(struct imc *imc, unsigned bank)
{
	imc->idle &= ~(UINT64_C(1) << bank);
}

static void touch(struct imc *imc, unsigned bank)
{
	struct imc_bank *page = &imc->pages[bank];
	uint64_t until = page->last_column + imc->page_idle;

	if (!imc->page_idle || page->closes)
		return;
	imc->idle |= UINT64_C(1) << bank;
	page->idle_until = until;
	if (until >= imc->idle_due)
		return;
	imc->idle_due = until;
	imc_due_by(imc, until);
}

static void close_idle(struct imc *imc, unsigned bank)
{
	struct imc_bank *page = &imc->pages[bank];
	uint64_t clock = page->idle_until;

	forget_idle(imc, bank);
	page->timed_row = imc->banks->banks[bank].row;
	clock = banks_precharge(imc->banks, bank, clock);
	imc_pulse(imc, SIG_IMC_PRE_COUNT_PAGE_CLOSE, clock);
	imc_show(imc, DRAM_PRE, bank, 0, clock);
}

/* All whose time has come by a clock. */
void imc_close_idle(struct imc *imc, uint64_t clock)
{
	uint64_t next = IMC_NEVER;

	for (uint64_t rest = imc->idle; rest; rest &= rest - 1) {
		unsigned bank = (unsigned)__builtin_ctzll(rest);
		uint64_t until = imc->pages[bank].idle_until;

		if (until <= clock)
			close_idle(imc, bank);
		else if (until < next)
			next = until;
	}
	imc->idle_due = next;
}

/* What has become of the bank's page by a clock, if nobody else comes. */
void imc_page_settle(struct imc *imc, unsigned bank, uint64_t clock)
{
	struct imc_bank *page = &imc->pages[bank];

	if (page->closes) {
		page->closes = false;
		banks_auto_precharge(imc->banks, bank);
	}
	if (imc->idle >> bank & 1 && page->idle_until <= clock)
		close_idle(imc, bank);
}

/* The bank's latest column command, which the engine does not know of, was so
 * many clocks ago; less than 0: it is still to come. */
static void age(struct imc *imc, unsigned bank, int64_t clocks)
{
	struct imc_bank *page = &imc->pages[bank];
	int64_t present = (int64_t)imc->present;

	forget_idle(imc, bank);
	if (clocks >= (int64_t)imc->page_idle) {
		page->timed_row = imc->banks->banks[bank].row;
		imc->banks->banks[bank].row = -1;
		return;
	}
	page->last_column = present > clocks ? (uint64_t)(present - clocks) : 0;
	touch(imc, bank);
}

/* How long ago, at the end of a quick stretch, a bank had its latest column
 * command: a request of the stretch would have had it some time after it began,
 * as those of late had. */
static int64_t idle_for(const struct imc *imc, unsigned bank, uint64_t stood)
{
	const struct imc_bank *page = &imc->pages[bank];
	uint64_t end = imc->ep->quick_cycle;

	if (imc->passed >> bank & 1)
		return (int64_t)ep_to_clock(imc->rate, end - page->passed) -
		       (int64_t)(imc->delay / IMC_DELAY_PARTS);
	return (int64_t)(stood + imc->present) - (int64_t)page->last_column;
}

void imc_go_on(struct imc *imc)
{
	uint64_t end = imc->ep->quick_cycle, now = engine_now(&imc->ep->engine);
	uint64_t stood = end > now ? ep_to_clock(imc->rate, end - now) : 0;
	int64_t ranks[IMC_MAX_RANKS];

	imc_write_go_on(imc);
	imc_enter(imc, now);
	for (unsigned i = 0; i < imc->map.num_ranks; i++)
		ranks[i] = (int64_t)(stood + imc->present) -
			   (int64_t)imc->ranks[i].last_use;
	for (uint64_t rest = imc->passed | imc->idle; rest; rest &= rest - 1) {
		unsigned bank = (unsigned)__builtin_ctzll(rest);
		int64_t *rank = &ranks[bank >> imc->banks->bank_bits];
		int64_t idle = idle_for(imc, bank, stood);

		*rank = idle < *rank ? idle : *rank;
		if (imc->page_idle)
			age(imc, bank, idle);
	}
	for (unsigned i = 0; i < imc->map.num_ranks; i++)
		imc_rank_age(imc, i, ranks[i] > 0 ? (uint64_t)ranks[i] : 0);
	imc->passed = 0;
}

/* Commands */

bool imc_is_hit(const struct imc *imc, const struct imc_txn *txn)
{
	return imc->banks->banks[txn->place.bank].row ==
		       (int64_t)txn->place.row &&
	       !imc->pages[txn->place.bank].closes;
}

static bool is_waited_for(const struct imc *imc, unsigned bank, int64_t row)
{
	if (!imc->pages[bank].num_waiting)
		return false;
	for (unsigned i = 0; i < imc->num_waiting; i++) {
		const struct dram_place *place = &imc->waiting[i].txn.place;

		if (place->bank == bank && place->row == row)
			return true;
	}
	return false;
}

/* Another row than the one wanted is open. */
static void close_other(struct imc *imc, struct imc_txn *txn, uint64_t start)
{
	unsigned index = txn->place.bank;
	struct imc_bank *page = &imc->pages[index];
	int64_t row = imc->banks->banks[index].row;
	uint64_t clock = banks_precharge(imc->banks, index, start);

	txn->precharge = clock;
	give(imc, DRAM_PRE, txn, clock);
	learn(imc, &imc->too_late);
	page->closed_row = -1;
	if (imc_is_write(txn))
		return;
	page->closed = clock;
	page->closed_row = row;
	if (is_waited_for(imc, index, row))
		imc_pulse(imc, SIG_IMC_PREEMPTION_RD_PREEMPT_WR, clock);
}

static void open_row(struct imc *imc, struct imc_txn *txn, uint64_t start)
{
	unsigned index = txn->place.bank;
	struct imc_bank *page = &imc->pages[index];
	int64_t row = txn->place.row;

	if (!imc_is_write(txn) && page->closed_row == row &&
	    page->closed >= txn->entry) {
		imc_pulse(imc, SIG_IMC_PREEMPTION_RD_PREEMPT_RD, page->closed);
		page->closed_row = -1;
	}
	if (imc->banks->banks[index].row >= 0)
		close_other(imc, txn, start);
	else if (page->timed_row == row)
		learn(imc, &imc->too_early);
	page->timed_row = -1;
	txn->activate =
		banks_activate(imc->banks, index, txn->place.row, start);
	give(imc, DRAM_RAS, txn, txn->activate);
}

/* With closed pages the bank's last column command closes the page; another for
 * the row, given in time, does so in its stead. */
static void reopen(struct imc *imc, const struct imc_txn *txn, uint64_t start)
{
	unsigned index = txn->place.bank;
	struct imc_bank *page = &imc->pages[index];

	if (page->last_column >= start &&
	    imc->banks->banks[index].row == (int64_t)txn->place.row) {
		page->closes = false;
		if (imc->trace)
			dram_trace_stays_open(imc->trace, 0, page->last_column);
	}
}

static enum dram_cmd column_command(const struct imc_txn *txn, bool closes)
{
	if (imc_is_write(txn))
		return closes ? DRAM_CASPRE_WR : DRAM_CAS_WR;
	return closes ? DRAM_CASPRE_RD : DRAM_CAS_RD;
}

uint64_t imc_issue(struct imc *imc, struct imc_txn *txn, uint64_t start,
		   uint64_t data)
{
	unsigned index = txn->place.bank;
	struct imc_bank *page = &imc->pages[index];

	start = imc_rank_ready(imc, txn, start);
	data = sim_later(start, data);
	if (page->closes)
		reopen(imc, txn, start);
	imc_page_settle(imc, index, start);
	forget_idle(imc, index);
	if (imc->banks->banks[index].row != (int64_t)txn->place.row)
		open_row(imc, txn, start);
	page->closes = imc->config.pages == IMC_PAGES_CLOSED;
	if (page->closes)
		data = sim_later(data, page->last_column + 1);
	txn->column = banks_column(imc->banks, index, imc_is_write(txn), data);
	give(imc, column_command(txn, page->closes), txn, txn->column);
	page->last_column = sim_later(page->last_column, txn->column);
	imc->ranks[txn->rank].last_use =
		sim_later(imc->ranks[txn->rank].last_use, txn->column);
	imc->last_use = sim_later(imc->last_use, txn->column);
	touch(imc, index);
	return txn->column;
}
