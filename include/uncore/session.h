/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Counting: a list of events on all sockets of a target, from start to stop.
 * Events that cannot count at the same time take turns: a session goes through
 * the slices of a schedule (schedule.h) as often as uncore_session_rotate() is
 * called, and tells what it did not see from what it saw. On a model in this
 * process each slice has a PMU of its own instead, and all counts are exact.
 *
 * Functions return 0 or a negative UNCORE_ERR_*; see error.h for `char
 * **error`.
 */
#ifndef UNCORE_SESSION_H
#define UNCORE_SESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct uncore_event;
struct uncore_group;
struct uncore_schedule;
struct uncore_session;
struct uncore_target;

/* How to count; all zero but the size is the default. */
struct uncore_session_options {
	size_t struct_size;		   /* sizeof, by the caller */
	const struct uncore_group *groups; /* events a figure needs together */
	size_t num_groups;
	bool no_multiplex; /* refuse what does not fit into one slice */
	bool takes_turns;  /* on a model, too, as a processor has to */
	bool force;	   /* take a PMU that is in use by somebody else */
	uint64_t seed;	   /* of the order in which slices take turns */
	const char *owner; /* what others are told who is in their way; NULL:
			    * this process's command line */
};

/* How much of a valid count or metric is worth telling. */
enum uncore_telling {
	UNCORE_TELL_VALUE, /* the value; of an estimate with its error */
	UNCORE_TELL_ABOUT, /* "about" the value: it is less than 100 % off */
	UNCORE_TELL_FEWER, /* "fewer than" value + error */
};

/* One count: an event in one box of one socket. */
struct uncore_count {
	const struct uncore_event *event;
	size_t event_index; /* in the list given to uncore_session_open() */
	unsigned socket;
	unsigned instance; /* of the box */
	uint64_t value; /* events since the start; an estimate if is_estimate */
	uint64_t seen;	/* events that were counted really */
	double share;	/* part of the time in which it counted, 0 to 1 */
	double seconds; /* that its own box counted it: what rates divide by */
	/* Of an estimate: the standard error of value, and the half width of
	 * the interval around it that holds the true count 99 times in 100 (95
	 * of a sampled run); NAN where that cannot be told: see reason. 0
	 * where nothing was missed. */
	double standard_error, error;
	enum uncore_telling telling;
	bool is_estimate;      /* it took turns with others, or was counted in
			   * windows of the run */
	bool may_have_wrapped; /* read too late to be sure: see reason */
	bool valid;	    /* false: value could not be had, reason says why */
	const char *note;   /* what was done to the value, "" if nothing */
	const char *reason; /* of what is wrong with it, "" if nothing is */
};

/* Whether an event can count anything on a target: UNCORE_ERR_NOT_MODELLED
 * where a model has no mechanism for it. */
int uncore_session_can_count(struct uncore_target *target,
			     struct uncore_event *event, char **error);

/* Counters for the events on every socket. Target and events must outlive the
 * session. */
int uncore_session_open(struct uncore_target *target,
			struct uncore_event *const *events, size_t num_events,
			struct uncore_session **session, char **error);

/* The same with options (NULL: the default). Events that do not fit together
 * take turns. A PMU that counts for somebody else, or that another session has,
 * is refused (UNCORE_ERR_IN_USE) with a sentence that says who, as far as can
 * be known. */
int uncore_session_open_with(struct uncore_target *target,
			     struct uncore_event *const *events,
			     size_t num_events,
			     const struct uncore_session_options *options,
			     struct uncore_session **session, char **error);

/* The schedule that it goes through; as long as the session. NULL where nobody
 * takes turns although the events do not fit into one PMU. */
const struct uncore_schedule *
uncore_session_schedule(const struct uncore_session *session);

/* Ends the turn of the present slice and begins the next one's; with one slice
 * it is a read that writes nothing. When to call it: after
 * uncore_session_turn_seconds() of the model's time where its clock is stepped,
 * of wall time elsewhere. Turns grow with the run, so that a short run has
 * enough of them and a long one does not write all the time; with one slice
 * they last as long as uncore_session_read_seconds(). */
int uncore_session_rotate(struct uncore_session *session, char **error);
double uncore_session_turn_seconds(const struct uncore_session *session);

/* After how many seconds at most a read (or a turn) is due, so that no counter
 * can wrap twice in between. One that comes too late marks counts as
 * may_have_wrapped. */
double uncore_session_read_seconds(const struct uncore_session *session);

/* How long a slice of the schedule has counted so far, up to the last read. */
struct uncore_slice_time {
	double seconds;
	uint64_t cycles; /* UNCORE_NO_CYCLE: not known */
	uint64_t turns;
};
bool uncore_session_slice_time(const struct uncore_session *session,
			       size_t slice, struct uncore_slice_time *time);

/* Programs the counters from zero and starts them all with one write per
 * socket. */
int uncore_session_start(struct uncore_session *session, char **error);

/* Takes all counts; counting goes on, or has been stopped. */
int uncore_session_read(struct uncore_session *session, char **error);

/* Stops counting on all sockets. */
int uncore_session_stop(struct uncore_session *session, char **error);

/* Cycles from the start to the stop; false before, and where the target cannot
 * tell (see uncore_target_batch()). */
bool uncore_session_cycles(const struct uncore_session *session,
			   uint64_t *cycles);

/* Count number index of the last read, event by event, socket by socket, box by
 * box; false past the last one. */
bool uncore_session_count(const struct uncore_session *session, size_t index,
			  struct uncore_count *count);

/* The sum of counts of one event, with the error of the sum: turns are common
 * to all boxes, so errors of the parts do not add up like those of strangers.
 * Not valid, either, where an estimate would mean nothing: the run had too few
 * turns, or nearly all of it came in one or two of them.
 * False where an index is wrong or the events differ. */
bool uncore_session_sum(const struct uncore_session *session,
			const size_t *indices, size_t num,
			struct uncore_count *sum);

/* An event that took turns, in a sum of counts: its estimate, and what is
 * needed to tell how far a figure made from it may be off. A *cell* is a
 * stretch of the run, the same one for all events of a session. */
enum { UNCORE_MAX_CELLS = 32 };
struct uncore_estimate {
	double value;	    /* of the whole run */
	double share;	    /* part of the run that was seen, 0 to 1 */
	double seen;	    /* how often it was seen, in steps of its counter */
	double step;	    /* what one of these stands for in the value */
	double lost;	    /* variance of what its sub-counter lost */
	double hidden;	    /* the most that its sub-counter may have hidden */
	double level;	    /* how often an interval is to hold: 0.99 of turns,
			   * 0.95 of windows of a sampled run */
	size_t num_cells;   /* in which it counted; below 3 nothing is known of
			   * how far it may be off */
	size_t num_windows; /* of a sampled run that it is from; 0: of turns */
	double parts[UNCORE_MAX_CELLS]; /* of the value, from each cell */
	double rests[UNCORE_MAX_CELLS]; /* of them, what was not expected */
};

/* The estimate of a sum of counts of one event, from those slices of the
 * schedule that `slices` has true for, or from all (NULL). False where the
 * event has no turn in them that tells anything. */
bool uncore_session_estimate(const struct uncore_session *session,
			     const size_t *indices, size_t num,
			     const bool *slices,
			     struct uncore_estimate *estimate);

/* How much of a run was worked out in its time, where a model does so in
 * windows and estimates the rest (docs/sampled.md): known when
 * the session has been stopped. False: all of it was. */
struct uncore_sampling {
	uint64_t accesses; /* that left the private caches */
	double share;	   /* of them in detail, 0 to 1 */
	size_t windows;
	/* Half of the interval that the time, in seconds, lies in 95 times in
	 * 100; NAN: windows are too few to tell it. */
	double time_error;
	/* Why some of them were in detail that need not have been, half a
	 * sentence (NULL: none), and how many. */
	const char *reason;
	uint64_t kept;
};
bool uncore_session_sampling(const struct uncore_session *session,
			     struct uncore_sampling *sampling);

/* Of a sampled run: the part with this number begins, or ends, here. A part may
 * do so several times, and parts may overlap. Nothing where all is in detail,
 * and counts at its ends tell what came in it. */
int uncore_session_part(struct uncore_session *session, size_t number,
			bool begins, char **error);

/* After the stop: estimates, cycles and uncore_session_sampling() are those of
 * a part from now on, or of all (UNCORE_WHOLE), by the windows that came in it.
 * Counts that are no estimates stay those of all. False where the run is not
 * sampled, or has no such part. */
#define UNCORE_WHOLE SIZE_MAX
bool uncore_session_tell(const struct uncore_session *session, size_t number);

/* Puts the registers back as they were before the start, and frees it. */
void uncore_session_close(struct uncore_session *session);

/* The way back, for those who died while they counted: a session leaves a
 * journal of what the registers held before it, as long as they hold something
 * else. */
struct uncore_reset_options {
	size_t struct_size; /* sizeof, by the caller */
	bool all;   /* bring the whole PMU into the state after a hardware
		     * reset, journal or not */
	bool force; /* even if somebody who is no session counts with it */
};

/* Puts the registers back as the journal of a dead session says; *what (to be
 * freed) is a sentence about what was done. UNCORE_ERR_IN_USE while a session
 * lives, and with `all` while counters move. */
int uncore_reset(struct uncore_target *target,
		 const struct uncore_reset_options *options, char **what,
		 char **error);

#ifdef __cplusplus
}
#endif

#endif
