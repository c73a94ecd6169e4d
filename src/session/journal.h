/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What the registers held before a session, in a file that is there as long as
 * they hold something else.
 */
#ifndef UNCORE_SESSION_JOURNAL_H
#define UNCORE_SESSION_JOURNAL_H

#include <stdbool.h>

#include "session/lock.h"
#include "session/saved.h"

/* On the disk when it returns. Nothing is done where there is no lock. */
int journal_write(const struct uncore_target *target, const char *command,
		  const struct saved *saved, const struct session_lock *lock,
		  char **error);

void journal_remove(const struct session_lock *lock);

/* The journal that somebody left who died: 1 and what it says (to be freed with
 * saved_free()), 0 if there is none, or an error. The lock must be held. */
int journal_read(const struct uncore_target *target,
		 const struct session_lock *lock, struct saved *saved,
		 struct lock_owner *owner, char **error);

/* Before a session begins: a journal of registers that are as they were is
 * removed; others are refused with UNCORE_ERR_IN_USE, or put back first
 * (force). */
int journal_check(struct uncore_target *target, const struct session_lock *lock,
		  bool force, char **error);

#endif
