/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * How long a turn is: up to `skew` before the next thread's clock. The skew is
 * short where lines go from core to core, and grows where they do not. And how
 * much of it Valgrind may run at once.
 */
#include "bridge/valgrind/turns.h"

enum {
	SHORT_SKEW = 10,	 /* core cycles */
	CALM_SHARE = 2,		 /* of the time since a line went by */
	SLICE_CYCLES = 200000,	 /* on a core that others wait for, too */
	BLOCK_CYCLES = 24,	 /* of a long block without a miss */
	SHORT_TURN = 300,	 /* core cycles; in these a miss counts */
	SPIN_INSTRUCTIONS = 256, /* in a round of one at most */
	SPIN_PATIENCE = 2000,	 /* core cycles that are looked at closely */
	SPIN_PART = 8,	   /* of longer ones a round may be one in so many */
	ONE_BY_ONE = 1000, /* core cycles, where lines are fought for */
	MIN_BLOCKS = 2,
	OWNER_PIECES = 1024, /* between two looks whether uncore lives */
};

static uint64_t turn_ends; /* clock */
static bool others_wait;
static bool is_begun;	     /* the turn, and nothing of it has run */
static uint64_t piece_began; /* clock */

/* A request takes so long to reach a core: as long as none runs further before
 * the others, nobody is asked for what was used in the meantime. */
static uint32_t contested_skew(void)
{
	uint32_t skew = arena->peer_cycles / 2;

	return skew > SHORT_SKEW ? skew : SHORT_SKEW;
}

/* How far a core may run before the others: twice as far from turn to turn; but
 * no farther than a part of the time since lines have come or gone. */
static uint32_t next_skew(struct arena_core *core)
{
	uint32_t least = core->fought ? contested_skew() : SHORT_SKEW;
	uint32_t skew = core->skew < least ? least : core->skew;
	uint64_t clock = core->clock + (uint64_t)core->ahead;
	uint64_t calm = clock > core->fought ? clock - core->fought : 0;

	calm /= CALM_SHARE;
	if (core->fought && skew > calm)
		skew = calm < least ? least : (uint32_t)calm;
	if (calm > arena->max_skew)
		core->fought = 0;
	core->skew = skew * 2 < arena->max_skew ? skew * 2 : arena->max_skew;
	return skew;
}

void turns_begin_length(const struct arena_thread *me)
{
	struct arena_core *core = &arena->cores[me->core];
	uint32_t skew = next_skew(core);

	is_begun = true;
	piece_began = core->clock;
	others_wait = arena->others != UINT64_MAX || arena->shares;
	turn_ends = UINT64_MAX;
	if (arena->others != UINT64_MAX)
		turn_ends = arena->others + skew;
	if (core->last_thread != threads_number(me) ||
	    turns_clock_of(me) >= core->slice_ends) {
		core->last_thread = threads_number(me);
		core->slice_ends = turns_clock_of(me) + SLICE_CYCLES;
	}
	if (arena->shares && turn_ends > core->slice_ends)
		turn_ends = core->slice_ends;
}

/* How long the present thread has been in a spin-wait. Who has asked for a line
 * since has seen something new. */
static uint64_t waited(struct arena_thread *me, uint64_t now)
{
	uint64_t done = atomic_load_explicit(&front.core->instructions,
					     memory_order_relaxed);

	if (done - me->spun_at > SPIN_INSTRUCTIONS || me->spins_since > now ||
	    me->spun_records != front.core->num_records)
		me->spins_since = now;
	me->spun_at = done;
	me->spun_records = front.core->num_records;
	return now - me->spins_since;
}

/* A spin-wait, or sched_yield(): time passes until the others have had theirs.
 * Others that spin are no further than the present thread, and would look in
 * turns at what they wait for, thousands of times; so who spins notices what
 * has happened an eighth of what it has waited late. At first it runs so far
 * ahead of the others; later it stands for so long. */
static void yield(void)
{
	uint64_t now = stream_clock() + (uint64_t)front.core->ahead;
	uint64_t late = waited(front.thread, now) / SPIN_PART;
	uint64_t until = now;

	front.wants_to_yield = 0;
	if (!others_wait)
		return;
	if (late <= SPIN_PATIENCE / SPIN_PART && !arena->shares &&
	    now < arena->others + late) {
		if (turn_ends > arena->others + late)
			turn_ends = arena->others + late;
		return;
	}
	if (late > SPIN_PATIENCE / SPIN_PART)
		until += late - SPIN_PATIENCE / SPIN_PART;
	if (arena->others != UINT64_MAX && until <= arena->others)
		until = arena->others + 1;
	if (arena->others != UINT64_MAX)
		front.core->clock = until - (uint64_t)front.core->ahead;
	front.core->slice_ends = 0;
	turn_ends = 0;
}

bool turns_is_over(void)
{
	if (front.wants_to_yield)
		yield();
	if (!others_wait && !atomic_load(&arena->num_waiting))
		return false;
	if (!others_wait) /* somebody has come since */
		return true;
	return stream_clock() + (uint64_t)front.core->ahead >= turn_ends;
}

bool turns_go_on(void)
{
	if (front.is_off || !front.core || is_begun) {
		is_begun = false;
		return false;
	}
	stream_pass_time();
	return !turns_is_over();
}

void turns_shorten(void)
{
	if (arena->others == UINT64_MAX ||
	    turn_ends <= arena->others + contested_skew())
		return;
	turn_ends = arena->others + contested_skew();
	front_cut();
}

void turns_look(void)
{
	if (front.core->fought && others_wait &&
	    stream_clock() + (uint64_t)front.core->ahead >= turn_ends)
		front_cut();
}

void turns_cut(void)
{
	others_wait = true;
	turn_ends = 0;
}

void turns_limit(uint64_t cycles)
{
	uint64_t end = stream_clock() + (uint64_t)front.core->ahead + cycles;

	others_wait = true;
	if (turn_ends > end)
		turn_ends = end;
}

/* How much of a turn Valgrind may run at once */

/* Core cycles of a block of late, waiting for memory included. Pieces of a long
 * turn are as long as it is expected to last, and one block too many does not
 * matter; those of a short one are shorter, since one miss may be the rest of
 * it. */
static uint64_t block_cycles = BLOCK_CYCLES;

void turns_ran(uint64_t blocks)
{
	if (blocks && front.core && !front.is_off)
		block_cycles = (3 * block_cycles +
				(stream_clock() - piece_began) / blocks + 2) /
			       4;
}

Int turns_blocks(void)
{
	static unsigned pieces;
	uint64_t now, left, blocks;

	if (pieces++ % OWNER_PIECES == 0)
		outside_end_with_owner();
	if (front.is_off || !front.core)
		return TURNS_MAX_BLOCKS;
	piece_began = stream_clock();
	if (!others_wait)
		return TURNS_MAX_BLOCKS;
	now = piece_began + (uint64_t)front.core->ahead;
	if (turn_ends <= now)
		return front.core->fought ? 1 : MIN_BLOCKS;
	left = turn_ends - now;
	if (front.core->fought && left < ONE_BY_ONE)
		return 1;
	blocks = left / (left < SHORT_TURN || block_cycles < BLOCK_CYCLES
				 ? BLOCK_CYCLES
				 : block_cycles);
	if (blocks < MIN_BLOCKS)
		return MIN_BLOCKS;
	return blocks < TURNS_MAX_BLOCKS ? (Int)blocks : TURNS_MAX_BLOCKS;
}
