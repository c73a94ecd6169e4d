/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What the files of a program share: program_launch.c starts it, program.c
 * watches and ends it, program_traffic.c hands its accesses to the model.
 */
#ifndef TRAFFIC_PROGRAM_H
#define TRAFFIC_PROGRAM_H

#include <sys/types.h>

#include "bridge/valgrind/arena.h"
#include "uncore/program.h"

/* What has become of a mark that a core was handed last. */
enum program_mark_state {
	PROGRAM_NO_MARK,
	PROGRAM_MARK_AHEAD,   /* accesses before it may be under way */
	PROGRAM_MARK_REACHED, /* the core waits until it is taken */
};

/* An access may cause something as long as so few others have followed. */
enum { PROGRAM_PAST = 2048 };

/* Records of a core that were read from the stream and not asked for yet. */
struct program_core {
	struct arena_record *queue;
	size_t first, count, room;
	bool is_busy;
	bool is_waking; /* busy, but what tells so is still in the queue */
	uint64_t clock; /* of its last access since it woke; 0: none yet */
	enum program_mark_state mark; /* which is `next` */
	struct arena_record next;     /* that was asked for last */
	uint64_t num_taken;
	/* The latest that were, by their number modulo PROGRAM_PAST. */
	struct arena_record *past;
	uint32_t space, thread; /* of the latest that was read */
};

/* What front ends inherit, in the order of their option --arena. */
enum program_file {
	PROGRAM_MEMORY,
	PROGRAM_PROC, /* our /proc */
	PROGRAM_TOOL,
	PROGRAM_FOLDER, /* of the run's, see bridge/valgrind/machine.c */
	PROGRAM_NUM_FILES
};

struct uncore_program {
	struct arena *arena;
	struct uncore_model *model;
	int files[PROGRAM_NUM_FILES];
	char *folder; /* path of PROGRAM_FOLDER; NULL: not made */
	pid_t pid;
	int wait_status; /* once ended */
	bool ended;	 /* the program itself has been waited for */
	bool drained;	 /* nothing comes any more */
	bool has_failed; /* no memory for what was read */
	_Atomic uint32_t stopped;
	uint64_t tail;		  /* records read */
	uint64_t head;		  /* records known to be there */
	struct arena_record read; /* the latest */
	uint64_t num_lines;	  /* of all memory */
	unsigned num_cores;
	unsigned num_sockets;
	uint32_t frames_per_socket; /* that the table has */
	unsigned num_busy;
	uint64_t passes_until; /* cycle; nothing is read before it */
	uint32_t num_heard;    /* of arena->num_heard */
	uint32_t num_looks;    /* while time passes */
	struct program_core cores[ARENA_MAX_CORES];
	bool stops_at_marks;
	unsigned marks[ARENA_MAX_CORES]; /* cores that reached one, in order */
	unsigned num_marks;
	void (*on_space)(void *context, long process, unsigned space,
			 uint64_t address);
	void *context; /* of it */
};

/* Starts the program; on error what was made stays for uncore_program_free().
 */
int program_launch(struct uncore_program *program,
		   const struct uncore_program_config *config, char **error);

/* Takes notice if the program has ended; true if it has. */
bool program_poll(struct uncore_program *program);

/* The option by which front ends of this program are known, up to the numbers
 * of what they inherit; its length. */
enum { PROGRAM_OPTION_BYTES = 96 };
int program_option(const struct uncore_program *program,
		   char text[PROGRAM_OPTION_BYTES]);

/* Tells the front ends to run uncounted from now on. */
void program_cut(struct uncore_program *program);

/* Takes their turns and cores from threads that were killed. */
void program_reap(struct uncore_program *program);

/* Waits until *word differs from `value`, somebody wakes it, a signal comes or
 * the time is over; any of these may also be a false alarm. Wakes who waits. */
void program_wait(_Atomic uint32_t *word, uint32_t value, uint64_t timeout_ns);
void program_wake(_Atomic uint32_t *word);

/* uncore_traffic.next and .invalidate */
int program_next(void *context, unsigned core, struct uncore_access *access);
uint16_t program_reads(void *context, uint64_t line, unsigned begun);
bool program_invalidate(void *context, unsigned core, uint64_t line,
			bool downgrade);

#endif
