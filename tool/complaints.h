/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What the model's PMU complains of, for a command that runs for days: the same
 * complaint is told again only when it has come ten times as often, and a flood
 * of different ones is cut.
 */
#ifndef UNCORE_TOOL_COMPLAINTS_H
#define UNCORE_TOOL_COMPLAINTS_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

enum { COMPLAINTS_KEPT = 64, COMPLAINT_LENGTH = 240 };

struct complaint {
	char text[COMPLAINT_LENGTH];
	uint64_t num, num_told;
};

/* Zeroed at first. */
struct complaints {
	bool is_held; /* told by complaints_finish(), not before */
	struct complaint kept[COMPLAINTS_KEPT]; /* a ring, the latest ones */
	unsigned next;
	unsigned num_told; /* in this second */
	uint64_t num_left_out;
	time_t second;
};

/* For uncore_model_config_log(); the context is a struct complaints. */
void complaints_log(void *context, const char *text);

/* Tells those that were held back, and how often those came that were not told
 * each time. */
void complaints_finish(struct complaints *complaints);

#endif
