/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The tags of one LLC slice, and the hash that spreads physical addresses over
 * C-Boxes and sets. The guide calls the hash proprietary and promises only an
 * even spread (2.3.1); ours is even to the line over any contiguous region. Of
 * the Xeon Scalable it is known (slice_hash.h), and the set is then the line's
 * lower bits.
 */
#ifndef UNCORE_LLC_H
#define UNCORE_LLC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum llc_state { LLC_I, LLC_S, LLC_E, LLC_M, LLC_F };

/* What the slice knows about a line. */
enum { LLC_MAX_CORES = 28 };

struct llc_way {
	uint32_t cores : LLC_MAX_CORES; /* bit n: core n may have a copy */
	uint32_t state : 3;		/* enum llc_state */
	uint32_t is_core_dirty : 1;	/* the only one of `cores` has written
					   it */
};

static inline void llc_set_cores(struct llc_way *way, unsigned cores)
{
	way->cores = cores & ((1u << LLC_MAX_CORES) - 1);
}

struct llc {
	uint32_t *sets;	  /* each: tags, ages, ways; see llc_set.h */
	uint32_t *ways;	  /* of the first set */
	uint32_t *values; /* by entry, see cbox_values.c; NULL: not checked */
	void *memory;	  /* that the sets are in */
	uint32_t num_sets, num_ways;
	uint32_t num_lines;  /* that are there */
	uint32_t room;	     /* ways that a set has place for */
	uint32_t set_words;  /* from a set to the next: a power of two */
	unsigned num_slices; /* in the socket, or in a cluster of it */
	/* Of two clusters each has the lines of a half of every socket's
	 * memory, which is so many; 0: there is one. */
	uint64_t cluster_lines;
	bool is_published; /* slice and set are those of slice_hash.h */
};

/* A way by its number, its entry, is set * num_ways + way in the set. */
static inline size_t llc_num_entries(const struct llc *llc)
{
	return (size_t)llc->num_sets * llc->num_ways;
}

struct llc_way *llc_way(const struct llc *llc, size_t entry);
size_t llc_entry(const struct llc *llc, const struct llc_way *way);

/* The ways of a set, of which there are num_ways; of each how many others have
 * been used since it was, if it is not empty. */
struct llc_way *llc_ways(const struct llc *llc, unsigned set);
const uint8_t *llc_ages(const struct llc *llc, unsigned set);

/* The set that a way is in, and its number there. */
struct llc_place {
	unsigned set, way;
};
static inline struct llc_place llc_place_of(const struct llc *llc,
					    const struct llc_way *way)
{
	size_t words = (size_t)((const uint32_t *)way - llc->ways);

	return (struct llc_place){ (unsigned)(words / llc->set_words),
				   (unsigned)(words % llc->set_words) };
}

/* What is wrong with a slice of such a size in a system of so many lines, or
 * NULL: a set needs its ways, a tag must fit. */
const char *llc_config_check(uint64_t size_bytes, unsigned num_ways,
			     unsigned num_slices, uint64_t system_lines);

/* 0, or -1 without memory. */
int llc_init(struct llc *llc, unsigned num_slices, uint64_t size_bytes,
	     unsigned num_ways);
void llc_fini(struct llc *llc);

/* The line in an entry of the slice of that number; false where it is empty. */
bool llc_line(const struct llc *llc, size_t entry, unsigned slice,
	      uint64_t *line);

/* The slice of a line among num_slices. */
unsigned llc_slice(uint64_t line, unsigned num_slices);

/* Where a line may stand in its slice, whichever socket's that is. */
struct llc_spot {
	uint32_t set, tag;
};
struct llc_spot llc_spot(const struct llc *llc, uint64_t line);

/* Of two clusters the one that a line belongs to. */
static inline unsigned llc_cluster(uint64_t line, uint64_t cluster_lines)
{
	return line / cluster_lines & 1;
}

/* Both: the slice of a line among all that are like this one, and where it may
 * stand there. */
unsigned llc_slice_and_spot(const struct llc *llc, uint64_t line,
			    struct llc_spot *spot);

/* The way that holds a line, or NULL; not counted as a use. */
struct llc_way *llc_find(const struct llc *llc, uint64_t line);
struct llc_way *llc_find_at(const struct llc *llc, struct llc_spot spot);
static inline bool llc_has_at(const struct llc *llc, struct llc_spot spot)
{
	return llc->num_lines && llc_find_at(llc, spot);
}

/* The line is going to be looked up soon: brings its set near. */
void llc_prefetch(const struct llc *llc, struct llc_spot spot);

/* The line in the way is used now. */
void llc_touch(struct llc *llc, struct llc_way *way);

/* The way to fill for a line: an empty one, else the least recently used one;
 * *victim is the line it holds in the slice of that number, valid where the
 * way's state is not LLC_I. */
struct llc_way *llc_choose(const struct llc *llc, struct llc_spot spot,
			   unsigned slice, uint64_t *victim);

/* Puts the line into the way; its state and cores are the caller's to set. */
void llc_place(struct llc *llc, struct llc_way *way, struct llc_spot spot);

/* Empties the way. */
void llc_drop(struct llc *llc, struct llc_way *way);

#endif
