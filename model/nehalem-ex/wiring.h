/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What a socket is built with: settings of its boxes and the banks on which
 * they publish.
 */
#ifndef UNCORE_WIRING_H
#define UNCORE_WIRING_H

#include "model/nehalem-ex/ex.h"
#include "model/nehalem-ex/mbox.h"
#include "model/nehalem-ex/rbox.h"

struct ex_wiring {
	struct rbox_config router;
	struct mbox_config memory;
	struct sigbank *router_bank, *system_bank, *power_bank;
	struct sigbank *agent_banks[EX_SIDES];
	struct sigbank *home_banks[EX_SIDES];
	struct sigbank *memory_banks[EX_SIDES];
};

#endif
