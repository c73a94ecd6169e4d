/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Each image has a list of the files that were mapped when it was asked about
 * first. libdwfl goes through all symbols of a file for each question, and a
 * sample has a dozen: addresses that were asked about are remembered.
 */
#include "record/image.h"

#include <stdlib.h>
#include <sys/types.h>

#include "base/clock.h"
#include "record/functions.h"

/* Asking again for addresses that belong to nothing must end. */
enum { MAX_REPORTS = 64, FIRST_SIZE = 256 };

/* A map costs some tenths of a millisecond. */
static const double fresh_seconds = 20e-3;

static const Dwfl_Callbacks callbacks = {
	.find_elf = dwfl_linux_proc_find_elf,
	.find_debuginfo = dwfl_standard_find_debuginfo,
};

struct uncore_symbols *uncore_symbols_new(void)
{
	return calloc(1, sizeof(struct uncore_symbols));
}

static int free_functions(Dwfl_Module *module, void **user, const char *name,
			  Dwarf_Addr start, void *context)
{
	(void)module;
	(void)name;
	(void)start;
	(void)context;
	functions_free(*user);
	*user = NULL;
	return DWARF_CB_OK;
}

static void free_image(struct image *image)
{
	dwfl_getmodules(image->dwfl, free_functions, NULL, 0);
	dwfl_end(image->dwfl);
	maps_free(&image->maps);
	for (size_t i = 0; i < image->size_known; i++)
		free(image->known[i].source);
	free(image->known);
	free(image);
}

void uncore_symbols_free(struct uncore_symbols *symbols)
{
	struct image *image = symbols ? symbols->images : NULL;

	while (image) {
		struct image *next = image->next;

		free_image(image);
		image = next;
	}
	free(symbols);
}

struct image *image_find(struct uncore_symbols *symbols, long process,
			 unsigned space)
{
	struct image *image = symbols->images;

	while (image && (image->process != process || image->space != space))
		image = image->next;
	if (image)
		return image;
	image = calloc(1, sizeof(*image));
	if (!image)
		return NULL;
	image->process = process;
	image->space = space;
	image->dwfl = dwfl_begin(&callbacks);
	if (!image->dwfl) {
		free(image);
		return NULL;
	}
	image->next = symbols->images;
	symbols->images = image;
	return image;
}

/* Reads the map of the process; what was known stays known if that fails. */
static void report(struct image *image)
{
	image->num_reports++;
	dwfl_report_begin_add(image->dwfl);
	dwfl_linux_proc_report(image->dwfl, (pid_t)image->process);
	dwfl_report_end(image->dwfl, NULL, NULL);
}

Dwfl_Module *image_module(struct image *image, uint64_t address)
{
	Dwfl_Module *module = dwfl_addrmodule(image->dwfl, address);

	if (!module && image->num_reports < MAX_REPORTS) {
		report(image);
		module = dwfl_addrmodule(image->dwfl, address);
	}
	return module;
}

const struct mapping *image_mapping(struct image *image, uint64_t address)
{
	const struct mapping *mapping = maps_find(&image->maps, address);
	double now = clock_now_seconds();

	if (mapping && now - image->maps_seconds < fresh_seconds)
		return mapping;
	if (!mapping && image->num_map_reads >= MAX_REPORTS)
		return NULL;
	maps_read(&image->maps, image->process);
	image->maps_seconds = now;
	mapping = maps_find(&image->maps, address);
	if (!mapping)
		image->num_map_reads++;
	return mapping;
}

struct functions *image_functions(Dwfl_Module *module)
{
	void **user = NULL;

	dwfl_module_info(module, &user, NULL, NULL, NULL, NULL, NULL, NULL);
	if (user && !*user)
		*user = functions_read(module);
	return user ? *user : NULL;
}

const char *image_path(Dwfl_Module *module)
{
	const char *file = NULL;
	const char *name = dwfl_module_info(module, NULL, NULL, NULL, NULL,
					    NULL, &file, NULL);

	return file ? file : name;
}

/* Where an address stands, or would. */
static struct known_position *slot(const struct image *image, uint64_t address)
{
	size_t mask = image->size_known - 1;
	size_t at = (size_t)(address * 0x9e3779b97f4a7c15u >> 32) & mask;

	while (image->known[at].is_used &&
	       image->known[at].position.address != address)
		at = (at + 1) & mask;
	return &image->known[at];
}

const struct uncore_position *image_known(const struct image *image,
					  uint64_t address)
{
	const struct known_position *known =
		image->size_known ? slot(image, address) : NULL;

	return known && known->is_used ? &known->position : NULL;
}

static bool grow(struct image *image)
{
	struct image bigger = *image;

	if (2 * image->num_known < image->size_known)
		return true;
	bigger.size_known =
		image->size_known ? 2 * image->size_known : FIRST_SIZE;
	bigger.known = calloc(bigger.size_known, sizeof(*bigger.known));
	if (!bigger.known)
		return false;
	for (size_t i = 0; i < image->size_known; i++)
		if (image->known[i].is_used)
			*slot(&bigger, image->known[i].position.address) =
				image->known[i];
	free(image->known);
	*image = bigger;
	return true;
}

void image_remember(struct image *image, const struct uncore_position *position,
		    char *source)
{
	struct known_position *known;

	if (!grow(image)) {
		free(source);
		return;
	}
	known = slot(image, position->address);
	if (!known->is_used)
		image->num_known++;
	free(known->source);
	*known = (struct known_position){ *position, source, true };
	known->position.source = source;
}
