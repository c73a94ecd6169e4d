/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The floor under the register files: a file system of one file, whose reads
 * are answered with eight constant bytes by libfuse's own loop. What a read
 * costs here is the kernel's and libfuse's share.
 *
 *   empty_fuse FOLDER      ends on SIGTERM or when it is unmounted
 */
#define FUSE_USE_VERSION 312
#include <fuse3/fuse_lowlevel.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum { FILE_INODE = 2, REMEMBER_SECONDS = 3600 };

static void fill(fuse_ino_t inode, struct stat *attr)
{
	memset(attr, 0, sizeof(*attr));
	attr->st_ino = inode;
	attr->st_nlink = 1;
	attr->st_mode = inode == FUSE_ROOT_ID ? S_IFDIR | 0755 : S_IFREG | 0644;
}

static void do_lookup(fuse_req_t request, fuse_ino_t parent, const char *name)
{
	struct fuse_entry_param entry = { .ino = FILE_INODE,
					  .attr_timeout = REMEMBER_SECONDS,
					  .entry_timeout = REMEMBER_SECONDS };

	(void)parent;
	fill(FILE_INODE, &entry.attr);
	if (strcmp(name, "msr"))
		fuse_reply_err(request, ENOENT);
	else
		fuse_reply_entry(request, &entry);
}

static void do_getattr(fuse_req_t request, fuse_ino_t inode,
		       struct fuse_file_info *file)
{
	struct stat attr;

	(void)file;
	fill(inode, &attr);
	fuse_reply_attr(request, &attr, REMEMBER_SECONDS);
}

static void do_open(fuse_req_t request, fuse_ino_t inode,
		    struct fuse_file_info *file)
{
	(void)inode;
	file->direct_io = 1;
	fuse_reply_open(request, file);
}

static void do_read(fuse_req_t request, fuse_ino_t inode, size_t size,
		    off_t offset, struct fuse_file_info *file)
{
	static const char word[8];

	(void)inode, (void)offset, (void)file;
	fuse_reply_buf(request, word, size < sizeof(word) ? size : 8);
}

static const struct fuse_lowlevel_ops operations = {
	.lookup = do_lookup,
	.getattr = do_getattr,
	.open = do_open,
	.read = do_read,
};

int main(int argc, char **argv)
{
	struct fuse_args args = FUSE_ARGS_INIT(1, argv);
	struct fuse_session *session;

	if (argc != 2)
		return 2;
	session =
		fuse_session_new(&args, &operations, sizeof(operations), NULL);
	if (!session || fuse_set_signal_handlers(session) ||
	    fuse_session_mount(session, argv[1]))
		return 1;
	printf("ready: %s\n", argv[1]);
	fflush(stdout);
	fuse_session_loop(session);
	fuse_session_unmount(session);
	fuse_session_destroy(session);
	return 0;
}
