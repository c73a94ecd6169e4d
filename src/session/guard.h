/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Whether somebody else has changed what a session has set: registers that
 * others reach, too, are read back after they are written, and whenever
 * counters are read. In each box a counter that is not used holds a number that
 * nobody else would write there, so that a reset of all counters is seen, and
 * another session that has programmed the same events.
 *
 * What was changed is kept for each unit (session_unit.why): its counts are
 * known no more.
 */
#ifndef UNCORE_SESSION_GUARD_H
#define UNCORE_SESSION_GUARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct session_batch;
struct uc_register;
struct uncore_session;
struct uncore_target;

/* Chooses the counters that hold a number; before registers are saved. */
void guard_choose(struct uncore_session *session);
/* The writes of these numbers, to be done before anything counts. */
void guard_put(const struct uncore_session *session,
	       struct session_batch *batch);

/* Where this session takes counters that somebody has enabled (--force): if
 * that is a session, too, it will see it, even after all has been put back.
 * Once registers are saved; an error where they cannot be accessed. */
int guard_tell_others(struct uncore_session *session, char **error);

/* Whether another session's number is in some counter: it counts, though
 * nothing may move, or was killed. */
int guard_find(struct uncore_target *target, bool *is_there, char **error);

/* Reads for a batch, and what became of them, `first` being the first. Where
 * the session has stopped, only what stopping has not changed. */
void guard_ask(const struct uncore_session *session,
	       struct session_batch *batch);
void guard_take(struct uncore_session *session,
		const struct session_batch *batch, size_t first);

/* Both at once; an error only where registers cannot be read. */
int guard_look(struct uncore_session *session, char **error);

/* A sampler has set bits of a register besides, in all sockets; and it has
 * found a value that only somebody else can have written. */
void guard_expect(struct uncore_session *session, const struct uc_register *reg,
		  uint64_t bits);
void guard_note(struct uncore_session *session, unsigned socket,
		const struct uc_register *reg, uint64_t value);
/* A counter holds less than before, and has not gone round. */
void guard_note_set_back(struct uncore_session *session, unsigned socket,
			 const struct uc_register *counter);

/* What was changed first, or NULL. */
const char *guard_why(const struct uncore_session *session);

#endif
