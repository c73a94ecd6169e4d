/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The W-Box: clock, temperatures, and the frequency of the cores (guide 2.8).
 */
#ifndef UNCORE_WBOX_H
#define UNCORE_WBOX_H

#include <stdbool.h>
#include <stdint.h>

#include "model/box/kind.h"
#include "model/pmu/signal.h"

struct socket;
struct wbox;

/* A W-Box whose clock runs, or NULL without memory. The cores have been made;
 * they are halted. */
struct wbox *wbox_new(struct socket *socket, struct sigbank *bank);
void wbox_free(struct wbox *wbox);

void wbox_core_state(struct wbox *wbox, unsigned core, enum power_state state);
void wbox_read(const struct wbox *wbox, unsigned core,
	       struct power_reading *reading);
void wbox_clear_log(struct wbox *wbox, unsigned core, bool hot, bool forced);

#endif
