/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * With n slices a line is q * n + r. The slice is r plus a scramble of q,
 * modulo n; the set is q plus a scramble of its upper part, modulo the sets.
 * So any n consecutive lines touch every slice once, any n * sets consecutive
 * lines every set of every slice once, and strides do not pile up.
 */
#include "model/box/llc.h"

#include <stdlib.h>

static uint32_t scramble(uint64_t value)
{
	value *= UINT64_C(0x9e3779b97f4a7c15);
	return (uint32_t)(value >> 40);
}

/* Division by a constant is a multiplication, and this is asked often. */
static inline uint64_t divide(uint64_t line, unsigned num_slices)
{
	switch (num_slices) {
	case 10: return line / 10;
	case 8: return line / 8;
	default: return line / num_slices;
	}
}

unsigned llc_slice(uint64_t line, unsigned num_slices)
{
	uint64_t q = divide(line, num_slices);
	unsigned r = (unsigned)(line - q * num_slices);

	r += scramble(q);
	return r - (unsigned)divide(r, num_slices) * num_slices;
}

const char *llc_config_check(uint64_t size_bytes, unsigned num_ways,
			     unsigned num_slices, uint64_t system_lines)
{
	uint64_t num_sets = size_bytes / 64 / num_ways;

	if (!num_sets)
		return "a slice (llc.slice) has no room for its ways "
		       "(llc.ways)";
	if (system_lines / num_slices / num_sets >= UINT32_MAX - 1)
		return "a slice (llc.slice) has too few sets for the memory "
		       "(memory.size)";
	return NULL;
}

int llc_init(struct llc *llc, unsigned num_slices, uint64_t size_bytes,
	     unsigned num_ways)
{
	size_t entries;

	*llc = (struct llc){ .num_ways = num_ways, .num_slices = num_slices };
	llc->num_sets = (uint32_t)(size_bytes / 64 / num_ways);
	entries = (size_t)llc->num_sets * num_ways;
	llc->tags = calloc(entries, sizeof(*llc->tags));
	llc->ways = calloc(entries, sizeof(*llc->ways));
	if (llc->tags && llc->ways)
		return 0;
	llc_fini(llc);
	return -1;
}

void llc_fini(struct llc *llc)
{
	free(llc->tags);
	free(llc->ways);
	free(llc->values);
	llc->values = NULL;
	llc->tags = NULL;
	llc->ways = NULL;
}

/* Where a line may stand: first entry of its set, and its tag. */
static size_t place_of(const struct llc *llc, uint64_t line, uint32_t *tag)
{
	uint64_t q = divide(line, llc->num_slices), upper;
	uint32_t low;

	if (!(llc->num_sets & (llc->num_sets - 1))) {
		upper = q >> __builtin_ctz(llc->num_sets);
		low = (uint32_t)q & (llc->num_sets - 1);
		low = (low + scramble(upper)) & (llc->num_sets - 1);
	} else {
		upper = q / llc->num_sets;
		low = (uint32_t)(q - upper * llc->num_sets);
		low = (low + scramble(upper) % llc->num_sets) % llc->num_sets;
	}
	*tag = (uint32_t)upper + 1;
	return (size_t)low * llc->num_ways;
}

/* The line that stands in an entry of a slice. */
static uint64_t line_at(const struct llc *llc, size_t entry, unsigned slice)
{
	uint64_t upper = llc->tags[entry] - 1;
	uint32_t set = (uint32_t)(entry / llc->num_ways);
	uint32_t shift = scramble(upper) % llc->num_sets;
	uint64_t q = upper * llc->num_sets +
		     (set + llc->num_sets - shift) % llc->num_sets;
	unsigned n = llc->num_slices;

	return q * n + (slice + n - scramble(q) % n) % n;
}

bool llc_line(const struct llc *llc, size_t entry, unsigned slice,
	      uint64_t *line)
{
	if (!llc->tags[entry])
		return false;
	*line = line_at(llc, entry, slice);
	return true;
}

struct llc_way *llc_find(const struct llc *llc, uint64_t line)
{
	uint32_t tag;
	size_t first = place_of(llc, line, &tag);

	for (size_t i = first; i < first + llc->num_ways; i++)
		if (llc->tags[i] == tag)
			return &llc->ways[i];
	return NULL;
}

void llc_touch(struct llc *llc, struct llc_way *way)
{
	way->used = ++llc->clock;
}

void llc_prefetch(const struct llc *llc, uint64_t line)
{
	uint32_t tag;
	size_t first = place_of(llc, line, &tag);

	for (size_t i = 0; i < llc->num_ways; i += 16)
		__builtin_prefetch(&llc->tags[first + i]);
	for (size_t i = 0; i < llc->num_ways; i += 8)
		__builtin_prefetch(&llc->ways[first + i], 1);
}

struct llc_way *llc_choose(const struct llc *llc, uint64_t line,
			   uint64_t *victim)
{
	uint32_t tag;
	size_t first = place_of(llc, line, &tag), best = first;

	for (size_t i = first; i < first + llc->num_ways; i++) {
		if (!llc->tags[i])
			return &llc->ways[i];
		/* the clock may wrap: compare ages */
		if (llc->clock - llc->ways[i].used >
		    llc->clock - llc->ways[best].used)
			best = i;
	}
	*victim = line_at(llc, best, llc_slice(line, llc->num_slices));
	return &llc->ways[best];
}

void llc_place(struct llc *llc, struct llc_way *way, uint64_t line)
{
	uint32_t tag;

	place_of(llc, line, &tag);
	llc->tags[way - llc->ways] = tag;
	llc_touch(llc, way);
}

void llc_drop(struct llc *llc, struct llc_way *way)
{
	llc->tags[way - llc->ways] = 0;
	way->state = LLC_I;
	way->cores = 0;
	way->is_core_dirty = false;
}
