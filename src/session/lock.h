/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * One session per socket at a time, wherever several processes reach the same
 * registers. A lock is a file in the state folder that is held while its owner
 * lives, with the owner's process, command and time in it.
 */
#ifndef UNCORE_SESSION_LOCK_H
#define UNCORE_SESSION_LOCK_H

#include <stddef.h>

struct session_lock;
struct uncore_target;

/* Process, command and time as the lines of a lock or a journal. */
struct lock_owner {
	long process;
	char command[512];
	char since[32];
};

/* This process's command line, and that of a number in /proc, to be freed. */
char *lock_command(void);
char *lock_command_of(const char *process);

/* Takes all sockets of a target, or none: UNCORE_ERR_IN_USE and who has it.
 * *lock is NULL where nobody else can be. */
int lock_take(const struct uncore_target *target, const char *command,
	      struct session_lock **lock, char **error);

/* Between these two, whoever else takes or gives back registers of these
 * places waits, whatever its state folder is: counters of ours that stand still
 * look as if they were nobody's. Who cannot be waited for, as he does not end
 * within two seconds or the place cannot be opened, is not. A second lock_enter
 * changes nothing; lock_drop leaves, too. */
void lock_enter(struct session_lock *lock, const struct uncore_target *target);
void lock_leave(struct session_lock *lock);

/* Lets go and frees; NULL is allowed. */
void lock_drop(struct session_lock *lock);

/* Who has a place: looks, and takes nothing. Of a lock that is held or of a
 * journal that was left *owner is told. */
enum lock_holder { LOCK_FREE, LOCK_HELD, LOCK_LEFT };
enum lock_holder lock_look(const char *folder, const char *place,
			   struct lock_owner *owner);

/* The folder of locks and journals, to be freed. */
char *lock_user_folder(void);

/* Path of the journal of the locked place, and the folder it is in; NULL where
 * there is no lock. */
const char *lock_journal(const struct session_lock *lock);
const char *lock_folder(const struct session_lock *lock);

/* Writes and reads those lines; `size` bytes of text. */
int lock_print_owner(char *text, size_t size, const char *command);
void lock_scan_owner(const char *text, struct lock_owner *owner);

#endif
