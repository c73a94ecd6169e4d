/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * A recording: counts over time in one SQLite file, whose tables are described
 * in docs/formats.md. What was committed survives a kill at any moment and a
 * full disk; the file can be read with `sqlite3` while it is being written.
 *
 * A recording is a list of samples. A sample belongs to one socket and one time
 * and carries the growth of every count of that socket since the one before.
 *
 * Functions return 0 or a negative UNCORE_ERR_*; see error.h for `char
 * **error`. All pointers given stay the caller's; text read is good until the
 * next call.
 */
#ifndef UNCORE_RECORDING_H
#define UNCORE_RECORDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* That is written. Also read are version 1, which knew no accesses, 2, which
 * knew nothing of allocations, first users, answers and inlined code, and 3,
 * which knew no fields. */
#define UNCORE_RECORDING_VERSION 4

struct uncore_recorder;	 /* writes */
struct uncore_recording; /* reads */

/* Why a sample was taken. */
enum uncore_sample_kind {
	UNCORE_SAMPLE_PERIOD,	/* an event has happened `period` times */
	UNCORE_SAMPLE_INTERVAL, /* time has passed (-I) */
	UNCORE_SAMPLE_FREEZE,	/* --freeze-after: the last one */
	UNCORE_SAMPLE_END,	/* the rest, when recording ended */
	UNCORE_SAMPLE_THINNED,	/* was one of a period: there were too many */
};

/* How an access was made. */
enum uncore_sampled_use {
	UNCORE_SAMPLED_LOAD,
	UNCORE_SAMPLED_STORE,
	UNCORE_SAMPLED_FETCH, /* of instructions */
	UNCORE_SAMPLED_PREFETCH,
	UNCORE_SAMPLED_LOCK,   /* read and written at once */
	UNCORE_SAMPLED_FLUSH,  /* CLFLUSH and the like */
	UNCORE_SAMPLED_STREAM, /* non-temporal store */
	UNCORE_SAMPLED_WALK,   /* of page tables */
	UNCORE_SAMPLED_KERNEL, /* on the program's behalf */
};

/* The access that a sample is blamed on. */
struct uncore_sampled_access {
	bool is_known; /* else nothing of the rest is */
	enum uncore_sampled_use use;
	uint64_t address;  /* virtual */
	uint64_t line;	   /* physical address / 64 */
	long core;	   /* that made it, over all sockets; -1: not known */
	long home;	   /* socket whose memory it is, -1: not known */
	long stack;	   /* from uncore_recorder_stack(), -1: not known */
	long datum;	   /* from uncore_recorder_datum(), -1: not known */
	uint64_t offset;   /* of the address in the object that it is */
	const char *field; /* what lies there in it, ".hits"; NULL: not known */
	long touch_core, touch_thread; /* that used the page first; -1: not
					* known */
	const char *answered;	/* by whom: "llc", "core", "core hitm", "remote
			       * cache", "remote hitm", "local memory", "remote
			       * memory", "io"; NULL: not known */
	double latency_seconds; /* from the request to its answer; 0: not
				 * known */
};

struct uncore_sample {
	enum uncore_sample_kind kind;
	unsigned socket;
	uint64_t cycle;	       /* of the uncore clock since the start;
				 * UNCORE_NO_CYCLE: not known */
	double seconds;	       /* since the start */
	double length_seconds; /* since the sample before of that socket */
	long event;	       /* whose overflow it was, -1: none */
	long instance;	       /* of the box that overflowed, -1: none */
	uint64_t overrun;      /* counted beyond the period before the freeze */
	uint64_t lost;	       /* overflows that came too fast to be taken */
	long core;	       /* that received the PMI, -1: none */
	long position;	       /* from uncore_recorder_position(), -1: none */
	long thread;	       /* from uncore_recorder_thread(), -1: none */
	struct uncore_sampled_access access;
};

/* A count within a sample. */
struct uncore_sample_count {
	size_t event; /* id from uncore_recorder_event() */
	unsigned instance;
	uint64_t value; /* growth, multiplier applied */
	double seconds; /* of the sample in which it counted: less than its
			   * length where slices take turns */
};

struct uncore_recorded_event {
	const char *text;      /* as the user wrote it */
	const char *canonical; /* with every default */
	const char *box;       /* cbox */
	unsigned multiplier;
	uint64_t period; /* 0: it does not sample */
};

/* A place in a program. */
struct uncore_position {
	uint64_t address;
	const char *object;  /* file the code is from; NULL: not known */
	const char *symbol;  /* function; NULL: not known */
	uint64_t offset;     /* of the address in it, or in the object */
	const char *source;  /* "file.c:31"; NULL: not known */
	const char *folder;  /* in which that was compiled; NULL: not known */
	const char *inlined; /* functions inlined there, the innermost first,
			      * " < " between them; NULL: none is known */
};

/* What lies at an address of data. */
enum uncore_datum_kind {
	UNCORE_DATUM_SYMBOL,	/* a variable of a program or library */
	UNCORE_DATUM_FILE,	/* a file that is mapped, else */
	UNCORE_DATUM_HEAP,	/* malloc's memory, as far as it can be told */
	UNCORE_DATUM_STACK,	/* of some thread, as far as it can be told */
	UNCORE_DATUM_ANONYMOUS, /* memory that has no name */
	UNCORE_DATUM_ALLOCATED, /* all of one allocation site: `stack` */
};

struct uncore_datum {
	enum uncore_datum_kind kind;
	const char *object; /* file; NULL: none */
	const char *symbol; /* variable, or what allocated it; NULL: none */
	long stack;	    /* who called that function; -1: none */
	long thread;	    /* whose stack it is; -1: not known */
	/* What follows is not part of what it is, and may be told anew. */
	uint64_t size_bytes;  /* of a variable; of a site, the most that lived
			      * at a time; 0: not known */
	uint64_t num_objects; /* of a site, in all; 0: not known */
	const char *field;    /* of a variable, what lies at the address that
			       * was asked about: ".hits", "[17].count", by
			       * debug information; NULL: not known */
};

/* What a box held when everything was frozen (UNCORE_SAMPLE_FREEZE). */
enum uncore_state_kind {
	UNCORE_STATE_STATUS, /* a status register that is not 0 */
	UNCORE_STATE_COUNT,  /* what an event had counted */
	UNCORE_STATE_LEVEL,  /* of a model: entries in a queue, a condition */
};

struct uncore_state {
	enum uncore_state_kind kind;
	unsigned socket;
	const char *box;   /* cbox */
	unsigned instance; /* of the box */
	const char *name;  /* a register's, an event's text, a signal's */
	uint64_t value;
};

/* Makes a file (an existing one is refused unless `replace`). `meta` are pairs
 * of key and value, ended by NULL: machine, origin, sockets, clock_hz, what,
 * mode, version of uncore, started (docs/formats.md lists them). */
int uncore_recorder_new(const char *path, bool replace, const char *const *meta,
			struct uncore_recorder **recorder, char **error);

/* Adds a row; the id (0, 1, ...) is stored in *id. The same position, thread,
 * stack or datum gives the same id. */
int uncore_recorder_event(struct uncore_recorder *recorder,
			  const struct uncore_recorded_event *event, size_t *id,
			  char **error);
int uncore_recorder_position(struct uncore_recorder *recorder,
			     const struct uncore_position *position, long *id,
			     char **error);
int uncore_recorder_thread(struct uncore_recorder *recorder, long process,
			   long thread, const char *name, long *id,
			   char **error);
int uncore_recorder_datum(struct uncore_recorder *recorder,
			  const struct uncore_datum *datum, long *id,
			  char **error);

/* Its size and number are these. */
int uncore_recorder_datum_size(struct uncore_recorder *recorder, long id,
			       uint64_t size_bytes, uint64_t num_objects,
			       char **error);

/* A stack is a position, where a function was called, and the stack of the
 * function that called from there: `caller`, -1 for the outermost. */
int uncore_recorder_stack(struct uncore_recorder *recorder, long position,
			  long caller, long *id, char **error);

int uncore_recorder_state(struct uncore_recorder *recorder,
			  const struct uncore_state *state, char **error);

/* Adds a sample with its counts. It is "written" once
 * uncore_recorder_written() counts it. */
int uncore_recorder_sample(struct uncore_recorder *recorder,
			   const struct uncore_sample *sample,
			   const struct uncore_sample_count *counts,
			   size_t num_counts, char **error);

/* There are too many samples of an event (by its id): of each box every second
 * one is taken for none of a period any more, and those that are left have a
 * longer one. What was counted stands. How many went is added to *num. */
int uncore_recorder_thin(struct uncore_recorder *recorder, size_t event,
			 uint64_t period, uint64_t *num, char **error);

/* Commits what was added; done by itself every half second of samples. While
 * somebody reads the file without end nothing is committed, which is no error:
 * uncore_recorder_written() tells. */
int uncore_recorder_commit(struct uncore_recorder *recorder, char **error);

/* How often that is; not below a millisecond. */
void uncore_recorder_every(struct uncore_recorder *recorder, double seconds);

/* Samples that are committed: they survive whatever comes. */
uint64_t uncore_recorder_written(const struct uncore_recorder *recorder);

/* From the first failure on (the disk is full) nothing is written any more;
 * every call says so. Samples written before are kept. */

/* Sets or replaces a pair of meta (NULL value: removes it). */
int uncore_recorder_meta(struct uncore_recorder *recorder, const char *key,
			 const char *value, char **error);

/* Marks it complete, commits, closes and frees. */
int uncore_recorder_finish(struct uncore_recorder *recorder, char **error);

/* Closes and frees; what was not committed is lost. */
void uncore_recorder_free(struct uncore_recorder *recorder);

/* Opens a recording to read, complete or not; an unknown version is refused. Of
 * one of version 1 no access is known. */
int uncore_recording_open(const char *path, struct uncore_recording **recording,
			  char **error);
void uncore_recording_free(struct uncore_recording *recording);

/* A value of meta, or NULL. */
const char *uncore_recording_meta(struct uncore_recording *recording,
				  const char *key);

/* Whether it was finished, not cut off. */
bool uncore_recording_is_complete(struct uncore_recording *recording);

/* Row number index; false past the last one. */
bool uncore_recording_event(struct uncore_recording *recording, size_t index,
			    struct uncore_recorded_event *event);
bool uncore_recording_position(struct uncore_recording *recording, size_t index,
			       struct uncore_position *position);
bool uncore_recording_thread(struct uncore_recording *recording, size_t index,
			     long *process, long *thread, const char **name);
bool uncore_recording_datum(struct uncore_recording *recording, size_t index,
			    struct uncore_datum *datum);

/* *caller, where there is one, is below index: who follows them comes to an
 * end. */
bool uncore_recording_stack(struct uncore_recording *recording, size_t index,
			    long *position, long *caller);
bool uncore_recording_state(struct uncore_recording *recording, size_t index,
			    struct uncore_state *state);

/* The next sample in order of time, with its counts (good until the next
 * call): 1, 0 at the end, or a negative UNCORE_ERR_*. */
int uncore_recording_next(struct uncore_recording *recording,
			  struct uncore_sample *sample,
			  const struct uncore_sample_count **counts,
			  size_t *num_counts, char **error);

/* Back to the first sample. */
void uncore_recording_rewind(struct uncore_recording *recording);

/* A value of a row: as text (NULL: SQL's NULL) and as a number (NAN: NULL). */
struct uncore_recorded_value {
	const char *text;
	double number;
};

/* Asks in SQL what the tables of docs/formats.md hold; those that version 1
 * lacks are empty. Statements before the last one, with ';' behind them, may be
 * CREATE TEMP TABLE: such a table stands beside the recording until it is
 * freed. values[0] stands for ?1 and so on. Calls `take` for each
 * row, which has as many values as the question has columns and is good until
 * the call ends, as long as it returns true. Returns 0,
 * UNCORE_ERR_BAD_RECORDING where the question cannot be understood or the file
 * not be read, UNCORE_ERR_BAD_OPTION for a statement that would change it,
 * UNCORE_ERR_NO_MEMORY. */
int uncore_recording_query(
	struct uncore_recording *recording, const char *text,
	const long *values, size_t num_values,
	bool (*take)(void *context, const struct uncore_recorded_value *row),
	void *context, char **error);

/* Names for addresses of running programs: which file the code is from and
 * which function it is, which variable the data. The files' symbol tables and
 * debug information tell. What was looked up is kept until
 * uncore_symbols_free(), a list of files for each program that was asked about.
 * Not for several threads at once. */
struct uncore_symbols;

/* Nothing known yet; NULL without memory. Free with uncore_symbols_free(). */
struct uncore_symbols *uncore_symbols_new(void);
void uncore_symbols_free(struct uncore_symbols *symbols);

/* What code lies at an address of a process, as /proc/PROCESS/maps has it;
 * `space` is another number after the process has executed another program, or
 * a file's code has come into its memory or left it; when one was asked about,
 * those with lower numbers are of the past: their maps stay as they are. Names
 * of C++ and Rust are as people write them, without parameters. Object, symbol
 * and source are NULL as far as they are not known, and good as long as the
 * symbols. A function of a file without symbols is called by its place in it,
 * "sort+0x77b0". The first call for a process reads its map, so the process
 * should live; later ones remember. */
void uncore_symbols_find(struct uncore_symbols *symbols, long process,
			 unsigned space, uint64_t address,
			 struct uncore_position *position);

/* The same for an address that a function returns to: the call stands before
 * it, and may be the last instruction of its function. */
void uncore_symbols_find_caller(struct uncore_symbols *symbols, long process,
				unsigned space, uint64_t address,
				struct uncore_position *position);

/* The same of a process that may have ended, in which a file lay at these
 * addresses. */
struct uncore_mapped_file {
	char name[1024];
	uint64_t start, end;
};
void uncore_symbols_find_past(struct uncore_symbols *symbols,
			      const struct uncore_mapped_file *file,
			      uint64_t address,
			      struct uncore_position *position);

/* Whether the function with such an address was called by nobody: unwind
 * information says so of _start and of where threads begin. */
bool uncore_symbols_is_outermost(struct uncore_symbols *symbols, long process,
				 unsigned space, uint64_t address);

/* What data lies at an address, and how far into it that is (in the stack of a
 * process's first thread: how far below its end); false: nothing is mapped
 * there. The texts are good until the next call. */
bool uncore_symbols_find_datum(struct uncore_symbols *symbols, long process,
			       unsigned space, uint64_t address,
			       struct uncore_datum *datum, uint64_t *offset);

#ifdef __cplusplus
}
#endif

#endif
