/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * A counter in two halves may carry from one to the other between the reads of
 * them: the upper ones are read before and after, until they agree.
 */
#include "access/unit_files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "uncore/address.h"
#include "uncore/error.h"

enum { MAX_TRIES = 16 };

static int open_unit(const char *folder, unsigned cpu, uint64_t unit)
{
	unsigned number = uncore_address_unit(unit);
	char *path;
	int file, made;

	if (uncore_address_space(unit) == UNCORE_SPACE_PCI)
		made = asprintf(&path, "%s/%u/pci/%02x.%x", folder, cpu,
				number >> 3, number & 7);
	else
		made = asprintf(&path, "%s/%u/mem/%u", folder, cpu, number);
	if (made < 0)
		return -1;
	file = open(path, O_RDWR | O_CLOEXEC);
	free(path);
	return file;
}

/* The file that holds a register, opened once; -1: there is none. */
static int file_of(struct unit_files *files, const char *folder, unsigned cpu,
		   const struct uc_register *reg)
{
	uint64_t unit = reg->address & ~(uint64_t)UINT32_MAX;
	struct unit_file *list;
	int file;

	for (size_t i = 0; i < files->num; i++)
		if (files->list[i].cpu == cpu && files->list[i].unit == unit)
			return files->list[i].file;
	file = open_unit(folder, cpu, unit);
	list = realloc(files->list, (files->num + 1) * sizeof(*list));
	if (file < 0 || !list) {
		if (file >= 0)
			close(file);
		files->list = list ? list : files->list;
		return -1;
	}
	list[files->num++] = (struct unit_file){ cpu, unit, file };
	files->list = list;
	return file;
}

/* Why there is none, by errno. */
static int no_file(void)
{
	return errno == EACCES || errno == EPERM ? UNCORE_ERR_NO_PERMISSION
						 : UNCORE_ERR_NO_HARDWARE;
}

static unsigned num_parts(const struct uc_register *reg)
{
	return (reg->width + reg->part_bits - 1u) / reg->part_bits;
}

static off_t place_of(const struct uc_register *reg, unsigned part)
{
	return (off_t)uncore_address_offset(reg->address) +
	       part * (reg->part_bits / 8u);
}

static bool read_part(int file, const struct uc_register *reg, unsigned part,
		      uint64_t *value)
{
	size_t bytes = reg->part_bits / 8u;

	*value = 0;
	return pread(file, value, bytes, place_of(reg, part)) == (ssize_t)bytes;
}

/* All parts but the lowest. */
static bool read_upper(int file, const struct uc_register *reg, uint64_t *value)
{
	uint64_t part;

	*value = 0;
	for (unsigned i = num_parts(reg); i-- > 1;) {
		if (!read_part(file, reg, i, &part))
			return false;
		*value |= part << (i * reg->part_bits);
	}
	return true;
}

int unit_files_read(struct unit_files *files, const char *folder, unsigned cpu,
		    const struct uc_register *reg, uint64_t *value)
{
	int file = reg ? file_of(files, folder, cpu, reg) : -1;
	uint64_t upper, lowest, again;
	unsigned tries = 0;

	if (!reg)
		return UNCORE_ERR_GP;
	if (file < 0)
		return no_file();
	if (!read_upper(file, reg, &again))
		return UNCORE_ERR_GP;
	do {
		upper = again;
		if (!read_part(file, reg, 0, &lowest) ||
		    !read_upper(file, reg, &again))
			return UNCORE_ERR_GP;
	} while (upper != again && ++tries < MAX_TRIES);
	*value = upper | lowest;
	return upper == again ? 0 : UNCORE_ERR_IO;
}

int unit_files_write(struct unit_files *files, const char *folder, unsigned cpu,
		     const struct uc_register *reg, uint64_t value)
{
	int file = reg ? file_of(files, folder, cpu, reg) : -1;
	size_t bytes = reg ? reg->part_bits / 8u : 0;

	if (!reg)
		return UNCORE_ERR_GP;
	if (file < 0)
		return no_file();
	for (unsigned i = 0; i < num_parts(reg); i++) {
		uint64_t part = value >> (i * reg->part_bits);

		if (pwrite(file, &part, bytes, place_of(reg, i)) !=
		    (ssize_t)bytes)
			return UNCORE_ERR_GP;
	}
	return 0;
}

void unit_files_close(struct unit_files *files)
{
	for (size_t i = 0; i < files->num; i++)
		close(files->list[i].file);
	free(files->list);
	*files = (struct unit_files){ 0 };
}
