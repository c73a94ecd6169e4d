/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * A board where more than a look at some bits is to be done: it moves on, or
 * what is wanted lies behind the bits. Few rows ever have something there.
 */
#include "model/station/board.h"

#include <stdlib.h>
#include <string.h>

#include "model/sim/bug.h"

bool board_init(struct board *board, unsigned num_rows)
{
	*board = (struct board){
		.num_rows = num_rows,
		.taken = calloc((size_t)BOARD_WORDS * num_rows,
				sizeof(uint64_t)),
		.far = calloc(num_rows, sizeof(*board->far)),
	};
	return board->taken && board->far;
}

void board_fini(struct board *board)
{
	for (unsigned row = 0; board->far && row < board->num_rows; row++)
		free(board->far[row]);
	free(board->far);
	free(board->taken);
}

/* Sets the bits of from .. to - 1 among those from `first` to `behind`. */
static void paint(struct board *board, unsigned row, uint64_t from, uint64_t to,
		  uint64_t first, uint64_t behind)
{
	if (from < first)
		from = first;
	if (to > behind)
		to = behind;
	while (from < to) {
		uint64_t num = 64 - from % 64;

		if (num > to - from)
			num = to - from;
		board_words(board, from)[row] |= board_mask((unsigned)num)
						 << from % 64;
		from += num;
	}
}

static void see_spans(struct board *board, unsigned row, uint64_t first)
{
	const struct spans *far = board->far[row];

	for (unsigned i = 0; far && i < far->num; i++)
		paint(board, row, far->spans[i].from, far->spans[i].to, first,
		      first + 64);
}

/* The words of cycles that are past become those of others; what spans say of
 * them goes into bits. */
void board_open(struct board *board, uint64_t cycle)
{
	uint64_t number = cycle / 64;

	board->groups[number % BOARD_WORDS] = number + 1;
	memset(board_words(board, cycle), 0,
	       board->num_rows * sizeof(uint64_t));
	for (unsigned row = 0; board->num_far && row < board->num_rows; row++)
		see_spans(board, row, number * 64);
}

void board_mark_far(struct board *board, unsigned row, uint64_t from,
		    uint64_t to)
{
	uint64_t end = board_end(board);

	if (!board->far[row]) {
		board->far[row] = calloc(1, sizeof(**board->far));
		if (!board->far[row])
			bug_no_memory();
		board->num_far++;
	}
	paint(board, row, from, to, board->base, board->base + BOARD_CYCLES);
	spans_add(board->far[row], board->base, from < end ? end : from, to);
}

bool board_is_far_free(const struct board *board, unsigned row, uint64_t from,
		       unsigned num)
{
	uint64_t first = from, end;

	if (!board->far[row])
		return true;
	return spans_gap(board->far[row], &first, from + num, &end) &&
	       first == from && end >= from + num;
}
