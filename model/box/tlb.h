/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The translation look-aside buffers of one core, and the page walks that
 * follow a miss: which entries of page tables the walker loads. Where the pages
 * of page tables lie is the caller's knowledge; its loads go through the
 * private caches (PRIVCACHE_WALK).
 *
 * As on Nehalem and Westmere. From Intel's optimisation manual (248966,
 * Nehalem) and the SDM's CPUID descriptors 03, 5A, 55, B2 and CA:
 *   data           64 entries of 4 KB, 32 of 2 MB, 4 ways each
 *   instructions   128 entries of 4 KB, 4 ways (64 for each of two threads; the
 *                  model has one), 7 of 2 MB, fully associative
 *   second level   512 entries of 4 KB, 4 ways, for both; none of 2 MB
 * Assumed: true LRU, and the walker's caches of upper entries, which the SDM
 * describes without sizes: 32 PDEs in 4 ways, 4 PDPTEs, 2 PML4Es.
 * Left out: global pages, PCIDs, pages of 1 GB, walks ahead of their use,
 * accessed and dirty bits.
 *
 * Freestanding, no pointers inside; all zero means empty. Not thread safe.
 */
#ifndef UNCORE_TLB_H
#define UNCORE_TLB_H

#include <stdbool.h>
#include <stdint.h>

enum {
	TLB_WAYS = 4,
	TLB_DATA_SETS = 16,
	TLB_LARGE_SETS = 8,
	TLB_CODE_SETS = 32,
	TLB_LARGE_CODE = 7,
	TLB_SECOND_SETS = 128,
	TLB_PDE_SETS = 8,
	TLB_PDPTES = 4,
	TLB_PML4ES = 2,
	TLB_MAX_LOADS = 4,
};

/* Numbers of pages, or of what upper entries cover, plus 1, in the order of
 * their last use. */
struct tlb {
	uint64_t space; /* the present one */
	uint64_t data[TLB_DATA_SETS][TLB_WAYS];
	uint64_t large[TLB_LARGE_SETS][TLB_WAYS];
	uint64_t code[TLB_CODE_SETS][TLB_WAYS];
	uint64_t large_code[TLB_LARGE_CODE];
	uint64_t second[TLB_SECOND_SETS][TLB_WAYS];
	uint64_t pdes[TLB_PDE_SETS][TLB_WAYS];
	uint64_t pdptes[TLB_PDPTES];
	uint64_t pml4es[TLB_PML4ES];
};

/* How a page is used. */
enum { TLB_CODE = 1, TLB_LARGE = 2 };

enum tlb_found {
	TLB_FIRST,  /* in the first level: takes no time */
	TLB_SECOND, /* in the second: 7 core cycles (Intel's manual) */
	TLB_WALK,   /* in neither */
};

/* An entry of a page table. Level 0 are PTEs, 1 PDEs, 2 PDPTEs, 3 PML4Es; of
 * the tables of a level `table` is the number, which together cover the whole
 * address space. */
struct tlb_load {
	uint64_t table;
	uint16_t entry; /* of 512 */
	uint8_t level;
};

struct tlb_walk {
	unsigned num;
	struct tlb_load loads[TLB_MAX_LOADS]; /* each needs the one before */
};

/* Uses a page: `page` is the virtual address / 4096, for large ones, too; `use`
 * TLB_CODE and TLB_LARGE; `space` tells address spaces apart (such as CR3), and
 * another one than the last time empties everything. What was not there is
 * afterwards; *walk says what the walker loads for it (num 0: nothing). */
enum tlb_found tlb_use(struct tlb *tlb, uint64_t page, unsigned use,
		       uint64_t space, struct tlb_walk *walk);

static inline uint64_t *tlb_set(struct tlb *tlb, uint64_t page, bool is_code)
{
	return is_code ? tlb->code[page % TLB_CODE_SETS]
		       : tlb->data[page % TLB_DATA_SETS];
}

/* Whether a page of 4 KB is the latest of its set of the first level: using it
 * changes nothing. */
static inline bool tlb_is_latest(struct tlb *tlb, uint64_t page, bool is_code,
				 uint64_t space)
{
	return tlb_set(tlb, page, is_code)[0] == page + 1 &&
	       tlb->space == space;
}

/* Uses a page of 4 KB if it is the second latest of its set there. */
static inline bool tlb_use_second(struct tlb *tlb, uint64_t page, bool is_code,
				  uint64_t space)
{
	uint64_t *set = tlb_set(tlb, page, is_code);

	if (set[1] != page + 1 || tlb->space != space)
		return false;
	set[1] = set[0];
	set[0] = page + 1;
	return true;
}

/* The physical address of an entry whose table lies in a page frame. */
static inline uint64_t tlb_address(const struct tlb_load *load, uint64_t frame)
{
	return frame << 12 | (uint64_t)load->entry << 3;
}

/* For who has no page tables: a frame out of num_frames from first_frame on.
 * Tables of a level lie side by side, levels and spaces anywhere. */
uint64_t tlb_made_up_frame(const struct tlb_load *load, uint64_t space,
			   uint64_t first_frame, uint64_t num_frames);

#endif
