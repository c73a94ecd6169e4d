/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The W-Box: clock, temperatures, and the frequency of the cores (guide 2.8).
 */
#ifndef UNCORE_WBOX_H
#define UNCORE_WBOX_H

#include <stdbool.h>
#include <stdint.h>

#include "model/pmu/signal.h"

struct socket;
struct wbox;

/* A W-Box whose clock runs, or NULL without memory. The cores have been made;
 * they are halted. */
struct wbox *wbox_new(struct socket *socket, struct sigbank *bank);
void wbox_free(struct wbox *wbox);

/* A core begins or ceases to execute (C0 or not), or sleeps deeply (C6). */
enum wbox_core_state { WBOX_C0, WBOX_C1, WBOX_C6 };
void wbox_core_state(struct wbox *wbox, unsigned core,
		     enum wbox_core_state state);

/* What the core's registers show, up to the present cycle. */
struct wbox_reading {
	uint64_t clocks;      /* core clock cycles while not halted */
	uint64_t c6_cycles;   /* uncore cycles in C6 */
	double clock_hz;      /* of the ratio that is set */
	double temperature;   /* degrees C */
	bool is_hot, was_hot; /* at the target; now, since the last clear */
	bool is_forced, was_forced; /* FORCEPR or PROCHOT asserted; the same */
};
void wbox_read(struct wbox *wbox, unsigned core, struct wbox_reading *reading);
void wbox_clear_log(struct wbox *wbox, unsigned core, bool hot, bool forced);

#endif
