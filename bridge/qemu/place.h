/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Places of threads on the cores of the model.
 */
#ifndef UNCORE_PLACE_H
#define UNCORE_PLACE_H

#include <stdbool.h>
#include <stdint.h>

#include "bridge/qemu/arena.h"

/* The shared memory in this process; NULL (with a message) without it. */
struct arena *place_open_arena(const char *path);

/* A place for a thread of this process; NULL when there are too many. To be
 * given back with arena_release_thread(). */
struct arena_thread *place_take(struct arena *arena);

/* Waits for a core's lock and takes it. False when it is not to be had. */
bool place_lock(struct arena *arena, struct arena_core *core, uint32_t tid);

#endif
