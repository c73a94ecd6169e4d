/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Each program that was seen (a process, until it executes another one) has a
 * list of the files that were mapped when it was asked about first. An address
 * outside of them asks again: libraries come and go.
 */
#include "uncore/symbol.h"

#include <elfutils/libdwfl.h>
#include <stdlib.h>
#include <sys/types.h>

#include "uncore/recording.h"

/* Asking again for addresses that belong to no file must end. */
enum { MAX_REPORTS = 64 };

struct image {
	struct image *next;
	Dwfl *dwfl;
	long process;
	unsigned space;
	unsigned num_reports;
};

struct uncore_symbols {
	struct image *images;
};

static const Dwfl_Callbacks callbacks = {
	.find_elf = dwfl_linux_proc_find_elf,
	.find_debuginfo = dwfl_standard_find_debuginfo,
};

struct uncore_symbols *uncore_symbols_new(void)
{
	return calloc(1, sizeof(struct uncore_symbols));
}

void uncore_symbols_free(struct uncore_symbols *symbols)
{
	struct image *image = symbols ? symbols->images : NULL;

	while (image) {
		struct image *next = image->next;

		dwfl_end(image->dwfl);
		free(image);
		image = next;
	}
	free(symbols);
}

/* Reads the map of the process; what was known stays known if that fails. */
static void report(struct image *image)
{
	image->num_reports++;
	dwfl_report_begin_add(image->dwfl);
	dwfl_linux_proc_report(image->dwfl, (pid_t)image->process);
	dwfl_report_end(image->dwfl, NULL, NULL);
}

static struct image *find_image(struct uncore_symbols *symbols, long process,
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

static Dwfl_Module *find_module(struct image *image, uint64_t address)
{
	Dwfl_Module *module = dwfl_addrmodule(image->dwfl, address);

	if (!module && image->num_reports < MAX_REPORTS) {
		report(image);
		module = dwfl_addrmodule(image->dwfl, address);
	}
	return module;
}

void uncore_symbols_find(struct uncore_symbols *symbols, long process,
			 unsigned space, uint64_t address,
			 struct uncore_position *position)
{
	struct image *image = find_image(symbols, process, space);
	Dwfl_Module *module = image ? find_module(image, address) : NULL;
	const char *name, *file = NULL;
	Dwarf_Addr start = 0;
	GElf_Off offset = 0;
	GElf_Sym symbol;

	*position = (struct uncore_position){ .address = address };
	if (!module)
		return;
	/* The symbols first: they make libdwfl open the file. */
	position->symbol = dwfl_module_addrinfo(module, address, &offset,
						&symbol, NULL, NULL, NULL);
	name = dwfl_module_info(module, NULL, &start, NULL, NULL, NULL, &file,
				NULL);
	position->object = file ? file : name;
	position->offset = position->symbol ? offset : address - start;
}
