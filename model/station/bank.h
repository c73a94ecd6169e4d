/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Station: DDR3 banks on one or two buses behind a link that carries a frame a
 * clock. A command is asked for with the first clock it is wanted in and gets
 * the first one in which it is lawful, beside all that were given out before:
 * those of earlier clocks and those of later ones. So who asks later may still
 * go first where there is a gap.
 *
 * A bank itself is given out in the order of asking: its next command comes
 * after its last one, but that column commands of an open row may overtake each
 * other. What a rank or a bus rules out is kept as a bit for each clock.
 *
 * A frame carries one command for each bus; one with write data carries a
 * single command. Times are in DRAM clocks.
 *
 * Invariants
 * 1. Bits stand for the clocks base .. base + 64 * words - 1; base is a
 *    multiple of 64, words a power of two. Nothing is marked from `end` on.
 * 2. Commands are given in the first `view` of them, so that all that they
 *    keep away is among these clocks. There are more when somebody asks for
 *    later ones, up to BANKS_MOST_WORDS words.
 * 3. What begins later still is taken one after the other, at a distance that
 *    suits all rules: there all before `far` counts as shut.
 */
#ifndef UNCORE_BANK_H
#define UNCORE_BANK_H

#include "model/station/dram.h"

enum { BANKS_FIRST_WORDS = 16, BANKS_MOST_WORDS = 1024 };

/* 64 clocks of the link and the buses. */
struct banks_link {
	uint64_t data, shut;	  /* frame with write data; no frame */
	uint64_t cmd[2];	  /* by bus: there is a command */
	uint64_t no_column[2][2]; /* by bus and direction: 1 is write */
};

/* And of a rank. */
struct banks_rank {
	uint64_t no_column[2]; /* by direction */
	uint64_t act, no_act;
};

/* And of a group of its banks (DDR4). */
struct banks_group {
	uint64_t no_column[2], no_act;
};

/* How far a column command keeps others away: so many clocks, it included,
 * from `back` clocks before it on. */
struct banks_reach {
	uint8_t back, clocks;
};

/* On the bus, in its own rank, in the others; where no more than on the bus, 0
 * clocks. In its group, where more than in its rank. */
struct banks_reaches {
	struct banks_reach bus, own, other, group;
};

struct bank {
	uint64_t act, pre, cas; /* earliest clock of the next such command */
	int64_t row;		/* open row, or -1 */
};

struct banks {
	struct dram_config config;
	uint64_t base, end, far;
	unsigned gap; /* no rule reaches further */
	unsigned words, view;
	uint8_t bank_bits, rank_bits;
	struct banks_reaches reach[2][2]; /* of a direction, towards another */
	struct banks_reach way_back;	  /* reads of both buses */
	struct banks_reach activate, activate_group; /* tRRD */
	struct bank banks[DRAM_MAX_BANKS];
	struct banks_link *link;
	/* The words of one after those of another. */
	struct banks_rank *ranks;
	struct banks_group *groups;
};

/* All closed, at clock 0; the config must have passed dram_config_check(). NULL
 * without memory. */
struct banks *banks_new(const struct dram_config *config);
void banks_free(struct banks *banks);

/* Nobody asks for a clock before this one any more. */
void banks_move(struct banks *banks, uint64_t clock);
static inline void banks_forget(struct banks *banks, uint64_t clock)
{
	if (clock >= banks->base + 64)
		banks_move(banks, clock);
}

/* Each takes the first lawful clock from `from` on and returns it. */
uint64_t banks_activate(struct banks *banks, unsigned bank, uint32_t row,
			uint64_t from);
uint64_t banks_precharge(struct banks *banks, unsigned bank, uint64_t from);
uint64_t banks_column(struct banks *banks, unsigned bank, bool is_write,
		      uint64_t from);

/* The clock that an activate, or a column command, would get, for which its
 * bank is ready from a clock on. */
uint64_t banks_activate_from(struct banks *banks, unsigned bank, uint64_t from);
uint64_t banks_column_from(struct banks *banks, unsigned bank, bool is_write,
			   uint64_t from);

/* The bank's last column command closes the row. */
void banks_auto_precharge(struct banks *banks, unsigned bank);

/* Commands for a whole rank: closes all its banks; something that wants them
 * closed and lasts so long; one for which its banks do not matter. */
uint64_t banks_precharge_all(struct banks *banks, unsigned rank, uint64_t from);
uint64_t banks_occupy(struct banks *banks, unsigned rank, unsigned clocks,
		      uint64_t from);
uint64_t banks_command(struct banks *banks, unsigned bus, uint64_t from);

/* Nothing for the banks of a rank before a clock. */
void banks_hold(struct banks *banks, unsigned rank, uint64_t until);
bool banks_is_open(const struct banks *banks, unsigned rank);

/* No column commands of reads from a clock until another. */
void banks_no_reads(struct banks *banks, uint64_t from, uint64_t until);

/* From a clock on all banks of a rank are closed and recovered. */
uint64_t banks_quiet_from(const struct banks *banks, unsigned rank,
			  uint64_t from);

/* Frames of write data; the clock after the last. A frame of another kind,
 * which counts as shut. No frames at all from a clock until another. */
uint64_t banks_send(struct banks *banks, uint64_t from, unsigned num);
uint64_t banks_frame(struct banks *banks, uint64_t from);
void banks_shut(struct banks *banks, uint64_t from, uint64_t until);

static inline unsigned banks_word(const struct banks *banks, uint64_t clock)
{
	return (unsigned)(clock / 64) & (banks->words - 1);
}

/* No command that is wanted in a clock is given before the one returned. */
static inline uint64_t banks_from(const struct banks *banks, uint64_t clock)
{
	if (clock < banks->base + banks->view || clock >= banks->far)
		return clock;
	return banks->far;
}

static inline const struct banks_link *banks_at(const struct banks *banks,
						uint64_t clock)
{
	return &banks->link[banks_word(banks, clock)];
}

#endif
