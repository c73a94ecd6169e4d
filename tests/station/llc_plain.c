/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * As llc.c, of the tags as hosts without SSE2 search them.
 */
#undef __SSE2__

#include "model/box/llc.c"
#include "tests/station/llc.c"
