/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What is published of transactions and commands. While nobody listens to an
 * M-Box its transactions only stay in a ring; who begins to listen to a signal
 * is told of those whose times are still to come.
 *
 * With closed pages the last column command for a row closes it. Whether it is
 * the last is certain in its clock only, so there the packet of a column
 * command waits with its bank, until another follows or somebody looks; an
 * event tells it in its cycle where somebody wants to know that.
 */
#include "model/nehalem-ex/memory_parts.h"
#include "model/pmu/tap.h"

#define BIT(cmd) (UINT32_C(1) << (cmd))

/* Commands with a signal of their own, besides that of all. */
#define OTHERS                                                                 \
	(BIT(DRAM_MRS) | BIT(DRAM_EMRS) | BIT(DRAM_EMRS2) | BIT(DRAM_EMRS3) |  \
	 BIT(DRAM_ENSR) | BIT(DRAM_EXSR) | BIT(DRAM_NOP) | BIT(DRAM_GENDRM) |  \
	 BIT(DRAM_POLL) | BIT(DRAM_CKEH) | BIT(DRAM_CKEL) | BIT(DRAM_IBD) |    \
	 BIT(DRAM_SFT_RST) | BIT(DRAM_NOWPE) | BIT(DRAM_WCR) | BIT(DRAM_RCR))

static const struct {
	uint16_t pulse, occupancy;
} commands[MBOX_NUM_COMMANDS] = {
	[MBOX_CMD_READ] = { SIG_MBOX_BCMD_READS, SIG_MBOX_SCHEDQ_READS },
	[MBOX_CMD_WRITE] = { SIG_MBOX_BCMD_WRITES, SIG_MBOX_SCHEDQ_WRITES },
	[MBOX_CMD_MERGE] = { SIG_MBOX_BCMD_MERGE, SIG_MBOX_SCHEDQ_MERGE },
	[MBOX_CMD_V2F] = { SIG_MBOX_BCMD_V2F, SIG_MBOX_SCHEDQ_V2F },
	[MBOX_CMD_V2V] = { SIG_MBOX_BCMD_V2V, SIG_MBOX_SCHEDQ_V2V },
	[MBOX_CMD_F2V] = { SIG_MBOX_BCMD_F2V, SIG_MBOX_SCHEDQ_F2V },
	[MBOX_CMD_F2B] = { SIG_MBOX_BCMD_F2B, SIG_MBOX_SCHEDQ_F2B },
	[MBOX_CMD_SPRWR] = { SIG_MBOX_BCMD_SPRWR, SIG_MBOX_SCHEDQ_SPRWR },
};

static const uint16_t responses[MBOX_NUM_RESPONSES] = {
	[MBOX_RSP_ACK] = SIG_MBOX_RSP_ACK,
	[MBOX_RSP_RETRY] = SIG_MBOX_RSP_RETRY,
	[MBOX_RSP_COR] = SIG_MBOX_RSP_COR,
	[MBOX_RSP_UNCOR] = SIG_MBOX_RSP_UNCOR,
	[MBOX_RSP_SPEC_ACK] = SIG_MBOX_RSP_SPEC_ACK,
	[MBOX_RSP_SPR_ACK] = SIG_MBOX_RSP_SPR_ACK,
	[MBOX_RSP_SPR_UNCOR] = SIG_MBOX_RSP_SPR_UNCOR,
};

/* Who is told: everybody, or he who has just begun to listen to a signal and
 * has not heard what is past. */
struct listener {
	struct memory *memory;
	unsigned id;
	bool is_new;
};

static bool wants(const struct listener *to, unsigned id, uint64_t cycle)
{
	if (to->is_new)
		return to->id == id && cycle >= to->memory->now;
	return sig_is_tapped(to->memory->signals, id);
}

static void tell(const struct listener *to, unsigned id, uint64_t cycle)
{
	if (wants(to, id, cycle))
		memory_pulse(to->memory, id, cycle);
}

static void tell_span(const struct listener *to, unsigned id, uint64_t from,
		      uint64_t until)
{
	struct memory *memory = to->memory;

	if (to->is_new)
		from = ex_later(from, memory->now);
	if (from < until && wants(to, id, from))
		memory_span(memory, id, from, until, 1);
}

/* Packets */

static void packet(struct memory *memory, unsigned id, uint64_t cycle,
		   const struct sig_header *header)
{
	if (cycle < memory->now)
		sig_past_packets(memory->signals, id, 1, header);
	else
		sig_packet_at(memory->signals, id, cycle, header);
}

/* A packet with an address. */
static void column_packet(struct memory *memory, enum dram_cmd cmd,
			  uint64_t address, unsigned fvid, uint64_t cycle)
{
	struct sig_header header = {
		.address = address,
		.fvid = (uint8_t)fvid,
		.sched_mode = (uint8_t)memory->config.sched,
		.dram_cmd = (uint8_t)cmd,
	};

	packet(memory, SIG_MBOX_DRAM_CMD, cycle, &header);
}

/* It is certain now whether the column command of a bank closes its page. */
void memory_tell_column(struct memory *memory, unsigned index, bool closes)
{
	static const uint8_t codes[2][2] = {
		{ DRAM_CAS_RD, DRAM_CASPRE_RD },
		{ DRAM_CAS_WR, DRAM_CASPRE_WR },
	};
	struct memory_bank *bank = &memory->pages[index];

	if (bank->tells && sig_is_tapped(memory->signals, SIG_MBOX_DRAM_CMD))
		column_packet(memory, codes[bank->direction][closes],
			      bank->address, bank->fvid,
			      memory_cycle(memory, bank->last_column));
	bank->tells = false;
}

/* Those that have been in cycles before now. */
void memory_tell_columns(struct memory *memory)
{
	for (unsigned i = 0; i < memory->map.num_banks; i++) {
		struct memory_bank *bank = &memory->pages[i];

		if (bank->tells &&
		    memory_cycle(memory, bank->last_column) < memory->now)
			memory_tell_column(memory, i, true);
	}
}

static void column_event(void *object, uint64_t index)
{
	struct memory *memory = object;
	struct memory_bank *bank = &memory->pages[index];

	memory->now = sim_now(memory->sim);
	if (memory_cycle(memory, bank->last_column) == memory->now)
		memory_tell_column(memory, (unsigned)index, true);
}

/* Somebody wants to hear of the column command of a bank in its cycle. */
static void follow_column(struct memory *memory, unsigned index)
{
	struct memory_bank *bank = &memory->pages[index];

	if (bank->tells)
		sim_at(memory->sim, memory_cycle(memory, bank->last_column),
		       column_event, memory, index);
}

/* The packet of one of a transaction's commands. */
static void tell_packet(const struct listener *to, const struct memory_txn *txn,
			unsigned which)
{
	static const uint8_t codes[] = { DRAM_PRE, DRAM_RAS, DRAM_CAS_RD };
	struct memory *memory = to->memory;
	uint64_t cycle = txn->commands[which];
	bool is_write = which == MEMORY_CAS && txn->direction == MEMORY_WRITE;

	if (!wants(to, SIG_MBOX_DRAM_CMD, cycle))
		return;
	if (which == MEMORY_CAS && txn->closes) {
		if (memory->num_followed && !to->is_new &&
		    tap_is_ordered(memory->signals, SIG_MBOX_DRAM_CMD))
			follow_column(memory, txn->place.bank);
		return;
	}
	column_packet(memory, is_write ? DRAM_CAS_WR : codes[which],
		      txn->address, txn->fvid, cycle);
}

/* Transactions */

static void tell_arrival(const struct listener *to,
			 const struct memory_txn *txn)
{
	unsigned command = txn->command;

	tell(to, commands[command].pulse, txn->at);
	tell(to, SIG_MBOX_BBOX_CMDS_ALL, txn->at);
	if (command == MBOX_CMD_READ || command == MBOX_CMD_WRITE ||
	    command == MBOX_CMD_SPRWR)
		tell(to, SIG_MBOX_INFLIGHT_CMDS, txn->at);
	if (txn->is_patrol)
		return;
	tell(to, responses[txn->response], txn->answered);
	if (command != MBOX_CMD_WRITE && command != MBOX_CMD_SPRWR) {
		unsigned index = memory_named(to->memory, txn->fvid);
		uint64_t end = txn->commands[MEMORY_CAS];

		tell_span(to, commands[command].occupancy + index, txn->at,
			  end);
		tell_span(to, SIG_MBOX_SCHEDQ_ALL + index, txn->at, end);
	}
}

static void tell_dispatch(const struct listener *to,
			  const struct memory_txn *txn)
{
	uint64_t cycle = txn->dispatched;

	tell(to, SIG_MBOX_TRANS_CMDS, cycle);
	tell(to, SIG_MBOX_SCHED_INFLIGHT_CMDS, cycle);
	if (txn->page == PAGE_JOINED)
		tell(to, SIG_MBOX_MULTICAS, cycle);
	tell(to,
	     txn->page == PAGE_EMPTY  ? SIG_MBOX_PGT_PAGE_EV2_PAGE_EMPTY
	     : txn->page == PAGE_MISS ? SIG_MBOX_PAGE_MISS
				      : SIG_MBOX_PAGE_HIT,
	     cycle);
}

static void tell_commands(const struct listener *to,
			  const struct memory_txn *txn)
{
	for (unsigned i = 0; i < MEMORY_COMMANDS; i++) {
		uint64_t cycle = txn->commands[i];

		if (!cycle)
			continue;
		tell(to, SIG_MBOX_DRAM_MISC_VALID, cycle);
		tell(to, SIG_MBOX_DRAM_MISC_NON_NOP_TRKL, cycle);
		tell_packet(to, txn, i);
	}
}

static void tell_all(const struct listener *to, const struct memory_txn *txn)
{
	if (txn->has_arrival)
		tell_arrival(to, txn);
	if (txn->has_dispatch)
		tell_dispatch(to, txn);
	if (txn->has_commands)
		tell_commands(to, txn);
}

/* To all who listen, and who begin to before its times. */
void memory_tell(struct memory *memory, const struct memory_txn *txn)
{
	struct listener to = { .memory = memory };

	memory->txns[memory->num_txns++ % MEMORY_TXNS] = *txn;
	if (memory->is_heard)
		tell_all(&to, txn);
}

/* A command with an index is in the scheduler queue; no longer so, where
 * `until` is the earlier. */
void memory_hold(struct memory *memory, unsigned command, unsigned fvid,
		 uint64_t from, uint64_t until)
{
	unsigned index = memory_named(memory, fvid);
	int by = until > from ? 1 : -1;
	uint64_t first = by > 0 ? from : until, end = by > 0 ? until : from;
	unsigned id = commands[command].occupancy + index;

	if (sig_is_tapped(memory->signals, id))
		memory_span(memory, id, first, end, by);
	id = SIG_MBOX_SCHEDQ_ALL + index;
	if (sig_is_tapped(memory->signals, id))
		memory_span(memory, id, first, end, by);
}

/* Writes that are in the scheduler queue. */
static void tell_held(const struct listener *to)
{
	struct memory *memory = to->memory;

	for (unsigned i = 0; i < MEMORY_FVIDS; i++) {
		const struct memory_held *held = &memory->held[i];
		unsigned index = memory_named(memory, i);

		if (held->until <= memory->now)
			continue;
		tell_span(to, commands[held->command].occupancy + index,
			  held->from, held->until);
		tell_span(to, SIG_MBOX_SCHEDQ_ALL + index, held->from,
			  held->until);
	}
}

/* Somebody has begun to listen to a signal: what is still to come of it. */
void memory_publish_again(struct memory *memory, unsigned id)
{
	struct listener to = { memory, id, true };

	for (unsigned i = 0; i < MEMORY_TXNS; i++)
		tell_all(&to, &memory->txns[i]);
	tell_held(&to);
	if (id == SIG_MBOX_DRAM_CMD && tap_is_ordered(memory->signals, id))
		for (unsigned i = 0; i < memory->map.num_banks; i++)
			follow_column(memory, i);
	memory_queue_listen(memory, id);
}

/* A command that is no transaction's is given in a clock, or has been. */
void memory_show(struct memory *memory, enum dram_cmd cmd, unsigned bank,
		 uint64_t clock)
{
	struct sig_header header = { .dram_cmd = (uint8_t)cmd };
	uint64_t cycle = memory_cycle(memory, clock);

	header.sched_mode = (uint8_t)memory->config.sched;
	memory_pulse(memory, SIG_MBOX_DRAM_MISC_VALID, cycle);
	if (OTHERS >> cmd & 1)
		packet(memory, SIG_MBOX_DRAM_CMD_OTHER, cycle, &header);
	if (cmd != DRAM_NOP) {
		memory_pulse(memory, SIG_MBOX_DRAM_MISC_NON_NOP_TRKL, cycle);
		packet(memory, SIG_MBOX_DRAM_CMD, cycle, &header);
	}
	if (memory->watches)
		memory_watch(memory, cmd, bank, NULL, clock);
}
