/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What is published of transactions and commands. Each is a visit
 * (model/pmu/visit.h).
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

/* Of cycles that are past only the sum is told. */

static void pulse(struct sigbank *bank, unsigned id, uint64_t cycle)
{
	if (cycle < sim_now(bank->sim))
		sig_past(bank, id, 1);
	else
		sig_later(bank, id, cycle, 1);
}

static void span(struct sigbank *bank, unsigned id, uint64_t from,
		 uint64_t until, int n)
{
	uint64_t now = sim_now(bank->sim);
	uint64_t middle = until < now ? until : now;

	if (from < middle) {
		sig_past(bank, id, (uint64_t)n * (middle - from));
		from = middle;
	}
	sig_span(bank, id, from, until, n);
}

static void packet(struct sigbank *bank, unsigned id, uint64_t cycle,
		   const struct sig_header *header)
{
	if (cycle < sim_now(bank->sim))
		sig_past_packets(bank, id, 1, header);
	else
		sig_packet_at(bank, id, cycle, header);
}

void memory_pulse(struct memory *memory, unsigned id, uint64_t cycle)
{
	pulse(memory->signals, id, cycle);
}

void memory_span(struct memory *memory, unsigned id, uint64_t from,
		 uint64_t until, int n)
{
	span(memory->signals, id, from, until, n);
}

void memory_level(struct memory *memory, unsigned id, uint64_t cycle,
		  int64_t value)
{
	struct sigbank *bank = memory->signals;
	int delta = (int)(value - bank->signals[id].level);

	sig_set(bank, id, value);
	span(bank, id, cycle, memory->now, delta);
	span(bank, id, memory->now, cycle, -delta);
}

/* For tellers. */

static void tell_pulse(struct sigbank *bank, unsigned id, uint64_t cycle)
{
	if (bank->heard[id])
		pulse(bank, id, cycle);
}

static void tell_stay(struct sigbank *bank, unsigned id, uint64_t from,
		      uint64_t until, int n)
{
	if (bank->heard[id])
		span(bank, id, from, until, n);
}

/* Packets */

struct sig_header memory_header(const struct memory *memory, enum dram_cmd cmd)
{
	return (struct sig_header){
		.sched_mode = (uint8_t)memory->config.sched,
		.dram_cmd = (uint8_t)cmd,
	};
}

/* A packet with an address. */
static void command_packet(const struct memory *memory, enum dram_cmd cmd,
			   uint64_t address, unsigned fvid, uint64_t cycle)
{
	struct sig_header header = memory_header(memory, cmd);

	header.address = address;
	header.fvid = (uint8_t)fvid;
	packet(memory->signals, SIG_MBOX_DRAM_CMD, cycle, &header);
}

/* By direction, and whether it closes the page. */
static const uint8_t columns[2][2] = {
	{ DRAM_CAS_RD, DRAM_CASPRE_RD },
	{ DRAM_CAS_WR, DRAM_CASPRE_WR },
};

static uint64_t column_cycle(const struct memory *memory, unsigned bank)
{
	return memory_cycle(memory, memory->mc.pages[bank].last_column);
}

/* It is certain now whether the column command of a bank closes its page. */
void memory_tell_column(struct mc *mc, unsigned index, bool closes)
{
	struct memory *memory = mc->owner;
	struct memory_bank *bank = &memory->pages[index];
	uint64_t before = sim_act_for(memory->sim, bank->requester);

	if (bank->tells && sig_is_tapped(memory->signals, SIG_MBOX_DRAM_CMD))
		command_packet(memory, columns[bank->is_write][closes],
			       bank->address, bank->fvid,
			       column_cycle(memory, index));
	bank->tells = false;
	sim_act_for(memory->sim, before);
}

/* Those that have been in cycles before now. */
void memory_tell_columns(struct memory *memory)
{
	for (unsigned i = 0; i < memory->mc.map.num_banks; i++)
		if (memory->pages[i].tells &&
		    column_cycle(memory, i) < memory->now)
			memory_tell_column(&memory->mc, i, true);
}

static void column_event(void *object, uint64_t index)
{
	struct memory *memory = object;

	memory->now = sim_now(memory->sim);
	if (column_cycle(memory, (unsigned)index) == memory->now)
		memory_tell_column(&memory->mc, (unsigned)index, true);
}

/* Where somebody wants to hear of the column command of a bank in its cycle. */
void memory_follow_column(struct memory *memory, unsigned index)
{
	if (memory->pages[index].tells &&
	    tap_is_ordered(memory->signals, SIG_MBOX_DRAM_CMD))
		sim_at(memory->sim, column_cycle(memory, index), column_event,
		       memory, index);
}

/* Transactions */

static void tell_arrival(struct sigbank *bank, const struct memory_txn *txn)
{
	unsigned command = txn->command;

	tell_pulse(bank, commands[command].pulse, txn->at);
	tell_pulse(bank, SIG_MBOX_BBOX_CMDS_ALL, txn->at);
	if (command == MBOX_CMD_READ || command == MBOX_CMD_WRITE ||
	    command == MBOX_CMD_SPRWR)
		tell_pulse(bank, SIG_MBOX_INFLIGHT_CMDS, txn->at);
	if (txn->is_patrol)
		return;
	tell_pulse(bank, responses[txn->response], txn->answered);
	if (command != MBOX_CMD_WRITE && command != MBOX_CMD_SPRWR) {
		unsigned index = memory_named(txn->memory, txn->fvid);

		tell_stay(bank, commands[command].occupancy + index, txn->at,
			  txn->left, 1);
		tell_stay(bank, SIG_MBOX_SCHEDQ_ALL + index, txn->at, txn->left,
			  1);
	}
}

static void tell_dispatch(struct sigbank *bank, const struct memory_txn *txn)
{
	uint64_t cycle = txn->dispatched;

	tell_pulse(bank, SIG_MBOX_TRANS_CMDS, cycle);
	tell_pulse(bank, SIG_MBOX_SCHED_INFLIGHT_CMDS, cycle);
	if (txn->page == PAGE_JOINED)
		tell_pulse(bank, SIG_MBOX_MULTICAS, cycle);
	tell_pulse(bank,
		   txn->page == PAGE_EMPTY  ? SIG_MBOX_PGT_PAGE_EV2_PAGE_EMPTY
		   : txn->page == PAGE_MISS ? SIG_MBOX_PAGE_MISS
					    : SIG_MBOX_PAGE_HIT,
		   cycle);
}

/* The packet of a closing column command comes by itself. */
static void tell_one(struct sigbank *bank, const struct memory_txn *txn,
		     enum dram_cmd cmd, uint64_t clock)
{
	uint64_t cycle = memory_cycle(txn->memory, clock);

	tell_pulse(bank, SIG_MBOX_DRAM_MISC_VALID, cycle);
	tell_pulse(bank, SIG_MBOX_DRAM_MISC_NON_NOP_TRKL, cycle);
	if (bank->heard[SIG_MBOX_DRAM_CMD] && cmd != DRAM_CASPRE_RD &&
	    cmd != DRAM_CASPRE_WR)
		command_packet(txn->memory, cmd, txn->address, txn->fvid,
			       cycle);
}

static void tell_commands(struct sigbank *bank, const struct memory_txn *txn)
{
	const struct mc_txn *dram = &txn->dram;

	if (dram->precharge != MC_NEVER)
		tell_one(bank, txn, DRAM_PRE, dram->precharge);
	if (dram->activate != MC_NEVER)
		tell_one(bank, txn, DRAM_RAS, dram->activate);
	tell_one(bank, txn, columns[dram->is_write][dram->closes],
		 dram->column);
}

static void tell_txn(struct sigbank *bank, const void *visit)
{
	const struct memory_txn *txn = visit;

	if (txn->has_arrival)
		tell_arrival(bank, txn);
	if (txn->has_dispatch)
		tell_dispatch(bank, txn);
	if (txn->has_commands)
		tell_commands(bank, txn);
}

void memory_tell(struct memory *memory, const struct memory_txn *txn)
{
	struct memory_txn *visit = visits_next(memory->visits);

	*visit = *txn;
	visit->visit.tell = tell_txn;
	visit->visit.last =
		sim_later(sim_later(txn->answered, txn->dispatched), txn->left);
	visit->memory = memory;
	visits_keep(memory->visits);
	if (txn->dram.closes)
		memory_follow_column(memory, txn->dram.place.bank);
}

/* What is kept of memory_hold(). */
struct hold {
	struct visit visit;
	uint64_t from, until;
	int32_t by;
	uint8_t command, index;
};

static void tell_hold(struct sigbank *bank, const void *visit)
{
	const struct hold *hold = visit;

	tell_stay(bank, commands[hold->command].occupancy + hold->index,
		  hold->from, hold->until, hold->by);
	tell_stay(bank, SIG_MBOX_SCHEDQ_ALL + hold->index, hold->from,
		  hold->until, hold->by);
}

/* A command with an index is in the scheduler queue; no longer so, where
 * `until` is the earlier. */
void memory_hold(struct memory *memory, unsigned command, unsigned fvid,
		 uint64_t from, uint64_t until)
{
	struct hold *hold = visits_next(memory->visits);
	bool is_more = until > from;

	if (from == until)
		return;
	*hold = (struct hold){
		.visit = { .tell = tell_hold, .last = sim_later(from, until) },
		.from = is_more ? from : until,
		.until = is_more ? until : from,
		.by = is_more ? 1 : -1,
		.command = (uint8_t)command,
		.index = (uint8_t)memory_named(memory, fvid),
	};
	visits_keep(memory->visits);
}

/* A command that is no transaction's is given in a clock, or has been. */
void memory_tell_command(struct mc *mc, enum dram_cmd cmd, unsigned bank,
			 uint64_t clock)
{
	struct memory *memory = mc->owner;
	struct sig_header header = memory_header(memory, cmd);
	uint64_t cycle = memory_cycle(memory, clock);

	if (cmd == DRAM_PRE)
		memory_pulse(memory, SIG_MBOX_PGT_PAGE_EV2_AUTO_CLS, cycle);
	if (cmd == DRAM_RFR)
		memory_pulse(memory, SIG_MBOX_REFRESH, cycle);
	memory_pulse(memory, SIG_MBOX_DRAM_MISC_VALID, cycle);
	if (OTHERS >> cmd & 1)
		packet(memory->signals, SIG_MBOX_DRAM_CMD_OTHER, cycle,
		       &header);
	if (cmd != DRAM_NOP) {
		memory_pulse(memory, SIG_MBOX_DRAM_MISC_NON_NOP_TRKL, cycle);
		packet(memory->signals, SIG_MBOX_DRAM_CMD, cycle, &header);
	}
	if (memory->heat.is_watched)
		memory_heat_add(memory, cmd, bank);
}

/* Commands of a rest, each in a frame of its own, which was taken for an empty
 * one. */
void memory_past_commands(struct memory *memory, uint64_t num)
{
	struct sigbank *bank = memory->signals;

	sig_past(bank, SIG_MBOX_DRAM_MISC_VALID, num);
	sig_past(bank, SIG_MBOX_DRAM_MISC_NON_NOP_TRKL, num);
	sig_past(bank, SIG_MBOX_FRM_TYPE_NOP, 0 - num);
	sig_past(bank, SIG_MBOX_FRM_TYPE_1CMD, num);
}

/* Those that are no transaction's. */
void memory_tell_past(struct mc *mc, enum dram_cmd cmd, uint64_t num)
{
	struct memory *memory = mc->owner;
	struct sigbank *bank = memory->signals;
	struct sig_header header = memory_header(memory, cmd);

	if (cmd == DRAM_RFR)
		sig_past(bank, SIG_MBOX_REFRESH, num);
	if (cmd == DRAM_PRE)
		sig_past(bank, SIG_MBOX_PGT_PAGE_EV2_AUTO_CLS, num);
	sig_past_packets(bank, SIG_MBOX_DRAM_CMD, num, &header);
	memory_past_commands(memory, num);
}

/* The facts of tell_txn(), while time stands. Nobody answers the patrol
 * scrubber (MBOX_NUM_RESPONSES). */
void memory_count(struct memory *memory, unsigned command, uint64_t address,
		  enum mbox_response response)
{
	struct facts_book *facts = &memory->ex->engine.facts;
	struct sigbank *bank = memory->signals;
	struct sig_header header;

	facts_tell(facts, bank, commands[command].pulse, 1);
	facts_tell(facts, bank, SIG_MBOX_BBOX_CMDS_ALL, 1);
	if (response < MBOX_NUM_RESPONSES)
		facts_tell(facts, bank, responses[response], 1);
	if (command != MBOX_CMD_READ && command != MBOX_CMD_WRITE)
		return;
	facts_tell(facts, bank, SIG_MBOX_INFLIGHT_CMDS, 1);
	facts_tell(facts, bank, SIG_MBOX_TRANS_CMDS, 1);
	facts_tell(facts, bank, SIG_MBOX_SCHED_INFLIGHT_CMDS, 1);
	if (!bank->heard[SIG_MBOX_DRAM_CMD])
		return;
	header = memory_header(
		memory,
		columns[command == MBOX_CMD_WRITE][memory->is_closed_policy]);
	header.address = address;
	facts_tell_packet(facts, bank, SIG_MBOX_DRAM_CMD, &header);
}
