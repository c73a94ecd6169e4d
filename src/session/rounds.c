/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * In each round every slice has one turn. The order is drawn anew for each
 * round, so that no slice keeps step with what the traffic does again and
 * again. A cell holds one round, at first; when all cells are full each two
 * become one and turns get twice as long, until they are so long that it does
 * not matter any more, and cells hold more rounds instead. So all cells stand
 * for the same stretch of time, a short run has many of them, and a long one
 * writes seldom.
 */
#include <stdlib.h>

#include "base/random.h"
#include "session/session.h"
#include "uncore/error.h"

/* On a model nothing passes between two turns, so they may be short. */
#define FIRST_MODELLED_CYCLES 2048
#define FIRST_WALL_SECONDS    1e-3
#define LONGEST_SECONDS	      0.25
#define TURN_PER_COST	      20 /* 5 % of the time at most */
#define LOOKS_AT_COST	      4

/* Draws the order of the round after this one. */
static void shuffle(struct session_rounds *rounds, size_t num)
{
	for (size_t i = num; i > 1; i--) {
		size_t other = (size_t)(random_next(&rounds->random) % i);
		size_t slice = rounds->next_order[i - 1];

		rounds->next_order[i - 1] = rounds->next_order[other];
		rounds->next_order[other] = slice;
	}
}

static double first_turn(struct uncore_session *session)
{
	struct uncore_target_status status;

	if (uncore_target_status(session->target, &status) ||
	    !status.is_stepped || status.clock_hz <= 0)
		return FIRST_WALL_SECONDS;
	return FIRST_MODELLED_CYCLES / status.clock_hz;
}

int rounds_init(struct uncore_session *session, uint64_t seed)
{
	struct session_rounds *rounds = &session->rounds;

	rounds->order = calloc(session->num_slices, sizeof(*rounds->order));
	rounds->next_order =
		calloc(session->num_slices, sizeof(*rounds->next_order));
	if (!rounds->order || !rounds->next_order)
		return UNCORE_ERR_NO_MEMORY;
	for (size_t i = 0; i < session->num_slices; i++)
		rounds->next_order[i] = i;
	rounds->random = seed;
	rounds->per_cell = 1;
	rounds->turn_seconds = first_turn(session);
	shuffle(rounds, session->num_slices);
	for (size_t i = 0; i < session->num_slices; i++)
		rounds->order[i] = rounds->next_order[i];
	shuffle(rounds, session->num_slices);
	rounds->present = rounds->order[0];
	return 0;
}

void rounds_free(struct uncore_session *session)
{
	free(session->rounds.order);
	free(session->rounds.next_order);
}

static void merge(uint64_t *cells)
{
	for (size_t i = 0; i < SESSION_MAX_CELLS / 2; i++)
		cells[i] = cells[2 * i] + cells[2 * i + 1];
	for (size_t i = SESSION_MAX_CELLS / 2; i < SESSION_MAX_CELLS; i++)
		cells[i] = 0;
}

static void merge_cells(struct uncore_session *session)
{
	struct session_rounds *rounds = &session->rounds;

	for (size_t i = 0; i < session->num_slices; i++)
		merge(session->slices[i].cells);
	for (size_t i = 0; i < session->num_entries; i++)
		merge(session->entries[i].cells);
	rounds->cell = SESSION_MAX_CELLS / 2;
	if (2 * rounds->turn_seconds <= LONGEST_SECONDS)
		rounds->turn_seconds *= 2;
	else
		rounds->per_cell *= 2;
}

static void end_round(struct uncore_session *session)
{
	struct session_rounds *rounds = &session->rounds;

	if (++rounds->in_cell >= rounds->per_cell) {
		rounds->in_cell = 0;
		rounds->cell++;
	}
	if (rounds->cell == SESSION_MAX_CELLS)
		merge_cells(session);
	for (size_t i = 0; i < session->num_slices; i++)
		rounds->order[i] = rounds->next_order[i];
	shuffle(rounds, session->num_slices);
	rounds->at = 0;
}

/* The order of the next round is drawn when the round ends, so that it is
 * known who comes next. */
size_t rounds_peek(const struct uncore_session *session)
{
	const struct session_rounds *rounds = &session->rounds;

	if (rounds->at + 1 < session->num_slices)
		return rounds->order[rounds->at + 1];
	return rounds->next_order[0];
}

void rounds_end_turn(struct uncore_session *session)
{
	if (++session->rounds.at == session->num_slices)
		end_round(session);
}

void rounds_cost(struct uncore_session *session, uint64_t cost_ns)
{
	struct session_rounds *rounds = &session->rounds;
	double least;

	/* The quickest one so far: others may have had to wait. */
	if (!rounds->cost_ns || cost_ns < rounds->cost_ns)
		rounds->cost_ns = cost_ns;
	least = TURN_PER_COST * (double)rounds->cost_ns / 1e9;
	if (rounds->num_turns++ < LOOKS_AT_COST)
		return;
	if (session->clock == SESSION_WALL && rounds->turn_seconds < least)
		rounds->turn_seconds =
			least < LONGEST_SECONDS ? least : LONGEST_SECONDS;
}

double uncore_session_turn_seconds(const struct uncore_session *session)
{
	double due = session->least_wrap / 2;

	if (!session->cells || due < session->rounds.turn_seconds)
		return due;
	return session->rounds.turn_seconds;
}
