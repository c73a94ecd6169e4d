/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What a directory has noted of each line of a memory, in the spare bits of its
 * ECC: a byte here, whose meaning is its home's. Memory is taken only for
 * regions of which something has been noted; elsewhere it is 0.
 */
#ifndef UNCORE_MODEL_PARTS_MEMORY_DIRECTORY_H
#define UNCORE_MODEL_PARTS_MEMORY_DIRECTORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { DIRECTORY_REGION = 1 << 16 }; /* lines */

struct directory {
	uint8_t **regions; /* NULL: there is no directory */
	size_t num_regions;
};

/* False without memory. */
bool directory_init(struct directory *directory, uint64_t lines);
void directory_fini(struct directory *directory);

/* Lines are counted from 0 in the memory. */
uint8_t directory_get(const struct directory *directory, uint64_t line);
void directory_set(struct directory *directory, uint64_t line, uint8_t note);

#endif
