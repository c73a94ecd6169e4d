/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 */
#include "model/nehalem-ex/agent_link.h"

#include <string.h>

void links_forget_slowly(struct agent_links *links, uint64_t now)
{
	uint64_t base = now / 64 * 64, num = (base - links->base) / 64;

	for (uint64_t i = 0; i < num && i < LINK_WORDS; i++)
		memset(link_word(links, links->base + i * 64), 0,
		       sizeof(struct link_word));
	links->base = base;
}
