/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The plugin's end of the channel: finding it, waiting for the model, and the
 * end of either process.
 */
#ifndef UNCORE_GUEST_LINK_H
#define UNCORE_GUEST_LINK_H

#include <stdbool.h>

#include "channel.h"

/* The channel at this path; NULL, with a message, if there is none. From here
 * on QEMU ends when the process that made it does. */
struct channel *link_open(const char *path);

/* Sets a state that the model watches, and tells it. */
void link_set(struct channel *channel, _Atomic uint32_t *state, uint32_t value);

/* Waits until the model has set a state to this value. False when it never
 * will, because it has stopped or died. */
bool link_await(struct channel *channel, _Atomic uint32_t *state,
		uint32_t value);

/* The request that is filled in: makes it, and waits for the answer. False when
 * none will come. */
bool link_ask(struct channel *channel);

/* A thread of our own, which no signals reach; false, with a message, if it
 * cannot be made. */
bool link_start_thread(void *(*run)(void *), void *data);

/* Whether nobody listens any more. */
bool link_is_down(struct channel *channel);

#endif
