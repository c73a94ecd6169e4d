/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Station: many things that serve one at a time and are looked at together: the
 * slots of a ring, the ports at its stops. A row is a calendar (calendar.h) for
 * one of them; all have their bits for the same 64 cycles side by side, so that
 * who wants several at about the same time looks at neighbouring words.
 *
 * Invariants
 * 1. Nobody asks for a cycle before `now`, and `now` never goes back.
 * 2. Bits stand for the cycles base .. base + BOARD_CYCLES - 1; base is a
 *    multiple of 64 and not after now. A group of 64 cycles has its bits from
 *    the first look at it on; before, its words are those of an earlier one.
 * 3. A row's spans say what is taken from board_end() on, where the last 64 of
 *    the bits begin; these bits say it, too. So who begins before board_end()
 *    looks at bits only, who begins later at spans only.
 */
#ifndef UNCORE_BOARD_H
#define UNCORE_BOARD_H

#include <stdbool.h>
#include <stdint.h>

#include "model/station/spans.h"

enum { BOARD_WORDS = 32, BOARD_CYCLES = BOARD_WORDS * 64 };

struct board {
	uint64_t base;
	unsigned num_rows, num_far;
	uint64_t *taken;    /* by group, then row; bit c % 64 of cycle c */
	struct spans **far; /* by row; NULL: nothing yet */
	uint64_t groups[BOARD_WORDS]; /* whose bits they are: c / 64 + 1 */
};

/* Nothing is taken, from cycle 0 on; false without memory. */
bool board_init(struct board *board, unsigned num_rows);
void board_fini(struct board *board);

/* Slow paths (board.c). */
void board_open(struct board *board, uint64_t cycle);
void board_mark_far(struct board *board, unsigned row, uint64_t from,
		    uint64_t to);
bool board_is_far_free(const struct board *board, unsigned row, uint64_t from,
		       unsigned num);

/* What is before `now` is of no interest any more. */
static inline void board_forget(struct board *board, uint64_t now)
{
	board->base = now & ~UINT64_C(63);
}

/* What begins before this cycle ends within the bits. */
static inline uint64_t board_end(const struct board *board)
{
	return board->base + BOARD_CYCLES - 64;
}

static inline bool board_is_open(const struct board *board, uint64_t cycle)
{
	return board->groups[cycle / 64 % BOARD_WORDS] == cycle / 64 + 1;
}

/* Of each row the word for the 64 cycles with this one, bit c % 64 for c, if
 * that is open. Who sets bits here is before board_end(). */
static inline uint64_t *board_open_words(const struct board *board,
					 uint64_t cycle)
{
	return &board->taken[cycle / 64 % BOARD_WORDS * board->num_rows];
}

static inline uint64_t *board_words(struct board *board, uint64_t cycle)
{
	if (!board_is_open(board, cycle))
		board_open(board, cycle);
	return board_open_words(board, cycle);
}

/* The lowest `num` bits, up to 64. */
static inline uint64_t board_mask(unsigned num)
{
	return UINT64_MAX >> (64 - num);
}

/* Whether cycles from .. from + num - 1 of a row are free; num is 1 to 64. */
static inline bool board_is_free(struct board *board, unsigned row,
				 uint64_t from, unsigned num)
{
	unsigned bit = from % 64;
	uint64_t bits;

	if (from >= board_end(board))
		return board_is_far_free(board, row, from, num);
	bits = board_words(board, from)[row] >> bit;
	if (bit + num > 64)
		bits |= board_words(board, from + 63)[row] << (64 - bit);
	return !(bits & board_mask(num));
}

/* Takes them, free or not. */
static inline void board_mark(struct board *board, unsigned row, uint64_t from,
			      unsigned num)
{
	unsigned bit = from % 64;

	if (from + num > board_end(board)) {
		board_mark_far(board, row, from, from + num);
		return;
	}
	board_words(board, from)[row] |= board_mask(num) << bit;
	if (bit + num > 64)
		board_words(board, from + 63)[row] |=
			board_mask(num) >> (64 - bit);
}

#endif
