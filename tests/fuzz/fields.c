/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Debug information that somebody else made: a file of ELF whose variables are
 * asked for their parts. The seeds are a C and a C++ program, of which objcopy
 * has left the sections with .debug in their names.
 */
#include <elfutils/libdw.h>
#include <stdlib.h>
#include <string.h>

#include "record/fields.h"
#include "tests/fuzz/fuzz.h"

/* Variables of the seeds lie below. */
enum { ADDRESSES = 0x1000, STEP = 0x20, MOST_LENGTH = 250 };

static void ask(const struct fields *fields, uint64_t start)
{
	static const uint64_t offsets[] = { 0, 1, 9, 20, 60, 1000, 1ull << 63 };

	for (size_t i = 0; i < sizeof(offsets) / sizeof(offsets[0]); i++) {
		char *name = fields_find(fields, start, offsets[i]);

		fuzz_must(!name || *name == '.' || *name == '[',
			  "'%s' is no field", name ? name : "");
		fuzz_must(!name || strlen(name) < MOST_LENGTH, "too long");
		free(name);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *copy = malloc(size ? size : 1);
	struct fields *fields;
	Dwarf *dwarf;
	Elf *elf;

	elf_version(EV_CURRENT);
	fuzz_must(copy, "no memory");
	if (size)
		memcpy(copy, data, size);
	elf = elf_memory(copy, size);
	dwarf = elf ? dwarf_begin_elf(elf, DWARF_C_READ, NULL) : NULL;
	fields = fields_read(dwarf, 0);
	fuzz_must(fields, "no memory");
	for (uint64_t start = 0; start < ADDRESSES; start += STEP)
		ask(fields, start);
	fields_free(fields);
	dwarf_end(dwarf);
	elf_end(elf);
	free(copy);
	return 0;
}
