/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * A recording of what a guest's programs did between their marks, run again
 * into a fresh model of the same machine: cycle for cycle what happened then,
 * so that other events can be counted, or the same ones by other means. Each
 * pair of marks made one region.
 */
#ifndef UNCORE_REPLAY_H
#define UNCORE_REPLAY_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

struct uncore_model;
struct uncore_replay;

/* Opens a recording and checks that it is whole. *replay is to be freed with
 * uncore_replay_free(). On error *error (to be freed) is a sentence. */
int uncore_replay_open(const char *path, struct uncore_replay **replay,
		       char **error);

/* After the model. NULL is allowed. */
void uncore_replay_free(struct uncore_replay *replay);

/* The machine that was modelled, and its parameter number index as
 * "name=value" (NULL past the last one), for uncore_model_config_set(). Strings
 * live as long as the replay. */
const char *uncore_replay_machine(const struct uncore_replay *replay);
const char *uncore_replay_setting(const struct uncore_replay *replay,
				  size_t index);

/* Who is called after each portion of a region, some ten thousand cycles; NULL:
 * nobody. It may read and write registers, and not run the model. */
void uncore_replay_on_portion(struct uncore_replay *replay,
			      void (*handler)(void *context), void *context);

unsigned uncore_replay_regions(const struct uncore_replay *replay);

/* The model's traffic comes from the replay from now on. It must be fresh, and
 * have as many CPUs as the recorded one, else UNCORE_ERR_BAD_PARAMETER. */
int uncore_replay_attach(struct uncore_replay *replay,
			 struct uncore_model *model, char **error);

/* Runs the next region to its end, or until *stop is set (NULL: never), which
 * is looked at every some ten thousand cycles. False when there is none. */
bool uncore_replay_region(struct uncore_replay *replay,
			  const volatile int *stop);

#ifdef __cplusplus
}
#endif

#endif
