/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Cores that fight over lines, and a checker that knows only what the public
 * interface says: which core asked for what, and what was taken from it. At
 * rest it compares that with the tags of the slices.
 */
#ifndef UNCORE_TESTS_COHERENCE_RIG_H
#define UNCORE_TESTS_COHERENCE_RIG_H

#include <stdbool.h>
#include <stdint.h>

#include "model/box/privcache.h"
#include "model/model.h"

enum { RIG_MAX_CORES = 80, RIG_MAX_SETTINGS = 6 };

/* Of all fights, until it is set anew. */
extern const char *rig_machine;

struct fight {
	unsigned sockets;
	unsigned threads; /* over all sockets, in turn; at most one a core */
	unsigned lines;	  /* all threads use all of them */
	unsigned count;	  /* uses per thread */
	unsigned write_percent;
	unsigned code_percent; /* instruction fetches */
	unsigned gap;	       /* instructions between two uses, at most */
	unsigned seed;
	unsigned stride;      /* in lines; 0: 1 */
	unsigned prefetchers; /* PREFETCH_*; of others' lines, too */
	unsigned llc_ahead;   /* as core.llc_prefetch */
	bool at_one_home;     /* all lines in the memory of socket 0 */
	const char *settings[RIG_MAX_SETTINGS];
};

struct fighter {
	struct privcache cache;
	struct privcache_request requests[PRIVCACHE_MAX_REQUESTS];
	unsigned first, num_requests, left;
	uint64_t random;
	uint32_t gap;
};

struct rig {
	struct fight fight;
	struct uncore_model *model;
	unsigned cores_per_socket;
	uint64_t num_requests; /* handed over */
	struct fighter fighters[RIG_MAX_CORES];
};

struct rig *rig_new(const struct fight *fight);
void rig_free(struct rig *rig);

/* The physical address / 64 of line number index. */
uint64_t rig_line(const struct rig *rig, unsigned index);

/* Runs until all is done, looking at the slices every step_cycles (0: only at
 * the end); fails the test when that takes too long. */
void rig_run(struct rig *rig, uint64_t step_cycles);

/* Single writer over the slices of all sockets: holds in every cycle. */
void rig_check_slices(const struct rig *rig);

/* At rest: private caches against slices, and every credit is back. */
void rig_check_rest(struct rig *rig);

#endif
