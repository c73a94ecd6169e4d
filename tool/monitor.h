/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Counting that goes on while somebody looks: a *sweep* reads all counters
 * once, and tells how far the run has come, what each count has grown to and
 * what the metrics are, since the start and since the sweep before. It prints
 * nothing but the sentences of what fails, and it waits for nothing: whoever
 * watches does, and calls monitor_sweep() when he wants to know.
 *
 *     monitor_open(&monitor, &settings, "uncore top");
 *     monitor_start(&monitor);
 *     monitor_drive(&monitor, others, context);
 *     monitor_stop(&monitor);
 *     monitor_close(&monitor, status);
 *
 * All of it from one thread at a time. Functions that return an int return an
 * exit code after a sentence (tool_fail()).
 */
#ifndef UNCORE_TOOL_MONITOR_H
#define UNCORE_TOOL_MONITOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "counting.h"
#include "uncore/metric.h"

/* An event in one box of one socket, as of the last sweep. The number of it
 * stays the same from sweep to sweep. */
struct monitor_count {
	const struct uncore_event *event;
	unsigned socket, instance;
	bool valid;	    /* else the reason says why there is no count */
	const char *reason; /* good until the next sweep; "" if none */
	/* Since the start; it never falls. Of what takes turns it is made of
	 * its turns, each standing for the time since the one before. */
	uint64_t total;
	/* Since the sweep before; NAN where it had no turn since then. */
	double growth;
	bool is_estimate; /* it takes turns with others */
	/* The same without what is estimated, as a recording has it: what was
	 * counted since the sweep before, in how many seconds of that time. */
	size_t event_index; /* of those of the set that are counted */
	uint64_t seen;
	double seen_seconds;
	/* --- */
	uint64_t all_seen; /* events that were counted really */
	double estimate;   /* the total, before it is rounded */
	double since_turn; /* seconds since the last sweep that found one */
};

enum monitor_part {
	MONITOR_WHOLE, /* from the start to the last sweep */
	MONITOR_SINCE, /* from the one before it to the last sweep */
};

/* Begins as all zero; what is above the line is there to be read. */
struct monitor {
	struct counting counting; /* target, events, metrics, session */
	uint64_t num_sweeps;
	struct uncore_metric_run whole, since; /* as of the last sweep */
	struct monitor_count *counts; /* event by event, socket by socket */
	size_t num_counts;
	double sweep_seconds; /* what the last sweep took, of wall time */
	double clock_hz;      /* that cycles are of; 0: nobody's clock tells */
	bool is_over;	      /* what is watched has ended */
	int exit_status;      /* of the program, after monitor_stop() */

	/* --- */
	bool runs, has_started;
	int status; /* an exit code, once a turn has failed */
	struct uncore_metric_run start; /* by the clocks */
	struct monitor_slice {
		double seconds, growth; /* in which it has counted */
	} * slices;
	size_t num_slices;
	struct uncore_metric_source *source; /* of the last sweep, or NULL */
};

/* Opens what is to be watched, with the metrics of the summary where neither
 * events nor metrics are named. In any case monitor_close() is to be called,
 * which returns status or what --check found. The settings must outlive it. */
int monitor_open(struct monitor *monitor,
		 const struct counting_settings *settings, const char *command);
int monitor_close(struct monitor *monitor, int status);

/* Starts the program, if any, and counting. From here on Ctrl-C, SIGTERM and
 * SIGHUP end what is watched (run.h), and is_over tells so. */
int monitor_start(struct monitor *monitor);

/* Parts of these two, for who opens a session and runs what is watched himself:
 * room for its counts, and the start of counting; the seconds since then; and
 * its turn, where it is due, of which a failure ends the run. */
void monitor_make_room(struct monitor *monitor);
int monitor_begin(struct monitor *monitor);
double monitor_now(const struct monitor *monitor);
void monitor_turn(struct monitor *monitor, double now);

/* Does what is due (a model in this process works, or a stepped clock is
 * stepped, for a fiftieth of a second of wall time) until it is over, which
 * sets is_over, also where the registers are gone; or until `others` has had
 * enough and returns false. This is called in between, and may wait for others
 * for so many seconds; 0: there is more to do now. An exit code. */
int monitor_drive(struct monitor *monitor,
		  bool (*others)(void *context, double seconds), void *context);

/* Reads all counters. */
int monitor_sweep(struct monitor *monitor);

/* Ends the program, if one runs, and counting, with a last sweep. */
int monitor_stop(struct monitor *monitor);

/* The value of metric number `chosen` of counting.set.metrics as of the last
 * sweep, in a socket or (-1) in all of the machine. Of WATCH_SINCE it is not
 * valid at the first sweep; of events that take turns it has no error, and
 * monitor_takes_turns() tells so. */
void monitor_metric(struct monitor *monitor, size_t chosen,
		    enum monitor_part native, int socket,
		    struct uncore_metric_value *value);

/* The most that a metric can be, judged by a time as the one between the last
 * two sweeps, but so many times as long; NAN where there is no limit. */
double monitor_most(const struct monitor *monitor, size_t chosen, int socket,
		    double times);

/* Whether events that a metric is made of take turns. */
bool monitor_takes_turns(const struct monitor *monitor, size_t chosen);

#endif
