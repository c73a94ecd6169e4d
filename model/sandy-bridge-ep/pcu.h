/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The PCU: frequency and voltage of the cores, their power states,
 * temperatures. Its clock is 800 MHz; it publishes in cycles of the uncore.
 */
#ifndef UNCORE_PCU_H
#define UNCORE_PCU_H

#include "model/box/kind.h"
#include "model/sandy-bridge-ep/ep.h"

/* A PCU whose clock runs, or NULL without memory. The cores are halted. */
struct pcu *pcu_new(struct ep *ep, unsigned socket,
		    const struct uc_family *family);
void pcu_free(struct pcu *pcu);

/* A core is in C0 or C1 now, or wants C6: then it is given C6, C3 or C1. */
void pcu_core_state(struct pcu *pcu, unsigned core, enum power_state state);
/* A core begins to save its state before it sleeps or to get it back, or has
 * it. */
void pcu_core_moves(struct pcu *pcu, unsigned core, bool is_moving);

void pcu_read(struct pcu *pcu, unsigned core, struct power_reading *reading);
void pcu_clear_log(struct pcu *pcu, unsigned core, bool hot, bool forced);

/* I/O is at work until a cycle: it keeps the frequency up. */
void pcu_io_until(struct pcu *pcu, uint64_t until);

#endif
