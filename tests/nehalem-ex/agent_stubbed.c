/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The files of the S-Box that call the R-Box and the rings, made to call those
 * of the rig.
 */
#include "agent_rig.h"

#include "model/nehalem-ex/agent_in.c"
#include "model/nehalem-ex/agent_nc.c"
#include "model/nehalem-ex/agent_out.c"
