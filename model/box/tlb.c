/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * See tlb.h.
 */
#include "model/box/tlb.h"

#include <string.h>

enum {
	LEVEL_BITS = 9,
	PAGE_BITS = 36, /* of 48 address bits, without those in a page */
};

/* Whether the set holds a number. It does afterwards, as the latest. */
static inline bool use_set(uint64_t *set, unsigned ways, uint64_t number)
{
	uint64_t word = number + 1, moved = word;
	unsigned way;

	if (set[0] == word)
		return true;
	for (way = 0; way < ways; way++) {
		uint64_t before = set[way];

		set[way] = moved;
		if (before == word)
			return true;
		moved = before;
	}
	return false;
}

/* What a table's entry of that level covers. */
static uint64_t part(uint64_t page, unsigned level)
{
	return page >> LEVEL_BITS * level;
}

/* The level of the upper entry that the walker has; 4: it begins at the root.
 * The ones below it are there afterwards; leaf: the level where the walk ends.
 */
static unsigned start_walk(struct tlb *tlb, uint64_t page, unsigned leaf)
{
	uint64_t pde = part(page, 1);

	if (leaf == 0 && use_set(tlb->pdes[pde % TLB_PDE_SETS], TLB_WAYS, pde))
		return 1;
	if (use_set(tlb->pdptes, TLB_PDPTES, part(page, 2)))
		return 2;
	if (use_set(tlb->pml4es, TLB_PML4ES, part(page, 3)))
		return 3;
	return 4;
}

static void walk_down(struct tlb *tlb, uint64_t page, unsigned leaf,
		      struct tlb_walk *walk)
{
	unsigned level = start_walk(tlb, page, leaf);

	while (level-- > leaf)
		walk->loads[walk->num++] = (struct tlb_load){
			.table = part(page, level + 1),
			.entry = part(page, level) % (1 << LEVEL_BITS),
			.level = (uint8_t)level,
		};
}

static bool use_large(struct tlb *tlb, uint64_t number, bool is_code)
{
	return is_code ? use_set(tlb->large_code, TLB_LARGE_CODE, number)
		       : use_set(tlb->large[number % TLB_LARGE_SETS], TLB_WAYS,
				 number);
}

static bool use_small(struct tlb *tlb, uint64_t page, bool is_code)
{
	return use_set(is_code ? tlb->code[page % TLB_CODE_SETS]
			       : tlb->data[page % TLB_DATA_SETS],
		       TLB_WAYS, page);
}

enum tlb_found tlb_use(struct tlb *tlb, uint64_t page, unsigned use,
		       uint64_t space, struct tlb_walk *walk)
{
	bool is_code = use & TLB_CODE, is_large = use & TLB_LARGE;

	page &= (UINT64_C(1) << PAGE_BITS) - 1;
	walk->num = 0;
	if (space != tlb->space) {
		memset(tlb, 0, sizeof(*tlb));
		tlb->space = space;
	}
	if (is_large ? use_large(tlb, part(page, 1), is_code)
		     : use_small(tlb, page, is_code))
		return TLB_FIRST;
	if (!is_large &&
	    use_set(tlb->second[page % TLB_SECOND_SETS], TLB_WAYS, page))
		return TLB_SECOND;
	walk_down(tlb, page, is_large, walk);
	return TLB_WALK;
}

uint64_t tlb_made_up_frame(const struct tlb_load *load, uint64_t space,
			   uint64_t first_frame, uint64_t num_frames)
{
	uint64_t place =
		(space * 4 + load->level) * UINT64_C(0x9e3779b97f4a7c15);

	return first_frame + ((place >> 20) + load->table) % num_frames;
}
