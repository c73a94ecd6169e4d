/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The table of .eh_frame_hdr (Linux Standard Base, Core, 10.6.2): a version,
 * how three things are encoded, the address of .eh_frame, the number of rows,
 * and rows of two numbers each, a function's start and its description's, both
 * from the table's own address on and in the order of starts. Every linker
 * writes the encodings that are read here; others are taken for no table. A
 * function goes on until the next one begins.
 *
 * The file is anybody's: each number is looked at before it is used.
 */
#include "record/functions.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	VERSION = 1,
	UDATA4 = 0x03,	       /* an unsigned number of four bytes */
	DATAREL_SDATA4 = 0x3b, /* a signed one, from the table on */
	HEAD_BYTES = 12,
	ROW_BYTES = 8,
	MAX_ROWS = 1 << 24,
};

struct function {
	uint64_t start;
	char *name; /* made when it is asked for */
};

struct functions {
	struct function *list;
	size_t num;
	uint64_t base; /* of the file in memory */
	const char *file;
};

static uint32_t number_at(const unsigned char *bytes)
{
	return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 |
	       (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

static void take_table(struct functions *functions, const unsigned char *table,
		       size_t size, uint64_t address)
{
	uint32_t num;

	if (size < HEAD_BYTES || table[0] != VERSION || table[2] != UDATA4 ||
	    table[3] != DATAREL_SDATA4)
		return;
	num = number_at(table + 8);
	if (num > MAX_ROWS || num > (size - HEAD_BYTES) / ROW_BYTES)
		return;
	functions->list = calloc(num + 1, sizeof(*functions->list));
	for (uint32_t i = 0; functions->list && i < num; i++) {
		const unsigned char *row = table + HEAD_BYTES + i * ROW_BYTES;

		functions->list[i].start =
			address + (uint64_t)(int64_t)(int32_t)number_at(row);
		if (i &&
		    functions->list[i].start < functions->list[i - 1].start)
			return; /* not in order: what came before is used */
		functions->num = i + 1;
	}
}

static void find_table(struct functions *functions, Dwfl_Module *module)
{
	GElf_Addr bias = 0;
	Elf *elf = dwfl_module_getelf(module, &bias);
	size_t num = 0;
	GElf_Phdr header;

	if (!elf || elf_getphdrnum(elf, &num))
		return;
	for (size_t i = 0; i < num; i++) {
		Elf_Data *data;

		if (!gelf_getphdr(elf, (int)i, &header) ||
		    header.p_type != PT_GNU_EH_FRAME)
			continue;
		data = elf_getdata_rawchunk(elf, (int64_t)header.p_offset,
					    header.p_filesz, ELF_T_BYTE);
		if (data && data->d_buf)
			take_table(functions, data->d_buf, data->d_size,
				   header.p_vaddr + bias);
		return;
	}
}

struct functions *functions_read(Dwfl_Module *module)
{
	struct functions *functions = calloc(1, sizeof(*functions));
	const char *name, *file = NULL;
	Dwarf_Addr start = 0;

	if (!functions)
		return NULL;
	find_table(functions, module);
	name = dwfl_module_info(module, NULL, &start, NULL, NULL, NULL, &file,
				NULL);
	functions->base = start;
	functions->file = file ? file : name ? name : "";
	return functions;
}

void functions_free(struct functions *functions)
{
	if (!functions)
		return;
	for (size_t i = 0; i < functions->num; i++)
		free(functions->list[i].name);
	free(functions->list);
	free(functions);
}

static char *make_name(const struct functions *functions, uint64_t start)
{
	const char *slash = strrchr(functions->file, '/');
	char *name = NULL;

	if (asprintf(&name, "%s+0x%llx", slash ? slash + 1 : functions->file,
		     (unsigned long long)(start - functions->base)) < 0)
		return NULL;
	return name;
}

bool functions_find(struct functions *functions, uint64_t address,
		    const char **name, uint64_t *start)
{
	size_t from = 0, until = functions->num; /* number of those before */
	struct function *found;

	while (from < until) {
		size_t middle = from + (until - from) / 2;

		if (functions->list[middle].start <= address)
			from = middle + 1;
		else
			until = middle;
	}
	if (!from)
		return false;
	found = &functions->list[from - 1];
	if (!found->name)
		found->name = make_name(functions, found->start);
	*name = found->name;
	*start = found->start;
	return found->name;
}
