/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Counting: a list of events on all sockets of a target, from start to stop.
 * What cannot be counted at the same time is refused when the session is
 * opened; nothing is written then.
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
struct uncore_session;
struct uncore_target;

/* One count: an event in one box of one socket. */
struct uncore_count {
	const struct uncore_event *event;
	size_t event_index; /* in the list given to uncore_session_open() */
	unsigned socket;
	unsigned instance; /* of the box */
	uint64_t value;	   /* events since the start */
	bool valid;	   /* false: value could not be had, reason says why */
	const char *note;  /* what was done to the value, "" if nothing */
	const char *reason;
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

/* Puts the registers back as they were before the start, and frees it. */
void uncore_session_close(struct uncore_session *session);

#ifdef __cplusplus
}
#endif

#endif
