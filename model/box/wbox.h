/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The W-Box: clock, temperatures, and the frequency of the cores (guide 2.8).
 */
#ifndef UNCORE_WBOX_H
#define UNCORE_WBOX_H

#include <stdbool.h>

#include "model/pmu/signal.h"

struct socket;
struct wbox;

/* A W-Box whose clock runs, or NULL without memory. */
struct wbox *wbox_new(struct socket *socket, struct sigbank *bank);
void wbox_free(struct wbox *wbox);

/* A core begins or ceases to execute (C0 or not), or sleeps deeply (C6). */
enum wbox_core_state { WBOX_C0, WBOX_C1, WBOX_C6 };
void wbox_core_state(struct wbox *wbox, unsigned core,
		     enum wbox_core_state state);

#endif
