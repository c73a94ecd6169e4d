/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * MAP, the memory mapper of the M-Box (guide 2.7.4.4): from a line of this
 * M-Box to bus, rank, bank, row and column. The guide does not print the
 * mapping; this one has the properties that every controller's has. From the
 * lowest bit: neighbouring lines alternate between the buses, a stripe of
 * them shares a row, the next stripe lies in the next bank, then rank, so that
 * a stream keeps many banks busy; only then comes the rest of the row. The
 * upper bits are mixed into bank and rank, so that streams at distances of
 * powers of two do not fall on one bank, or all on one rank.
 */
#include "model/station/dram.h"

#include <stddef.h>

static bool is_power_of_two(unsigned value)
{
	return value && !(value & (value - 1));
}

const char *dram_config_check(const struct dram_config *config)
{
	const struct dram_config *c = config;

	if (!c->cycles_per_clock)
		return "a DRAM clock must last at least one uncore cycle";
	if (!is_power_of_two(c->buses) || c->buses > DRAM_MAX_BUSES)
		return "an M-Box has 1 or 2 DDR3 buses";
	if (!is_power_of_two(c->ranks) || c->buses * c->ranks > DRAM_MAX_RANKS)
		return "a DDR3 bus has 1, 2, 4 or 8 ranks";
	if (!is_power_of_two(c->banks) ||
	    c->buses * c->ranks * c->banks > DRAM_MAX_BANKS)
		return "the banks of a rank must be a power of two, of all "
		       "ranks no more than 128";
	if (!is_power_of_two(c->groups) || c->groups > c->banks)
		return "the groups of banks must be a power of two, no more "
		       "than there are banks";
	if (!c->rows)
		return "a bank has at least one row";
	if (!is_power_of_two(c->lines_per_row) || c->lines_per_row > 65536)
		return "the lines of a row must be a power of two, at most "
		       "65536";
	if (!is_power_of_two(c->lines_per_stripe) ||
	    c->lines_per_stripe > c->lines_per_row)
		return "the lines of a stripe must be a power of two, at most "
		       "those of a row";
	if (!c->burst_clocks || c->tccd_clocks < c->burst_clocks)
		return "tCCD must not be shorter than a burst";
	if (c->cl_clocks + c->burst_clocks + 2 <= c->cwl_clocks)
		return "the write latency must not exceed CL by a burst or "
		       "more";
	if (c->trefi_clocks &&
	    c->trefi_clocks <= c->trfc_clocks + c->tzqcs_clocks)
		return "tREFI must be longer than tRFC and a ZQ calibration";
	return NULL;
}

static uint8_t log2_of(unsigned power)
{
	return (uint8_t)__builtin_ctz(power);
}

void dram_init(struct dram *dram, const struct dram_config *config)
{
	*dram = (struct dram){ .config = *config };
	dram->bus_bits = log2_of(config->buses);
	dram->rank_bits = log2_of(config->ranks);
	dram->bank_bits = log2_of(config->banks);
	dram->stripe_bits = log2_of(config->lines_per_stripe);
	dram->column_bits = log2_of(config->lines_per_row);
	dram->bank_shift = dram->bus_bits + dram->stripe_bits;
	dram->rank_shift = dram->bank_shift + dram->bank_bits;
	dram->high_shift = dram->rank_shift + dram->rank_bits;
	dram->row_shift =
		dram->high_shift + dram->column_bits - dram->stripe_bits;
	dram->stripe_mask = config->lines_per_stripe - 1;
	dram->bank_mask = config->banks - 1;
	dram->rank_mask = config->ranks - 1;
	dram->high_mask = config->lines_per_row / config->lines_per_stripe - 1;
	dram->hash = config->bank_hash ? UINT32_MAX : 0;
	dram->num_ranks = config->buses * config->ranks;
	dram->num_banks = dram->num_ranks * config->banks;
	dram->num_lines = (uint64_t)dram->num_banks * config->rows *
			  config->lines_per_row;
}

/* Mixes what is above bank and rank in a line's number into them; done twice it
 * changes nothing. */
static void stir(const struct dram *dram, unsigned *bank, unsigned *rank,
		 uint32_t row, unsigned high)
{
	*bank ^= (row ^ row >> 3 ^ high) & dram->hash;
	*rank ^= (row >> 2 ^ high >> 1) & dram->hash;
}

struct dram_place dram_place_of(const struct dram *dram, uint64_t line)
{
	unsigned bank = (unsigned)(line >> dram->bank_shift);
	unsigned rank = (unsigned)(line >> dram->rank_shift);
	unsigned high = (uint32_t)(line >> dram->high_shift) & dram->high_mask;
	unsigned bus = (unsigned)line & (dram->config.buses - 1);
	unsigned stripe =
		(uint32_t)(line >> dram->bus_bits) & dram->stripe_mask;
	uint64_t row = line >> dram->row_shift;

	if (row >= dram->config.rows)
		row %= dram->config.rows;
	stir(dram, &bank, &rank, (uint32_t)row, high);
	rank = (rank & dram->rank_mask) | bus << dram->rank_bits;
	return (struct dram_place){
		.row = (uint32_t)row,
		.column = (uint16_t)(high << dram->stripe_bits | stripe),
		.bank = (uint8_t)(rank << dram->bank_bits |
				  (bank & dram->bank_mask)),
	};
}

uint64_t dram_line_at(const struct dram *dram, struct dram_place place)
{
	unsigned bank = place.bank, rank = dram_rank_of(dram, bank);
	uint64_t line = place.row;

	stir(dram, &bank, &rank, place.row,
	     (unsigned)place.column >> dram->stripe_bits);
	line = line << (dram->column_bits - dram->stripe_bits) |
	       (unsigned)place.column >> dram->stripe_bits;
	line = line << dram->rank_bits | (rank & (dram->config.ranks - 1));
	line = line << dram->bank_bits | (bank & (dram->config.banks - 1));
	line = line << dram->stripe_bits |
	       (place.column & (dram->config.lines_per_stripe - 1));
	return line << dram->bus_bits | dram_bus_of(dram, place.bank);
}
