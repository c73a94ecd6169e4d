/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * M2M, mesh to memory.
 */
#ifndef UNCORE_M2M_H
#define UNCORE_M2M_H

#include "model/sandy-bridge-ep/ep.h"

/* What it has a mechanism for. */
void m2m_drive(struct sigbank *bank);

/* As in struct ep_kind. */
void m2m_tell(struct ep *ep, unsigned socket, unsigned channel,
	      enum ep_memory what, uint64_t at);
void m2m_hold(struct ep *ep, unsigned socket, unsigned channel,
	      enum ep_memory_queue queue, uint64_t from, uint64_t until);

#endif
