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

static void publish_policy(struct memory *memory, uint64_t cycle)
{
	bool closed = memory->is_closed_policy;

	memory_level(memory, SIG_MBOX_PGT_STATE_CLOSED, cycle, closed);
	memory_level(memory, SIG_MBOX_PGT_STATE_OPEN, cycle, !closed);
}

void memory_page_start(struct memory *memory)
{
	bool closed = memory->config.page_policy == MBOX_PAGE_CLOSED;

	memory->is_closed_policy = closed;
	memory->idle_due = SIM_NEVER;
	memory->page_window = memory_window(memory->config.page_window);
	if (memory->has_adaptive_pages)
		memory->idle_clocks = memory_clock_after(
			memory, memory->config.page_idle_cycles);
	for (unsigned i = 0; i < DRAM_MAX_BANKS; i++)
		memory->pages[i].row = -1;
	sig_set(memory->signals, SIG_MBOX_PGT_STATE_CLOSED, closed);
	sig_set(memory->signals, SIG_MBOX_PGT_STATE_OPEN, !closed);
}

static void change_policy(struct memory *memory, uint64_t cycle)
{
	memory->is_closed_policy = !memory->is_closed_policy;
	memory_pulse(memory,
		     memory->is_closed_policy ? SIG_MBOX_PGT_PAGE_EV_OPN2CLS
					      : SIG_MBOX_PGT_PAGE_EV_CLS2OPN,
		     cycle);
	publish_policy(memory, cycle);
}

/* So many of the translations of a window have found the row of the one before,
 * or would have. */
void memory_turn_pages(struct memory *memory, uint64_t cycle)
{
	unsigned window = memory->config.page_window;
	unsigned hits = memory->page_window.hits;

	memory->page_window = memory_window(window);
	if (memory->is_closed_policy ? hits * 2 > window : hits * 4 < window)
		change_policy(memory, cycle);
}

/* Idle pages: those of the adaptive policy have a bit, and a clock in which
 * they are to be closed. */

void memory_page_forget(struct memory *memory, unsigned index)
{
	memory->idle[index / 64] &= ~(UINT64_C(1) << index % 64);
}

/* The clock in which the idle page of a bank is to be closed. */
static uint64_t close_clock(const struct memory *memory, unsigned index)
{
	return memory->pages[index].last_column + memory->idle_clocks;
}

/* The bank has given its last column command and its page stays open. */
void memory_page_touch(struct memory *memory, unsigned index)
{
	struct memory_bank *bank = &memory->pages[index];
	uint64_t cycle = memory_cycle(memory, close_clock(memory, index));

	if (bank->closes || bank->num_parked)
		return;
	memory->idle[index / 64] |= UINT64_C(1) << index % 64;
	if (cycle >= memory->idle_due)
		return;
	memory->idle_due = cycle;
	memory_due_by(memory, cycle);
}

static void close_idle(struct memory *memory, unsigned index)
{
	uint64_t clock = banks_precharge(memory->banks, index,
					 close_clock(memory, index));

	memory_page_forget(memory, index);
	memory_pulse(memory, SIG_MBOX_PGT_PAGE_EV2_AUTO_CLS,
		     memory_cycle(memory, clock));
	memory_show(memory, DRAM_PRE, index, clock);
}

/* Closes the idle pages whose time has come in the cycle `idle_due`, if there
 * are any; those that come next are due then. */
void memory_page_close(struct memory *memory)
{
	uint64_t next = SIM_NEVER;

	for (unsigned word = 0; word < DRAM_MAX_BANKS / 64; word++) {
		for (uint64_t rest = memory->idle[word]; rest;
		     rest &= rest - 1) {
			unsigned index =
				word * 64 + (unsigned)__builtin_ctzll(rest);
			uint64_t cycle = memory_cycle(
				memory, close_clock(memory, index));

			if (cycle <= memory->idle_due)
				close_idle(memory, index);
			else if (cycle < next)
				next = cycle;
		}
	}
	memory->idle_due = next;
}

static bool is_idle(const struct memory *memory, unsigned index)
{
	return memory->idle[index / 64] >> index % 64 & 1;
}

/* What has become of the bank's page by a cycle, when nobody else comes. */
void memory_page_settle(struct memory *memory, unsigned index, uint64_t cycle)
{
	struct memory_bank *bank = &memory->pages[index];

	if (bank->closes) {
		bank->closes = false;
		memory_tell_column(memory, index, true);
		banks_auto_precharge(memory->banks, index);
	}
	if (is_idle(memory, index) &&
	    memory_cycle(memory, close_clock(memory, index)) <= cycle)
		close_idle(memory, index);
	memory_page_forget(memory, index);
}

/* Dispatch */

/* The bank has been at work for the row and direction, and still is. */
static bool joins(const struct memory *memory, const struct memory_bank *bank,
		  const struct memory_txn *txn, uint64_t cycle)
{
	bool is_at_work = bank->num_parked ||
			  memory_cycle(memory, bank->last_column) > cycle;

	return is_at_work && bank->row == (int64_t)txn->place.row &&
	       bank->direction == txn->direction;
}

/* Each of these says from which cycle on it is no hindrance any more. */

static uint64_t pass_rank(struct memory *memory, struct memory_txn *txn,
			  uint64_t cycle)
{
	struct memory_rank *rank = &memory->ranks[txn->rank];

	if (rank->refresh_cycle <= cycle)
		memory_refresh_until(memory, txn->rank, cycle);
	if (rank->sleep != MEMORY_AWAKE) {
		memory_rank_wake(memory, txn->rank, cycle);
		return rank->busy_until;
	}
	if (rank->busy_until <= cycle)
		return cycle;
	if (!txn->met_refresh && !rank->is_script) {
		txn->met_refresh = true;
		memory_pulse(memory, SIG_MBOX_REFRESH_CONFLICT, cycle);
	}
	return rank->busy_until;
}

static uint64_t pass_heat(struct memory *memory, struct memory_txn *txn,
			  uint64_t cycle)
{
	uint64_t end = memory_heat_rest(memory, txn->rank, cycle);

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
	const struct memory_bank *bank = &memory->pages[txn->place.bank];

	return bank->has_line && bank->dispatched > cycle ? bank->dispatched
							  : cycle;
}

static uint64_t pass_bank(struct memory *memory, const struct memory_txn *txn,
			  uint64_t cycle)
{
	struct memory_bank *bank = &memory->pages[txn->place.bank];

	if (joins(memory, bank, txn, cycle))
		return cycle;
	if (bank->num_parked)
		memory_write_bank(memory, txn->place.bank, cycle);
	return sim_later(cycle, memory_cycle(memory, bank->last_column));
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
		next = memory_queue_from(memory, txn->direction, cycle);
	return next;
}

/* Nothing hinders the transaction, and it has its bank for itself: so it is
 * mostly. */
static inline bool is_free(const struct memory *memory,
			   const struct memory_txn *txn, uint64_t cycle)
{
	const struct memory_rank *rank = &memory->ranks[txn->rank];
	const struct memory_bank *bank = &memory->pages[txn->place.bank];

	return memory_cycle(memory, bank->last_column) <= cycle &&
	       !bank->num_parked && rank->refresh_cycle > cycle &&
	       rank->busy_until <= cycle && rank->sleep == MEMORY_AWAKE &&
	       !memory->heat.num_hot && memory->queues[txn->direction].free;
}

enum { MAX_RETRIES = 16 };

/* The cycle in which nothing hinders the transaction any more. */
static SIG_SLOW uint64_t wait_for_all(struct memory *memory,
				      struct memory_txn *txn, uint64_t at)
{
	uint64_t cycle = at, next, retries[MAX_RETRIES];
	unsigned num = 0;

	while ((next = pass_all(memory, txn, cycle)) != cycle) {
		if (num < MAX_RETRIES)
			retries[num++] = cycle;
		cycle = next;
	}
	memory->pages[txn->place.bank].has_line = num;
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
	unsigned index = txn->place.bank;
	struct memory_bank *bank = &memory->pages[index];
	int64_t wanted = txn->place.row, row;

	if (bank->closes ||
	    (is_idle(memory, index) &&
	     memory_cycle(memory, close_clock(memory, index)) <= cycle))
		memory_page_settle(memory, index, cycle);
	memory_page_forget(memory, index);
	row = memory->banks->banks[index].row;
	txn->page = row == wanted ? PAGE_HIT : row < 0 ? PAGE_EMPTY : PAGE_MISS;
	memory_watch_pages(memory, bank->row == wanted, cycle);
	bank->row = wanted;
	bank->direction = txn->direction;
}

static void join(struct memory *memory, struct memory_txn *txn, uint64_t cycle)
{
	txn->page = PAGE_JOINED;
	memory_watch_pages(memory, true, cycle);
	memory_page_forget(memory, txn->place.bank);
}

/* The translator takes one transaction a cycle. */
static inline uint64_t translate(struct memory *memory, uint64_t cycle)
{
	struct calendar *translator = &memory->translator;
	uint64_t bit = UINT64_C(1) << cycle % 64;

	if (cycle >= calendar_end(translator) ||
	    calendar_bits(translator, cycle) & bit)
		return calendar_take(translator, memory->moment, cycle, 1);
	calendar_set(translator, cycle, bit);
	return cycle;
}

/* The cycle in which a transaction that arrives in a cycle goes into the
 * dispatch queue. */
uint64_t memory_dispatch(struct memory *memory, struct memory_txn *txn,
			 uint64_t at)
{
	struct memory_bank *bank = &memory->pages[txn->place.bank];
	bool is_easy = is_free(memory, txn, at);
	uint64_t cycle =
		translate(memory, is_easy ? at : wait_for_all(memory, txn, at));

	if (is_easy)
		bank->has_line = false;
	if (!is_easy && joins(memory, bank, txn, cycle))
		join(memory, txn, cycle);
	else
		find_page(memory, txn, cycle);
	bank->dispatched = txn->dispatched = cycle;
	txn->has_dispatch = true;
	memory_watch_modes(memory, txn->direction, cycle);
	return cycle;
}

/* A transaction while time stands. A bank in which writes wait stays as it is,
 * and so does the policy: cores that are served one access after the other in
 * the order of their clocks do not ask for a row several times in a row, as
 * those do that wait for each other, and pages would turn to closed ones. */
void memory_page_pass(struct memory *memory, struct dram_place place,
		      unsigned direction)
{
	unsigned index = place.bank;
	struct memory_bank *bank = &memory->pages[index];
	int64_t wanted = place.row;

	memory_watch_modes(memory, direction, memory->now);
	if (bank->num_parked)
		return;
	bank->row = wanted;
	bank->direction = (uint8_t)direction;
	if (bank->closes)
		memory_page_settle(memory, index, memory->now);
	if (memory->is_closed_policy ||
	    memory->ranks[index >> memory->banks->bank_bits].sleep !=
		    MEMORY_AWAKE)
		return;
	memory->banks->banks[index].row = wanted;
	bank->last_column =
		sim_later(bank->last_column, memory_clock(memory, memory->now));
	if (memory->idle_clocks)
		memory_page_touch(memory, index);
}
