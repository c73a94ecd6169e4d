/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What reading and writing the files does.
 *
 * The register files do what Linux's msr driver does: the offset is the
 * register's address, of which the low 32 bits count; lengths are multiples of
 * 8, and a longer one is the same register again and again; EIO stands for #GP,
 * and what was done before it is reported rather than the error. One thing the
 * kernel does not let a file system do: with read() and write() the position
 * moves on by what was done, while the driver leaves it where it is. Tools use
 * pread() or seek.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "server/regfs_parts.h"
#include "uncore/error.h"

enum { REGISTER_BYTES = 8 };

static struct uncore_regfs *regfs_of(fuse_req_t request)
{
	return fuse_req_userdata(request);
}

static struct regfs_text *open_text(struct uncore_regfs *fs)
{
	struct regfs_text *text = calloc(1, sizeof(*text));

	if (!text)
		return NULL;
	text->next = fs->texts;
	text->link = &fs->texts;
	if (text->next)
		text->next->link = &text->next;
	fs->texts = text;
	return text;
}

static void close_text(struct regfs_text *text)
{
	if (!text)
		return;
	*text->link = text->next;
	if (text->next)
		text->next->link = text->link;
	free(text->data);
	free(text);
}

static struct regfs_text *text_of(const struct fuse_file_info *file)
{
	return (struct regfs_text *)(uintptr_t)file->fh;
}

void regfs_file_open(fuse_req_t request, fuse_ino_t inode,
		     struct fuse_file_info *file)
{
	file->fh = 0;
	file->direct_io = 1;
	file->noflush = 1;
	if (!regfs_is_register(regfs_of(request), inode)) {
		struct regfs_text *text = open_text(regfs_of(request));

		if (!text) {
			fuse_reply_err(request, ENOMEM);
			return;
		}
		file->fh = (uintptr_t)text;
	}
	/* A client that was killed meanwhile will not close it. */
	if (fuse_reply_open(request, file) == -ENOENT)
		close_text(text_of(file));
}

void regfs_file_release(fuse_req_t request, fuse_ino_t inode,
			struct fuse_file_info *file)
{
	(void)inode;
	close_text(text_of(file));
	fuse_reply_err(request, 0);
}

void regfs_file_close_all(struct uncore_regfs *fs)
{
	struct regfs_text *text;

	while ((text = fs->texts)) {
		fs->texts = text->next;
		free(text->data);
		free(text);
	}
}

/* A text is made anew when it is read from the start, and is read to its end
 * without a change. */
static void read_text(fuse_req_t request, fuse_ino_t inode, size_t size,
		      off_t offset, struct regfs_text *text)
{
	const struct uncore_regfs *fs = regfs_of(request);
	size_t from = (size_t)offset;

	if (!offset && !regfs_text_make(text, fs, inode)) {
		fuse_reply_err(request, ENOMEM);
		return;
	}
	if (from > text->length)
		from = text->length;
	if (size > text->length - from)
		size = text->length - from;
	fuse_reply_buf(request, text->data + from, size);
}

static int errno_of(int code)
{
	return code == UNCORE_ERR_NO_MEMORY ? ENOMEM : EIO;
}

/* The same register several times, all at one cycle. */
static void read_again(fuse_req_t request, unsigned cpu, size_t size,
		       uint32_t address)
{
	size_t num = size / REGISTER_BYTES;
	struct uncore_live_op *ops = calloc(num, sizeof(*ops));
	uint64_t *values = calloc(num, sizeof(*values));
	size_t done = 0;

	if (!ops || !values) {
		fuse_reply_err(request, ENOMEM);
		goto out;
	}
	for (size_t i = 0; i < num; i++)
		ops[i] = (struct uncore_live_op){ .cpu = cpu,
						  .address = address };
	uncore_live_batch(regfs_of(request)->live, ops, num);
	for (; done < num && !ops[done].code; done++)
		values[done] = ops[done].value;
	if (done)
		fuse_reply_buf(request, (char *)values, done * REGISTER_BYTES);
	else
		fuse_reply_err(request, errno_of(ops[0].code));
out:
	free(ops);
	free(values);
}

static void read_msr(fuse_req_t request, unsigned cpu, size_t size,
		     uint32_t address)
{
	uint64_t value = 0;
	int code;

	if (size % REGISTER_BYTES || !size) {
		fuse_reply_err(request, size ? EINVAL : 0);
		return;
	}
	if (size > REGISTER_BYTES) {
		read_again(request, cpu, size, address);
		return;
	}
	code = uncore_live_read(regfs_of(request)->live, cpu, address, &value);
	if (code)
		fuse_reply_err(request, errno_of(code));
	else
		fuse_reply_buf(request, (char *)&value, sizeof(value));
}

void regfs_file_read(fuse_req_t request, fuse_ino_t inode, size_t size,
		     off_t offset, struct fuse_file_info *file)
{
	const struct uncore_regfs *fs = regfs_of(request);

	if (!regfs_is_register(fs, inode))
		read_text(request, inode, size, offset, text_of(file));
	else if (fs->is_pci)
		regfs_pci_read(request, inode, size, offset);
	else
		read_msr(request, regfs_folder(fs, inode), size,
			 (uint32_t)offset);
}

/* One after the other, because the first that is refused ends it. */
static void write_msr(fuse_req_t request, unsigned cpu, const char *data,
		      size_t size, uint32_t address)
{
	size_t done = 0;
	int code = 0;

	if (size % REGISTER_BYTES) {
		fuse_reply_err(request, EINVAL);
		return;
	}
	for (; done < size; done += REGISTER_BYTES) {
		uint64_t value;

		memcpy(&value, data + done, sizeof(value));
		code = uncore_live_write(regfs_of(request)->live, cpu, address,
					 value);
		if (code)
			break;
	}
	if (code && !done)
		fuse_reply_err(request, errno_of(code));
	else
		fuse_reply_write(request, done);
}

static void write_clock(fuse_req_t request, const char *data, size_t size)
{
	struct uncore_regfs *fs = regfs_of(request);
	uint64_t cycles;

	if (!fs->is_stepped)
		fuse_reply_err(request, EPERM);
	else if (!regfs_parse_cycles(data, size, &cycles))
		fuse_reply_err(request, EINVAL);
	else
		regfs_clock_step(&fs->clock, request, cycles, size);
}

void regfs_file_write(fuse_req_t request, fuse_ino_t inode, const char *data,
		      size_t size, off_t offset, struct fuse_file_info *file)
{
	const struct uncore_regfs *fs = regfs_of(request);

	(void)file;
	if (inode == REGFS_CLOCK)
		write_clock(request, data, size);
	else if (!regfs_is_register(fs, inode))
		fuse_reply_err(request, EPERM);
	else if (fs->is_pci)
		regfs_pci_write(request, inode, data, size, offset);
	else
		write_msr(request, regfs_folder(fs, inode), data, size,
			  (uint32_t)offset);
}
