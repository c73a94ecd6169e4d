/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Power states: a core's state in C6, and what sockets tell each other of
 * power.
 */
#ifndef UNCORE_SLEEP_H
#define UNCORE_SLEEP_H

#include "model/nehalem-ex/ex.h"

/* A core sleeps or runs again, or a frequency changes: the other sockets hear
 * of it. One such message is under way at a time. */
void sleep_tell_news(struct ex *ex, unsigned socket);

/* A core that slept has been woken, which is news. */
void sleep_woken(struct ex *ex, unsigned socket);

#endif
