/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Between the files of a subject: what its options say.
 */
#ifndef UNCORE_TOOL_SUBJECT_SETTINGS_H
#define UNCORE_TOOL_SUBJECT_SETTINGS_H

#include <stdbool.h>

struct subject_settings;

/* Whether all that goes together; an exit code. */
int subject_settings_check(const struct subject_settings *settings,
			   const char *command);

/* Whether a model in this process is asked for by what was said. */
bool subject_wants_model(const struct subject_settings *settings);

/* Whether --detail goes with what is looked at, of which `part` (NULL: none) is
 * an option that makes it a part of the run, or such that all is in detail; an
 * exit code. */
int subject_settings_detail(struct subject_settings *settings,
			    const char *part);

#endif
