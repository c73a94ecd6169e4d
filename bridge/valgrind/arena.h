/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The memory that the model shares with the front ends, one in each process of
 * the program: a stream of records to the model, what the model takes from the
 * private caches, these caches themselves, who has which line, page frames,
 * and the turns that threads take.
 *
 * Invariants:
 *  1. One thread of all processes has the turn (arena.turn); only it touches
 *     caches, lines, frames and the producer's end of the stream. So a line has
 *     one writer at every moment, and the stream is one order of all accesses.
 *  2. The stream is all that the model sees, and it reads it in order. What the
 *     model takes from the caches is marked with how far it had read, and takes
 *     hold when as many records and WINDOW more have been written. So neither
 *     side depends on how fast the other runs.
 *  3. Threads move between their states under `lock`, but for the thread that
 *     has the turn, which goes into and comes out of its calls by itself.
 *  4. A process that dies is found by the model, which gives its turn away.
 *
 * Positions in the stream and the queue only grow; the place in the array is
 * the position modulo the size. No pointers inside: every process maps it where
 * it likes. The file has no name; its descriptor is inherited (outside.c).
 * Processes and threads have the numbers of uncore's /proc, whatever namespaces
 * they are in.
 */
#ifndef UNCORE_ARENA_H
#define UNCORE_ARENA_H

#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bridge/valgrind/travel.h"
#include "model/box/combining.h"
#include "model/box/privcache.h"
#include "model/box/tlb.h"
#include "uncore/model.h"

/* Nobody waits for this time. */
#define ARENA_NEVER UINT64_MAX

/* Of this layout: the two sides are of one build. */
#define ARENA_MAGIC (UINT64_C(0x756e636f00000000) + sizeof(struct arena))

enum {
	ARENA_MAX_SOCKETS = 8,
	ARENA_MAX_CORES = 128,	     /* of all sockets */
	ARENA_MAX_THREADS = 1 << 14, /* over the whole run */
	ARENA_MAX_FRAMES = 1 << 23,  /* of all sockets: 32 GB */
	ARENA_MAX_FILES = 1 << 20,   /* pages of files and of shared memory */
	ARENA_PATH_BYTES = 1024,
	ARENA_PAGE_SHIFT = 12,
	ARENA_LINES_PER_PAGE = 64,

	ARENA_RECORDS = 1 << 15,
	ARENA_PUBLISH = 512, /* records between two publications */
	ARENA_WINDOW = 4096, /* see invariant 2 */
	ARENA_VICTIMS = 1 << 16,
	ARENA_BUSY_LINES = 16,
	ARENA_FRAMES = 16,
	ARENA_MAX_STACKS = 1 << 16,
	ARENA_STACKS_TOLD = 60000,	     /* apart from each other, */
	ARENA_OTHERS = ARENA_MAX_STACKS - 1, /* and all that came later */
	ARENA_OBJECTS =
		1 << 16,     /* of each core: what its latest accesses met */
	ARENA_CALLERS = 128, /* that others are told of */
	ARENA_SHARES = 16,   /* sites whose accesses are known, of a region */
	ARENA_MAX_REGIONS = 256,
	ARENA_MAX_WORLD_PIPES = 64,
	ARENA_PORTS = 1 << 16,
	ARENA_MAX_TIMERS = 1 << 12, /* of all processes */
	ARENA_REGION_BYTES = 64,
	ARENA_WORDS_BYTES = 2048,
};

/* Where a core is in the model. */
struct arena_time {
	uint64_t cycles; /* core cycles of the model's time, when it is there */
	uint64_t busy;	 /* of these, in which it had something to do */
	uint64_t clock;	 /* of the record that it took last; 0: of none */
};

enum arena_event {
	ARENA_ACCESS,
	ARENA_IDLE,  /* the core has nothing to do */
	ARENA_BUSY,  /* and now it has again */
	ARENA_PASS,  /* where no core is busy time passes until `data`, core
		      * cycles of the model's time */
	ARENA_BEGIN, /* of a region; `data` is its number */
	ARENA_END,
};

/* How an access was made; as enum uncore_program_use. */
enum arena_use {
	ARENA_LOAD,
	ARENA_STORE,
	ARENA_FETCH,
	ARENA_PREFETCH,
	ARENA_LOCK,
	ARENA_FLUSH,
	ARENA_STREAM, /* a non-temporal store */
	ARENA_WALK,   /* of page tables */
	ARENA_KERNEL,
};

/* One line of the host. */
struct arena_record {
	alignas(64) struct uncore_access access;
	uint64_t code; /* address of the instruction */
	uint64_t data; /* that it accessed; for TLBs and people */
	union {
		struct {
			/* Of the core, as estimated here: core cycles. */
			uint64_t clock : 48;
			uint64_t thread : 16; /* its number */
		};
		uint64_t clock_and_thread; /* to be written at once */
	};
	uint32_t space; /* another one when the process executes another
			 * program or takes a file's code out of its memory */
	uint16_t stack; /* of its callers, 0: not known */
	uint8_t core;
	union {
		struct {
			uint8_t event : 4; /* enum arena_event */
			uint8_t use : 4;   /* enum arena_use */
		};
		uint8_t event_and_use;
	};
};

_Static_assert(sizeof(struct arena_record) == 64, "a record is one line");
_Static_assert(ARENA_MAX_STACKS <= 1 << 16 && ARENA_MAX_CORES <= 1 << 8 &&
		       ARENA_MAX_THREADS <= 1 << 16,
	       "their numbers have room in a record");

/* A line that the model took from a core, having read so many records. */
struct arena_victim {
	uint64_t line;
	uint64_t read;
	uint32_t core;
	uint32_t downgrade;
};

struct arena_core {
	alignas(64) uint64_t clock; /* estimated, core cycles */
	int64_t ahead;	 /* of the estimate, as the model saw it: core cycles */
	uint64_t cycles; /* that its instructions take by themselves; part of
			  * `clock`, in units of uncore_access.cycles */
	uint64_t last_instructions; /* at the latest record */
	uint64_t last_cycles;
	uint64_t out_instructions; /* when the last region was left */
	uint64_t out_cycles;
	uint64_t out_clock;  /* part of `clock` in no region; while none is
			     * open less the present clock */
	uint64_t run_cycles; /* part of `clock` in which a thread ran */
	_Atomic uint64_t instructions;
	uint32_t num_records; /* modulo 2^32 */
	uint32_t last_thread; /* number; that ran here last, and may go on */
	uint32_t last_pid;    /* of that process */
	uint64_t slice_ends;  /* until this clock */
	/* From when on, by `cycles`: see waits.c. */
	uint64_t way_free, walker_free;
	uint32_t skew;	 /* cycles it may run before the others */
	uint64_t fought; /* clock when a line went to or from it, 0: not for
			  * long */
	struct travel travel; /* lines that others fight for, too */
	uint16_t users;	      /* threads placed here */
	bool is_used;	      /* had a thread, so its caches may hold lines */
	bool is_busy;	      /* as the stream says */
	struct combining combining; /* of non-temporal stores */
	alignas(64) struct privcache cache;
	struct tlb tlb;
};

enum arena_state {
	THREAD_NONE,
	THREAD_CHOSEN,	/* has the turn, and is still at its gate */
	THREAD_RUNS,	/* has the turn */
	THREAD_IN_CALL, /* has the turn, and is in a system call */
	THREAD_BLOCKED, /* lost it there */
	THREAD_COMES,	/* was made, and has not come to its gate yet */
	THREAD_WAITS,	/* for the turn */
	THREAD_LEAVES,	/* ends, and the kernel may not know it yet */
	THREAD_ENDED,
};

struct arena_thread {
	alignas(64) _Atomic uint32_t state;
	_Atomic uint32_t go; /* futex */
	uint32_t pid, tid;
	uint16_t core;
	/* The process that has waited for its end, and its own number then, or
	 * of who had waited for it before; 0: none has. */
	uint32_t waiter, waited_as;
	bool is_asleep;	      /* the kernel was seen to have it so */
	bool may_sleep;	      /* in a call that most often does */
	bool waits_for_world; /* if it sleeps in its call (world.c) */
	uint32_t call, call_argument;
	uint64_t
		mask[2]; /* cores it may run on, bit n of word n / 64; 0: all */
	/* Of its process, as set_mempolicy(2) has it. */
	uint64_t policy_nodes;
	uint32_t policy_mode;
	uint32_t delay;	     /* core cycles that it is late when it starts */
	uint64_t ready;	     /* clock from which on it may run */
	uint64_t random;     /* what it draws from, if always the same; 0: not
			  * begun */
	uint64_t turn;	     /* number of its latest */
	uint64_t run_cycles; /* of its cores' clocks while it ran */
	/* A spin-wait: instructions and records of its core when it was seen
	 * there last, and the clock when it began. */
	uint64_t spun_at, spins_since;
	uint32_t spun_records;
	/* What `go` was before it looked last for signals, and saw none. */
	uint32_t calm_at;
	bool is_teller; /* none of the program's: tells of timers (timers.c) */
	/* It waits at its gate for time, up to `ready`, or to be woken. */
	bool naps;
	bool is_woken;	   /* by who woke `word` */
	bool is_disturbed; /* by a signal */
	bool watches;	   /* descriptors: it looks whether it has to wait */
	bool is_masked;	   /* by a mask of its call's: takes no signals */
	uint64_t word;	   /* futex, by its address or place; 0: none */
	uint64_t until;	   /* core cycles of the model's time, or ARENA_NEVER */
	uint64_t until_ns; /* the host's, for when others wait for the world */
};

enum arena_timer_kind {
	TIMER_OF_PROCESS, /* alarm() and setitimer(); `number` is which */
	TIMER_MADE,	  /* timer_create() */
	TIMER_FILE,	  /* timerfd_create(); `number` is the descriptor */
};

/* A timer of the model's time; outlives what its process executes. */
struct arena_timer {
	uint32_t pid; /* 0: the place is free */
	uint8_t kind; /* enum arena_timer_kind */
	bool is_date;
	bool is_cpu;	    /* by the time that threads ran */
	uint32_t of_thread; /* only of this one, plus 1; 0: of the process */
	int32_t number;
	int32_t file;	/* another descriptor of the same */
	int32_t signal; /* 0: none */
	int32_t target; /* thread for the signal, as its process has it; 0: any
			 */
	uint32_t missed;
	uint64_t value;	   /* that comes with the signal */
	uint64_t due;	   /* core cycles, as clock_now() or clock_ran() has
			    * them; ARENA_NEVER: it is not set */
	uint64_t interval; /* 0: once */
};

/* Who has a line: the core that asked for it last, and the one that last did so
 * to write to it (plus 1; 0: none) and how many records that one had made then.
 * Only it can have the line dirty, and only if nobody has asked since. */
struct arena_line {
	uint32_t own_after;
	/* How often it was read: as the records say, and of these, how often
	 * the model has begun to. Modulo 2^16. */
	uint16_t reads;
	_Atomic uint16_t reads_begun;
	uint8_t core;
	uint8_t own_core;
	uint16_t is_shared : 1;	 /* others may have it, too */
	uint16_t is_written : 1; /* what own_core did, or it only flushed it */
	uint16_t was_read : 1;	 /* since own_core did so */
	uint16_t transfers : 3;	 /* from core to core, up to a few */
	uint16_t moved : 10; /* when the last was: see contest_is_recent() */
};

/* A line that went from core to core; of those the busiest are kept. */
struct arena_busy {
	uint64_t line;
	uint64_t transfers;
	uint64_t address; /* of the first access */
	uint32_t pid;
	uint32_t site;	 /* that allocated it; 0: none, or not known */
	char symbol[84]; /* when its process has ended */
};

/* Callers of an instruction: return addresses, the innermost first. */
struct arena_stack {
	uint64_t frames[ARENA_FRAMES]; /* 0 behind the last one */
	uint64_t key;		       /* of a site: of whom; else 0 */
};

/* What allocates memory. */
enum arena_function {
	ARENA_NO_FUNCTION,
	ARENA_MALLOC,
	ARENA_CALLOC,
	ARENA_REALLOC,
	ARENA_ALIGNED, /* aligned_alloc() and the like */
	ARENA_NEW,
	ARENA_NEW_ARRAY,
	ARENA_MMAP, /* it and what follows are system calls */
	ARENA_BRK,
	ARENA_ANY, /* of sites that are not told apart */
	ARENA_NUM_FUNCTIONS
};

/* An allocation site: a function that allocates, and who has called it. */
struct arena_site {
	uint64_t objects, bytes;	 /* made so far */
	uint64_t live_bytes, most_bytes; /* that live, and that ever did */
	uint8_t function;
};

/* Who has called at a site that others are told of: the file that the code is
 * from, and where that lay. */
struct arena_caller {
	uint32_t site;
	uint64_t start, end;
	char file[ARENA_PATH_BYTES];
};

/* Accesses beyond the private caches of which it was looked up whose memory
 * they are to, and of these those of some sites (shares.c). */
struct arena_shares {
	uint64_t looks, remote; /* remote: to memory of another socket */
	struct arena_share {
		uint32_t site;	/* 0: none */
		uint64_t looks; /* up to `over` of them are others' */
		uint64_t over, remote;
	} sites[ARENA_SHARES];
};

/* What an access was to. Of pages it is known who has used them first. */
struct arena_object {
	uint64_t start, size_bytes; /* 0 bytes: it is not known */
	uint32_t record;	    /* number of the access, modulo 2^32 */
	uint16_t site;		    /* 0: a stack */
	uint16_t owner;		    /* of a stack, plus 1 */
	uint16_t toucher;	    /* plus 1; 0: not known */
	uint8_t touch_core;
	bool is_block; /* or it is in a mapping, or of an allocator at work */
};

struct arena_frame {
	uint32_t users; /* pages of all processes that lie in it */
	uint32_t next;	/* free one of this socket, plus 1 */
};

/* A page of a file or of memory that processes share. */
struct arena_file {
	uint64_t device, inode, page;
	uint32_t frame; /* plus 1; 0: the place is free */
};

enum arena_folder {
	ARENA_FOLDER_NOT_YET,
	ARENA_FOLDER_FILLED,
	ARENA_FOLDER_FAILED,
};

struct arena {
	/* Set before the program starts. */
	uint64_t magic;
	uint64_t size_bytes;
	uint32_t num_sockets;
	uint32_t cores_per_socket;
	uint32_t scatter; /* 0: fill socket after socket */
	uint64_t first_frame[ARENA_MAX_SOCKETS];
	uint32_t num_frames[ARENA_MAX_SOCKETS];
	uint64_t frame_seed; /* draws where frames lie; 0: they do in order */
	/* Core cycles << 16; 0: as the blocks have it. */
	uint32_t cycles_per_instruction;
	uint32_t max_skew; /* core cycles */
	/* Core cycles that a hit takes, and a line from the L2 to an L1. */
	uint32_t l1_cycles, l2_cycles, stlb_cycles, line_cycles;
	uint32_t fill_buffers, window, store_buffer;
	/* A line takes so long from a core to another one of the socket, or of
	 * another; 0: no time. */
	uint32_t peer_cycles, far_cycles;
	uint32_t has_tlb, keeps_cpuid, has_stacks, has_sites, has_kernel,
		starts_off;
	uint64_t terminal;  /* device of uncore's standard error; 0: none */
	uint32_t keeps_log; /* what Valgrind says is written, too */
	uint32_t repeats_random; /* random bytes are the same in every run */
	uint64_t clock_hz;   /* of a core, for programs; 0: they have the host's
			      * clock */
	uint64_t start_date; /* seconds since 1970 when the model's time is 0 */
	uint32_t keeps_cpus; /* programs see the host's */
	uint32_t core_khz;   /* nominal clock of a core; 0: not known */
	uint32_t processor;  /* model number, as cpuid says it */
	uint32_t stepping;   /* the last one of the family, or 15 */
	uint32_t llc_sets, llc_ways;
	char brand[48];
	char program[ARENA_PATH_BYTES]; /* of Valgrind */
	char folder[ARENA_PATH_BYTES];	/* that has the tool */

	alignas(64) _Atomic uint32_t ready; /* a front end has attached */
	/* Features of the modelled processor that Valgrind does not run here,
	 * a blank before each. */
	char not_shown[64];
	_Atomic uint32_t stop;		 /* nobody reads any more */
	_Atomic uint32_t not_followed;	 /* programs that ran natively */
	_Atomic uint32_t shows_progress; /* on the terminal, a line open */
	_Atomic uint32_t uses_terminal;	 /* the program does */
	_Atomic uint32_t num_gave_up;	 /* processes, for Valgrind's reasons */
	char words[ARENA_WORDS_BYTES];	 /* of Valgrind, when the first did */
	_Atomic uint32_t num_traced; /* processes that ran so by ptrace(2) */
	_Atomic uint64_t lost;	     /* threads that ran uncounted */
	_Atomic uint32_t is_full;    /* frames were used twice */
	/* Signals that came while the model let pass what all wait for. */
	_Atomic uint32_t num_heard;
	_Atomic uint32_t asked_random;	/* the program wanted some */
	_Atomic uint32_t unknown_bytes; /* of an instruction, if any */

	/* Written by the thread that has the turn. */
	alignas(64) _Atomic uint64_t head; /* records published */
	uint64_t next;			   /* written */
	uint64_t tail_seen;
	uint64_t victims_taken;
	uint64_t next_look; /* shares.c looks behind that record; -1: never */
	uint64_t num_pages;
	uint64_t num_transfers; /* of lines between cores */
	uint64_t spaces;
	uint64_t objects; /* shared memory without a file */
	/* Of what machine.c makes: enum arena_folder. */
	_Atomic uint32_t folder_state;
	uint32_t is_shared;  /* a second core was used: lines[] is kept */
	uint32_t zero_frame; /* plus 1; of pages that were never written */
	struct arena_busy busy[ARENA_BUSY_LINES];
	/* Regions, over all threads and processes: marks that began one and
	 * have no end yet, in all and by region. */
	uint32_t num_open;
	uint32_t open[ARENA_MAX_REGIONS];
	_Atomic uint32_t num_regions;
	char regions[ARENA_MAX_REGIONS][ARENA_REGION_BYTES]; /* their names */

	/* Written by the model. */
	alignas(64) _Atomic uint64_t tail; /* records read */
	_Atomic uint64_t victims_head;
	_Atomic uint32_t waiting;  /* it waits for records on `doorbell` */
	_Atomic uint32_t doorbell; /* futex */
	_Atomic uint32_t room;	   /* futex; counts on when records are read */
	_Atomic uint64_t wake_at;  /* a front end waits for this tail; 0: no */
	/* Per window that was read, in turns: the cores' clocks at records
	 * that the model had then worked off. */
	uint64_t clocks[4][ARENA_MAX_CORES];
	/* Valid while it has read all that is published and `waiting`. */
	struct arena_time times[ARENA_MAX_CORES];

	/* Turns. */
	/* Futex: 0, or the process that holds it; highest bit: it is wanted. */
	alignas(64) _Atomic uint32_t lock;
	_Atomic uint32_t turn; /* thread that has it, plus 1 */
	_Atomic uint32_t num_waiting;
	_Atomic uint32_t arrivals;
	_Atomic uint32_t num_threads; /* made so far */
	_Atomic uint32_t num_live;
	uint64_t turns;
	uint64_t
		others; /* clock of the thread that is next, UINT64_MAX: none */
	uint64_t now;	/* clock of the thread that had the turn last */
	uint32_t last_core; /* on which the thread ran that had the turn last */
	uint32_t last;	    /* its number, plus 1 */
	bool shares;	    /* a thread waits for the same core */
	uint64_t latest;    /* time that was told to a program: core cycles */
	uint32_t num_timers; /* places used so far */
	/* Numbers of pipes that were there before; a bit for each port that a
	 * socket of the run had, in the order of the network. */
	uint32_t num_world_pipes;
	uint64_t world_pipes[ARENA_MAX_WORLD_PIPES];
	uint8_t ports[ARENA_PORTS / 8];
	uint64_t asked_at; /* records written when it asked last, waiting for
			     * its loads */

	uint32_t frames_used[ARENA_MAX_SOCKETS];
	uint32_t free_frames[ARENA_MAX_SOCKETS]; /* plus 1 */
	struct arena_record ring[ARENA_RECORDS];
	struct arena_victim victims[ARENA_VICTIMS];
	struct arena_thread threads[ARENA_MAX_THREADS];
	struct arena_timer timers[ARENA_MAX_TIMERS];
	struct arena_core cores[ARENA_MAX_CORES];
	struct arena_file files[ARENA_MAX_FILES];
	struct arena_stack stacks[ARENA_MAX_STACKS]; /* by number */
	/* Where has_sites is set; the stack of a site has its number. Without
	 * has_stacks it is where the call returns to, alone. */
	struct arena_stack site_stacks[ARENA_MAX_STACKS];
	struct arena_site sites[ARENA_MAX_STACKS];
	uint32_t num_callers;
	struct arena_caller callers[ARENA_CALLERS];
	struct arena_shares used[ARENA_MAX_REGIONS + 1]; /* and by the run */
	struct arena_object accessed[ARENA_MAX_CORES][ARENA_OBJECTS];
	struct arena_frame frames[ARENA_MAX_FRAMES];
	/* The file ends with the last frame's: see arena_size(). */
	struct arena_line lines[ARENA_MAX_FRAMES][ARENA_LINES_PER_PAGE];
};

/* The size of the file for so many frames of all sockets, and the other way
 * round: most of it are lines, which need a fifth of the memory that they are
 * of in each process's address space. */
static inline uint64_t arena_size(uint32_t frames)
{
	return offsetof(struct arena, lines) +
	       (uint64_t)frames * sizeof(((struct arena *)0)->lines[0]);
}

static inline uint32_t arena_frames(uint64_t size_bytes)
{
	return (uint32_t)((size_bytes - offsetof(struct arena, lines)) /
			  sizeof(((struct arena *)0)->lines[0]));
}

/* What is known of a line (by its number in physical memory). Frames of the
 * socket have these numbers in frames[] and lines[]: the first of `num_frames`
 * each, one socket behind the other. Whatever a program has written here, it is
 * one of the table. */
static inline struct arena_line *arena_line_of(struct arena *arena,
					       uint32_t frames_per_socket,
					       unsigned num_sockets,
					       uint64_t line)
{
	uint64_t frame = line / ARENA_LINES_PER_PAGE;
	uint64_t first = 0;
	unsigned i;

	for (i = 0; i < num_sockets; i++, first += frames_per_socket) {
		uint64_t at = frame - arena->first_frame[i];

		if (at < arena->num_frames[i] && at < frames_per_socket)
			return &arena->lines[first + at]
					    [line % ARENA_LINES_PER_PAGE];
	}
	return &arena->lines[0][line % ARENA_LINES_PER_PAGE];
}

#endif
