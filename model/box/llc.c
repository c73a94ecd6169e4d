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

#include "model/box/llc_set.h"
#include "model/box/slice_hash.h"

enum { HOST_LINE = 64, HOST_WORDS = HOST_LINE / sizeof(uint32_t) };

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

static inline uint32_t modulo(uint32_t value, unsigned num_slices)
{
	return value - (uint32_t)divide(value, num_slices) * num_slices;
}

static inline unsigned slice_of(uint64_t line, uint64_t q, unsigned num_slices)
{
	unsigned r = (unsigned)(line - q * num_slices);

	return modulo(r + scramble(q), num_slices);
}

unsigned llc_slice(uint64_t line, unsigned num_slices)
{
	return slice_of(line, divide(line, num_slices), num_slices);
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
	uintptr_t first;

	*llc = (struct llc){ .num_ways = num_ways, .num_slices = num_slices };
	llc->num_sets = (uint32_t)(size_bytes / 64 / num_ways);
	llc->room = (num_ways + LLC_SET_STEP - 1) / LLC_SET_STEP * LLC_SET_STEP;
	llc->set_words = HOST_WORDS;
	while (llc->set_words < llc_set_way_words(llc->room) + llc->room)
		llc->set_words *= 2;
	/* from calloc(), which need not touch what nobody uses */
	llc->memory =
		calloc(llc->num_sets * (size_t)llc->set_words + HOST_WORDS,
		       sizeof(*llc->sets));
	if (!llc->memory)
		return -1;
	first = ((uintptr_t)llc->memory + HOST_LINE - 1) / HOST_LINE;
	llc->sets = (uint32_t *)(first * HOST_LINE);
	llc->ways = llc->sets + llc_set_way_words(llc->room);
	return 0;
}

void llc_fini(struct llc *llc)
{
	free(llc->memory);
	free(llc->values);
	*llc = (struct llc){ .num_ways = llc->num_ways };
}

static inline struct llc_spot spot_of(const struct llc *llc, uint64_t q)
{
	uint64_t upper;
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
	return (struct llc_spot){ low, (uint32_t)upper + 1 };
}

static struct llc_spot published_spot(const struct llc *llc, uint64_t line)
{
	unsigned shift = (unsigned)__builtin_ctz(llc->num_sets);

	return (struct llc_spot){ (uint32_t)line & (llc->num_sets - 1),
				  (uint32_t)(line >> shift) + 1 };
}

struct llc_spot llc_spot(const struct llc *llc, uint64_t line)
{
	if (llc->is_published)
		return published_spot(llc, line);
	return spot_of(llc, divide(line, llc->num_slices));
}

unsigned llc_slice_and_spot(const struct llc *llc, uint64_t line,
			    struct llc_spot *spot)
{
	unsigned slice;
	uint64_t q;

	if (llc->is_published) {
		*spot = published_spot(llc, line);
		return slice_hash(line, llc->num_slices);
	}
	q = divide(line, llc->num_slices);
	*spot = spot_of(llc, q);
	slice = slice_of(line, q, llc->num_slices);
	if (llc->cluster_lines)
		slice +=
			llc_cluster(line, llc->cluster_lines) * llc->num_slices;
	return slice;
}

static inline size_t words_of(const struct llc *llc, uint32_t set)
{
	return (size_t)set * llc->set_words;
}

static inline uint32_t *tags_of(const struct llc *llc, uint32_t set)
{
	return llc->sets + words_of(llc, set);
}

static inline struct llc_way *ways_of(const struct llc *llc, uint32_t set)
{
	return (struct llc_way *)(llc->ways + words_of(llc, set));
}

/* The tags of the set of a way; *index is the way's number in it. */
static inline uint32_t *set_with(const struct llc *llc,
				 const struct llc_way *way, unsigned *index)
{
	size_t words = (size_t)((const uint32_t *)way - llc->ways);

	*index = words & (llc->set_words - 1);
	return llc->sets + (words - *index);
}

/* As % num_sets, mostly without a division. */
static inline uint32_t wrap(const struct llc *llc, uint32_t set)
{
	uint32_t mask = llc->num_sets - 1;

	return llc->num_sets & mask ? set % llc->num_sets : set & mask;
}

/* The line that has a tag in a set of a slice. */
static uint64_t line_of(const struct llc *llc, uint32_t tag, uint32_t set,
			unsigned slice)
{
	uint64_t upper = tag - 1;
	uint32_t shift = wrap(llc, scramble(upper));
	uint64_t q =
		upper * llc->num_sets + wrap(llc, set + llc->num_sets - shift);
	unsigned n = llc->num_slices;

	if (llc->is_published)
		return upper * llc->num_sets + set;
	return q * n + modulo(slice + n - modulo(scramble(q), n), n);
}

struct llc_way *llc_way(const struct llc *llc, size_t entry)
{
	uint32_t set = (uint32_t)(entry / llc->num_ways);

	return ways_of(llc, set) + entry % llc->num_ways;
}

struct llc_way *llc_ways(const struct llc *llc, unsigned set)
{
	return ways_of(llc, set);
}

const uint8_t *llc_ages(const struct llc *llc, unsigned set)
{
	return llc_set_ages(tags_of(llc, set), llc->room);
}

size_t llc_entry(const struct llc *llc, const struct llc_way *way)
{
	struct llc_place place = llc_place_of(llc, way);

	return (size_t)place.set * llc->num_ways + place.way;
}

bool llc_line(const struct llc *llc, size_t entry, unsigned slice,
	      uint64_t *line)
{
	uint32_t set = (uint32_t)(entry / llc->num_ways);
	uint32_t tag = tags_of(llc, set)[entry % llc->num_ways];

	if (!tag)
		return false;
	*line = line_of(llc, tag, set, slice);
	return true;
}

struct llc_way *llc_find_at(const struct llc *llc, struct llc_spot spot)
{
	uint32_t *tags = tags_of(llc, spot.set);
	unsigned index = llc_set_look_for(tags, llc->room, spot.tag);

	return index < llc->room ? ways_of(llc, spot.set) + index : NULL;
}

struct llc_way *llc_find(const struct llc *llc, uint64_t line)
{
	return llc_find_at(llc, llc_spot(llc, line));
}

void llc_touch(struct llc *llc, struct llc_way *way)
{
	unsigned index;
	uint32_t *tags = set_with(llc, way, &index);

	llc_set_use(llc_set_ages(tags, llc->room), llc->room, index);
}

/* The lines of the host that a set of the usual ways has. */
void llc_prefetch(const struct llc *llc, struct llc_spot spot)
{
	const uint32_t *tags = tags_of(llc, spot.set);

	__builtin_prefetch(tags, 1);
	__builtin_prefetch(tags + HOST_WORDS, 1);
	__builtin_prefetch(tags + 2 * HOST_WORDS, 1);
	__builtin_prefetch(tags + 3 * HOST_WORDS, 1);
}

struct llc_way *llc_choose(const struct llc *llc, struct llc_spot spot,
			   unsigned slice, uint64_t *victim)
{
	uint32_t *tags = tags_of(llc, spot.set);
	unsigned index =
		llc_set_oldest(llc_set_ages(tags, llc->room), llc->num_ways);

	if (index < llc->num_ways && tags[index])
		*victim = line_of(llc, tags[index], spot.set, slice);
	else
		index = llc_set_look_for(tags, llc->room, 0);
	return ways_of(llc, spot.set) + index;
}

void llc_place(struct llc *llc, struct llc_way *way, struct llc_spot spot)
{
	uint32_t *tags = tags_of(llc, spot.set);
	uint8_t *ages = llc_set_ages(tags, llc->room);
	unsigned index = (unsigned)(way - ways_of(llc, spot.set));

	if (tags[index])
		llc_set_use(ages, llc->room, index);
	else
		llc_set_enter(ages, llc->room, index, llc->num_ways);
	llc->num_lines += !tags[index];
	tags[index] = spot.tag;
}

void llc_drop(struct llc *llc, struct llc_way *way)
{
	unsigned index;
	uint32_t *tags = set_with(llc, way, &index);

	if (tags[index])
		llc_set_leave(llc_set_ages(tags, llc->room), llc->num_ways,
			      index);
	llc->num_lines -= tags[index] != 0;
	tags[index] = 0;
	*way = (struct llc_way){ .state = LLC_I };
}
