/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What the registers held before a session, in a file that is there as long as
 * they hold something else.
 */
#ifndef UNCORE_SESSION_JOURNAL_H
#define UNCORE_SESSION_JOURNAL_H

struct saved;
struct session_lock;
struct uncore_target;

/* On the disk when it returns. Nothing is done where there is no lock. */
int journal_write(const struct uncore_target *target, const char *owner,
		  const struct saved *saved, const struct session_lock *lock,
		  char **error);

void journal_remove(const struct session_lock *lock);

#endif
