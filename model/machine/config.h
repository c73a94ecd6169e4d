/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The settings of a machine before it is built.
 */
#ifndef UNCORE_MACHINE_CONFIG_H
#define UNCORE_MACHINE_CONFIG_H

#include <stdbool.h>

#include "model/fault/fault.h"
#include "model/machine/machine.h"
#include "table/table.h"
#include "uncore/model.h"

enum { CONFIG_VALUE_ROOM = 40 };

struct uncore_model_config {
	const struct machine *machine;
	const struct uc_family *family;
	double value[NUM_PARAMS];
	char text[NUM_PARAMS][CONFIG_VALUE_ROOM];
	bool strict, check;
	struct fault_plan plan;
	void (*log)(void *context, const char *text);
	void *log_context;
};

#endif
