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

/* uncore_BOX[_N]/WORDS/ */
int alias_kernel(const struct uc_family *family, const char *text,
		 struct text *ours);

/* NAME:COUNTER[:OPTION...]; the error says what of it is not known here. */
int alias_likwid(const struct uc_family *family, const char *text,
		 struct text *ours, char **error);

#endif
