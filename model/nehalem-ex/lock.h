/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The lock of the machine (guide 2.2): who holds it has stopped all other cores
 * and the hubs.
 */
#ifndef UNCORE_LOCK_H
#define UNCORE_LOCK_H

#include "model/nehalem-ex/ex.h"

struct lock;

/* A free one; NULL without memory. */
struct lock *lock_new(struct ex *ex);
void lock_free(struct lock *lock);

/* An S-Box has no entry for another Lock, since others wait there for the bus
 * and keep theirs. */
bool lock_has_no_entry(const struct lock *lock, unsigned socket, unsigned side);

#endif
