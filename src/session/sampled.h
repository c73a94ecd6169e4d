/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * A session on a model that works out the time of windows only
 * (docs/sampled.md): facts of state are counted, all else is estimated from the
 * windows. A session without it has nothing of this.
 */
#ifndef UNCORE_SESSION_SAMPLED_H
#define UNCORE_SESSION_SAMPLED_H

#include "session/session.h"

/* The session begins to count, or ends: it is told of windows in between.
 * Nothing where the target has none. */
int sampled_start(struct uncore_session *session);
void sampled_stop(struct uncore_session *session);
void sampled_free(struct uncore_session *session);

/* A count of rows of one event, which holds what was counted, becomes what is
 * to be told of it. */
void sampled_count(const struct uncore_session *session, const size_t *rows,
		   size_t num, struct uncore_count *count);

/* As uncore_session_estimate(), and uncore_session_cycles() of the whole run.
 */
bool sampled_estimate(const struct uncore_session *session, const size_t *rows,
		      size_t num, struct uncore_estimate *estimate);
bool sampled_time(const struct uncore_session *session,
		  struct uncore_estimate *estimate); /* of the cycles */
bool sampled_cycles(const struct uncore_session *session, uint64_t *cycles);

/* Whether all that is told is about a part of the run. */
bool sampled_tells_part(const struct uncore_session *session);

#endif
