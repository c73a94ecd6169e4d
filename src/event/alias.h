/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What turns words of others into ours (alias.c).
 */
#ifndef UNCORE_EVENT_ALIAS_H
#define UNCORE_EVENT_ALIAS_H

#include "event/event.h"

#define ALIAS_KERNEL_PREFIX "uncore_"

/* Upper and lower case are the same. */
bool alias_begins(const char *text, const char *start);

/* [uncore_]BOX[_N]/WORDS/: whether the text is that, and not our own. */
bool alias_is_kernel(const struct uc_family *family, const char *text);
int alias_kernel(const struct uc_family *family, const char *text,
		 struct text *ours);

/* [PMU::]UNC_EVENT[:MASK...][:MODIFIER...]: whether it is that. */
bool alias_is_libpfm(const char *text);
int alias_libpfm(const struct uc_family *family, const char *text,
		 struct text *ours, char **error);

/* What an option is called here that is `kernel` in the words of the kernel:
 * ours, where that has no row for it. */
const char *alias_option(const struct uc_family *family, unsigned box,
			 const char *kernel, const char *ours);

/* NAME:COUNTER[:OPTION...]; the error says what of it is not known here. */
int alias_likwid(const struct uc_family *family, const char *text,
		 struct text *ours, char **error);

#endif
