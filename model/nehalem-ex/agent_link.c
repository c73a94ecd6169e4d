/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 */
#include "model/nehalem-ex/agent_link.h"

#include <string.h>

bool links_move(struct agent_links *links, uint64_t now, uint64_t cycle)
{
	uint64_t base = now / 64 * 64;

	if (base - links->base >= LINK_CYCLES)
		memset(links->words, 0, sizeof(links->words));
	else
		for (uint64_t at = links->base; at < base; at += 64)
			memset(link_word(links, 0, at), 0,
			       sizeof(links->words[0]));
	links->base = base;
	return cycle - base < LINK_REACH;
}
