/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * libdwfl knows one file at an address, so each file has a libdwfl of its own.
 * It goes through all symbols of a file for each question, and a sample has a
 * dozen: addresses that were asked about are remembered.
 */
#include "record/image.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "record/fields.h"
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

static void free_texts(const struct position_texts *texts)
{
	free(texts->symbol);
	free(texts->source);
	free(texts->folder);
	free(texts->inlined);
}

static void free_file(struct image_file *file)
{
	functions_free(file->functions);
	fields_free(file->fields);
	dwfl_end(file->dwfl);
	for (size_t i = 0; i < file->size_known; i++)
		free_texts(&file->known[i].texts);
	free(file->known);
	free(file->name);
	free(file);
}

void uncore_symbols_free(struct uncore_symbols *symbols)
{
	if (!symbols)
		return;
	while (symbols->images) {
		struct image *image = symbols->images;

		symbols->images = image->next;
		maps_free(&image->maps);
		free(image);
	}
	while (symbols->files) {
		struct image_file *file = symbols->files;

		symbols->files = file->next;
		free_file(file);
	}
	free(symbols->text);
	free(symbols->field);
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
	for (struct image *other = symbols->images; other; other = other->next)
		if (other->process == process && other->space < space)
			other->is_past = true;
	image->process = process;
	image->space = space;
	image->next = symbols->images;
	symbols->images = image;
	return image;
}

const struct mapping *image_mapping(struct image *image, uint64_t address)
{
	const struct mapping *mapping = maps_find(&image->maps, address);
	double now = clock_now_seconds();

	if (image->is_past ||
	    (mapping && now - image->maps_seconds < fresh_seconds))
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

/* Whether a mapping goes on with the file of the one below. The first two may
 * both be of its beginning. */
static bool goes_on(const struct mapping *mapping)
{
	const struct mapping *below = mapping - 1;

	return below->name && below->inode == mapping->inode &&
	       !strcmp(below->name, mapping->name) &&
	       (mapping->offset || !below->offset);
}

static void find_extent(const struct maps *maps, const struct mapping *mapping,
			uint64_t *start, uint64_t *end)
{
	const struct mapping *first = mapping, *last = mapping;
	const struct mapping *behind = maps->list + maps->num;

	while (first > maps->list && goes_on(first))
		first--;
	while (last + 1 < behind && last[1].name && goes_on(last + 1))
		last++;
	*start = first->start;
	*end = last->end;
}

static bool open_file(struct image_file *file)
{
	char name[32];
	bool is_vdso = !strcmp(file->name, "[vdso]");

	/* So libdwfl calls what the kernel has put there. */
	snprintf(name, sizeof(name), "[vdso: %ld]", file->process);
	file->dwfl = dwfl_begin(&callbacks);
	if (!file->dwfl)
		return false;
	dwfl_report_begin(file->dwfl);
	file->module =
		dwfl_report_module(file->dwfl, is_vdso ? name : file->name,
				   file->start, file->end);
	dwfl_report_end(file->dwfl, NULL, NULL);
	return file->module;
}

static struct image_file *add_file(struct uncore_symbols *symbols,
				   const struct image_file *like)
{
	struct image_file *file = calloc(1, sizeof(*file));

	if (!file)
		return NULL;
	*file = *like;
	file->name = strdup(like->name);
	if (!file->name || !open_file(file)) {
		free_file(file);
		return NULL;
	}
	file->next = symbols->files;
	symbols->files = file;
	return file;
}

static struct image_file *file_like(struct uncore_symbols *symbols,
				    const struct image_file *like)
{
	struct image_file *file;

	for (file = symbols->files; file; file = file->next)
		if (file->process == like->process &&
		    file->start == like->start && file->end == like->end &&
		    file->inode == like->inode &&
		    !strcmp(file->name, like->name))
			return file;
	return add_file(symbols, like);
}

struct image_file *image_past_file(struct uncore_symbols *symbols,
				   const char *name, uint64_t start,
				   uint64_t end)
{
	const struct image_file like = { .name = (char *)name,
					 .start = start,
					 .end = end };
	struct stat found;

	/* whoever says so may be mistaken; a pipe would not answer */
	if (stat(name, &found) || !S_ISREG(found.st_mode))
		return NULL;
	return file_like(symbols, &like);
}

struct image_file *image_file(struct uncore_symbols *symbols,
			      const struct image *image,
			      const struct mapping *mapping)
{
	struct image_file like = { .process = image->process,
				   .inode = mapping->inode,
				   .name = mapping->name };

	if (!mapping->name ||
	    (mapping->name[0] != '/' && strcmp(mapping->name, "[vdso]") != 0))
		return NULL;
	find_extent(&image->maps, mapping, &like.start, &like.end);
	return file_like(symbols, &like);
}

struct functions *image_functions(struct image_file *file)
{
	if (!file->functions)
		file->functions = functions_read(file->module);
	return file->functions;
}

struct fields *image_fields(struct image_file *file)
{
	Dwarf_Addr bias = 0;
	Dwarf *dwarf;

	if (!file->fields) {
		dwarf = dwfl_module_getdwarf(file->module, &bias);
		file->fields = fields_read(dwarf, bias);
	}
	return file->fields;
}

/* Where an address stands, or would. */
static struct known_position *slot(const struct image_file *file,
				   uint64_t address)
{
	size_t mask = file->size_known - 1;
	size_t at = (size_t)(address * 0x9e3779b97f4a7c15u >> 32) & mask;

	while (file->known[at].is_used &&
	       file->known[at].position.address != address)
		at = (at + 1) & mask;
	return &file->known[at];
}

const struct uncore_position *image_known(const struct image_file *file,
					  uint64_t address)
{
	const struct known_position *known =
		file->size_known ? slot(file, address) : NULL;

	return known && known->is_used ? &known->position : NULL;
}

static bool grow(struct image_file *file)
{
	struct image_file bigger = *file;

	if (2 * file->num_known < file->size_known)
		return true;
	bigger.size_known =
		file->size_known ? 2 * file->size_known : FIRST_SIZE;
	bigger.known = calloc(bigger.size_known, sizeof(*bigger.known));
	if (!bigger.known)
		return false;
	for (size_t i = 0; i < file->size_known; i++)
		if (file->known[i].is_used)
			*slot(&bigger, file->known[i].position.address) =
				file->known[i];
	free(file->known);
	*file = bigger;
	return true;
}

void image_remember(struct image_file *file,
		    const struct uncore_position *position,
		    const struct position_texts *texts)
{
	struct known_position *known;

	if (!grow(file)) {
		free_texts(texts);
		return;
	}
	known = slot(file, position->address);
	if (!known->is_used)
		file->num_known++;
	free_texts(&known->texts);
	*known = (struct known_position){ *position, *texts, true };
	known->position.source = texts->source;
	known->position.folder = texts->folder;
	known->position.inlined = texts->inlined;
	if (texts->symbol)
		known->position.symbol = texts->symbol;
}
