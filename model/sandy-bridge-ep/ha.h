/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The home agent of a socket's memory: its tracker, snoops and their answers,
 * directory, the four channels' credits.
 */
#ifndef UNCORE_HA_H
#define UNCORE_HA_H

#include "model/sandy-bridge-ep/ep.h"

/* NULL without memory. */
struct ha *ha_new(struct ep *ep, unsigned socket,
		  const struct uc_family *family);
void ha_free(struct ha *ha);

#endif
