/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Where in memory a frame is. Frames are given out in order; with a seed
 * 2 MB of them at a time lie anywhere in the memory of their socket, as pages
 * of that size do on a machine that has run for a while.
 */
#include "bridge/valgrind/core.h"

enum { BLOCK_FRAMES = 512, MAX_BLOCKS = ARENA_MAX_FRAMES / BLOCK_FRAMES };

/* For each block of a socket's frames which block of its memory it is. */
static uint16_t blocks[ARENA_MAX_SOCKETS][MAX_BLOCKS];

/* Fisher and Yates; drawn by Marsaglia's xorshift, whose state is not 0. */
static void shuffle(uint16_t *block, uint32_t num, uint64_t state)
{
	uint32_t i;

	for (i = 0; i < num; i++)
		block[i] = (uint16_t)i;
	for (i = num; i > 1; i--) {
		uint16_t last = block[i - 1];
		uint32_t other;

		state ^= state << 13;
		state ^= state >> 7;
		state ^= state << 17;
		other = (uint32_t)((state >> 32) % i);
		block[i - 1] = block[other];
		block[other] = last;
	}
}

void frames_init(void)
{
	uint32_t i;

	for (i = 0; arena->frame_seed && i < arena->num_sockets; i++)
		shuffle(blocks[i], arena->num_frames[i] / BLOCK_FRAMES,
			(arena->frame_seed * ARENA_MAX_SOCKETS + i) *
				UINT64_C(0x9e3779b97f4a7c15));
}

uint32_t frames_in_memory(uint32_t frame)
{
	uint32_t socket = frame / arena_frames_per_socket;
	uint32_t within = frame % arena_frames_per_socket;
	uint32_t block = within / BLOCK_FRAMES;

	if (arena->frame_seed &&
	    block < arena->num_frames[socket] / BLOCK_FRAMES)
		within += (blocks[socket][block] - block) * BLOCK_FRAMES;
	return (uint32_t)(arena->first_frame[socket] + within);
}
