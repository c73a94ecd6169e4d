/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The timing rules of DDR3 (JEDEC JESD79-3) as earliest clocks: each command
 * that is given moves the earliest clock of those that it holds up, so asking
 * when a command may be given is a maximum of a few numbers.
 *
 * Choices: bursts are chopped to four beats by the mode register, since a line
 * is 32 bytes on each of two channels; tCCD stays four clocks, which is why two
 * buses fill one SMI link. The commands of initialisation, power-down and
 * self-refresh keep their distances themselves (mbox_rank.c). Left out: on-die
 * termination.
 */
#include "model/box/dram.h"

#include "model/box/dram_check.h"

static uint64_t later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static void raise_to(uint64_t *earliest, uint64_t clock)
{
	if (*earliest < clock)
		*earliest = clock;
}

static unsigned first_bank(const struct dram *dram, unsigned bank)
{
	return bank & ~(dram->config.banks - 1);
}

/* Banks that a column command closes later on still count as open then. */
static uint64_t earliest_preall(const struct dram *dram, unsigned bank)
{
	unsigned first = first_bank(dram, bank);
	unsigned trp = dram->config.trp_clocks;
	uint64_t clock = 0;

	for (unsigned i = first; i < first + dram->config.banks; i++) {
		const struct dram_bank *b = &dram->banks[i];

		if (b->row >= 0)
			raise_to(&clock, b->pre);
		else if (b->act > trp)
			raise_to(&clock, b->act - trp);
	}
	return clock;
}

/* A rank command that needs every bank closed and recovered. */
static uint64_t earliest_quiet(const struct dram *dram, unsigned bank)
{
	unsigned first = first_bank(dram, bank);
	uint64_t clock = 0;

	for (unsigned i = first; i < first + dram->config.banks; i++)
		raise_to(&clock, dram->banks[i].act);
	return clock;
}

uint64_t dram_bank_earliest(const struct dram *dram, enum dram_cmd cmd,
			    unsigned bank)
{
	switch (cmd) {
	case DRAM_RAS: return dram->banks[bank].act;
	case DRAM_PRE: return dram->banks[bank].pre;
	case DRAM_PREALL: return earliest_preall(dram, bank);
	case DRAM_RFR:
	case DRAM_ZQCAL: return earliest_quiet(dram, bank);
	default: return dram->banks[bank].cas;
	}
}

uint64_t dram_earliest(const struct dram *dram, enum dram_cmd cmd,
		       unsigned bank)
{
	uint64_t own = dram_bank_earliest(dram, cmd, bank);
	uint64_t shared =
		dram_shared_earliest(dram, cmd, dram_rank_of(dram, bank));

	return later(dram->buses[dram_bus_of(dram, bank)].command,
		     later(own, shared));
}

static void activate(struct dram *dram, unsigned bank, uint32_t row,
		     uint64_t clock)
{
	const struct dram_config *c = &dram->config;
	struct dram_rank *rank = &dram->ranks[dram_rank_of(dram, bank)];
	struct dram_bank *b = &dram->banks[bank];

	b->row = row;
	b->cas = clock + c->trcd_clocks;
	b->act = clock + c->tras_clocks + c->trp_clocks;
	raise_to(&b->pre, clock + c->tras_clocks);
	rank->act = clock + c->trrd_clocks;
	rank->faw[rank->faw_next] = clock;
	rank->faw_next = (rank->faw_next + 1) & 3;
	rank->num_open++;
}

static void close_bank(struct dram *dram, unsigned bank, uint64_t clock)
{
	struct dram_bank *b = &dram->banks[bank];

	if (b->row >= 0)
		dram->ranks[dram_rank_of(dram, bank)].num_open--;
	b->row = -1;
	raise_to(&b->act, clock + dram->config.trp_clocks);
}

static void close_rank(struct dram *dram, unsigned bank, uint64_t clock)
{
	unsigned first = first_bank(dram, bank);

	for (unsigned i = first; i < first + dram->config.banks; i++)
		close_bank(dram, i, clock);
}

/* A refresh or a calibration: nothing else for the rank until it is over. */
static void occupy_rank(struct dram *dram, unsigned bank, uint64_t until)
{
	unsigned first = first_bank(dram, bank);

	for (unsigned i = first; i < first + dram->config.banks; i++)
		raise_to(&dram->banks[i].act, until);
}

/* Column commands hold up those that follow on the same bus: the same rank by
 * the spacing of commands, other ranks by the data they would collide with. */
static void hold_reads(struct dram *dram, unsigned bank, uint64_t own,
		       uint64_t other)
{
	unsigned rank = dram_rank_of(dram, bank);
	unsigned first = rank & ~(dram->config.ranks - 1);

	for (unsigned i = first; i < first + dram->config.ranks; i++)
		raise_to(&dram->ranks[i].rd, i == rank ? own : other);
	raise_to(&dram->buses[dram_bus_of(dram, bank)].rd,
		 own < other ? own : other);
}

static void hold_writes(struct dram *dram, unsigned bank, uint64_t own,
			uint64_t other)
{
	unsigned rank = dram_rank_of(dram, bank);
	unsigned first = rank & ~(dram->config.ranks - 1);

	for (unsigned i = first; i < first + dram->config.ranks; i++)
		raise_to(&dram->ranks[i].wr, i == rank ? own : other);
	raise_to(&dram->buses[dram_bus_of(dram, bank)].wr,
		 own < other ? own : other);
}

static void read_column(struct dram *dram, unsigned bank, uint64_t clock)
{
	const struct dram_config *c = &dram->config;
	uint64_t write =
		clock + c->cl_clocks + c->burst_clocks + 2 - c->cwl_clocks;

	hold_reads(dram, bank, clock + c->tccd_clocks,
		   clock + c->burst_clocks + c->trtrs_clocks);
	hold_writes(dram, bank, write, write);
	dram->link_free = clock + c->burst_clocks;
	raise_to(&dram->banks[bank].pre, clock + c->trtp_clocks);
}

static void write_column(struct dram *dram, unsigned bank, uint64_t clock)
{
	const struct dram_config *c = &dram->config;
	uint64_t end = clock + c->cwl_clocks + c->burst_clocks;
	uint64_t other =
		later(end + c->trtrs_clocks, clock + c->cl_clocks + 1) -
		c->cl_clocks;

	hold_writes(dram, bank, clock + c->tccd_clocks,
		    clock + c->burst_clocks + c->trtrs_clocks);
	hold_reads(dram, bank, end + c->twtr_clocks, other);
	raise_to(&dram->banks[bank].pre, end + c->twr_clocks);
}

static void trace(const struct dram *dram, enum dram_cmd cmd, unsigned bank,
		  uint32_t row, uint16_t column, uint64_t clock)
{
	const struct dram_config *c = &dram->config;
	struct dram_command command = {
		.clock = clock,
		.row = row,
		.column = column,
		.cmd = (uint8_t)cmd,
		.bus = (uint8_t)dram_bus_of(dram, bank),
		.rank = (uint8_t)(dram_rank_of(dram, bank) & (c->ranks - 1)),
		.bank = (uint8_t)(bank & (c->banks - 1)),
	};

	if (dram->trace)
		dram->trace(dram->trace_object, &command);
	if (dram->check)
		dram_check_command(dram->check, &command);
}

void dram_issue(struct dram *dram, enum dram_cmd cmd, unsigned bank,
		uint32_t row, uint16_t column, uint64_t clock)
{
	const struct dram_config *c = &dram->config;

	dram->buses[dram_bus_of(dram, bank)].command = clock + 1;
	switch (cmd) {
	case DRAM_RAS: activate(dram, bank, row, clock); break;
	case DRAM_PRE: close_bank(dram, bank, clock); break;
	case DRAM_PREALL: close_rank(dram, bank, clock); break;
	case DRAM_CAS_RD: read_column(dram, bank, clock); break;
	case DRAM_CAS_WR: write_column(dram, bank, clock); break;
	case DRAM_CASPRE_RD:
		read_column(dram, bank, clock);
		close_bank(dram, bank, dram->banks[bank].pre);
		break;
	case DRAM_CASPRE_WR:
		write_column(dram, bank, clock);
		close_bank(dram, bank, dram->banks[bank].pre);
		break;
	case DRAM_RFR: occupy_rank(dram, bank, clock + c->trfc_clocks); break;
	case DRAM_ZQCAL:
		occupy_rank(dram, bank, clock + c->tzqcs_clocks);
		break;
	default: break;
	}
	if (dram->trace || dram->check)
		trace(dram, cmd, bank, row, column, clock);
}
