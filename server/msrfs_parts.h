/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The parts of the register files: where they are mounted (msrfs_mount.c) and
 * who unmounts them when the server dies (msrfs_guardian.c), what reading and
 * writing them does (msrfs_file.c), what the text files say (msrfs_text.c), how
 * the clock is advanced (msrfs_clock.c), and the tree that holds them
 * (msrfs_tree.c).
 */
#ifndef UNCORE_SERVER_MSRFS_PARTS_H
#define UNCORE_SERVER_MSRFS_PARTS_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define FUSE_USE_VERSION 312
#include <fuse3/fuse_lowlevel.h>

#include "uncore/live.h"

/* What the mount table calls us: fuse.uncore-msr. */
#define MSRFS_SUBTYPE "uncore-msr"

/* The folder, from before it is mounted until after it is unmounted. */
struct msrfs_mount {
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
int msrfs_mount_claim(struct msrfs_mount *mount, const char *folder,
		      int *lock_fd, char **error);

/* Remembers what has just been mounted, and whether it is still what a look at
 * the folder finds: it may have been detached and another put there. */
void msrfs_mount_remember(struct msrfs_mount *mount);
bool msrfs_mount_is_there(const struct msrfs_mount *mount);

void msrfs_mount_fini(struct msrfs_mount *mount);

/* All of these are safe after fork. The lock is -1 where the folder above
 * cannot be opened or stays locked. */
int msrfs_mount_lock(const struct msrfs_mount *mount);
void msrfs_mount_detach(const char *path);
void msrfs_mount_nap(void);

/* Asks the server of a mount, if there is one: 0 or an errno. */
int msrfs_mount_ask(const char *path);

/* The guardian is a process that detaches the mount when this one is gone. */
int msrfs_guardian_start(struct msrfs_mount *mount, char **error);

/* Ends it; it detaches the mount if the session has not. */
void msrfs_guardian_end(struct msrfs_mount *mount);

/* The machine as it stands in DIR/status; it does not change. */
struct msrfs_machine {
	const char *name, *family;
	unsigned sockets, cores;
};

/* A text file's content as it was when it was last read from its start. */
struct msrfs_text {
	struct msrfs_text *next, **link; /* of all that are open */
	size_t length;
	char data[1024];
};

void msrfs_text_clock(struct msrfs_text *text, struct uncore_live *live);
void msrfs_text_status(struct msrfs_text *text, struct uncore_live *live,
		       const struct msrfs_machine *machine);

/* A number of cycles as it is written to DIR/clock: decimal, blanks round it
 * allowed. */
bool msrfs_parse_cycles(const char *data, size_t length, uint64_t *cycles);

/* The steps that are under way. */
struct msrfs_clock {
	struct uncore_live *live;
	pthread_mutex_t lock;
	pthread_cond_t done;
	struct msrfs_step *steps;
	bool is_over;
};

void msrfs_clock_init(struct msrfs_clock *clock, struct uncore_live *live);

/* Advances by so many cycles, then answers the request, a write of `length`
 * bytes; returns at once. */
void msrfs_clock_step(struct msrfs_clock *clock, fuse_req_t request,
		      uint64_t cycles, size_t length);

/* Ends all steps early and waits for them. */
void msrfs_clock_fini(struct msrfs_clock *clock);

struct uncore_msrfs {
	struct uncore_live *live;
	struct msrfs_machine machine;
	struct msrfs_mount mount;
	struct msrfs_clock clock;
	struct fuse_session *session;
	bool allow_other, is_stepped;
	unsigned cpus;
	uid_t uid;
	gid_t gid;
	struct timespec start;
	struct msrfs_text *texts;
	int stop_fd; /* an eventfd */
};

/* The root, the two text files, then for each CPU its folder and the msr file
 * in it. */
enum {
	MSRFS_ROOT = FUSE_ROOT_ID,
	MSRFS_CLOCK,
	MSRFS_STATUS,
	MSRFS_FIRST_CPU,
};

static inline bool msrfs_is_msr(fuse_ino_t inode)
{
	return inode >= MSRFS_FIRST_CPU && (inode - MSRFS_FIRST_CPU) % 2;
}

void msrfs_file_open(fuse_req_t request, fuse_ino_t inode,
		     struct fuse_file_info *file);
void msrfs_file_release(fuse_req_t request, fuse_ino_t inode,
			struct fuse_file_info *file);
void msrfs_file_read(fuse_req_t request, fuse_ino_t inode, size_t size,
		     off_t offset, struct fuse_file_info *file);
void msrfs_file_write(fuse_req_t request, fuse_ino_t inode, const char *data,
		      size_t size, off_t offset, struct fuse_file_info *file);

/* Not every client closes its files before the end. */
void msrfs_file_close_all(struct uncore_msrfs *fs);

/* The operations; their user data is the struct uncore_msrfs. */
extern const struct fuse_lowlevel_ops msrfs_tree_ops;

/* Stores a sentence in *error; returns code. */
#endif
