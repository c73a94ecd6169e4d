/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The memory that the model shares with every QEMU that runs a part of the
 * program: per core a ring of accesses to the model, a queue of invalidations
 * back, and the private caches; besides, where virtual pages lie.
 *
 * Who may touch a core's caches and the producer's end of its ring:
 *  1. `lock` names the holder: a thread (its id), the model (CORE_MODEL) or
 *     nobody (0). A thread holds its core while it runs and lets go of it for
 *     every system call, so a core that nobody holds is idle.
 *  2. Threads that share a core (CORE_SHARED) hold it by turns, for some
 *     thousand blocks of instructions each.
 *  3. A holder that is dead is recognised by the model, which then takes the
 *     core away (program_reap()).
 * Everything else is atomic. Positions in rings only grow; the place in the
 * array is the position modulo the size.
 *
 * No pointers inside: every process maps it where it likes. The file has no
 * name; it is opened through the /proc entry of the process that made it.
 */
#ifndef UNCORE_ARENA_H
#define UNCORE_ARENA_H

#include <stdalign.h>
#include <stdatomic.h>
#include <stdint.h>
#include <unistd.h>

#include "model/box/privcache.h"
#include "uncore/model.h"

#define ARENA_MAGIC UINT64_C(0x756e636f72653031)

enum {
	ARENA_MAX_SOCKETS = 8,
	ARENA_MAX_CORES = 128, /* of all sockets */
	ARENA_MAX_THREADS = 4096,
	ARENA_MAX_SPACES = 65536, /* address spaces over the whole run */
	ARENA_PATH_BYTES = 1024,
	ARENA_PAGE_SHIFT = 12,
	ARENA_LINES_PER_PAGE = 64,
	ARENA_PAGES = 1 << 22, /* places in the page table: 16 GB of pages */

	RING_RECORDS = 1 << 14,
	RING_PUBLISH = 256, /* records between two publications */
	RING_WINDOW = 4096, /* see arena.prompt */
	QUEUE_ENTRIES = 1 << 14,
};

/* core.attention: why the holder has to leave its fast path. */
enum {
	CORE_PUBLISH = 1,    /* the model waits for records */
	CORE_INVALIDATE = 2, /* the queue has entries */
	CORE_SHARED = 4,     /* other threads use this core too */
	CORE_STOP = 8,	     /* nobody reads any more: run uncounted */
	CORE_FORGET = 16,    /* invalidations were lost: drop all lines */
};

/* core.lock, besides thread ids */
enum { CORE_FREE = 0, CORE_MODEL = 1 };

/* arena.waiting: whose publication wakes the model. */
enum { BELL_NONE = 0, BELL_ANY = 1, BELL_CORE = 2 /* plus the core */ };

/* The code that an access came from. */
struct arena_origin {
	uint64_t address; /* of the instruction, in QEMU's own memory */
	uint32_t pid;
	uint32_t tid;
	uint32_t space; /* changes when the process executes another program */
};

struct arena_invalidation {
	uint64_t line;
	uint32_t taken; /* records the model had taken, modulo 2^32 */
	uint32_t downgrade;
};

struct arena_core {
	alignas(64) _Atomic uint32_t attention;

	alignas(64) _Atomic uint32_t lock;
	_Atomic uint32_t users;	  /* threads placed here */
	_Atomic uint32_t waiters; /* of them, those that wait for the lock */
	uint32_t last_holder;	  /* whose shortcuts fit the caches */

	/* Written by the holder. */
	alignas(64) _Atomic uint64_t head; /* records published */
	_Atomic uint64_t instructions;	   /* executed on this core */
	uint64_t next;			   /* records written */
	uint64_t tail_seen;
	uint64_t last_instructions; /* at the latest record */

	/* Written by the model. */
	alignas(64) _Atomic uint64_t tail; /* records taken */
	_Atomic uint64_t wake_at; /* the holder waits for this tail; 0: no */
	_Atomic uint32_t room;	  /* futex on which the holder waits */

	alignas(64) _Atomic uint64_t queue_head; /* written by the model */
	alignas(64) _Atomic uint64_t queue_tail; /* written by the holder */

	alignas(64) struct privcache cache;
	struct arena_invalidation queue[QUEUE_ENTRIES];
	struct uncore_access ring[RING_RECORDS];
	struct arena_origin origins[RING_RECORDS];
};

/* A thread of the program that has a core. */
struct arena_thread {
	_Atomic uint32_t pid; /* 0: the entry is free */
	_Atomic uint32_t tid; /* 0: has not run yet */
	_Atomic uint32_t core;
};

/* An address space starts empty (a new program) or as its parent's (fork). */
struct arena_space {
	uint32_t parent; /* plus 1; 0: none */
	uint32_t stamp;	 /* the parent's pages older than this are shared */
};

/* A page: `key` is space + 1 and virtual page, `value` frame + 1 and stamp.
 * Entries are never removed; a key without a value is being filled in. */
struct arena_page {
	_Atomic uint64_t key;
	_Atomic uint64_t value;
};

struct arena {
	/* Set before the program starts. */
	uint64_t magic;
	uint64_t size_bytes;
	uint32_t owner; /* process that runs the model */
	uint32_t num_sockets;
	uint32_t cores_per_socket;
	uint32_t scatter; /* 0: fill socket after socket */
	uint64_t first_frame[ARENA_MAX_SOCKETS];
	uint64_t num_frames[ARENA_MAX_SOCKETS];
	char qemu[ARENA_PATH_BYTES];
	char plugin[ARENA_PATH_BYTES];
	char path[ARENA_PATH_BYTES]; /* of this memory */

	alignas(64) _Atomic uint32_t ready; /* a plugin has attached */
	_Atomic uint32_t stop;
	/* 0 as long as there was only one thread: then invalidations take hold
	 * at fixed numbers of records, so that runs repeat bit by bit. */
	_Atomic uint32_t prompt;
	_Atomic uint32_t num_users; /* sum over the cores */
	_Atomic uint32_t threads_made;
	_Atomic uint32_t spaces_made;
	_Atomic uint32_t page_stamp;
	_Atomic uint32_t num_pages;
	_Atomic uint32_t not_followed; /* programs that ran natively */
	_Atomic uint64_t lost;	       /* accesses that could not be counted */
	_Atomic uint64_t frames_used[ARENA_MAX_SOCKETS];

	alignas(64) _Atomic uint32_t waiting;
	_Atomic uint32_t doorbell; /* futex on which the model waits */

	struct arena_thread threads[ARENA_MAX_THREADS];
	struct arena_space spaces[ARENA_MAX_SPACES];
	struct arena_page pages[ARENA_PAGES];
	struct arena_core cores[]; /* num_sockets * cores_per_socket */
};

/* Waits until *word differs from `value`, somebody wakes it, a signal comes or
 * the time is over; any of these may also be a false alarm. */
void arena_wait(_Atomic uint32_t *word, uint32_t value, uint64_t timeout_ns);

/* Wakes who waits for the word; arena_wake() changes the word, too. */
void arena_notify(_Atomic uint32_t *word);
void arena_wake(_Atomic uint32_t *word);

/* Takes the thread's entry and its place on a core away. */
void arena_release_thread(struct arena *arena, struct arena_thread *thread);

#endif
