/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 */
#include "model/nehalem-ex/agent_link.h"

#include <string.h>

bool links_move(struct agent_links *links, uint64_t now, uint64_t cycle)
{
	uint64_t base = now / 64 * 64, past = base - links->base;
	unsigned first = links->base % LINK_CYCLES, num;

	if (past > LINK_CYCLES)
		past = LINK_CYCLES;
	num = past < LINK_CYCLES - first ? (unsigned)past : LINK_CYCLES - first;
	memset(&links->cycles[first], 0, num * sizeof(links->cycles[0]));
	memset(links->cycles, 0, (past - num) * sizeof(links->cycles[0]));
	links->base = base;
	links->end = base + LINK_REACH;
	return cycle < links->end;
}

/* Four cycles in a row. */
static inline uint64_t look(const uint16_t *at)
{
	uint64_t four;

	memcpy(&four, at, sizeof(four));
	return four;
}

static inline void mark(uint16_t *at, uint64_t bits)
{
	uint64_t four = look(at) | bits;

	memcpy(at, &four, sizeof(four));
}

unsigned links_mark_some(struct agent_links *links, uint64_t from,
			 unsigned cycles, unsigned bit)
{
	uint64_t four = bit * UINT64_C(0x0001000100010001);
	uint16_t *at = links_at(links, from);
	unsigned new = 0;

	/* a line, mostly */
	if (cycles - 8 <= 4 && from % LINK_CYCLES + cycles <= LINK_CYCLES &&
	    !((look(at) | look(at + 4) | look(at + cycles - 4)) & four)) {
		mark(at, four);
		mark(at + 4, four);
		mark(at + cycles - 4, four);
		return UINT32_MAX >> (32 - cycles);
	}
	for (unsigned i = 0; i < cycles; i++) {
		at = links_at(links, from + i);
		new |= (unsigned)!(*at & bit) << i;
		*at |= (uint16_t)bit;
	}
	return new;
}
