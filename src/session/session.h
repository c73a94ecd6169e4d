/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The inside of a session, shared by its files.
 */
#ifndef UNCORE_SESSION_SESSION_H
#define UNCORE_SESSION_SESSION_H

#include "event/event.h"
#include "uncore/session.h"

enum session_state { SESSION_OPEN, SESSION_RUNNING, SESSION_STOPPED };

struct session_count {
	size_t event;
	unsigned socket;
	unsigned instance;
	uint64_t last;	/* the counter at the last read */
	uint64_t value; /* counted so far, before any multiplier */
	bool valid;
};

struct uncore_session {
	struct uncore_target *target;
	const struct uncore_event **events;
	size_t num_events;
	struct uncore_plan *plan;
	struct uncore_write *writes; /* of one socket, the enable last */
	uint64_t *saved;	     /* num_writes values per socket */
	size_t num_writes;
	struct session_count *counts;
	size_t num_counts;
	uint64_t start_cycle, stop_cycle; /* UNCORE_NO_CYCLE: not known */
	double start_seconds, stop_seconds;
	enum session_state state;
};

#endif
