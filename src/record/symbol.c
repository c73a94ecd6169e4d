/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Names for addresses of code. A symbol says how long it is; one that does not,
 * or a file that has lost its symbols, is asked for its functions.
 */
#include "uncore/recording.h"

#include <dwarf.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
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

/* "sharing.c:31", and where that is. */
static void set_source(struct position_texts *texts, const char *file,
		       int number)
{
	const char *slash = file ? strrchr(file, '/') : NULL;
	char *source;

	if (!file || number <= 0 ||
	    asprintf(&source, "%s:%d", slash ? slash + 1 : file, number) < 0)
		return;
	free(texts->source);
	free(texts->folder);
	texts->source = source;
	texts->folder = slash ? strndup(file, (size_t)(slash - file)) : NULL;
}

static void find_source(Dwfl_Module *module, uint64_t address,
			struct position_texts *texts)
{
	Dwfl_Line *line = dwfl_module_getsrc(module, address);
	int number = 0;
	const char *file =
		line ? dwfl_lineinfo(line, NULL, &number, NULL, NULL, NULL)
		     : NULL;

	set_source(texts, file, number);
}

/* What headers of the C++ library inline is nobody's line: whoever calls it
 * has one. */
static bool is_library(Dwarf_Die *function)
{
	const char *file = dwarf_decl_file(function);

	return file && strstr(file, "/include/c++/");
}

static void find_call(Dwarf_Die *unit, Dwarf_Die *inlined,
		      struct position_texts *texts)
{
	Dwarf_Attribute attribute;
	Dwarf_Files *files;
	Dwarf_Word file, line;

	if (!dwarf_formudata(dwarf_attr(inlined, DW_AT_call_file, &attribute),
			     &file) &&
	    !dwarf_formudata(dwarf_attr(inlined, DW_AT_call_line, &attribute),
			     &line) &&
	    !dwarf_getsrcfiles(unit, &files, NULL))
		set_source(texts, dwarf_filesrc(files, file, NULL, NULL),
			   (int)line);
}

static void add_inlined(Dwarf_Die *function, struct text *names)
{
	Dwarf_Attribute attribute;
	const char *linkage = dwarf_formstring(
		dwarf_attr_integrate(function, DW_AT_linkage_name, &attribute));
	char *demangled = demangle(linkage);
	const char *name = demangled ? demangled : dwarf_diename(function);

	text_add(names, "%s%s", names->length ? " < " : "", name ? name : "?");
	free(demangled);
}

/* Functions that have no code of their own there, the innermost first. */
static void find_inlined(Dwfl_Module *module, uint64_t address,
			 struct position_texts *texts)
{
	Dwarf_Addr bias = 0;
	Dwarf_Die *unit = dwfl_module_addrdie(module, address, &bias);
	Dwarf_Die *scopes = NULL, *around = NULL;
	struct text names = { 0 };
	bool is_inside = true;
	int num = 0;

	/* what is around a function that is inlined are the scopes of its
	 * source; around the innermost, those of its code */
	if (unit && dwarf_getscopes(unit, address - bias, &scopes) > 0)
		num = dwarf_getscopes_die(&scopes[0], &around);
	for (int i = 0; i < num && dwarf_tag(&around[i]) != DW_TAG_subprogram;
	     i++) {
		if (dwarf_tag(&around[i]) != DW_TAG_inlined_subroutine)
			continue;
		add_inlined(&around[i], &names);
		is_inside = is_inside && is_library(&around[i]);
		if (is_inside)
			find_call(unit, &around[i], texts);
	}
	free(scopes);
	free(around);
	texts->inlined = names.length ? text_take(&names) : NULL;
}

static void look_up(struct image_file *file, struct uncore_position *position)
{
	uint64_t address = position->address;
	struct position_texts texts = { 0 };

	/* The symbols first: they make libdwfl open the file. */
	position->symbol = function_at(file, address, &position->offset);
	position->object = file->name;
	if (!position->symbol)
		position->offset = address - file->start;
	texts.symbol = demangle(position->symbol);
	find_source(file->module, address, &texts);
	find_inlined(file->module, address, &texts);
	image_remember(file, position, &texts);
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

static void find_in(struct image_file *file, uint64_t address,
		    struct uncore_position *position)
{
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

void uncore_symbols_find(struct uncore_symbols *symbols, long process,
			 unsigned space, uint64_t address,
			 struct uncore_position *position)
{
	find_in(code_at(symbols, process, space, address), address, position);
}

static void be_behind(struct uncore_position *position)
{
	position->address++;
	if (position->object)
		position->offset++;
}

void uncore_symbols_find_caller(struct uncore_symbols *symbols, long process,
				unsigned space, uint64_t address,
				struct uncore_position *position)
{
	uncore_symbols_find(symbols, process, space, address - 1, position);
	be_behind(position);
}

void uncore_symbols_find_past(struct uncore_symbols *symbols,
			      const struct uncore_mapped_file *file,
			      uint64_t address,
			      struct uncore_position *position)
{
	find_in(image_past_file(symbols, file->name, file->start, file->end),
		address - 1, position);
	be_behind(position);
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
