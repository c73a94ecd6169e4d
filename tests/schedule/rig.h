/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Random events of a family, with a liking for those that want the same.
 */
#ifndef UNCORE_TESTS_SCHEDULE_RIG_H
#define UNCORE_TESTS_SCHEDULE_RIG_H

#include <stdint.h>

#include "uncore/model.h"
#include "uncore/uncore.h"

enum { RIG_MAX_EVENTS = 256, RIG_MAX_TEXT = 160 };

struct rig {
	const struct uncore_family *family;
	uint64_t random;
	struct uncore_event *events[RIG_MAX_EVENTS];
	size_t num_events;
};

/* 0 to n - 1. */
unsigned rig_random(struct rig *rig, unsigned n);

void rig_start(struct rig *rig, const char *machine, uint64_t seed);

/* One more event: of a box that is one of `num_boxes` chosen by the seed, with
 * options=true now and then of one instance, counter or slot only. */
void rig_add(struct rig *rig, unsigned num_boxes, bool options);

/* One that the text says; fails the test where it is none. */
void rig_add_text(struct rig *rig, const char *text);

void rig_end(struct rig *rig);

#endif
