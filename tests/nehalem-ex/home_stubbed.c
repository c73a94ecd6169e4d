/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The files of the B-Box that call the M-Box and the R-Box, made to call those
 * of the rig.
 */
#include "home_rig.h"

#include "model/nehalem-ex/home_memory.c"
#include "model/nehalem-ex/home_out.c"
