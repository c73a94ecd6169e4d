/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The address space of a process, as /proc/PROCESS/maps told it when it was
 * asked last.
 */
#ifndef UNCORE_RECORD_MAPS_H
#define UNCORE_RECORD_MAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct mapping {
	uint64_t start, end;
	bool is_readable, is_executable;
	uint64_t offset, inode; /* in the file, and which; 0: none */
	char *name;		/* a file, [heap] and the like; NULL: none */
};

struct maps {
	struct mapping *list; /* in the order of addresses */
	size_t num;
};

/* Reads it anew; what was known stays known if that fails. */
void maps_read(struct maps *maps, long process);
void maps_free(struct maps *maps);

/* The mapping of an address, or NULL. */
const struct mapping *maps_find(const struct maps *maps, uint64_t address);

/* The one that ends where this one starts, that starts where it ends; NULL:
 * none. */
const struct mapping *maps_below(const struct maps *maps,
				 const struct mapping *mapping);
const struct mapping *maps_above(const struct maps *maps,
				 const struct mapping *mapping);

#endif
