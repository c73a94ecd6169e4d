/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The rules of DDR3 (JEDEC JESD79-3), with the groups of banks that DDR4
 * (JESD79-4) has, as clocks that a command rules out for
 * others, in both directions of time.
 *
 * Choices: bursts are chopped to four beats by the mode register; on-die
 * termination is left out.
 */
#include <stdlib.h>

#include "model/station/bank_view.h"

enum { READ = 0, WRITE = 1 };

/* Clocks from a column command to one of another direction. */
static unsigned own_gap(const struct dram_config *c, unsigned first,
			unsigned second)
{
	if (first == second)
		return c->tccd_clocks;
	if (first == READ)
		return c->cl_clocks + c->burst_clocks + 2 - c->cwl_clocks;
	return c->cwl_clocks + c->burst_clocks + c->twtr_clocks;
}

static unsigned longer(unsigned a, unsigned b)
{
	return a > b ? a : b;
}

/* The same within a group of banks. */
static unsigned group_gap(const struct dram_config *c, unsigned first,
			  unsigned second)
{
	unsigned own = own_gap(c, first, second);

	if (first == second)
		return longer(own, c->tccd_l_clocks);
	if (first == READ)
		return own;
	return longer(own, c->cwl_clocks + c->burst_clocks + c->twtr_l_clocks);
}

/* The same between ranks of a bus. */
static unsigned other_gap(const struct dram_config *c, unsigned first,
			  unsigned second)
{
	unsigned data = c->cwl_clocks + c->burst_clocks + c->trtrs_clocks;

	if (first == second)
		return c->burst_clocks + c->trtrs_clocks;
	if (first == READ)
		return own_gap(c, first, second);
	return data > c->cl_clocks + 1 ? data - c->cl_clocks : 1;
}

/* `before` and `after` are distances to the nearest allowed clocks. */
static struct banks_reach make_reach(unsigned before, unsigned after)
{
	return (struct banks_reach){
		.back = (uint8_t)(before - 1),
		.clocks = (uint8_t)(before + after - 1),
	};
}

/* Of a command of direction d, towards those of direction e. */
static void set_reach(struct banks *banks, unsigned d, unsigned e)
{
	const struct dram_config *c = &banks->config;
	struct banks_reaches *r = &banks->reach[d][e];
	unsigned own[2] = { own_gap(c, e, d), own_gap(c, d, e) };
	unsigned other[2] = { other_gap(c, e, d), other_gap(c, d, e) };
	unsigned group[2] = { group_gap(c, e, d), group_gap(c, d, e) };
	unsigned bus[2];

	for (unsigned i = 0; i < 2; i++)
		bus[i] = own[i] < other[i] ? own[i] : other[i];
	r->bus = make_reach(bus[0], bus[1]);
	if (own[0] > bus[0] || own[1] > bus[1])
		r->own = make_reach(own[0], own[1]);
	if (other[0] > bus[0] || other[1] > bus[1])
		r->other = make_reach(other[0], other[1]);
	if (c->groups > 1 && (group[0] > own[0] || group[1] > own[1]))
		r->group = make_reach(group[0], group[1]);
}

struct banks *banks_new(const struct dram_config *config)
{
	const struct dram_config *c = config;
	struct banks *banks = calloc(1, sizeof(*banks));

	if (!banks)
		return NULL;
	banks->config = *config;
	banks->bank_bits = (uint8_t)__builtin_ctz(c->banks);
	banks->rank_bits = (uint8_t)__builtin_ctz(c->ranks);
	banks->gap = 2 + c->tfaw_clocks + c->cl_clocks + c->cwl_clocks +
		     c->burst_clocks + c->trtrs_clocks +
		     longer(c->trrd_clocks, c->trrd_l_clocks) +
		     longer(c->twtr_clocks, c->twtr_l_clocks) +
		     longer(c->tccd_clocks, c->tccd_l_clocks);
	for (unsigned i = 0; i < 4; i++)
		set_reach(banks, i / 2, i % 2);
	banks->way_back = make_reach(c->burst_clocks, c->burst_clocks);
	banks->activate = make_reach(c->trrd_clocks, c->trrd_clocks);
	if (c->groups > 1 && c->trrd_l_clocks > c->trrd_clocks)
		banks->activate_group =
			make_reach(c->trrd_l_clocks, c->trrd_l_clocks);
	for (unsigned i = 0; i < DRAM_MAX_BANKS; i++)
		banks->banks[i].row = -1;
	if (banks_grow(banks, BANKS_FIRST_WORDS * 32))
		return banks;
	banks_free(banks);
	return NULL;
}

void banks_free(struct banks *banks)
{
	if (!banks)
		return;
	free(banks->link);
	free(banks->ranks);
	free(banks->groups);
	free(banks);
}

/* Row commands */

/* The clocks of activates of a rank from `from` on, before `until`. */
static unsigned list_activates(const struct banks *banks, unsigned rank,
			       uint64_t from, uint64_t until, uint64_t *clocks)
{
	unsigned num = 0;

	from = later(from, banks->base);
	for (uint64_t c = from & ~UINT64_C(63); c < until; c += 64) {
		uint64_t bits = rank_at(banks, rank, c)->act;

		if (c < from)
			bits &= UINT64_MAX << from % 64;
		for (; bits; bits &= bits - 1) {
			uint64_t clock = c + (unsigned)__builtin_ctzll(bits);

			if (clock < until && num < 16)
				clocks[num++] = clock;
		}
	}
	return num;
}

/* Four activates that lie close together keep a fifth away. */
static void mark_four(struct banks *banks, unsigned rank, uint64_t clock)
{
	unsigned faw = banks->config.tfaw_clocks;
	uint64_t clocks[16];
	unsigned num =
		list_activates(banks, rank, clock < faw ? 0 : clock - faw + 1,
			       clock + faw, clocks);

	for (unsigned i = 0; i + 3 < num; i++)
		if (clocks[i + 3] - clocks[i] < faw)
			banks_mark(banks, &ranks_of(banks, rank)->no_act,
				   RANK_STRIDE, clocks[i + 3] + 1 - faw,
				   clocks[i] + faw);
}

static void mark_activate(struct banks *banks, unsigned bank, uint64_t clock)
{
	unsigned rank = bank >> banks->bank_bits;

	if (clock >= banks->base + banks->view)
		return;
	keep_away(banks, &ranks_of(banks, rank)->no_act, RANK_STRIDE, clock,
		  &banks->activate);
	keep_away(banks, &groups_of(banks, bank)->no_act, GROUP_STRIDE, clock,
		  &banks->activate_group);
	rank_at(banks, rank, clock)->act |= UINT64_C(1) << clock % 64;
	mark_four(banks, rank, clock);
}

static struct wanted wanted_for(const struct banks *banks, unsigned bank,
				unsigned direction)
{
	unsigned rank = bank >> banks->bank_bits;

	return (struct wanted){ rank, rank >> banks->rank_bits,
				group_of(banks, bank), direction };
}

uint64_t banks_activate_from(struct banks *banks, unsigned bank, uint64_t from)
{
	return first_free(banks, from, no_activate,
			  wanted_for(banks, bank, READ));
}

uint64_t banks_activate(struct banks *banks, unsigned bank, uint32_t row,
			uint64_t from)
{
	const struct dram_config *c = &banks->config;
	struct bank *b = &banks->banks[bank];
	unsigned bus = bank >> (banks->bank_bits + banks->rank_bits);
	uint64_t clock = banks_activate_from(banks, bank, later(from, b->act));

	take_slot(banks, bus, clock);
	mark_activate(banks, bank, clock);
	b->row = row;
	b->cas = clock + c->trcd_clocks;
	b->act = clock + c->tras_clocks + c->trp_clocks;
	raise_to(&b->pre, clock + c->tras_clocks);
	return clock;
}

static void close_bank(struct banks *banks, struct bank *bank, uint64_t clock)
{
	bank->row = -1;
	raise_to(&bank->act, clock + banks->config.trp_clocks);
}

uint64_t banks_precharge(struct banks *banks, unsigned bank, uint64_t from)
{
	struct bank *b = &banks->banks[bank];
	unsigned bus = bank >> (banks->bank_bits + banks->rank_bits);
	uint64_t clock = banks_command(banks, bus, later(from, b->pre));

	close_bank(banks, b, clock);
	return clock;
}

void banks_auto_precharge(struct banks *banks, unsigned bank)
{
	struct bank *b = &banks->banks[bank];

	close_bank(banks, b, b->pre);
}

/* Column commands */

/* What a column command keeps away from others of a direction: on its bus, in
 * its rank, in the bus's other ranks, and in its group. */
static void mark_direction(struct banks *banks, unsigned bank,
			   const struct banks_reaches *reach,
			   unsigned direction, uint64_t clock)
{
	unsigned rank = bank >> banks->bank_bits;
	unsigned bus = rank >> banks->rank_bits;
	unsigned first = bus << banks->rank_bits;

	keep_away(banks, &banks->link->no_column[bus][direction], LINK_STRIDE,
		  clock, &reach->bus);
	keep_away(banks, &ranks_of(banks, rank)->no_column[direction],
		  RANK_STRIDE, clock, &reach->own);
	for (unsigned i = 0; i < banks->config.ranks && reach->other.clocks;
	     i++)
		if (first + i != rank)
			keep_away(banks,
				  &ranks_of(banks, first + i)
					   ->no_column[direction],
				  RANK_STRIDE, clock, &reach->other);
	keep_away(banks, &groups_of(banks, bank)->no_column[direction],
		  GROUP_STRIDE, clock, &reach->group);
}

/* Read data of both buses share the way back. */
static void mark_columns(struct banks *banks, unsigned bank, unsigned direction,
			 uint64_t clock)
{
	unsigned bus = bank >> (banks->bank_bits + banks->rank_bits);

	for (unsigned e = READ; e <= WRITE; e++)
		mark_direction(banks, bank, &banks->reach[direction][e], e,
			       clock);
	if (direction == READ && banks->config.buses > 1)
		keep_away(banks, &banks->link->no_column[!bus][READ],
			  LINK_STRIDE, clock, &banks->way_back);
}

uint64_t banks_column_from(struct banks *banks, unsigned bank, bool is_write,
			   uint64_t from)
{
	return first_free(banks, from, no_column,
			  wanted_for(banks, bank, is_write));
}

uint64_t banks_column(struct banks *banks, unsigned bank, bool is_write,
		      uint64_t from)
{
	const struct dram_config *c = &banks->config;
	struct bank *b = &banks->banks[bank];
	unsigned bus = bank >> (banks->bank_bits + banks->rank_bits);
	uint64_t clock =
		banks_column_from(banks, bank, is_write, later(from, b->cas));

	take_slot(banks, bus, clock);
	if (clock < banks->base + banks->view)
		mark_columns(banks, bank, is_write, clock);
	raise_to(&b->pre, clock + (is_write ? c->cwl_clocks + c->burst_clocks +
						      c->twr_clocks
					    : c->trtp_clocks));
	return clock;
}

/* Whole ranks */

bool banks_is_open(const struct banks *banks, unsigned rank)
{
	const struct bank *bank = &banks->banks[rank << banks->bank_bits];

	for (unsigned i = 0; i < banks->config.banks; i++)
		if (bank[i].row >= 0)
			return true;
	return false;
}

/* Banks that a column command closes later on still count as open then. */
uint64_t banks_precharge_all(struct banks *banks, unsigned rank, uint64_t from)
{
	struct bank *bank = &banks->banks[rank << banks->bank_bits];
	unsigned trp = banks->config.trp_clocks;
	uint64_t clock;

	for (unsigned i = 0; i < banks->config.banks; i++) {
		if (bank[i].row >= 0)
			raise_to(&from, bank[i].pre);
		else if (bank[i].act > trp)
			raise_to(&from, bank[i].act - trp);
	}
	clock = banks_command(banks, rank >> banks->rank_bits, from);
	for (unsigned i = 0; i < banks->config.banks; i++)
		close_bank(banks, &bank[i], clock);
	return clock;
}

void banks_hold(struct banks *banks, unsigned rank, uint64_t until)
{
	struct bank *bank = &banks->banks[rank << banks->bank_bits];

	for (unsigned i = 0; i < banks->config.banks; i++)
		raise_to(&bank[i].act, until);
}

uint64_t banks_quiet_from(const struct banks *banks, unsigned rank,
			  uint64_t from)
{
	const struct bank *bank = &banks->banks[rank << banks->bank_bits];

	for (unsigned i = 0; i < banks->config.banks; i++)
		raise_to(&from, bank[i].act);
	return from;
}

uint64_t banks_occupy(struct banks *banks, unsigned rank, unsigned clocks,
		      uint64_t from)
{
	uint64_t clock = banks_command(banks, rank >> banks->rank_bits,
				       banks_quiet_from(banks, rank, from));

	banks_hold(banks, rank, clock + clocks);
	return clock;
}
