/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The tree of files. It never changes, so the kernel may remember names and
 * attributes for long. Sizes are 0, as those of device nodes and of /proc, but
 * for those of configuration spaces.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "server/regfs_parts.h"

static const double REMEMBER_SECONDS = 3600;

enum { NAME_BYTES = 32 };

static bool is_folder(const struct uncore_regfs *fs, fuse_ino_t inode)
{
	return inode == REGFS_ROOT ||
	       (inode >= REGFS_FIRST_FOLDER && !regfs_is_register(fs, inode));
}

/* With allow_other the kernel lets everybody come as far as these bits. */
static mode_t mode_of(const struct uncore_regfs *fs, fuse_ino_t inode)
{
	if (is_folder(fs, inode))
		return S_IFDIR | 0755;
	if (regfs_is_register(fs, inode))
		return S_IFREG | (fs->allow_other ? 0666 : 0600);
	if (inode == REGFS_CLOCK && fs->is_stepped)
		return S_IFREG | (fs->allow_other ? 0666 : 0644);
	return S_IFREG | 0444;
}

static void fill_attr(const struct uncore_regfs *fs, fuse_ino_t inode,
		      struct stat *attr)
{
	memset(attr, 0, sizeof(*attr));
	attr->st_ino = inode;
	attr->st_mode = mode_of(fs, inode);
	attr->st_nlink = !is_folder(fs, inode) ? 1
			 : inode == REGFS_ROOT ? 2 + fs->num_folders
					       : 2;
	if (fs->is_pci && regfs_is_register(fs, inode))
		attr->st_size =
			fs->functions[regfs_file(fs, inode) - 1].size_bytes;
	attr->st_uid = fs->uid;
	attr->st_gid = fs->gid;
	attr->st_atim = attr->st_mtim = attr->st_ctim = fs->start;
}

static void name_folder(const struct uncore_regfs *fs, unsigned index,
			char name[NAME_BYTES])
{
	if (fs->is_pci)
		snprintf(name, NAME_BYTES, "%02x", fs->machine.buses[index]);
	else
		snprintf(name, NAME_BYTES, "%u", index);
}

static void name_file(const struct uncore_regfs *fs, unsigned index,
		      char name[NAME_BYTES])
{
	unsigned number;

	if (!fs->is_pci) {
		snprintf(name, NAME_BYTES, "msr");
		return;
	}
	number = regfs_unit(&fs->functions[index]);
	snprintf(name, NAME_BYTES, "%02x.%x", number >> 3, number & 7);
}

/* Entry number index of the root, or 0 past the last one. */
static fuse_ino_t root_entry(const struct uncore_regfs *fs, size_t index,
			     char name[NAME_BYTES])
{
	static const char *const texts[] = { "clock", "status", "devices" };

	if (index < fs->num_folders) {
		name_folder(fs, (unsigned)index, name);
		return regfs_inode(fs, (unsigned)index);
	}
	index -= fs->num_folders;
	if (index >= (fs->is_pci ? 3 : 2))
		return 0;
	snprintf(name, NAME_BYTES, "%s", texts[index]);
	return REGFS_CLOCK + index;
}

/* The same of any folder. */
static fuse_ino_t entry_at(const struct uncore_regfs *fs, fuse_ino_t folder,
			   size_t index, char name[NAME_BYTES])
{
	static const char *const dots[] = { ".", ".." };

	if (index < 2) {
		snprintf(name, NAME_BYTES, "%s", dots[index]);
		return index ? (fuse_ino_t)REGFS_ROOT : folder;
	}
	index -= 2;
	if (folder == REGFS_ROOT)
		return root_entry(fs, index, name);
	for (unsigned i = 0; i < fs->num_files; i++)
		if (regfs_is_in(fs, regfs_folder(fs, folder), i) && !index--) {
			name_file(fs, i, name);
			return folder + 1 + i;
		}
	return 0;
}

/* The inode of a name in a folder, or 0. */
static fuse_ino_t find(const struct uncore_regfs *fs, fuse_ino_t folder,
		       const char *name)
{
	char found[NAME_BYTES];
	fuse_ino_t inode;

	for (size_t i = 2; (inode = entry_at(fs, folder, i, found)); i++)
		if (!strcmp(found, name))
			return inode;
	return 0;
}

static void do_lookup(fuse_req_t request, fuse_ino_t folder, const char *name)
{
	struct fuse_entry_param entry = { .attr_timeout = REMEMBER_SECONDS,
					  .entry_timeout = REMEMBER_SECONDS };

	/* Inode 0: there is no such name, which may be remembered as well. */
	entry.ino = find(fuse_req_userdata(request), folder, name);
	if (entry.ino)
		fill_attr(fuse_req_userdata(request), entry.ino, &entry.attr);
	fuse_reply_entry(request, &entry);
}

static void do_getattr(fuse_req_t request, fuse_ino_t inode,
		       struct fuse_file_info *file)
{
	struct stat attr;

	(void)file;
	fill_attr(fuse_req_userdata(request), inode, &attr);
	fuse_reply_attr(request, &attr, REMEMBER_SECONDS);
}

/* Truncating (a shell's '>') is allowed and does nothing, as for any file that
 * is not on a disk. */
static void do_setattr(fuse_req_t request, fuse_ino_t inode, struct stat *attr,
		       int which, struct fuse_file_info *file)
{
	if (which &
	    (FUSE_SET_ATTR_MODE | FUSE_SET_ATTR_UID | FUSE_SET_ATTR_GID)) {
		fuse_reply_err(request, EPERM);
		return;
	}
	(void)attr;
	do_getattr(request, inode, file);
}

static void do_readdir(fuse_req_t request, fuse_ino_t folder, size_t size,
		       off_t offset, struct fuse_file_info *file)
{
	const struct uncore_regfs *fs = fuse_req_userdata(request);
	char *buffer = malloc(size);
	size_t used = 0;

	(void)file;
	if (!buffer) {
		fuse_reply_err(request, ENOMEM);
		return;
	}
	for (size_t i = (size_t)offset;; i++) {
		struct stat attr = { 0 };
		char name[NAME_BYTES];
		size_t length;

		attr.st_ino = entry_at(fs, folder, i, name);
		if (!attr.st_ino)
			break;
		attr.st_mode = mode_of(fs, attr.st_ino);
		length = fuse_add_direntry(request, buffer + used, size - used,
					   name, &attr, (off_t)i + 1);
		if (length > size - used)
			break;
		used += length;
	}
	fuse_reply_buf(request, buffer, used);
	free(buffer);
}

/* Values go through memory of ours anyway: pipes would only cost. */
static void do_init(void *userdata, struct fuse_conn_info *connection)
{
	(void)userdata;
	connection->want &=
		~(unsigned)(FUSE_CAP_SPLICE_READ | FUSE_CAP_SPLICE_WRITE |
			    FUSE_CAP_SPLICE_MOVE);
	connection->want |= connection->capable & FUSE_CAP_ATOMIC_O_TRUNC;
}

/* Nothing appears, goes or gets another name here, as below /dev/cpu. */

static void do_remove(fuse_req_t request, fuse_ino_t folder, const char *name)
{
	(void)folder;
	(void)name;
	fuse_reply_err(request, EPERM);
}

static void do_create(fuse_req_t request, fuse_ino_t folder, const char *name,
		      mode_t mode, struct fuse_file_info *file)
{
	(void)mode;
	(void)file;
	do_remove(request, folder, name);
}

static void do_mkdir(fuse_req_t request, fuse_ino_t folder, const char *name,
		     mode_t mode)
{
	(void)mode;
	do_remove(request, folder, name);
}

static void do_mknod(fuse_req_t request, fuse_ino_t folder, const char *name,
		     mode_t mode, dev_t device)
{
	(void)mode;
	(void)device;
	do_remove(request, folder, name);
}

static void do_symlink(fuse_req_t request, const char *link, fuse_ino_t folder,
		       const char *name)
{
	(void)link;
	do_remove(request, folder, name);
}

static void do_link(fuse_req_t request, fuse_ino_t inode, fuse_ino_t folder,
		    const char *name)
{
	(void)inode;
	do_remove(request, folder, name);
}

static void do_rename(fuse_req_t request, fuse_ino_t folder, const char *name,
		      fuse_ino_t new_folder, const char *new_name,
		      unsigned flags)
{
	(void)new_folder;
	(void)new_name;
	(void)flags;
	do_remove(request, folder, name);
}

const struct fuse_lowlevel_ops regfs_tree_ops = {
	.init = do_init,
	.lookup = do_lookup,
	.getattr = do_getattr,
	.setattr = do_setattr,
	.readdir = do_readdir,
	.open = regfs_file_open,
	.release = regfs_file_release,
	.read = regfs_file_read,
	.write = regfs_file_write,
	.create = do_create,
	.mknod = do_mknod,
	.mkdir = do_mkdir,
	.symlink = do_symlink,
	.link = do_link,
	.unlink = do_remove,
	.rmdir = do_remove,
	.rename = do_rename,
};
