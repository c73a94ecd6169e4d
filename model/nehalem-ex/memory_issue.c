/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * ISS, the issue logic, and PLD's view of the commands (guide 2.7.4.4): in
 * every DRAM clock one SMI frame goes to the memory buffers, with a command for
 * each bus, or with one command and a quarter of a line of write data. A
 * transaction gets the first clocks that are lawful beside all commands that
 * have a clock already (model/station/bank.h); so row hits and other banks go
 * ahead of what has to wait.
 */
#include "model/nehalem-ex/memory_parts.h"

/* Another column command follows one that was to close the page: that does not,
 * unless it has done so. */
void memory_keep_open(struct memory *memory, unsigned bank)
{
	struct memory_bank *page = &memory->pages[bank];
	bool is_over =
		memory_cycle(memory, page->last_column) <= memory->moment;

	page->closes = false;
	memory_tell_column(memory, bank, is_over);
	if (is_over)
		banks_auto_precharge(memory->banks, bank);
	else if (memory->trace)
		memory_trace_stays_open(memory, bank, page->last_column);
}

/* The clock from which on a command may be given, after all the times that it
 * is lost on the way. */
static uint64_t ready(struct memory *memory, struct memory_txn *txn,
		      uint64_t from, uint64_t own)
{
	from = sim_later(from, own);
	if (memory->command_faults)
		from = memory_error_command(memory, txn, from);
	return from;
}

/* Somebody wants to see every command. */
void memory_watch(struct memory *memory, enum dram_cmd cmd, unsigned bank,
		  const struct memory_txn *txn, uint64_t clock)
{
	if (memory->heat.is_watched)
		memory_heat_add(memory, cmd, bank);
	if (memory->trace)
		memory_trace_add(memory, cmd, bank, txn, clock);
}

static void give(struct memory *memory, struct memory_txn *txn, unsigned which,
		 enum dram_cmd cmd, uint64_t clock)
{
	txn->commands[which] = memory_cycle(memory, clock);
	if (memory->watches)
		memory_watch(memory, cmd, txn->place.bank, txn, clock);
}

static SIG_SLOW void open_row(struct memory *memory, struct memory_txn *txn,
			      uint64_t start)
{
	struct banks *banks = memory->banks;
	unsigned index = txn->place.bank;
	struct bank *bank = &banks->banks[index];
	uint64_t clock;

	if (bank->row >= 0) {
		start = ready(memory, txn, start, bank->pre);
		clock = banks_precharge(banks, index, start);
		give(memory, txn, MEMORY_PRE, DRAM_PRE, clock);
	}
	start = ready(memory, txn, start, bank->act);
	clock = banks_activate(banks, index, txn->place.row, start);
	give(memory, txn, MEMORY_RAS, DRAM_RAS, clock);
}

static enum dram_cmd column_command(const struct memory_txn *txn)
{
	if (txn->direction == MEMORY_WRITE)
		return txn->closes ? DRAM_CASPRE_WR : DRAM_CAS_WR;
	return txn->closes ? DRAM_CASPRE_RD : DRAM_CAS_RD;
}

/* The transaction's column command closes the page, for the present. */
static void close_page(const struct memory *memory, struct memory_bank *page,
		       struct memory_txn *txn)
{
	page->closes = page->tells = txn->closes = true;
	page->address = txn->address;
	page->fvid = txn->fvid;
	page->requester = sim_requester(memory->sim);
}

/* A transaction that would keep its rank from a refresh for another tREFI lets
 * it pass: where frames are lost many times commands wait for that long. */
static void let_refresh_pass(struct memory *memory,
			     const struct memory_txn *txn, uint64_t clock)
{
	const struct bank *bank = &memory->banks->banks[txn->place.bank];
	uint64_t trefi = memory->config.dram.trefi_clocks;
	uint64_t due = memory->ranks[txn->rank].refresh_cycle;
	uint64_t cycle;

	clock = sim_later(clock, bank->row < 0 ? bank->act : bank->cas);
	cycle = memory_cycle(memory, banks_from(memory->banks, clock));
	if (trefi && due + memory_cycle(memory, trefi) <= cycle)
		memory_refresh_until(memory, txn->rank, cycle);
}

/* Gives a transaction its commands; the row commands not before `start`, the
 * column command not before `data`. Returns the cycle of that. */
uint64_t memory_issue(struct memory *memory, struct memory_txn *txn,
		      uint64_t start, uint64_t data)
{
	unsigned index = txn->place.bank;
	struct memory_bank *page = &memory->pages[index];
	uint64_t clock;

	txn->has_commands = true;
	if (memory->command_faults)
		let_refresh_pass(memory, txn, start);
	if (page->closes)
		memory_keep_open(memory, index);
	if (memory->banks->banks[index].row != (int64_t)txn->place.row)
		open_row(memory, txn, start);
	if (memory->is_closed_policy)
		data = sim_later(data, page->last_column + 1);
	data = ready(memory, txn, data, memory->banks->banks[index].cas);
	clock = banks_column(memory->banks, index,
			     txn->direction == MEMORY_WRITE, data);
	if (memory->is_closed_policy && !page->num_parked)
		close_page(memory, page, txn);
	give(memory, txn, MEMORY_CAS, column_command(txn), clock);
	page->last_column = sim_later(page->last_column, clock);
	if (memory->idle_clocks)
		memory_page_touch(memory, index);
	if (memory->may_sleep)
		memory_rank_use(memory, txn->rank, clock);
	return txn->commands[MEMORY_CAS];
}
