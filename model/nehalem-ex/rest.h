/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * A machine at rest has everything back.
 */
#ifndef UNCORE_REST_H
#define UNCORE_REST_H

#include "model/nehalem-ex/ex.h"

/* What a socket of a settled machine lacks, in words; or NULL. */
const char *rest_check(const struct ex *ex, unsigned socket);

#endif
