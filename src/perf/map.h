/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Which registers of a family say what the kernel is to be given: of a live
 * family each term has bits of its own; of one of data/ the kernel's names are
 * looked up in what is known of them (data/FORMAT.md, "aliases.txt").
 */
#ifndef UNCORE_PERF_MAP_H
#define UNCORE_PERF_MAP_H

#include "perf/family.h"

/* How the value of a term is had. */
struct perf_source {
	enum {
		PERF_FROM_NOWHERE, /* the kernel sees to it itself */
		PERF_FROM_BITS,
		PERF_FROM_CODE,	   /* of the event */
		PERF_FROM_COUNTER, /* its number */
		PERF_FROM_ROUTE,   /* the number of a slot of a port */
	} from;
	struct uc_place place;
};

/* A box of the family, and the PMUs that count it. */
struct perf_boxmap {
	const struct perf_box *pmus;	/* NULL: the kernel has none */
	struct perf_source *sources;	/* of each of its terms */
	const struct uc_alias *ports;	/* or NULL, see uc_alias_kind */
	uint64_t fixed[PERF_NUM_WORDS]; /* of the fixed counter */
	bool has_fixed;
};

struct perf_map {
	const struct uc_family *family;
	const struct perf_pmus *pmus;
	struct perf_boxmap *boxes; /* as many as the family has */
};

/* False without memory; perf_map_free() in any case. */
bool perf_map_make(struct perf_map *map, const struct uc_family *family,
		   const struct perf_pmus *pmus);
void perf_map_free(struct perf_map *map);

/* The instance of its PMU that has a counter of an instance of the box. */
unsigned perf_map_instance(const struct perf_map *map, unsigned box,
			   unsigned instance, unsigned counter);

/* A counter and what the registers that choose its event hold: `view` is that
 * of the box, by roles and as if it were slot 0. */
struct perf_asked {
	unsigned box, counter;
	bool is_fixed;
	const struct uc_route *route;
	uint64_t view[UC_NUM_ROLES];
};

/* The kernel's words for it. */
void perf_map_words(const struct perf_map *map, const struct perf_asked *asked,
		    uint64_t words[PERF_NUM_WORDS]);

#endif
