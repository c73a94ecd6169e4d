/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The four rings of a socket (guide 2.3), whose slots move one stop a cycle.
 */
#ifndef UNCORE_RING_H
#define UNCORE_RING_H

enum ring_kind { RING_AD, RING_AK, RING_BL, RING_IV, NUM_RINGS };
enum ring_direction { RING_CW, RING_CCW, NUM_RING_DIRECTIONS };

enum { RING_MAX_STOPS = 16, NO_SIGNAL = -1 };

#endif
