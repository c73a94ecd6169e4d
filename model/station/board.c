/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 */
#include "model/station/board.h"

#include <stdlib.h>
#include <string.h>

#include "model/sim/bug.h"

enum { FIRST_GROUPS = 16 };

static bool make_groups(struct board *board, size_t num)
{
	board->mask = (unsigned)num - 1;
	board->groups = calloc(num * board->size, sizeof(uint64_t));
	return board->groups;
}

bool board_init(struct board *board, unsigned num_rows)
{
	*board = (struct board){ .size = num_rows + 1 };
	return make_groups(board, FIRST_GROUPS);
}

void board_fini(struct board *board)
{
	free(board->groups);
}

/* Of a group, by whose bits they are. */
static bool is_past(const struct board *board, uint64_t group)
{
	return group <= board->base / 64;
}

static void grow(struct board *board)
{
	struct board old = *board;
	size_t size = old.size * sizeof(uint64_t);

	if (!make_groups(board, 2 * ((size_t)old.mask + 1)))
		bug_no_memory();
	for (uint64_t i = 0; i <= old.mask; i++) {
		const uint64_t *group = board_group(&old, i * 64);

		if (!is_past(&old, *group))
			memcpy(board_group(board, (*group - 1) * 64), group,
			       size);
	}
	board_fini(&old);
}

static void open_group(struct board *board, uint64_t cycle)
{
	uint64_t *group = board_group(board, cycle);

	if (board_is_open(group, cycle))
		return;
	while (!is_past(board, *group)) {
		grow(board);
		group = board_group(board, cycle);
	}
	memset(group, 0, board->size * sizeof(uint64_t));
	*group = cycle / 64 + 1;
}

/* The second group cannot take the place of the first one. */
void board_open(struct board *board, uint64_t from)
{
	open_group(board, from);
	open_group(board, from + 63);
}
