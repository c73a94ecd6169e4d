/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Names for addresses of code. A symbol says how long it is; one that does not,
 * or a file that has lost its symbols, is asked for its functions.
 */
#include "uncore/recording.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "record/functions.h"
#include "record/image.h"

/* The function of an address and how far into it that is, or NULL. */
static const char *function_at(Dwfl_Module *module, uint64_t address,
			       uint64_t *offset)
{
	GElf_Off into = 0;
	GElf_Sym symbol = { 0 };
	const char *name = dwfl_module_addrinfo(module, address, &into, &symbol,
						NULL, NULL, NULL);
	struct functions *functions;
	const char *other;
	uint64_t start;

	*offset = into;
	if (name && symbol.st_size && into < symbol.st_size)
		return name;
	functions = image_functions(module);
	if (!functions || !functions_find(functions, address, &other, &start))
		return name;
	if (name && address - into >= start)
		return name;
	*offset = address - start;
	return other;
}

/* "sharing.c:31", to be freed; NULL: not known. */
static char *source_of(Dwfl_Module *module, uint64_t address)
{
	Dwfl_Line *line = dwfl_module_getsrc(module, address);
	int number = 0;
	const char *file =
		line ? dwfl_lineinfo(line, NULL, &number, NULL, NULL, NULL)
		     : NULL;
	const char *slash = file ? strrchr(file, '/') : NULL;
	char *text = NULL;

	if (!file || number <= 0 ||
	    asprintf(&text, "%s:%d", slash ? slash + 1 : file, number) < 0)
		return NULL;
	return text;
}

static void look_up(struct image *image, struct uncore_position *position)
{
	uint64_t address = position->address;
	Dwfl_Module *module = image_module(image, address);
	Dwarf_Addr start = 0;

	if (!module)
		return;
	/* The symbols first: they make libdwfl open the file. */
	position->symbol = function_at(module, address, &position->offset);
	dwfl_module_info(module, NULL, &start, NULL, NULL, NULL, NULL, NULL);
	position->object = image_path(module);
	if (!position->symbol)
		position->offset = address - start;
	image_remember(image, position, source_of(module, address));
}

void uncore_symbols_find(struct uncore_symbols *symbols, long process,
			 unsigned space, uint64_t address,
			 struct uncore_position *position)
{
	struct image *image = image_find(symbols, process, space);
	const struct uncore_position *known;

	*position = (struct uncore_position){ .address = address };
	if (!image)
		return;
	known = image_known(image, address);
	if (!known) {
		look_up(image, position);
		known = image_known(image, address);
	}
	if (known)
		*position = *known;
}

void uncore_symbols_find_caller(struct uncore_symbols *symbols, long process,
				unsigned space, uint64_t address,
				struct uncore_position *position)
{
	uncore_symbols_find(symbols, process, space, address - 1, position);
	position->address = address;
	if (position->object)
		position->offset++;
}
