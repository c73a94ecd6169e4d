/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * A program that was seen: a process, until it executes another one. What files
 * were mapped, what is known of them, and what was looked up before.
 */
#ifndef UNCORE_RECORD_IMAGE_H
#define UNCORE_RECORD_IMAGE_H

#include <elfutils/libdwfl.h>
#include <stdbool.h>
#include <stdint.h>

#include "record/maps.h"
#include "uncore/recording.h"

struct functions;

struct known_position {
	struct uncore_position position; /* of its address */
	char *source;
	bool is_used;
};

struct image {
	struct image *next;
	Dwfl *dwfl;
	struct maps maps;
	double maps_seconds; /* when they were read */
	long process;
	unsigned space;
	unsigned num_reports;	      /* of the files that are mapped */
	unsigned num_map_reads;	      /* that were in vain */
	struct known_position *known; /* a hash table, at most half full */
	size_t num_known, size_known; /* a power of 2 */
};

struct uncore_symbols {
	struct image *images;
};

/* The image, made if it is new; NULL without memory. */
struct image *image_find(struct uncore_symbols *symbols, long process,
			 unsigned space);

/* The file that is mapped at an address, or NULL. An address outside of those
 * that are known asks again: libraries come and go. */
Dwfl_Module *image_module(struct image *image, uint64_t address);

/* The mapping of an address, or NULL. A map that is some while old is read
 * anew: other memory may lie there by now. */
const struct mapping *image_mapping(struct image *image, uint64_t address);

/* The functions of a module; NULL without memory. */
struct functions *image_functions(Dwfl_Module *module);

/* What was found at an address before, or NULL; and to remember it (the source
 * is owned from then on). */
const struct uncore_position *image_known(const struct image *image,
					  uint64_t address);
void image_remember(struct image *image, const struct uncore_position *position,
		    char *source);

/* The path of a module. */
const char *image_path(Dwfl_Module *module);

#endif
