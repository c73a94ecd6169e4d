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

#include "record/demangle.h"
#include "record/functions.h"
#include "record/image.h"

/* The function of an address and how far into it that is, or NULL. */
static const char *function_at(struct image_file *file, uint64_t address,
			       uint64_t *offset)
{
	GElf_Off into = 0;
	GElf_Sym symbol = { 0 };
	const char *name = dwfl_module_addrinfo(file->module, address, &into,
						&symbol, NULL, NULL, NULL);
	struct functions *functions;
	const char *other;
	uint64_t start;

	*offset = into;
	if (name && symbol.st_size && into < symbol.st_size)
		return name;
	functions = image_functions(file);
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

static void look_up(struct image_file *file, struct uncore_position *position)
{
	uint64_t address = position->address;

	/* The symbols first: they make libdwfl open the file. */
	position->symbol = function_at(file, address, &position->offset);
	position->object = file->name;
	if (!position->symbol)
		position->offset = address - file->start;
	image_remember(file, position, source_of(file->module, address),
		       demangle(position->symbol));
}

/* The file whose code an address is, or NULL: nothing else is executed. */
static struct image_file *code_at(struct uncore_symbols *symbols, long process,
				  unsigned space, uint64_t address)
{
	struct image *image = image_find(symbols, process, space);
	const struct mapping *mapping =
		image ? image_mapping(image, address) : NULL;

	return mapping && mapping->is_executable
		       ? image_file(symbols, image, mapping)
		       : NULL;
}

void uncore_symbols_find(struct uncore_symbols *symbols, long process,
			 unsigned space, uint64_t address,
			 struct uncore_position *position)
{
	struct image_file *file = code_at(symbols, process, space, address);
	const struct uncore_position *known;

	*position = (struct uncore_position){ .address = address };
	if (!file)
		return;
	known = image_known(file, address);
	if (!known) {
		look_up(file, position);
		known = image_known(file, address);
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

/* Whether unwind information says that where its function returns to is not
 * defined, by which ABIs mark where a thread begins. */
static bool begins_thread(struct image_file *file, uint64_t address)
{
	Dwarf_Addr bias = 0;
	Dwarf_CFI *cfi = dwfl_module_eh_cfi(file->module, &bias);
	Dwarf_Frame *frame = NULL;
	Dwarf_Op memory[3], *ops = memory;
	size_t num = 1;
	int returns;

	if (!cfi || dwarf_cfi_addrframe(cfi, address - bias, &frame))
		return false;
	returns = dwarf_frame_info(frame, NULL, NULL, NULL);
	if (returns < 0 ||
	    dwarf_frame_register(frame, returns, memory, &ops, &num))
		num = 1;
	free(frame);
	return num == 0 && ops == memory;
}

bool uncore_symbols_is_outermost(struct uncore_symbols *symbols, long process,
				 unsigned space, uint64_t address)
{
	struct image_file *file = code_at(symbols, process, space, address - 1);

	return file && begins_thread(file, address - 1);
}
