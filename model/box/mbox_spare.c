/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * DIMM sparing: the lines of a rank that fails too often are copied to the
 * spare one, a line at a time: a read of the failing rank, then a spare write.
 * Commands for that rank have responses of their own meanwhile (SPR_ACK,
 * SPR_UNCOR), so the B-Box can tell.
 *
 * Choices: the spare rank stands in the failing rank's place, so both share its
 * timing. The model's home agent does not know of sparing; the copying is done
 * here, with commands that count as its own and an index (FVID) that the table
 * of the home agent does not have; where events know 32 of them it is seen as
 * index 30. Of a rank the first `spare_lines` lines are copied, since all of
 * them would take seconds of modelled time.
 */
#include "model/box/mbox_parts.h"

enum { SPARE_FVID = 62, WAIT_CYCLES = 64 };

static void copy_next(void *object, uint64_t argument);

/* One rank at a time, and each one once. */
bool mbox_spare_may_begin(const struct mbox *mbox)
{
	return !mbox->spare.is_busy &&
	       mbox->spare.num_copied < mbox->dram.num_ranks;
}

/* Whether the rank of a bank is the one that is being copied. */
bool mbox_spare_has(const struct mbox *mbox, unsigned bank)
{
	return mbox->spare.is_busy &&
	       dram_rank_of(&mbox->dram, bank) == mbox->spare.rank;
}

void mbox_spare_begin(struct mbox *mbox)
{
	mbox->spare.rank = mbox->spare.num_copied++;
	mbox->spare.is_busy = true;
	mbox->spare.next = 0;
	mbox->num_txns++; /* the M-Box is not idle before it is done */
	copy_next(mbox, 0);
}

static uint64_t lines_of_rank(const struct mbox *mbox)
{
	uint64_t all = mbox->dram.num_lines / mbox->dram.num_ranks;
	uint64_t some = mbox->config.spare_lines;

	return some && some < all ? some : all;
}

/* The n-th line of the rank: bank after bank, then column, then row. */
static uint64_t present_line(const struct mbox *mbox)
{
	const struct dram_config *d = &mbox->config.dram;
	uint64_t n = mbox->spare.next;
	struct dram_place place = {
		.bank = (uint8_t)(mbox->spare.rank << mbox->dram.bank_bits |
				  (n & (d->banks - 1))),
		.column = (uint16_t)(n / d->banks % d->lines_per_row),
		.row = (uint32_t)(n / d->banks / d->lines_per_row),
	};

	return dram_line_at(&mbox->dram, place);
}

static void copied(void *object, uint64_t argument)
{
	struct mbox *mbox = object;

	(void)argument;
	mbox->spare.next++;
	copy_next(mbox, 0);
}

static void write_spare(void *object, uint64_t line)
{
	struct mbox *mbox = object;

	if (!mbox_ready(mbox)) {
		sim_at(mbox->sim, sim_now(mbox->sim) + WAIT_CYCLES, write_spare,
		       mbox, line);
		return;
	}
	mbox_command(mbox, MBOX_CMD_SPRWR, line, line * 64, SPARE_FVID, copied,
		     mbox, 0);
}

static void copy_next(void *object, uint64_t argument)
{
	struct mbox *mbox = object;
	uint64_t line;

	(void)argument;
	if (mbox->spare.next == lines_of_rank(mbox)) {
		mbox->spare.is_busy = false;
		mbox->num_txns--;
		return;
	}
	if (!mbox_ready(mbox)) {
		sim_at(mbox->sim, sim_now(mbox->sim) + WAIT_CYCLES, copy_next,
		       mbox, 0);
		return;
	}
	line = present_line(mbox);
	mbox_command(mbox, MBOX_CMD_READ, line, line * 64, SPARE_FVID,
		     write_spare, mbox, line);
}
