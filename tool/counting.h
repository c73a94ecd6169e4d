/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What counts, opened: what is looked at, the events that are counted on it and
 * the session that counts them, for every command that shows counts while or
 * after something runs.
 */
#ifndef UNCORE_TOOL_COUNTING_H
#define UNCORE_TOOL_COUNTING_H

#include <stdbool.h>
#include <stddef.h>

#include "event_set.h"
#include "target.h"

struct uncore_session;

/* As given on the command line; it must outlive what is opened with it. */
struct counting_settings {
	const struct target_settings *target;
	const struct event_list *events;
	const char *metrics; /* names and categories; NULL: none given */
	/* Without events and metrics: of a model these, NULL: "summary". */
	const char *summary;
	const struct option_texts *metric_files;
	bool no_multiplex, takes_turns, force;
};

/* The same of a command's settings, whose members have these names. */
#define COUNTING_OF(SETTINGS)                                                  \
	(struct counting_settings)                                             \
	{                                                                      \
		.target = &(SETTINGS)->target, .events = &(SETTINGS)->events,  \
		.metrics = (SETTINGS)->metrics,                                \
		.metric_files = &(SETTINGS)->metric_files,                     \
		.no_multiplex = (SETTINGS)->no_multiplex,                      \
		.takes_turns = (SETTINGS)->takes_turns,                        \
		.force = (SETTINGS)->force,                                    \
	}

/* Begins as all zero. */
struct counting {
	struct target target;
	struct event_set set;
	struct uncore_session *session; /* NULL: nothing of it can count */
	double next_turn; /* by the clock of who counts; INFINITY: none */
};

/* Registers or model, events, metrics (where neither was named, those of the
 * summary), session: an exit code. In any case counting_close() is to be
 * called, which returns status or what --check found. `command` ("uncore stat")
 * is for the messages. */
int counting_open(struct counting *counting,
		  const struct counting_settings *settings,
		  const char *command);
int counting_close(struct counting *counting, int status);

/* The last step of these alone: the session, for a set of events. */
int counting_open_session(struct counting *counting,
			  const struct counting_settings *settings);

/* Counting begins; an exit code. When next_turn has come, counting_rotate() is
 * the next slice's turn; with one slice it is a read, so that a counter that
 * wraps is no loss. A code of the library's. */
int counting_begin(struct counting *counting, double now);
int counting_rotate(struct counting *counting, double now, char **error);

/* Takes all counts, or ends counting; an exit code. */
int counting_read(struct counting *counting);
int counting_stop(struct counting *counting);

/* Whether not all events fit into the counters, so that they take turns; in so
 * many slices. */
size_t counting_slices(const struct counting *counting);
bool counting_takes_turns(const struct counting *counting);

/* Cycles of the uncore from the start to the last read, as its fixed counter
 * told them; 0: it was not counted. */
uint64_t counting_clock(const struct counting *counting);

#endif
