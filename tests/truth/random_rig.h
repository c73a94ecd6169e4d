/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Random everything, from a seed: a machine with random settings, cores and
 * devices that do anything that traffic may do, events and filters that count
 * whatever.
 */
#ifndef UNCORE_TESTS_RANDOM_RIG_H
#define UNCORE_TESTS_RANDOM_RIG_H

#include <stdbool.h>
#include <stdint.h>

#include "model/box/privcache.h"
#include "model/model.h"
#include "uncore/model.h"
#include "uncore/uncore.h"

enum {
	CHAOS_MAX_CORES = 80,
	CHAOS_MAX_HUBS = 4,
	CHAOS_MAX_EVENTS = 24,
	CHAOS_MAX_REQUESTS = PRIVCACHE_MAX_REQUESTS + 2,
	CHAOS_TEXT = 4096,
};

/* What is asked for; the rest follows from the seed. */
struct chaos_plan {
	const char *machine;
	unsigned sockets;
	uint64_t seed;
	uint64_t transactions; /* about so many */
	bool plain;	       /* loads, stores and fetches only */
};

/* A core or a hub. */
struct chaos_agent {
	uint64_t random;
	uint64_t left;
	struct privcache cache;
	struct uncore_access requests[CHAOS_MAX_REQUESTS];
	unsigned first, num_requests;
};

struct chaos {
	struct chaos_plan plan;
	struct uncore_model *model;
	struct uncore_target *target;
	struct uncore_session *session;
	struct uncore_event *events[CHAOS_MAX_EVENTS];
	unsigned num_events;
	uint64_t random; /* of what is done from outside */
	unsigned num_cores, num_hubs;
	unsigned lines, stride, gap;
	bool at_one_home;
	unsigned weights[UNCORE_NUM_ACCESS_KINDS];
	unsigned sum_of_weights;
	struct chaos_agent cores[CHAOS_MAX_CORES], hubs[CHAOS_MAX_HUBS];
	char settings[CHAOS_TEXT]; /* what the machine is, for whoever asks */
};

/* NULL where the settings that came up contradict each other: no machine. */
struct chaos *chaos_new(const struct chaos_plan *plan);
void chaos_free(struct chaos *chaos);

/* Runs to the end. What is wrong, as a sentence, or NULL. */
const char *chaos_run(struct chaos *chaos);

/* Accesses of cores, and lines that devices have read or written. */
uint64_t chaos_transactions(const struct chaos *chaos);

/* A number below `end`. */
uint64_t chaos_random(uint64_t *state, uint64_t end);

/* random_machine.c: settings of the machine, and what is counted. */
struct uncore_model *chaos_machine(struct chaos *chaos);
void chaos_count(struct chaos *chaos);
void chaos_disturb(struct chaos *chaos);

/* random_traffic.c */
void chaos_traffic(struct chaos *chaos, struct uncore_traffic *traffic);

#endif
