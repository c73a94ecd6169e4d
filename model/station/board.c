/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 */
#include "model/station/board.h"

#include <stdlib.h>
#include <string.h>

#include "model/sim/bug.h"

enum { FIRST_GROUPS = 16 };

static bool make_groups(struct board *board, unsigned num)
{
	board->mask = num - 1;
	board->groups = calloc(num, sizeof(uint64_t));
	board->taken = calloc((size_t)num * board->num_rows, sizeof(uint64_t));
	return board->groups && board->taken;
}

bool board_init(struct board *board, unsigned num_rows)
{
	*board = (struct board){ .num_rows = num_rows };
	return make_groups(board, FIRST_GROUPS);
}

void board_fini(struct board *board)
{
	free(board->groups);
	free(board->taken);
}

/* Of a group, by whose bits they are. */
static bool is_past(const struct board *board, uint64_t group)
{
	return group <= board->base / 64;
}

static void grow(struct board *board)
{
	struct board old = *board;
	size_t size = board->num_rows * sizeof(uint64_t);

	if (!make_groups(board, 2 * (old.mask + 1)))
		bug_no_memory();
	for (unsigned i = 0; i <= old.mask; i++) {
		uint64_t group = old.groups[i], cycle = (group - 1) * 64;

		if (is_past(&old, group))
			continue;
		board->groups[cycle / 64 & board->mask] = group;
		memcpy(board_words(board, cycle),
		       &old.taken[(size_t)i * board->num_rows], size);
	}
	board_fini(&old);
}

static void open_group(struct board *board, uint64_t cycle)
{
	uint64_t number = cycle / 64;

	if (board_is_open(board, cycle))
		return;
	while (!is_past(board, board->groups[number & board->mask]))
		grow(board);
	board->groups[number & board->mask] = number + 1;
	memset(board_words(board, cycle), 0,
	       board->num_rows * sizeof(uint64_t));
}

/* The second group cannot take the place of the first one. */
void board_open(struct board *board, uint64_t from)
{
	open_group(board, from);
	open_group(board, from + 63);
}
