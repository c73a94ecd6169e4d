/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What reading and writing a configuration space does: what the kernel's files
 * do. An access of any length is cut into aligned ones of 4 bytes, with those
 * of 1 and 2 at its ends, and ends where the space does. All are done at one
 * cycle.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "server/regfs_parts.h"
#include "uncore/address.h"

enum { WORD_BYTES = 4 };

/* Accesses of one request. */
struct accesses {
	struct uncore_live_op *ops;
	size_t num, size; /* bytes of all */
};

static uint8_t bytes_at(size_t offset, size_t left)
{
	if (offset % 2 || left == 1)
		return 1;
	return offset % WORD_BYTES || left < WORD_BYTES ? 2 : WORD_BYTES;
}

/* false without memory; ops are to be freed. */
static bool cut(const struct uncore_regfs *fs, fuse_ino_t inode, size_t size,
		off_t offset, struct accesses *accesses)
{
	const struct uncore_function *function =
		&fs->functions[regfs_file(fs, inode) - 1];
	unsigned cpu = regfs_folder(fs, inode) % fs->machine.sockets *
		       fs->machine.cores;
	size_t from = (size_t)offset, left = 0;

	if (from < function->size_bytes)
		left = function->size_bytes - from;
	if (left > size)
		left = size;
	*accesses = (struct accesses){
		.ops = calloc(left / WORD_BYTES + 4, sizeof(*accesses->ops)),
		.size = left,
	};
	for (uint8_t bytes; left && accesses->ops; from += bytes) {
		bytes = bytes_at(from, left);
		accesses->ops[accesses->num++] = (struct uncore_live_op){
			.cpu = cpu,
			.bytes = bytes,
			.address = uncore_address(UNCORE_SPACE_PCI,
						  function->number,
						  (uint32_t)from),
		};
		left -= bytes;
	}
	return accesses->ops;
}

void regfs_pci_read(fuse_req_t request, fuse_ino_t inode, size_t size,
		    off_t offset)
{
	const struct uncore_regfs *fs = fuse_req_userdata(request);
	struct accesses accesses;
	size_t done = 0;
	char *data;

	if (!cut(fs, inode, size, offset, &accesses)) {
		fuse_reply_err(request, ENOMEM);
		return;
	}
	uncore_live_batch(fs->live, accesses.ops, accesses.num);
	data = malloc(accesses.size + sizeof(uint64_t));
	for (size_t i = 0; i < accesses.num && data; i++) {
		const struct uncore_live_op *op = &accesses.ops[i];

		memcpy(data + done, &op->value, sizeof(op->value));
		done += op->bytes;
	}
	if (data)
		fuse_reply_buf(request, data, done);
	else
		fuse_reply_err(request, ENOMEM);
	free(data);
	free(accesses.ops);
}

void regfs_pci_write(fuse_req_t request, fuse_ino_t inode, const char *data,
		     size_t size, off_t offset)
{
	const struct uncore_regfs *fs = fuse_req_userdata(request);
	struct accesses accesses;

	if (!cut(fs, inode, size, offset, &accesses)) {
		fuse_reply_err(request, ENOMEM);
		return;
	}
	for (size_t i = 0; i < accesses.num; i++) {
		struct uncore_live_op *op = &accesses.ops[i];

		op->is_write = true;
		memcpy(&op->value, data, op->bytes);
		data += op->bytes;
	}
	uncore_live_batch(fs->live, accesses.ops, accesses.num);
	fuse_reply_write(request, accesses.size);
	free(accesses.ops);
}
