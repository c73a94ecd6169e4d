/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * A level that is 1 in each cycle in which at least so many of some stays
 * overlap, with the stays told in any order: rows of a board from `row` on, of
 * which the n-th says in which cycles there are more than n. Each stay fills
 * its cycles up by one; where that fills the last of the rows, the level is
 * published.
 */
#ifndef UNCORE_OVERLAP_H
#define UNCORE_OVERLAP_H

#include "model/pmu/signal.h"
#include "model/station/board.h"

/* A stay in cycles from .. to - 1; `enough` of them make the level. */
static inline void overlap_add(struct board *board, unsigned row,
			       unsigned enough, struct sigbank *bank,
			       unsigned signal, uint64_t from, uint64_t to)
{
	uint64_t *word = board_word(board, row, from);
	uint64_t bit = UINT64_C(1) << from % 64;

	/* mostly one cycle, and alone */
	if (enough > 1 && to == from + 1 && !(*word & bit)) {
		*word |= bit;
		return;
	}
	for (; from < to; from += 64) {
		const struct board_view view = board_view(board, from);
		uint64_t bits = board_mask(to - from < 64 ? to - from : 64);

		for (unsigned i = 0; i < enough && bits; i++) {
			uint64_t new = board_fill(&view, row + i, bits);

			if (i + 1 == enough)
				sig_bits(bank, signal, from, new, 1);
			bits &= ~new;
		}
	}
}

#endif
