/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Station: many things that serve one at a time and are looked at together: the
 * slots of a ring, the ports at its stops. A row has a bit for each cycle of
 * one of them; all have their bits for the same 64 cycles, a group, side by
 * side, so that who wants several at about the same time looks at neighbouring
 * words. Groups are in a ring that doubles where one is wanted that would take
 * the place of another one that is not past: a board sees as far ahead as
 * somebody has asked for.
 *
 * Invariants
 * 1. Nobody asks for a cycle before `now`, and `now` never goes back. `base` is
 *    a multiple of 64 and not after now.
 * 2. A group has its words from the first look at it on; before, they are those
 *    of an earlier one, or nobody's.
 */
#ifndef UNCORE_BOARD_H
#define UNCORE_BOARD_H

#include <stdbool.h>
#include <stdint.h>

struct board {
	uint64_t base;
	unsigned size; /* words of a group: one more than rows */
	unsigned mask; /* groups in the ring, a power of two, less one */
	/* By group: whose bits they are, c / 64 + 1; then by row: bit c % 64 of
	 * cycle c. */
	uint64_t *groups;
};

/* Nothing is taken, from cycle 0 on; false without memory. */
bool board_init(struct board *board, unsigned num_rows);
void board_fini(struct board *board);

/* Slow path (board.c): the groups of 64 cycles have their words from now on. */
void board_open(struct board *board, uint64_t from);

/* What is before `now` is of no interest any more. */
static inline void board_forget(struct board *board, uint64_t now)
{
	board->base = now & ~UINT64_C(63);
}

/* Where the group with a cycle is, if it is open. */
static inline uint64_t *board_group(const struct board *board, uint64_t cycle)
{
	return &board->groups[(cycle / 64 & board->mask) * board->size];
}

static inline bool board_is_open(const uint64_t *group, uint64_t cycle)
{
	return *group == cycle / 64 + 1;
}

/* The word of a row with a cycle. */
static inline uint64_t *board_word(struct board *board, unsigned row,
				   uint64_t cycle)
{
	if (!board_is_open(board_group(board, cycle), cycle))
		board_open(board, cycle);
	return &board_group(board, cycle)[1 + row];
}

/* The lowest `num` bits, 1 to 64. */
static inline uint64_t board_mask(uint64_t num)
{
	return UINT64_MAX >> (64 - num);
}

/* All rows in the 64 cycles from one on, as bit 0 to 63, until somebody asks
 * for others. */
struct board_view {
	uint64_t *low, *high; /* the words of its first and last cycle */
	unsigned bit;	      /* of the first one in `low` */
};

static inline struct board_view board_view(struct board *board, uint64_t from)
{
	uint64_t *low = board_group(board, from);
	uint64_t *high = board_group(board, from + 63);

	if (!board_is_open(low, from) || !board_is_open(high, from + 63)) {
		board_open(board, from);
		low = board_group(board, from);
		high = board_group(board, from + 63);
	}
	return (struct board_view){ low + 1, high + 1, from % 64 };
}

static inline uint64_t board_look(const struct board_view *view, unsigned row)
{
	return view->low[row] >> view->bit | view->high[row]
						     << 1 << (63 - view->bit);
}

/* One of some cycles is taken. */
static inline bool board_meets(const struct board_view *view, unsigned row,
			       uint64_t bits)
{
	return (view->low[row] & bits << view->bit) |
	       (view->high[row] & bits >> 1 >> (63 - view->bit));
}

/* Takes cycles, free or not; the same, and which of them were free; gives some
 * back, and which of them were taken. */
static inline void board_take(const struct board_view *view, unsigned row,
			      uint64_t bits)
{
	view->low[row] |= bits << view->bit;
	view->high[row] |= bits >> 1 >> (63 - view->bit);
}

static inline uint64_t board_fill(const struct board_view *view, unsigned row,
				  uint64_t bits)
{
	bits &= ~board_look(view, row);
	board_take(view, row, bits);
	return bits;
}

static inline uint64_t board_empty(const struct board_view *view, unsigned row,
				   uint64_t bits)
{
	bits &= board_look(view, row);
	view->low[row] &= ~(bits << view->bit);
	view->high[row] &= ~(bits >> 1 >> (63 - view->bit));
	return bits;
}

/* Whether cycles from .. from + num - 1 of a row are free; num is 1 to 64. */
static inline bool board_is_free(struct board *board, unsigned row,
				 uint64_t from, unsigned num)
{
	const struct board_view view = board_view(board, from);

	return !board_meets(&view, row, board_mask(num));
}

/* Takes them, free or not. */
static inline void board_mark(struct board *board, unsigned row, uint64_t from,
			      unsigned num)
{
	const struct board_view view = board_view(board, from);

	board_take(&view, row, board_mask(num));
}

#endif
