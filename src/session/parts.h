/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Where there are as many PMUs as one likes (a model), nobody takes turns: each
 * slice of a schedule gets a PMU of its own, and a session of its own, which
 * counts from the start to the stop. A session that has such parts is nothing
 * but their list: the calls of uncore/session.h go to all of them, and counts
 * come from the part that has the event.
 */
#ifndef UNCORE_SESSION_PARTS_H
#define UNCORE_SESSION_PARTS_H

#include "session/session.h"

/* A session for each slice of the schedule, which has been made. */
int parts_make(struct uncore_session *session,
	       struct uncore_event *const *events,
	       const struct uncore_session_options *options, char **error);
void parts_free(struct uncore_session *session);

/* What the call of that name does for each part, as long as none fails. */
int parts_start(struct uncore_session *session, char **error);
int parts_read(struct uncore_session *session, char **error);
int parts_read_estimated(struct uncore_session *session, char **error);
int parts_rotate(struct uncore_session *session, char **error);
int parts_stop(struct uncore_session *session, char **error);

bool parts_cycles(const struct uncore_session *session, uint64_t *cycles);
/* That of them all. */
bool parts_slice_time(const struct uncore_session *session,
		      struct uncore_slice_time *time);
bool parts_count(const struct uncore_session *session, size_t index,
		 struct uncore_count *count);
uint64_t parts_seen(const struct uncore_session *session, size_t index);
bool parts_sum(const struct uncore_session *session, const size_t *indices,
	       size_t num, struct uncore_count *sum);

#endif
