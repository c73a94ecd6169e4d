/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The DDR3 devices behind one M-Box: their commands, sizes and times. The two
 * SMI channels of an M-Box work in lockstep, so a line is one burst on both and
 * they are modelled as one wide path; behind them are one or two DDR3 buses.
 *
 * Time is in DRAM clocks, counted from the start of the simulation, at the
 * point where a command leaves the M-Box: the way to the DIMM is the same for
 * every command and changes no distance between two of them.
 */
#ifndef UNCORE_DRAM_H
#define UNCORE_DRAM_H

#include <stdbool.h>
#include <stdint.h>

enum {
	DRAM_MAX_BUSES = 2,
	DRAM_MAX_RANKS = 16, /* of all buses */
	DRAM_MAX_BANKS = 128 /* of all ranks */
};

/* Codes of Table 2-79. */
enum dram_cmd {
	DRAM_PREALL = 0x01,
	DRAM_RAS = 0x02,
	DRAM_CAS_RD = 0x03, /* "undefined" in Table 2-79, see docs/errata.md */
	DRAM_CAS_WR = 0x04,
	DRAM_CASPRE_RD = 0x05,
	DRAM_CASPRE_WR = 0x06,
	DRAM_MRS = 0x07,  /* mode register 0 */
	DRAM_EMRS = 0x08, /* 1 */
	DRAM_RFR = 0x09,
	DRAM_ENSR = 0x0a, /* self-refresh, in */
	DRAM_EXSR = 0x0b, /* and out */
	DRAM_NOP = 0x0c,
	DRAM_EMRS2 = 0x0d,
	DRAM_EMRS3 = 0x0e,
	DRAM_GENDRM = 0x0f, /* any other command: here one of training */
	DRAM_TRKL = 0x10,
	DRAM_PRE = 0x11,
	DRAM_SYNC = 0x12,
	DRAM_POLL = 0x13,
	DRAM_CKEH = 0x14, /* clock enable high */
	DRAM_CKEL = 0x15,
	DRAM_IBD = 0x16, /* asks for an in-band debug event */
	DRAM_SFT_RST = 0x17,
	DRAM_NOWPE = 0x18, /* NOP with power-down entry */
	DRAM_WCR = 0x1c,   /* configuration of a memory buffer */
	DRAM_RCR = 0x1d,
	DRAM_ZQCAL = 0x1e,
};

struct dram_config {
	unsigned cycles_per_clock; /* uncore cycles in one DRAM clock */
	/* Powers of two, but for rows: */
	unsigned buses;	 /* DDR3 buses behind the M-Box: 1 or 2 */
	unsigned ranks;	 /* of one bus, 1 to 8 */
	unsigned banks;	 /* of one rank */
	unsigned groups; /* of its banks, by their lowest bits; DDR3: 1 */
	unsigned rows;	 /* of one bank */
	unsigned lines_per_row; /* cache lines in an open row */
	/* Lines of one bus that stand side by side in a row before the address
	 * moves on to the next bank. */
	unsigned lines_per_stripe;
	unsigned
		bank_hash; /* not 0: bank and rank are xor-ed with upper bits */
	unsigned burst_clocks;
	unsigned cl_clocks, cwl_clocks;
	unsigned trcd_clocks, trp_clocks, tras_clocks;
	unsigned trrd_clocks, tfaw_clocks;
	unsigned tccd_clocks, twtr_clocks, twr_clocks, trtp_clocks;
	/* Within a group, where that is longer. */
	unsigned trrd_l_clocks, tccd_l_clocks, twtr_l_clocks;
	unsigned trtrs_clocks; /* bus handed from one rank to another */
	unsigned trefi_clocks; /* 0: no refresh */
	unsigned trfc_clocks;
	unsigned tzqcs_clocks;
	/* Initialisation, power-down and self-refresh: */
	unsigned tmrd_clocks, tmod_clocks; /* after a mode register command */
	unsigned tzqinit_clocks, tdllk_clocks;
	unsigned txs_clocks; /* out of self-refresh, and after reset */
	unsigned txp_clocks; /* out of power-down */
	unsigned tcke_clocks;
	unsigned zqcal_refreshes; /* ZQCAL after so many refreshes; 0: none */
};

/* Where a line lies. `bank` counts over all ranks and buses. */
struct dram_place {
	uint32_t row;
	uint16_t column; /* of the line within its row */
	uint8_t bank;
};

/* One command, as the trace sees it. */
struct dram_command {
	uint64_t clock;
	uint32_t row;
	uint16_t column;
	uint8_t cmd; /* enum dram_cmd */
	uint8_t bus;
	uint8_t rank; /* of the bus */
	uint8_t bank; /* of the rank */
};

/* Called for every command; for checkers and recorders. */
typedef void dram_trace_fn(void *object, const struct dram_command *command);

/* How lines are spread over them (guide 2.7.4.4, MAP). */
struct dram {
	struct dram_config config;
	uint8_t bank_bits, rank_bits, stripe_bits, column_bits, bus_bits;
	/* Where the parts of a line's number begin, and how wide they are;
	 * `high` is what of a column lies above a stripe. */
	uint8_t bank_shift, rank_shift, high_shift, row_shift;
	uint32_t stripe_mask, bank_mask, rank_mask, high_mask;
	uint32_t hash;		       /* all ones, or none: no hash */
	unsigned num_banks, num_ranks; /* of all buses */
	uint64_t num_lines;
};

/* NULL, or a sentence that says which setting cannot be. */
const char *dram_config_check(const struct dram_config *config);

/* The config must have passed the check. */
void dram_init(struct dram *dram, const struct dram_config *config);

/* The place of a line, and the line of a place; lines past the end wrap. */
struct dram_place dram_place_of(const struct dram *dram, uint64_t line);
uint64_t dram_line_at(const struct dram *dram, struct dram_place place);

static inline unsigned dram_rank_of(const struct dram *dram, unsigned bank)
{
	return bank >> dram->bank_bits;
}

static inline unsigned dram_bus_of(const struct dram *dram, unsigned bank)
{
	return bank >> (dram->bank_bits + dram->rank_bits);
}

#endif
