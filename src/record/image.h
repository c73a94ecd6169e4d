/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Programs that were seen, and files that lay in their memory.
 *
 * An image is the address space of a process until it executes another program
 * or a file's code comes or goes. Another file may lie where one was: what is
 * asked about an address is looked up in the map of the process first, and then
 * in the file that the map has there.
 */
#ifndef UNCORE_RECORD_IMAGE_H
#define UNCORE_RECORD_IMAGE_H

#include <elfutils/libdwfl.h>
#include <stdbool.h>
#include <stdint.h>

#include "record/maps.h"
#include "uncore/recording.h"

struct fields;
struct functions;

/* Texts of a position that are its own, to be freed; NULL: it has none. */
struct position_texts {
	char *symbol, *source, *folder, *inlined;
};

struct known_position {
	struct uncore_position position; /* of its address */
	struct position_texts texts;
	bool is_used;
};

/* A file as it lies in the memory of a process; the same for all images in
 * which it lies there. */
struct image_file {
	struct image_file *next;
	long process;
	uint64_t start, end, inode;
	char *name;
	Dwfl *dwfl; /* with this file alone */
	Dwfl_Module *module;
	struct functions *functions;  /* NULL: not asked for */
	struct fields *fields;	      /* the same */
	struct known_position *known; /* a hash table, at most half full */
	size_t num_known, size_known; /* a power of 2 */
};

struct image {
	struct image *next;
	struct maps maps;
	double maps_seconds; /* when they were read */
	long process;
	unsigned space;
	unsigned num_map_reads; /* that were in vain */
	bool is_past; /* the process has a later one: not its map any more */
};

struct uncore_symbols {
	struct image *images;
	struct image_file *files;
	char *text, *field; /* of the latest datum */
};

/* The image, made if it is new; NULL without memory. */
struct image *image_find(struct uncore_symbols *symbols, long process,
			 unsigned space);

/* The mapping of an address, or NULL. A map that is some while old is read
 * anew: other memory may lie there by now. That of an image of the past stays
 * as it was read last. */
const struct mapping *image_mapping(struct image *image, uint64_t address);

/* The file of a mapping of the image, all of it that is mapped in one piece, or
 * NULL: there is none. */
struct image_file *image_file(struct uncore_symbols *symbols,
			      const struct image *image,
			      const struct mapping *mapping);

/* The same of a file that lay there in a process of the past. */
struct image_file *image_past_file(struct uncore_symbols *symbols,
				   const char *name, uint64_t start,
				   uint64_t end);

/* The functions of a file; NULL without memory. */
struct functions *image_functions(struct image_file *file);

/* The same of its variables. */
struct fields *image_fields(struct image_file *file);

/* What was found at an address before, or NULL; and to remember it (the texts
 * are owned from then on). */
const struct uncore_position *image_known(const struct image_file *file,
					  uint64_t address);
void image_remember(struct image_file *file,
		    const struct uncore_position *position,
		    const struct position_texts *texts);

#endif
