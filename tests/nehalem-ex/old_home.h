/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The home agent that was made of events, in a whole machine in which a core or
 * a device does something now and then: what comes to B-Box 0 of socket 0, what
 * it publishes, and how long its M-Box takes.
 */
#ifndef UNCORE_TESTS_OLD_HOME_H
#define UNCORE_TESTS_OLD_HOME_H

#include "home_rig.h"
#include "model/model.h"
#include "model/pmu/counter.h"

enum { CYCLES = 9000, STEPS = 3, NODES = 8, CLASSES = 3, OPCODES = 16 };
enum { MESSAGES = 64, HUB = 100 };

struct step {
	unsigned who; /* core of the system, or HUB */
	uint8_t kind;
	unsigned gap; /* before it */
};

struct scene {
	const char *name;
	unsigned sockets;
	const char *settings[3];
	struct step steps[STEPS];
	uint8_t requesters[NODES]; /* of the requests, in their order */
	uint8_t sources[NODES];	   /* of the answers */
};

struct message {
	uint64_t at;
	uint8_t mc, opcode;
};

struct old {
	const struct scene *scene;
	struct uncore_model *model;
	uint64_t line;
	unsigned fetched; /* steps: a bit each */
	struct rig_moment traces[EX_SIDES][CYCLES];
	struct counter counters[CLASSES][OPCODES];
	struct message messages[MESSAGES];
	unsigned num_messages;
};

/* A machine that has run for CYCLES; to be freed. */
struct old *old_run(const struct scene *scene);
void old_free(struct old *old);

/* How long each entry of the IMT was held, in the order in which they were
 * taken; their number. */
unsigned old_durations(const struct old *old, unsigned side, uint64_t *lengths);

/* The first message of a class that has not been taken; NULL: there is none. */
const struct message *old_take(struct old *old, unsigned mc);

#endif
