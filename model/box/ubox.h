/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The U-Box as a system agent (guide 2.2): interrupts, bus locks, special
 * cycles, messages, configuration accesses, and the errors of all boxes. It
 * shares port 7 of the R-Box with B-Box 1. Its registers and the PMU's master
 * part are in model/pmu.
 */
#ifndef UNCORE_UBOX_H
#define UNCORE_UBOX_H

#include <stdbool.h>

#include "model/box/packet.h"
#include "model/pmu/signal.h"

struct socket;
struct ubox;

/* A U-Box at rest, attached to its port together with B-Box 1 (which has been
 * made), or NULL without memory. */
struct ubox *ubox_new(struct socket *socket, struct sigbank *bank);
void ubox_free(struct ubox *ubox);
bool ubox_is_idle(const struct ubox *ubox);

/* An error that some box has found and dealt with; counts once. */
enum ubox_error {
	UBOX_RECOVERABLE,
	UBOX_CORRECTED,
	UBOX_UNCORRECTED,
	UBOX_FATAL,
};
void ubox_error(struct ubox *ubox, enum ubox_error error);

/* A core that slept has been woken by an interrupt. */
void ubox_core_woken(struct ubox *ubox);

/* A core or the W-Box has news for the power management of the other sockets
 * (a core sleeps or runs again, a frequency changes). */
void ubox_power_news(struct ubox *ubox);

#endif
