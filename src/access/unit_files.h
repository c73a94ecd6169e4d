/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Registers of PCI functions and memory windows, each of which is a file. A
 * register is accessed in parts as wide as the family's data says, which
 * matters where hardware is behind it.
 */
#ifndef UNCORE_ACCESS_UNIT_FILES_H
#define UNCORE_ACCESS_UNIT_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "table/table.h"

struct unit_file {
	unsigned socket;
	uint64_t unit; /* an address without its offset */
	int file;
	bool is_written; /* it is open for that, too */
};

/* Those that are open; all zero at first. */
struct unit_files {
	struct unit_file *list;
	size_t num;
};

/* The file of a unit, for reading or for writing, too: that which is open so,
 * or opened by its path; -1: see errno. An unknown path is NULL, and ENOENT. */
int unit_files_find(const struct unit_files *files, unsigned socket,
		    uint64_t unit, bool writes);
int unit_files_open(struct unit_files *files, unsigned socket, uint64_t unit,
		    const char *path, bool writes);
void unit_files_close(struct unit_files *files);

/* 0; UNCORE_ERR_GP where the file ends before the register; UNCORE_ERR_IO
 * where the parts of a counter never agree. */
int unit_file_read(int file, const struct uc_register *reg, uint64_t *value);
int unit_file_write(int file, const struct uc_register *reg, uint64_t value);

/* Whether the file does not end before the register. */
bool unit_file_has(int file, const struct uc_register *reg);

#endif
