/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What a tree of msr files leads to: which family, and for each socket one CPU
 * that reaches its uncore.
 */
#ifndef UNCORE_ACCESS_MSR_MAP_H
#define UNCORE_ACCESS_MSR_MAP_H

#include <stdbool.h>
#include <stdint.h>

enum { MSR_MAX_SOCKETS = 8 };

struct uncore_family;

struct msr_map {
	const struct uncore_family *family;
	unsigned num_sockets;
	unsigned cpus[MSR_MAX_SOCKETS];
	unsigned packages[MSR_MAX_SOCKETS]; /* as the hardware numbers them */
	bool is_served; /* by a model, which says so in FOLDER/status */
};

/* Whether it could be made; else *error is a sentence. */
bool msr_map_make(struct msr_map *map, const char *folder, char **error);

#endif
