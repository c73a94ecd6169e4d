/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * `uncore stat --replay`: a recording as the traffic of a model.
 */
#ifndef UNCORE_TOOL_REPLAY_H
#define UNCORE_TOOL_REPLAY_H

struct machine_settings;
struct uncore_model;
struct uncore_replay;

/* A model of the recorded machine, changed as --set says, with the recording as
 * its traffic; `region` (its number as text, or NULL) is the next one to run,
 * after all before it. An exit code. */
int replay_open(const char *path, const char *region,
		const struct machine_settings *machine,
		struct uncore_model **model, struct uncore_replay **replay);

/* Runs one region, or all (region NULL). */
void replay_run(struct uncore_replay *replay, const char *region,
		const volatile int *stop);

#endif
