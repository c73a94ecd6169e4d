/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Pages, and the commands of a request: the first clocks that are lawful beside
 * all commands that have one already. So row hits and other banks go ahead of
 * what has to wait.
 *
 * A page stays open until another row of its bank is wanted, its rank is
 * refreshed or put to sleep, or it has not been used for long. With closed
 * pages the last column command for a row closes it by itself; whether it is
 * the last is certain in its clock only.
 */
#include "model/parts/memory/mc.h"

/* Idle pages */

void mc_page_forget(struct mc *mc, unsigned bank)
{
	mc->idle[bank / 64] &= ~(UINT64_C(1) << bank % 64);
}

void mc_page_touch(struct mc *mc, unsigned bank)
{
	struct mc_bank *page = &mc->pages[bank];
	uint64_t until = page->last_column + mc->page_idle;

	if (!mc->page_idle || page->closes)
		return;
	mc->idle[bank / 64] |= UINT64_C(1) << bank % 64;
	page->idle_until = until;
	if (until >= mc->idle_due)
		return;
	mc->idle_due = until;
	mc_due_by(mc, until);
}

static void tell(struct mc *mc, enum dram_cmd cmd, unsigned bank,
		 uint64_t clock)
{
	mc->kind->tell(mc, cmd, bank, clock);
	mc_show(mc, cmd, bank, NULL, clock);
}

static void close_idle(struct mc *mc, unsigned bank)
{
	struct mc_bank *page = &mc->pages[bank];

	mc_page_forget(mc, bank);
	page->timed_row = mc->banks->banks[bank].row;
	tell(mc, DRAM_PRE, bank,
	     banks_precharge(mc->banks, bank, page->idle_until));
}

/* All whose time has come by a clock. */
void mc_close_idle(struct mc *mc, uint64_t clock)
{
	uint64_t next = MC_NEVER;

	for (unsigned word = 0; word < MC_BANK_WORDS; word++)
		for (uint64_t rest = mc->idle[word]; rest; rest &= rest - 1) {
			unsigned bank =
				word * 64 + (unsigned)__builtin_ctzll(rest);
			uint64_t until = mc->pages[bank].idle_until;

			if (until <= clock)
				close_idle(mc, bank);
			else if (until < next)
				next = until;
		}
	mc->idle_due = next;
}

static void decide(struct mc *mc, unsigned bank, bool closes)
{
	mc->pages[bank].closes = false;
	if (mc->kind->decide)
		mc->kind->decide(mc, bank, closes);
}

void mc_page_settle(struct mc *mc, unsigned bank, uint64_t clock)
{
	struct mc_bank *page = &mc->pages[bank];

	if (page->closes) {
		decide(mc, bank, true);
		banks_auto_precharge(mc->banks, bank);
	}
	if (mc_is_set(mc->idle, bank) && page->idle_until <= clock)
		close_idle(mc, bank);
}

/* The column command that was to close the page, and is still to come, does
 * not. */
void mc_keep_open(struct mc *mc, unsigned bank)
{
	decide(mc, bank, false);
	if (mc->trace)
		dram_trace_stays_open(mc->trace, dram_bus_of(&mc->map, bank),
				      mc->pages[bank].last_column);
}

/* All pages of the rank, as they are in a clock. */
void mc_close_rank(struct mc *mc, unsigned index, uint64_t clock)
{
	unsigned first = mc_first_bank(mc, index);

	if (mc->kind->close)
		mc->kind->close(mc, index, clock);
	for (unsigned i = first; i < first + mc->config.dram.banks; i++) {
		mc_page_settle(mc, i, clock);
		mc_page_forget(mc, i);
		mc->pages[i].closed_row = mc->pages[i].timed_row = -1;
	}
	if (banks_is_open(mc->banks, index))
		tell(mc, DRAM_PREALL, first,
		     banks_precharge_all(mc->banks, index, clock));
}

/* Commands of a request */

static uint64_t ready(struct mc *mc, struct mc_txn *txn, uint64_t start,
		      uint64_t own)
{
	if (!mc->kind->ready)
		return start;
	return mc->kind->ready(mc, txn, sim_later(start, own));
}

bool mc_is_hit(const struct mc *mc, const struct mc_txn *txn)
{
	return mc->banks->banks[txn->place.bank].row ==
		       (int64_t)txn->place.row &&
	       !mc->pages[txn->place.bank].closes;
}

uint64_t mc_column_from(const struct mc *mc, const struct mc_txn *txn,
			uint64_t start, uint64_t data)
{
	const struct dram_config *d = &mc->config.dram;
	unsigned index = txn->place.bank;
	const struct bank *bank = &mc->banks->banks[index];

	if (mc_is_hit(mc, txn))
		return banks_column_from(
			mc->banks, index, txn->is_write,
			sim_later(sim_later(start, data), bank->cas));
	if (bank->row >= 0)
		start = sim_later(start, bank->pre) + d->trp_clocks;
	start = banks_activate_from(mc->banks, index,
				    sim_later(start, bank->act));
	return banks_column_from(mc->banks, index, txn->is_write,
				 sim_later(start + d->trcd_clocks, data));
}

/* Another row than the one wanted is open. */
static uint64_t close_other(struct mc *mc, struct mc_txn *txn, uint64_t start)
{
	unsigned index = txn->place.bank;
	struct mc_bank *page = &mc->pages[index];
	struct bank *bank = &mc->banks->banks[index];

	start = ready(mc, txn, start, bank->pre);
	page->closed_row = txn->is_write ? -1 : bank->row;
	page->closed = txn->precharge =
		banks_precharge(mc->banks, index, start);
	mc_show(mc, DRAM_PRE, index, txn, txn->precharge);
	return start;
}

static void open_row(struct mc *mc, struct mc_txn *txn, uint64_t start)
{
	unsigned index = txn->place.bank;
	struct bank *bank = &mc->banks->banks[index];

	if (mc->kind->open)
		mc->kind->open(mc, txn);
	if (bank->row >= 0)
		start = close_other(mc, txn, start);
	mc->pages[index].timed_row = -1;
	start = ready(mc, txn, start, bank->act);
	txn->activate = banks_activate(mc->banks, index, txn->place.row, start);
	mc_show(mc, DRAM_RAS, index, txn, txn->activate);
}

static enum dram_cmd column_command(const struct mc_txn *txn)
{
	if (txn->is_write)
		return txn->closes ? DRAM_CASPRE_WR : DRAM_CAS_WR;
	return txn->closes ? DRAM_CASPRE_RD : DRAM_CAS_RD;
}

uint64_t mc_issue(struct mc *mc, struct mc_txn *txn, uint64_t start,
		  uint64_t data, uint64_t joins)
{
	unsigned index = txn->place.bank;
	struct mc_bank *page = &mc->pages[index];
	const struct bank *bank = &mc->banks->banks[index];

	if (page->closes && page->last_column >= joins &&
	    bank->row == (int64_t)txn->place.row)
		mc_keep_open(mc, index);
	mc_page_settle(mc, index, start);
	mc_page_forget(mc, index);
	if (bank->row != (int64_t)txn->place.row)
		open_row(mc, txn, start);
	txn->closes = page->closes = mc->is_closed;
	if (mc->is_closed)
		data = sim_later(data, page->last_column + 1);
	data = ready(mc, txn, data, bank->cas);
	txn->column = banks_column(mc->banks, index, txn->is_write, data);
	mc_show(mc, column_command(txn), index, txn, txn->column);
	page->last_column = sim_later(page->last_column, txn->column);
	mc_rank_use(mc, txn->rank, txn->column);
	mc_page_touch(mc, index);
	return txn->column;
}
