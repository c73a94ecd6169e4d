/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What is published of requests, commands, modes and sleep. What happens at
 * each request is kept as a visit (model/pmu/visit.h).
 */
#include "model/sandy-bridge-ep/imc_parts.h"

/* A request's commands, in cycles. */
struct commands {
	struct visit visit;		      /* stands first */
	uint64_t activate, precharge, column; /* MC_NEVER: none */
	uint16_t column_id, place_id;	      /* of the column command */
	bool is_write, is_read_mode;
};

/* So many more, or less, are in a queue. */
struct stay {
	struct visit visit; /* stands first */
	uint64_t from, until;
	uint16_t id;
	int16_t by;
};

struct visits *imc_visits(struct sigbank *bank)
{
	return visits_new(bank, sizeof(struct commands));
}

static void tell_commands(struct sigbank *bank, const void *visit)
{
	const struct commands *c = visit;

	if (c->precharge != MC_NEVER) {
		tell_later(bank, SIG_IMC_PRE_COUNT_PAGE_MISS, c->precharge, 1);
		tell_later(bank,
			   c->is_write ? SIG_IMC_PRE_COUNT_WR
				       : SIG_IMC_PRE_COUNT_RD,
			   c->precharge, 1);
	}
	if (c->activate != MC_NEVER)
		tell_later(bank,
			   c->is_write ? SIG_IMC_ACT_COUNT_WR
				       : SIG_IMC_ACT_COUNT_RD,
			   c->activate, 1);
	if (c->is_read_mode)
		tell_later(bank, SIG_IMC_CAS_COUNT_RD_RMM, c->column, 1);
	tell_later(bank, c->column_id, c->column, 1);
	tell_later(bank, c->place_id, c->column, 1);
}

static unsigned column_id(const struct imc_txn *txn)
{
	if (imc_is_write(txn))
		return txn->is_drained ? SIG_IMC_CAS_COUNT_WR_WMM
				       : SIG_IMC_CAS_COUNT_WR_RMM;
	return txn->kind == IMC_UNDERFILL ? SIG_IMC_CAS_COUNT_RD_UNDERFILL
					  : SIG_IMC_CAS_COUNT_RD_REG;
}

/* A read goes in read mode, unless it is what partial or isoch mode is for. */
static bool is_read_mode(const struct imc *imc, const struct imc_txn *txn)
{
	uint64_t at = txn->dram.column, end;

	return !imc_is_write(txn) &&
	       spans_gap(&imc->modes, &at, txn->dram.column + 1, &end) &&
	       at == txn->dram.column;
}

/* By rank and bank, of which the events know eight and sixteen. Those of a
 * group have numbers side by side there; in the address groups take turns. */
static unsigned place_id(const struct imc *imc, const struct imc_txn *txn)
{
	unsigned banks = 1u << imc->mc.banks->bank_bits;
	unsigned groups = imc->mc.banks->config.groups;
	unsigned bank = txn->dram.place.bank & (banks - 1);

	bank = bank % groups * (banks / groups) + bank / groups;
	return (imc_is_write(txn) ? SIG_IMC_WR_CAS : SIG_IMC_RD_CAS) +
	       txn->dram.rank % 8 * 16 + bank % 16;
}

static uint64_t cycle_of(const struct imc *imc, uint64_t clock)
{
	return clock == MC_NEVER ? clock : imc_cycle(imc, clock);
}

uint64_t imc_columns(const struct imc *imc)
{
	return imc->num_columns;
}

void imc_tell(struct imc *imc, const struct imc_txn *txn)
{
	struct commands *commands = visits_next(imc->visits);
	uint64_t column = imc_cycle(imc, txn->dram.column);

	imc->num_columns++;
	*commands = (struct commands){
		.visit = { tell_commands, column },
		.activate = cycle_of(imc, txn->dram.activate),
		.precharge = cycle_of(imc, txn->dram.precharge),
		.column = column,
		.column_id = (uint16_t)column_id(txn),
		.place_id = (uint16_t)place_id(imc, txn),
		.is_write = imc_is_write(txn),
		.is_read_mode = is_read_mode(imc, txn),
	};
	visits_keep(imc->visits);
}

/* The mode in which a write goes is not known then. */
void imc_tell_pass(struct imc *imc, enum imc_request kind)
{
	const struct imc_txn txn = { .kind = (uint8_t)kind,
				     .is_drained = true };
	struct facts_book *facts = &imc->ep->engine.facts;

	imc->num_columns++;
	facts_tell(facts, imc->signals,
		   imc_is_write(&txn) ? SIG_IMC_WPQ_INSERTS
				      : SIG_IMC_RPQ_INSERTS,
		   1);
	facts_tell(facts, imc->signals, column_id(&txn), 1);
	if (!imc_is_write(&txn))
		facts_tell(facts, imc->signals, SIG_IMC_CAS_COUNT_RD_RMM, 1);
}

static void tell_stay(struct sigbank *bank, const void *visit)
{
	const struct stay *stay = visit;

	tell_span(bank, stay->id, stay->from, stay->until, stay->by);
}

/* One more is in a queue from a clock until another; one less, where `until` is
 * the earlier. */
void imc_stay(struct imc *imc, unsigned id, uint64_t from, uint64_t until)
{
	struct stay *stay = visits_next(imc->visits);
	bool is_more = until > from;
	uint64_t first = imc_cycle(imc, is_more ? from : until);
	uint64_t last = imc_cycle(imc, is_more ? until : from);

	if (from == until)
		return;
	*stay = (struct stay){
		.visit = { tell_stay, last },
		.from = first,
		.until = last,
		.id = (uint16_t)id,
		.by = is_more ? 1 : -1,
	};
	visits_keep(imc->visits);
}

void imc_pulse(struct imc *imc, unsigned id, uint64_t clock)
{
	uint64_t cycle = imc_cycle(imc, clock);

	if (cycle >= imc->now)
		sig_later(imc->signals, id, cycle, 1);
	else
		sig_past(imc->signals, id, 1);
}

/* A level changes from a clock on, which may be past or to come. */
void imc_level(struct imc *imc, unsigned id, uint64_t clock, int by)
{
	struct sigbank *bank = imc->signals;

	sig_add(bank, id, by);
	if (clock < imc->mc.present)
		sig_past(bank, id, (uint64_t)by * (imc->mc.present - clock));
	else
		sig_span(bank, id, imc->now, imc_cycle(imc, clock), -by);
}

/* The channel is in another mode than read mode from a clock until another, as
 * far as it is not in one of them already. */
void imc_mode(struct imc *imc, unsigned id, uint64_t from, uint64_t until)
{
	uint64_t at = from, end;

	for (; spans_gap(&imc->modes, &at, until, &end); at = end) {
		uint64_t first = imc_cycle(imc, at);
		uint64_t last = imc_cycle(imc, end);

		sig_span(imc->signals, id, first, last, 1);
		sig_span(imc->signals, SIG_IMC_MAJOR_MODES_READ, first, last,
			 -1);
	}
	spans_add(&imc->modes, imc->now_from, from, until);
}

/* Write mode ends with a clock, as few enough writes are left; if no other mode
 * follows, it is read mode that does. */
void imc_tell_read_mode(struct imc *imc, uint64_t clock)
{
	uint64_t at = clock, end;

	if (spans_gap(&imc->modes, &at, clock + 1, &end) && at == clock)
		imc_pulse(imc, SIG_IMC_WMM_TO_RMM_LOW_THRESH, clock);
}

/* A rank's clock enable goes off or on: what that is a sign of, too. */
static void tell_enable(struct imc *imc, unsigned rank, uint64_t clock, int by)
{
	bool is_deep = imc->mc.ranks[rank].sleep == MC_SELF_REFRESH;
	unsigned id = is_deep ? SIG_IMC_POWER_SELF_REFRESH
			      : SIG_IMC_POWER_CHANNEL_PPD;

	imc_level(imc, SIG_IMC_POWER_CKE_CYCLES_RANK0 + rank, clock, by);
	imc_level(imc, id, clock, -by);
	if (!is_deep && imc->config.power == IMC_POWER_SLOW)
		imc_level(imc, SIG_IMC_POWER_CHANNEL_DLLOFF, clock, -by);
}

/* What a refresh is when so many are owed; the others have no unit mask. */
static unsigned refresh_id(const struct mc *mc, unsigned owed)
{
	return owed >= mc->config.refresh_panic	 ? SIG_IMC_DRAM_REFRESH_PANIC
	       : owed >= mc->config.refresh_high ? SIG_IMC_DRAM_REFRESH_HIGH
						 : NUM_SIG_IMC;
}

static void tell_refresh(struct imc *imc, unsigned rank, uint64_t clock)
{
	unsigned id = refresh_id(&imc->mc, imc->mc.ranks[rank].owed);

	if (id < NUM_SIG_IMC)
		imc_pulse(imc, id, clock);
}

void imc_tell_past(struct mc *mc, enum dram_cmd cmd, uint64_t num)
{
	unsigned id = refresh_id(mc, 1);

	if (cmd == DRAM_RFR && id < NUM_SIG_IMC)
		sig_past(mc->signals, id, num);
}

void imc_tell_command(struct mc *mc, enum dram_cmd cmd, unsigned bank,
		      uint64_t clock)
{
	struct imc *imc = mc->owner;
	unsigned rank = dram_rank_of(&mc->map, bank);

	switch (cmd) {
	case DRAM_PRE:
		imc_pulse(imc, SIG_IMC_PRE_COUNT_PAGE_CLOSE, clock);
		break;
	case DRAM_PREALL: imc_pulse(imc, SIG_IMC_DRAM_PRE_ALL, clock); break;
	case DRAM_RFR: tell_refresh(imc, rank, clock); break;
	case DRAM_CKEL: tell_enable(imc, rank, clock, -1); break;
	case DRAM_CKEH: tell_enable(imc, rank, clock, 1); break;
	default: break;
	}
}

/* What all ranks are in is a level that counts those that are, and those that
 * are not there; the events count cycles in which it is eight. */
void imc_tell_start(struct imc *imc)
{
	unsigned num = imc->mc.map.num_ranks;
	int others = IMC_MAX_RANKS - (int)num;

	sig_set(imc->signals, SIG_IMC_POWER_CHANNEL_PPD, others);
	sig_set(imc->signals, SIG_IMC_POWER_CHANNEL_DLLOFF, others);
	sig_set(imc->signals, SIG_IMC_POWER_SELF_REFRESH, others);
	for (unsigned i = 0; i < num; i++)
		sig_set(imc->signals, SIG_IMC_POWER_CKE_CYCLES_RANK0 + i, 1);
}
