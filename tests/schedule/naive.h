/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Whether events fit together, found out the long way (docs/estimates.md): all
 * ways to write each of them, all register contents ORed, and a look through
 * the eyes of the model's PMU whether each counter would still count what it
 * counts when its event is alone.
 */
#ifndef UNCORE_TESTS_SCHEDULE_NAIVE_H
#define UNCORE_TESTS_SCHEDULE_NAIVE_H

#include "model/pmu/decode.h"
#include "rig.h"

enum {
	NAIVE_MAX_EVENTS = 12,
	NAIVE_MAX_WAYS = 8,
	NAIVE_MAX_WRITES = 24,
	NAIVE_MAX_PLACES = 256,
};

/* One way to write an event in one box instance: which registers get what, and
 * what the counter then counts. */
struct naive_way {
	uint64_t address[NAIVE_MAX_WRITES];
	uint64_t value[NAIVE_MAX_WRITES];
	unsigned num_writes;
	uint64_t control_address;
	uint64_t control;
	unsigned counter; /* where it was looked at */
	struct expression alone;
};

struct naive_event {
	struct naive_way ways[NAIVE_MAX_WAYS];
	unsigned num_ways;
	uint32_t counters;
	int box; /* -1: the event is not in this instance */
};

/* The events of a rig in one box instance. */
struct naive {
	const struct rig *rig;
	struct register_file registers;
	unsigned box, instance;
	struct naive_event events[NAIVE_MAX_EVENTS];
	uint64_t *places[NAIVE_MAX_PLACES]; /* of the instance's registers */
	unsigned num_places;
	struct expression scratch;
};

void naive_start(struct naive *naive, const struct rig *rig, unsigned box,
		 unsigned instance);
void naive_end(struct naive *naive);

/* Whether the events of a set (bit n: event n) that are in this instance fit
 * together. */
bool naive_fits(struct naive *naive, unsigned set);

#endif
