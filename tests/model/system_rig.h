/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * A machine whose cores and I/O hubs do what short scripts say, and whose
 * events are counted from its reset on.
 */
#ifndef UNCORE_TESTS_SYSTEM_RIG_H
#define UNCORE_TESTS_SYSTEM_RIG_H

#include "model/model.h"
#include "uncore/model.h"
#include "uncore/uncore.h"

enum {
	SYSTEM_TEXTS = 16,
	SYSTEM_CPUS = 80,
	SYSTEM_HUBS = 4,
	SYSTEM_STEPS = 4,
	SYSTEM_EVENTS = 16,
	SYSTEM_ALL = -1,
};

/* Its accesses in turn, so often; `spread` is added to line each time. */
struct script {
	struct uncore_access steps[SYSTEM_STEPS];
	unsigned num_steps, repeat;
	uint64_t spread;
	bool waits; /* has nothing later, instead of never again */
};

struct system {
	const char *machine; /* NULL: xeon-e7 */
	unsigned sockets;
	const char *settings[SYSTEM_TEXTS], *faults[SYSTEM_TEXTS];
	struct script cpus[SYSTEM_CPUS], hubs[SYSTEM_HUBS];
	/* What system_start() makes */
	struct uncore_model *model;
	unsigned done_cpus[SYSTEM_CPUS], done_hubs[SYSTEM_HUBS];
	struct uncore_target *target;
	struct uncore_event *events[SYSTEM_EVENTS];
	struct uncore_session *session;
	unsigned num_events;
};

/* The machine after reset, its events (up to the first NULL) counting and its
 * traffic set, but not a cycle past. Traffic is checked by --check. */
void system_start(struct system *system, const char *const *events);

/* Runs until all is done. */
void system_finish(struct system *system);

/* All of that with no event: the cycles that it took. */
uint64_t system_takes(struct system *system);

/* Event n, summed over boxes of a socket or of all. */
uint64_t system_read(struct system *system, unsigned n, int socket);

/* Whatever was checked was right. */
void system_end(struct system *system);

/* All of that for one event. */
uint64_t system_count(struct system *system, int socket, const char *event);

/* The test fails where that count is another. */
void system_counts(struct system *system, int socket, const char *event,
		   uint64_t expected);

#endif
