/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The parts of the register files: where they are mounted (regfs_mount.c) and
 * who unmounts them when the server dies (regfs_guardian.c), what reading and
 * writing them does (regfs_file.c, regfs_pci.c), what the text files say
 * (regfs_text.c), how the clock is advanced (regfs_clock.c), and the tree that
 * holds them (regfs_tree.c).
 */
#ifndef UNCORE_SERVER_REGFS_PARTS_H
#define UNCORE_SERVER_REGFS_PARTS_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define FUSE_USE_VERSION 312
#include <fuse3/fuse_lowlevel.h>

#include "uncore/family.h"
#include "uncore/live.h"

/* What the mount table calls us: fuse.uncore-msr. */
#define REGFS_SUBTYPE "uncore-msr"

enum { REGFS_MAX_SOCKETS = 8, REGFS_MAX_BUSES = 4 /* of a socket */ };

/* The folder, from before it is mounted until after it is unmounted. */
struct regfs_mount {
	char *path;	   /* absolute, without links */
	char *parent;	   /* the folder above */
	bool has_replaced; /* a dead server's mount */
	dev_t device;	   /* of the file system mounted there */
	int guardian_fd;   /* closed: the guardian may look */
	pid_t guardian;
};

/* Finds out whether the folder may be had, detaches what a dead server left
 * there, and returns with the lock *lock_fd that keeps out others who want to
 * mount until it is closed (-1: none could be had). */
int regfs_mount_claim(struct regfs_mount *mount, const char *folder,
		      int *lock_fd, char **error);

/* Remembers what has just been mounted, and whether it is still what a look at
 * the folder finds: it may have been detached and another put there. */
void regfs_mount_remember(struct regfs_mount *mount);
bool regfs_mount_is_there(const struct regfs_mount *mount);

void regfs_mount_fini(struct regfs_mount *mount);

/* All of these are safe after fork. The lock is -1 where the folder above
 * cannot be opened or stays locked. */
int regfs_mount_lock(const struct regfs_mount *mount);
void regfs_mount_detach(const char *path);
void regfs_mount_nap(void);

/* Asks the server of a mount, if there is one: 0 or an errno. */
int regfs_mount_ask(const char *path);

/* The guardian is a process that detaches the mount when this one is gone. */
int regfs_guardian_start(struct regfs_mount *mount, char **error);

/* Ends it; it detaches the mount if the session has not. */
void regfs_guardian_end(struct regfs_mount *mount);

/* The machine as it stands in DIR/status; it does not change. */
struct regfs_machine {
	const char *name, *family;
	unsigned sockets, cores;
	/* PCI, of a socket: buses of its uncore; whether its first bus, on
	 * which there are cores' own, is another one, which is counted last. */
	unsigned num_buses;
	bool has_first;
	/* Bus after bus, of each the sockets'. */
	unsigned buses[(REGFS_MAX_BUSES + 1) * REGFS_MAX_SOCKETS];
};

/* A text file's content as it was when it was last read from its start. */
struct regfs_text {
	struct regfs_text *next, **link; /* of all that are open */
	size_t length;
	char *data;
};

/* Makes it anew; false without memory. */
bool regfs_text_make(struct regfs_text *text, const struct uncore_regfs *fs,
		     fuse_ino_t inode);

/* A number of cycles as it is written to DIR/clock: decimal, blanks round it
 * allowed. */
bool regfs_parse_cycles(const char *data, size_t length, uint64_t *cycles);

/* The steps that are under way. */
struct regfs_clock {
	struct uncore_live *live;
	pthread_mutex_t lock;
	pthread_cond_t done;
	struct regfs_step *steps;
	bool is_over;
};

void regfs_clock_init(struct regfs_clock *clock, struct uncore_live *live);

/* Advances by so many cycles, then answers the request, a write of `length`
 * bytes; returns at once. */
void regfs_clock_step(struct regfs_clock *clock, fuse_req_t request,
		      uint64_t cycles, size_t length);

/* Ends all steps early and waits for them. */
void regfs_clock_fini(struct regfs_clock *clock);

struct uncore_regfs {
	struct uncore_live *live;
	struct regfs_machine machine;
	struct regfs_mount mount;
	struct regfs_clock clock;
	struct fuse_session *session;
	bool allow_other, is_stepped, is_pci;
	struct uncore_function *functions; /* PCI: of a socket */
	unsigned num_folders;		   /* CPUs, or buses */
	unsigned num_files;		   /* of a CPU, or socket */
	uid_t uid;
	gid_t gid;
	struct timespec start;
	struct regfs_text *texts;
	int stop_fd; /* an eventfd */
};

/* The root and the text files; then for each CPU or bus its folder, and the
 * register files in it. */
enum {
	REGFS_ROOT = FUSE_ROOT_ID,
	REGFS_CLOCK,
	REGFS_STATUS,
	REGFS_DEVICES, /* PCI alone */
	REGFS_FIRST_FOLDER,
};

static inline fuse_ino_t regfs_inode(const struct uncore_regfs *fs,
				     unsigned folder)
{
	return REGFS_FIRST_FOLDER + (fuse_ino_t)folder * (fs->num_files + 1);
}

/* Which folder it is, or is in. */
static inline unsigned regfs_folder(const struct uncore_regfs *fs,
				    fuse_ino_t inode)
{
	return (unsigned)((inode - REGFS_FIRST_FOLDER) / (fs->num_files + 1));
}

/* 0: the folder itself, else 1 + the number of the file in it. */
static inline unsigned regfs_file(const struct uncore_regfs *fs,
				  fuse_ino_t inode)
{
	return (unsigned)((inode - REGFS_FIRST_FOLDER) % (fs->num_files + 1));
}

/* Which of its socket's buses a function is on. */
static inline unsigned regfs_bus(const struct uncore_regfs *fs,
				 const struct uncore_function *function)
{
	if (fs->machine.has_first &&
	    function->number >> 3 < UNCORE_FIRST_BUS_DEVICES)
		return fs->machine.num_buses;
	return function->number >> 8;
}

/* Device and function there. */
static inline unsigned regfs_unit(const struct uncore_function *function)
{
	return function->number & 0xFF;
}

/* Whether a file (from 0 on) is in a folder. */
static inline bool regfs_is_in(const struct uncore_regfs *fs, unsigned folder,
			       unsigned file)
{
	return !fs->is_pci || folder / fs->machine.sockets ==
				      regfs_bus(fs, &fs->functions[file]);
}

static inline bool regfs_is_register(const struct uncore_regfs *fs,
				     fuse_ino_t inode)
{
	return inode >= REGFS_FIRST_FOLDER && regfs_file(fs, inode);
}

void regfs_file_open(fuse_req_t request, fuse_ino_t inode,
		     struct fuse_file_info *file);
void regfs_file_release(fuse_req_t request, fuse_ino_t inode,
			struct fuse_file_info *file);
void regfs_file_read(fuse_req_t request, fuse_ino_t inode, size_t size,
		     off_t offset, struct fuse_file_info *file);
void regfs_file_write(fuse_req_t request, fuse_ino_t inode, const char *data,
		      size_t size, off_t offset, struct fuse_file_info *file);

/* The same of a configuration space. */
void regfs_pci_read(fuse_req_t request, fuse_ino_t inode, size_t size,
		    off_t offset);
void regfs_pci_write(fuse_req_t request, fuse_ino_t inode, const char *data,
		     size_t size, off_t offset);

/* Not every client closes its files before the end. */
void regfs_file_close_all(struct uncore_regfs *fs);

/* The operations; their user data is the struct uncore_regfs. */
extern const struct fuse_lowlevel_ops regfs_tree_ops;

#endif
