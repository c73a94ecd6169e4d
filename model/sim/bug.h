/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The end of a model that cannot go on: a sentence, then abort().
 */
#ifndef SIM_BUG_H
#define SIM_BUG_H

/* What can never be, has been: a fault of ours. */
#define BUG(what) bug(what, __FILE__, __LINE__)
void bug(const char *what, const char *file, int line)
	__attribute__((noreturn));

/* There is no caller of an event that could do anything sensible without the
 * memory for it. */
void bug_no_memory(void) __attribute__((noreturn));

#endif
