/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * A counter in two halves may carry from one to the other between the reads of
 * them: the upper ones are read before and after, until they agree.
 */
#include "access/unit_files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/array.h"
#include "uncore/address.h"
#include "uncore/error.h"

enum { MAX_TRIES = 16 };

static struct unit_file *find(const struct unit_files *files, unsigned socket,
			      uint64_t unit)
{
	for (size_t i = 0; i < files->num; i++)
		if (files->list[i].socket == socket &&
		    files->list[i].unit == unit)
			return &files->list[i];
	return NULL;
}

int unit_files_find(const struct unit_files *files, unsigned socket,
		    uint64_t unit, bool writes)
{
	const struct unit_file *found = find(files, socket, unit);

	return found && (found->is_written || !writes) ? found->file : -1;
}

/* Adds one without a file; NULL without memory. */
static struct unit_file *add(struct unit_files *files)
{
	if (!array_room(&files->list, files->num, sizeof(*files->list)))
		return NULL;
	files->list[files->num] = (struct unit_file){ .file = -1 };
	return &files->list[files->num++];
}

int unit_files_open(struct unit_files *files, unsigned socket, uint64_t unit,
		    const char *path, bool writes)
{
	struct unit_file *found = find(files, socket, unit);
	int file;

	errno = ENOENT;
	file = path ? open(path, (writes ? O_RDWR : O_RDONLY) | O_CLOEXEC |
					 O_NONBLOCK)
		    : -1;
	if (file < 0)
		return -1;
	if (!found)
		found = add(files);
	if (!found) {
		close(file);
		return -1;
	}
	if (found->file >= 0)
		close(found->file);
	*found = (struct unit_file){ socket, unit, file, writes };
	return file;
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

int unit_file_read(int file, const struct uc_register *reg, uint64_t *value)
{
	uint64_t upper, lowest, again;
	unsigned tries = 0;

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

int unit_file_write(int file, const struct uc_register *reg, uint64_t value)
{
	size_t bytes = reg->part_bits / 8u;

	for (unsigned i = 0; i < num_parts(reg); i++) {
		uint64_t part = value >> (i * reg->part_bits);

		if (pwrite(file, &part, bytes, place_of(reg, i)) !=
		    (ssize_t)bytes)
			return UNCORE_ERR_GP;
	}
	return 0;
}

bool unit_file_has(int file, const struct uc_register *reg)
{
	uint64_t part;

	return read_part(file, reg, num_parts(reg) - 1, &part);
}

void unit_files_close(struct unit_files *files)
{
	for (size_t i = 0; i < files->num; i++)
		close(files->list[i].file);
	free(files->list);
	*files = (struct unit_files){ 0 };
}
