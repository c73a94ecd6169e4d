/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * A program as traffic: it runs under Valgrind beside the model, and what its
 * threads load, store and fetch reaches the model's cores after their private
 * caches.
 *
 * Threads are placed on cores as they appear, or where they pin themselves;
 * pages on sockets by first touch, or where the program binds them. Processes
 * that the program forks and programs that it executes belong to it, except
 * those that get other rights (setuid) or are made for another kind of
 * processor: they run uncounted. Time that passes in system calls does not pass
 * in the model, but for what a program sleeps. A program that is itself
 * repeatable gives the same accesses every time, also with several threads.
 *
 * Functions return 0 or a negative UNCORE_ERR_*. A call is not thread safe
 * unless it says so.
 */
#ifndef UNCORE_PROGRAM_H
#define UNCORE_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "uncore/model.h"

#ifdef __cplusplus
extern "C" {
#endif

struct uncore_program;

enum { UNCORE_PROGRAM_MAX_SOCKETS = 8, UNCORE_PROGRAM_MAX_CORES = 128 };

enum uncore_program_placement {
	UNCORE_PROGRAM_COMPACT, /* fill one socket after the other */
	UNCORE_PROGRAM_SCATTER, /* socket after socket in turn */
};

/* All pointers stay the caller's. The program inherits this process's files,
 * folder and terminal. */
struct uncore_program_config {
	size_t struct_size;	 /* sizeof, by the caller */
	const char *const *argv; /* NULL at its end; argv[0] is searched for as
				  * a shell does */
	const char *const *envp; /* NULL: this process's */
	const char *valgrind;	 /* NULL: $UNCORE_VALGRIND, else in $PATH */
	const char *tool;	 /* our tool for it; NULL: found beside this
			   * executable, in $UNCORE_LIBEXEC, or where it was
			   * installed */
	bool keeps_cpuid; /* the program sees this processor's features, not the
			   * modelled one's */
	bool counts_kernel; /* what the kernel copies for read() and write() is
			     * traffic, too */
	bool starts_off; /* what is in no region neither reaches private caches
			  * nor the model, and takes no time there; only pages
			  * get their places */
	bool stops_at_marks; /* see uncore_program_mark() */
	bool keeps_callers;  /* origins have their callers, which takes time */
	bool keeps_sites; /* uncore_program_share() knows whose memory it is */
	enum uncore_program_placement placement;
	unsigned num_sockets;
	unsigned cores_per_socket;
	/* Memory of each socket, as physical addresses / 64; multiples of 64
	 * (a page). */
	uint64_t first_line[UNCORE_PROGRAM_MAX_SOCKETS];
	uint64_t num_lines[UNCORE_PROGRAM_MAX_SOCKETS];
	struct uncore_model *model; /* gets the traffic; NULL: somebody else */
	bool repeats_random; /* the program gets the same random bytes and, of
			      * the model's clock, the same date in every
			      * run, so they are no secrets; false: the
			      * kernel's and the processor's */
	/* Draws how many core cycles (0 to 1,000) after its creation each
	 * thread but the first starts; 0: none. */
	uint64_t seed;
	bool keeps_clock; /* the program reads this machine's clock, not the
			   * model's time; so also without a model */
	bool keeps_cpus;  /* it sees this machine's processors, as far as
			   * their number and what Linux tells of them goes,
			   * not the modelled one's; so also without a model */
	/* Where config.keeps_callers is set: told when the first access with
	 * another `space` is read, of the code at `address`; files do not leave
	 * the process's memory before. NULL: nobody. */
	void (*on_space)(void *context, long process, unsigned space,
			 uint64_t address);
	void *context; /* of it */
};

/* How far it is; counts so far. */
struct uncore_program_progress {
	uint64_t accesses;     /* handed to the model */
	uint64_t instructions; /* executed by all threads */
	uint64_t pages;	       /* touched, by all processes */
	unsigned threads;      /* at present */
	bool running;	       /* the program itself has not ended */
	bool asked_random;     /* it, and not the C library for itself, has got
			    * random bytes of the kernel or processor */
};

/* How an access was made. */
enum uncore_program_use {
	UNCORE_USE_LOAD,
	UNCORE_USE_STORE,
	UNCORE_USE_FETCH,
	UNCORE_USE_PREFETCH,
	UNCORE_USE_LOCK,
	UNCORE_USE_FLUSH,
	UNCORE_USE_STREAM, /* non-temporal store */
	UNCORE_USE_WALK,   /* of page tables */
	UNCORE_USE_KERNEL,
};

enum { UNCORE_ORIGIN_FRAMES = 16 };

/* A mark of <uncore/mark.h> that a thread has reached. */
enum { UNCORE_PROGRAM_REGION_BYTES = 64 };
struct uncore_program_mark {
	char region[UNCORE_PROGRAM_REGION_BYTES]; /* "": it has no name */
	bool begins;				  /* or ends the region */
	unsigned core;				  /* over all sockets */
	unsigned thread; /* a number that no other thread of the run has */
};

/* An allocation site: a function that allocates memory, and who called it. Of
 * all processes, each program that is executed for itself. So many are told
 * apart; one number stands for all that came later. */
enum { UNCORE_PROGRAM_SITES = 60000, UNCORE_PROGRAM_OTHER_SITES = 65535 };
struct uncore_program_site {
	const char *function;		 /* "malloc" */
	uint64_t objects, bytes;	 /* allocated so far */
	uint64_t live_bytes, most_bytes; /* that live; the most that ever did */
	unsigned num_frames;		 /* as of an origin */
	uint64_t frames[UNCORE_ORIGIN_FRAMES];
};

/* The part that memory of one site has in the accesses beyond the private
 * caches. One in some was looked at. */
struct uncore_program_share {
	unsigned site;	    /* for uncore_program_site() */
	double looks;	    /* at accesses to it, at least, */
	double part;	    /* of all that were looked at, */
	double remote_part; /* and of those to memory of another socket */
};

/* What an access was to: something that was allocated, or a stack. */
struct uncore_program_object {
	uint64_t start, size_bytes; /* 0 bytes: it is not known */
	unsigned site;		    /* for uncore_program_site(); 0: none */
	long owner;		    /* thread whose stack it is; 0: none */
	bool is_block; /* or it is somewhere in a mapping, or what an allocator
			* does at the site */
};

/* The code that made an access, and what it accessed. */
struct uncore_program_origin {
	uint64_t address; /* of the instruction (of a fetch: of the line), as
			   * /proc/PROCESS/maps has it */
	uint64_t data;	  /* virtual address that was accessed; of a fetch the
			   * same */
	uint64_t line;	  /* physical address / 64 */
	enum uncore_program_use use;
	long process;
	long thread;
	unsigned space; /* another one after the process has called exec,
			      * or a file's code has come or gone */
	unsigned core;	/* over all sockets */
	unsigned home;	/* socket whose memory the line is in */
	/* Where config.keeps_callers is set, and it is still known: */
	struct uncore_program_object object;
	/* Who used the page first, so that it got its place; 0: not known. */
	long touch_process, touch_thread;
	unsigned touch_core;		       /* over all sockets */
	unsigned num_frames;		       /* callers known, 0: none */
	uint64_t frames[UNCORE_ORIGIN_FRAMES]; /* return addresses, the
						* innermost caller first, as
						* /proc/PROCESS/maps has
						* them */
};

/* How it ended, and what a reader of the counts should know. */
struct uncore_program_status {
	int exit_code;	       /* as a shell gives it: 128 + signal */
	int signal;	       /* that killed it; 0: it exited */
	unsigned left_running; /* threads that live on, uncounted */
	unsigned not_followed; /* programs it executed that ran uncounted */
	unsigned gave_up;   /* processes that Valgrind ended for a reason of its
			   * own; their exit code is then 101 */
	char words[1024];   /* what it said, when it did so first: lines */
	unsigned traced;    /* processes that used ptrace(2), uncounted since */
	uint64_t lost;	    /* threads that ran uncounted: too many */
	bool memory_full;   /* pages had to share frames */
	bool saw_host;	    /* no room to show it the machine's processors */
	char not_shown[64]; /* instructions of the modelled processor that
			     * Valgrind does not run here, so that cpuid says no
			     * to them, such as "AVX, AVX2"; else "" */
	uint32_t unknown_instruction; /* that killed it (SIGILL): its first four
				       * bytes, the first one lowest; 0: none */
	uint64_t accesses;	      /* that left the private caches */
	/* As UNCORE_CORE_L1D_FILLS and UNCORE_CORE_L1D_CROWDED_FILLS. */
	uint64_t l1d_fills, crowded_fills;
	uint64_t transfers;    /* of lines that went to and fro between cores */
	uint64_t of_busiest;   /* of them, those of one line, */
	char busiest[84];      /* and what lies there: "counts+0x40"; */
	unsigned busiest_site; /* where that was allocated; 0: not known */
};

/* Fills in sockets, cores and memory as the model has them, all else but the
 * size with 0. */
void uncore_program_config_init(struct uncore_program_config *config,
				struct uncore_model *model);

/* Starts the program. *program is to be freed with uncore_program_free(). On
 * error *error (to be freed) is a sentence that says what is wrong and what to
 * do: UNCORE_ERR_BAD_PROGRAM, _NO_HELPER, _NO_MEMORY, _IO or _BAD_PARAMETER.
 * The thread that calls this must live on: the program is killed when it ends.
 * */
int uncore_program_start(const struct uncore_program_config *config,
			 struct uncore_program **program, char **error);

/* The accesses as traffic for uncore_model_set_traffic(); valid as long as the
 * program is not freed. It ends when the program has ended (processes that it
 * leaves behind are not waited for), or after uncore_program_stop(). The
 * invalidations reach the private caches a little later; the answer to one is
 * therefore only a hint, true for a line that is known to have been dirty. */
void uncore_program_traffic(struct uncore_program *program,
			    struct uncore_traffic *traffic);

/* Whose access it was that asked for something (uncore_model_requester());
 * false: nobody's, or one that is long past. Of a write-back it is the access
 * that drove the line out. Meant for the handler of a PMI. */
bool uncore_program_origin(const struct uncore_program *program,
			   uint64_t requester,
			   struct uncore_program_origin *origin);

/* What is known of a site by now; false: there is none with that number. */
bool uncore_program_site(const struct uncore_program *program, unsigned number,
			 struct uncore_program_site *site);

/* A site with many accesses, in no order, of the whole run (region NULL) or of
 * a region; false: there are no more. To be called once the program has ended,
 * as the next one. */
bool uncore_program_share(const struct uncore_program *program,
			  const char *region, unsigned index,
			  struct uncore_program_share *share);

/* Of such a site, or that of uncore_program_status: the file that its caller's
 * code is from, and the address in it that the call returned to; false: not
 * known. */
struct uncore_mapped_file;
bool uncore_program_caller(const struct uncore_program *program, unsigned site,
			   struct uncore_mapped_file *file, uint64_t *address);

/* The next mark that was reached, in the order of the modelled time; false:
 * none. Where config.stops_at_marks was set, the model's run returns when a
 * core reaches a mark, with the loads before it done (uncore_model_pause()),
 * and this core goes on only when the mark has been taken. Not to be called
 * while the model runs. */
bool uncore_program_mark(struct uncore_program *program,
			 struct uncore_program_mark *mark);

/* To be called now and then between portions of the model's run: while all of
 * the program waits for a time of the model, signals that come, and its death,
 * are noticed here, and end the wait. */
void uncore_program_look(struct uncore_program *program);

void uncore_program_progress(const struct uncore_program *program,
			     struct uncore_program_progress *progress);

/* Asks for the terminal of standard error, to show a line of progress on it
 * that has no end yet. True until the program reads or writes there itself; the
 * line is taken away before. */
bool uncore_program_may_show(struct uncore_program *program);

/* Sends a signal to the program. May be called in a signal handler. A
 * terminal's Ctrl-C reaches the program by itself. */
int uncore_program_signal(struct uncore_program *program, int number);

/* No more accesses are wanted: the traffic ends, the program runs on uncounted.
 * May be called in a signal handler and from any thread. */
void uncore_program_stop(struct uncore_program *program);

/* Waits for the program's end, calling uncore_program_stop() first if the
 * traffic has not ended, and tells how it ended. */
int uncore_program_finish(struct uncore_program *program,
			  struct uncore_program_status *status, char **error);

/* Kills the program, with the processes it has made, if it still runs. NULL is
 * allowed. */
void uncore_program_free(struct uncore_program *program);

#ifdef __cplusplus
}
#endif

#endif
