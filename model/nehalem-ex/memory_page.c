/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * PGT, the page table (guide 2.7.4.4): when a transaction may be dispatched,
 * and whether it finds its row open (hit: CAS; empty: RAS, CAS; miss: PRE, RAS,
 * CAS). It translates one transaction a cycle.
 *
 * What meets a conflict (its bank is at work for another row or in the other
 * direction, its rank is being refreshed or is too hot, a queue is full) waits
 * in the retry queue until the conflict has ended, per bank in the order of
 * arrival.
 *
 * Choices the guide leaves open: a transaction for the row and direction that
 * its bank is at work for joins it and counts as multi-CAS and hit. Every
 * placement in the retry queue and every vain attempt is one retry: who waits
 * behind others tries when the one before him goes. A transaction for another
 * row of a bank in which writes wait makes those go first, at once. The
 * adaptive policy looks at windows of translations: it turns to closed pages
 * when less than a quarter ask for the row that was last used in their bank,
 * and back when more than half do.
 */
#include "model/nehalem-ex/memory_parts.h"

void memory_page_start(struct memory *memory)
{
	bool closed = memory->config.page_policy == MBOX_PAGE_CLOSED;

	memory->is_closed_policy = closed;
	memory->page_window = memory_window(memory->config.page_window);
	for (unsigned i = 0; i < DRAM_MAX_BANKS; i++)
		memory->pages[i].row = -1;
	sig_set(memory->signals, SIG_MBOX_PGT_STATE_CLOSED, closed);
	sig_set(memory->signals, SIG_MBOX_PGT_STATE_OPEN, !closed);
}

static void change_policy(struct memory *memory, uint64_t cycle)
{
	bool closed = memory->is_closed_policy = !memory->is_closed_policy;

	memory_pulse(memory,
		     closed ? SIG_MBOX_PGT_PAGE_EV_OPN2CLS
			    : SIG_MBOX_PGT_PAGE_EV_CLS2OPN,
		     cycle);
	memory_level(memory, SIG_MBOX_PGT_STATE_CLOSED, cycle, closed);
	memory_level(memory, SIG_MBOX_PGT_STATE_OPEN, cycle, !closed);
}

/* The adaptive policy follows the share of translations of a window that find
 * the row of the one before, or would. */
void memory_watch_pages(struct memory *memory, bool same_row, uint64_t cycle)
{
	unsigned window = memory->config.page_window;
	unsigned hits = memory->page_window.hits += same_row;

	if (memory->config.page_policy != MBOX_PAGE_ADAPTIVE ||
	    --memory->page_window.left)
		return;
	memory->page_window = memory_window(window);
	if (memory->is_closed_policy ? hits * 2 > window : hits * 4 < window)
		change_policy(memory, cycle);
}

/* Dispatch */

/* The bank has been at work for the row and direction, and still is. */
static bool joins(const struct memory *memory, const struct memory_bank *bank,
		  const struct memory_txn *txn, uint64_t cycle)
{
	uint64_t last = memory->mc.pages[txn->dram.place.bank].last_column;

	return (bank->num_parked || memory_cycle(memory, last) > cycle) &&
	       bank->row == (int64_t)txn->dram.place.row &&
	       bank->is_write == txn->dram.is_write;
}

/* Each of these says from which cycle on it is no hindrance any more. */

static uint64_t pass_rank(struct memory *memory, struct memory_txn *txn,
			  uint64_t cycle)
{
	uint64_t clock = mc_rank_pass(&memory->mc, &txn->dram,
				      memory_clock(memory, cycle));
	uint64_t end = memory_cycle(memory, clock);

	if (end <= cycle)
		return cycle;
	if (!txn->met_refresh && !memory->mc.ranks[txn->dram.rank].is_script) {
		txn->met_refresh = true;
		memory_pulse(memory, SIG_MBOX_REFRESH_CONFLICT, cycle);
	}
	return end;
}

static uint64_t pass_heat(struct memory *memory, struct memory_txn *txn,
			  uint64_t cycle)
{
	uint64_t end = memory_heat_rest(memory, txn->dram.rank, cycle);

	if (end > cycle && !txn->met_heat) {
		txn->met_heat = true;
		memory_pulse(memory, SIG_MBOX_TT_CMD_CONFLICT, cycle);
	}
	return end;
}

/* Those who wait for the bank go in their order. */
static uint64_t pass_line(const struct memory *memory,
			  const struct memory_txn *txn, uint64_t cycle)
{
	const struct memory_bank *bank = &memory->pages[txn->dram.place.bank];

	return bank->has_line && bank->dispatched > cycle ? bank->dispatched
							  : cycle;
}

static uint64_t pass_bank(struct memory *memory, const struct memory_txn *txn,
			  uint64_t cycle)
{
	unsigned index = txn->dram.place.bank;
	struct memory_bank *bank = &memory->pages[index];

	if (joins(memory, bank, txn, cycle))
		return cycle;
	if (bank->num_parked)
		memory_write_bank(memory, index, cycle);
	return sim_later(
		cycle,
		memory_cycle(memory, memory->mc.pages[index].last_column));
}

/* From when on nothing of what is known hinders the transaction. */
static uint64_t pass_all(struct memory *memory, struct memory_txn *txn,
			 uint64_t cycle)
{
	uint64_t next = pass_line(memory, txn, cycle);

	if (next == cycle)
		next = pass_rank(memory, txn, cycle);
	if (next == cycle && memory->heat.num_hot)
		next = pass_heat(memory, txn, cycle);
	if (next == cycle)
		next = pass_bank(memory, txn, cycle);
	if (next == cycle)
		next = memory_queue_from(memory, txn->dram.is_write, cycle);
	return next;
}

enum { MAX_RETRIES = 16 };

/* The cycle in which nothing hinders the transaction any more. */
static uint64_t wait_for_all(struct memory *memory, struct memory_txn *txn,
			     uint64_t at)
{
	uint64_t cycle = at, next, retries[MAX_RETRIES];
	unsigned num = 0;

	while ((next = pass_all(memory, txn, cycle)) != cycle) {
		if (num < MAX_RETRIES)
			retries[num++] = cycle;
		cycle = next;
	}
	memory->pages[txn->dram.place.bank].has_line = num;
	if (!num)
		return cycle;
	memory_queue_retry(memory, at, cycle);
	for (unsigned i = 0; i < num; i++)
		memory_retry_count(memory, txn, retries[i]);
	return cycle;
}

/* The row that the transaction finds, in the bank that it does not share. */
static inline void find_page(struct memory *memory, struct memory_txn *txn,
			     uint64_t cycle)
{
	unsigned index = txn->dram.place.bank;
	struct memory_bank *bank = &memory->pages[index];
	int64_t wanted = txn->dram.place.row, row;

	mc_page_settle(&memory->mc, index, memory_clock(memory, cycle));
	mc_page_forget(&memory->mc, index);
	row = memory->mc.banks->banks[index].row;
	txn->page = row == wanted ? PAGE_HIT : row < 0 ? PAGE_EMPTY : PAGE_MISS;
	memory_watch_pages(memory, bank->row == wanted, cycle);
	bank->row = wanted;
	bank->is_write = txn->dram.is_write;
}

static void join(struct memory *memory, struct memory_txn *txn, uint64_t cycle)
{
	txn->page = PAGE_JOINED;
	memory_watch_pages(memory, true, cycle);
	mc_page_forget(&memory->mc, txn->dram.place.bank);
}

/* The cycle in which a transaction that arrives in a cycle goes into the
 * dispatch queue. */
uint64_t memory_dispatch(struct memory *memory, struct memory_txn *txn,
			 uint64_t at)
{
	struct memory_bank *bank = &memory->pages[txn->dram.place.bank];
	uint64_t cycle = calendar_take(&memory->translator, memory->moment,
				       wait_for_all(memory, txn, at), 1);

	if (joins(memory, bank, txn, cycle))
		join(memory, txn, cycle);
	else
		find_page(memory, txn, cycle);
	bank->dispatched = txn->dispatched = cycle;
	txn->has_dispatch = true;
	memory_watch_modes(memory, txn->dram.is_write, cycle);
	return cycle;
}

/* A transaction while time stands. A bank in which writes wait stays as it is,
 * and so does the policy: cores that are served one access after the other in
 * the order of their clocks do not ask for a row several times in a row, as
 * those do that wait for each other, and pages would turn to closed ones. */
void memory_page_pass(struct memory *memory, struct dram_place place,
		      bool is_write)
{
	struct mc *mc = &memory->mc;
	unsigned index = place.bank;
	struct memory_bank *bank = &memory->pages[index];

	memory_watch_modes(memory, is_write, memory->now);
	if (bank->num_parked)
		return;
	bank->row = place.row;
	bank->is_write = is_write;
	if (mc->pages[index].closes)
		mc_page_settle(mc, index, mc->present);
	if (memory->is_closed_policy ||
	    mc->ranks[dram_rank_of(&mc->map, index)].sleep)
		return;
	mc->banks->banks[index].row = place.row;
	mc->pages[index].last_column =
		sim_later(mc->pages[index].last_column, mc->present);
	mc_page_touch(mc, index);
}
