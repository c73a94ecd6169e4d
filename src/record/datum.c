/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What lies at an address of data: a variable, by the symbols of the file that
 * is mapped there or just below, as memory that starts as zeros is; or what the
 * map of the process tells. The kernel names its own [heap] and [stack]. Other
 * stacks and heaps are known by how glibc and Valgrind lay them out:
 *
 *     stack of a thread      lies above a little memory without any rights, its
 *                            guard; other allocators reserve much more
 *     heap of a thread       begins at a multiple of 64 MiB; the rest up to the
 *                            next one has no rights
 *     first stack, Valgrind  ends at a fixed address
 *     first heap, Valgrind   is executable, and lies behind a file
 *
 * The rest, such as what malloc() has got by mmap(), is anonymous.
 *
 * Who allocated it is not known from the map, but to who watches the program.
 */
#include <elfutils/libdwfl.h>
#include <stdlib.h>
#include <string.h>

#include "record/demangle.h"
#include "record/fields.h"
#include "record/image.h"

static const uint64_t heap_bytes = 64 << 20;
static const uint64_t most_guard_bytes = 64 << 10;
static const uint64_t valgrind_stack_end = 0x1fff001000;
static const uint64_t most_stack_bytes = 8 << 20;

/* The end of a file in memory, what starts as zeros included. */
static uint64_t end_of(Dwfl_Module *module)
{
	GElf_Addr bias = 0;
	Elf *elf = dwfl_module_getelf(module, &bias);
	uint64_t end = 0;
	size_t num = 0;
	GElf_Phdr header;

	if (!elf || elf_getphdrnum(elf, &num))
		return 0;
	for (size_t i = 0; i < num; i++)
		if (gelf_getphdr(elf, (int)i, &header) &&
		    header.p_type == PT_LOAD &&
		    header.p_vaddr + header.p_memsz + bias > end)
			end = header.p_vaddr + header.p_memsz + bias;
	return end;
}

static const char *field_at(struct uncore_symbols *symbols,
			    struct image_file *file, uint64_t start,
			    uint64_t offset)
{
	const struct fields *fields = image_fields(file);

	free(symbols->field);
	symbols->field = fields ? fields_find(fields, start, offset) : NULL;
	return symbols->field;
}

/* A variable of the file that is mapped there, or its memory without a name;
 * false: the address is neither. */
static bool find_variable(struct uncore_symbols *symbols,
			  const struct image *image,
			  const struct mapping *mapping, uint64_t address,
			  struct uncore_datum *datum, uint64_t *offset)
{
	struct image_file *file = image_file(symbols, image, mapping);
	GElf_Off into = 0;
	GElf_Sym symbol = { 0 };
	const char *name;

	/* first: libdwfl goes through all symbols for each question */
	if (!file || address >= end_of(file->module))
		return false;
	name = dwfl_module_addrinfo(file->module, address, &into, &symbol, NULL,
				    NULL, NULL);
	if (name && into < symbol.st_size) {
		free(symbols->text);
		symbols->text = demangle(name);
		*datum = (struct uncore_datum){
			.kind = UNCORE_DATUM_SYMBOL,
			.object = file->name,
			.symbol = symbols->text ? symbols->text : name,
			.size_bytes = symbol.st_size,
			.field = field_at(symbols, file, address - into, into),
		};
		*offset = into;
		return true;
	}
	*datum = (struct uncore_datum){ .kind = UNCORE_DATUM_FILE,
					.object = file->name };
	*offset = address - file->start;
	return true;
}

static bool is_first_stack(const struct mapping *mapping)
{
	return mapping->name ? !strcmp(mapping->name, "[stack]")
			     : mapping->end == valgrind_stack_end;
}

/* The stack of a process's first thread grows when it is written: the access
 * that makes it grow lies below what is mapped yet. Offsets in it count from
 * its end, which stays. */
static bool is_of_first_stack(const struct maps *maps, uint64_t address,
			      uint64_t *offset)
{
	size_t i = 0;

	while (i < maps->num && maps->list[i].end <= address)
		i++;
	if (i == maps->num || !is_first_stack(&maps->list[i]) ||
	    maps->list[i].end - address > most_stack_bytes)
		return false;
	*offset = maps->list[i].end - address;
	return true;
}

static bool has_no_rights(const struct mapping *mapping)
{
	return mapping && !mapping->is_readable && !mapping->name;
}

static enum uncore_datum_kind kind_of(const struct maps *maps,
				      const struct mapping *mapping)
{
	const struct mapping *below = maps_below(maps, mapping);
	const struct mapping *above = maps_above(maps, mapping);

	if (mapping->start % heap_bytes == 0 && has_no_rights(above) &&
	    above->end % heap_bytes == 0)
		return UNCORE_DATUM_HEAP;
	if (has_no_rights(below) &&
	    below->end - below->start <= most_guard_bytes)
		return UNCORE_DATUM_STACK;
	return mapping->is_executable && below && below->name
		       ? UNCORE_DATUM_HEAP
		       : UNCORE_DATUM_ANONYMOUS;
}

static void find_without_file(struct uncore_symbols *symbols,
			      const struct image *image,
			      const struct mapping *mapping, uint64_t address,
			      struct uncore_datum *datum, uint64_t *offset)
{
	const struct mapping *below = maps_below(&image->maps, mapping);

	if (below && below->name &&
	    find_variable(symbols, image, below, address, datum, offset))
		return;
	datum->kind = kind_of(&image->maps, mapping);
}

static bool find(struct uncore_symbols *symbols, long process, unsigned space,
		 uint64_t address, struct uncore_datum *datum, uint64_t *offset)
{
	struct image *image = image_find(symbols, process, space);
	const struct mapping *mapping =
		image ? image_mapping(image, address) : NULL;

	*datum = (struct uncore_datum){ .kind = UNCORE_DATUM_ANONYMOUS };
	*offset = 0;
	if (image && is_of_first_stack(&image->maps, address, offset)) {
		datum->kind = UNCORE_DATUM_STACK;
		return true;
	}
	if (!mapping)
		return false;
	*offset = address - mapping->start;
	if (!mapping->name) {
		find_without_file(symbols, image, mapping, address, datum,
				  offset);
	} else if (!strcmp(mapping->name, "[heap]")) {
		datum->kind = UNCORE_DATUM_HEAP;
	} else if (!find_variable(symbols, image, mapping, address, datum,
				  offset)) {
		datum->kind = UNCORE_DATUM_FILE;
		datum->object = mapping->name;
	}
	return true;
}

bool uncore_symbols_find_datum(struct uncore_symbols *symbols, long process,
			       unsigned space, uint64_t address,
			       struct uncore_datum *datum, uint64_t *offset)
{
	bool is_known = find(symbols, process, space, address, datum, offset);

	datum->stack = datum->thread = -1;
	return is_known;
}
