/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Registers of PCI functions and memory windows, each of which is a file:
 *
 *     FOLDER/CPU/pci/DD.F   the configuration space of device DD, function F
 *     FOLDER/CPU/mem/N      window N
 *
 * of the socket that the CPU belongs to. A register is accessed in parts as
 * wide as the family's data says, which matters where hardware is behind it.
 */
#ifndef UNCORE_ACCESS_UNIT_FILES_H
#define UNCORE_ACCESS_UNIT_FILES_H

#include <stddef.h>
#include <stdint.h>

#include "table/table.h"

struct unit_file {
	unsigned cpu;
	uint64_t unit; /* an address without its offset */
	int file;
};

/* All zero at first. */
struct unit_files {
	struct unit_file *list;
	size_t num;
};

/* 0; UNCORE_ERR_GP where there is no such register (NULL), or the file ends
 * before it; UNCORE_ERR_NO_HARDWARE where there is no such file,
 * UNCORE_ERR_NO_PERMISSION where it may not be opened;
 * UNCORE_ERR_IO where the parts of a counter never agree. */
int unit_files_read(struct unit_files *files, const char *folder, unsigned cpu,
		    const struct uc_register *reg, uint64_t *value);
int unit_files_write(struct unit_files *files, const char *folder, unsigned cpu,
		     const struct uc_register *reg, uint64_t value);
void unit_files_close(struct unit_files *files);

#endif
