/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What passes while counters count: a built-in workload, a program under
 * Valgrind, a recording; or, on registers elsewhere, the program itself or a
 * span of time.
 */
#ifndef UNCORE_TOOL_RUN_H
#define UNCORE_TOOL_RUN_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "clock_word.h"
#include "native.h"
#include "uncore/program.h"

struct uncore_model;
struct uncore_replay;

/* Random bytes of a run: what makes it differ from the next one. */
struct run_random {
	bool is_known; /* false: it runs as it is, or was cut short */
	bool asked;    /* the program wanted some */
	bool repeats;  /* they are the same in every run */
};

struct run {
	struct uncore_model *model;	/* NULL: registers elsewhere */
	struct uncore_program *program; /* NULL: workload, or elsewhere */
	struct uncore_replay *replay;	/* instead of these, this region */
	const char *region;		/* or all (NULL) */
	bool starts_off;		/* the program, outside of regions */
	bool repeats_random;		/* it gets always the same bytes */
	bool tells_random;		/* whoever runs it says so itself */
	char **argv;
	/* Words that a command needs for the same run; NULL: none. */
	const char *const *options;
	struct native native; /* where there is no model */
	sigset_t unblocked;   /* signals, before a child was started */
	bool has_ended;	      /* by itself */
	struct uncore_program_status ended; /* of the program, once it has */
	/* Called at the start and whenever as many seconds have passed as the
	 * last call asked for (0, or more than anybody waits: no more): of the
	 * model in this process, or of a stepped clock; of wall time
	 * elsewhere. NULL: not needed. */
	double (*turn)(void *context);
	void *context;
	/* Called at each mark that the program reaches, in the cycle in which
	 * it does, with the same context. NULL: not needed. */
	void (*mark)(void *context, const struct uncore_program_mark *mark);
	uint64_t num_marks; /* reached so far */
	uint64_t start;	    /* cycle of the model */
	uint64_t next_turn; /* cycle of the model; 0: none */
	uint64_t step;	    /* in which it goes on for so many cycles */
	bool hides_progress;
	bool has_progress; /* a line without its end is on the terminal */
	char remark[48];   /* on a terminal, behind what has passed */
};

/* Whether `how`, as --place has it (NULL: not given), is a way to place threads
 * on cores; an exit code. */
int run_check_place(const char *how);

/* The same of whose CPUs a program sees, as --cpus has it. */
int run_check_cpus(const char *whose);

struct uncore_symbols;

/* How a program runs on the model. */
struct run_program {
	const char *place;   /* as run_check_place() has found right */
	bool keeps_cpuid;    /* it sees this machine's processor */
	bool counts_kernel;  /* copies of read() and write() are traffic */
	bool starts_off;     /* not counted before its first mark */
	bool repeats_random; /* it gets the same random bytes in every run */
	/* Of every access the callers are kept, and these asked about code as
	 * long as it is there; NULL: they are not. */
	struct uncore_symbols *symbols;
	bool keeps_sites;      /* it is asked whose memory accesses are to */
	uint64_t seed;	       /* of when its threads start; 0: at once */
	enum clock_word clock; /* that it sees; not given: the model's */
	const char
		*cpus; /* that it sees, as run_check_cpus() has found right */
};

/* Starts the program under Valgrind as the model's traffic, or an exit code. */
int run_prepare_program(struct run *run, const struct run_program *how);

/* Waits for its end, and says what was odd about it; an exit code. Its exit
 * status is stored in *status. */
int run_finish_program(struct run *run, int *status);

/* What is known of random bytes so far; and a sentence on it, or NULL where
 * there is nothing that a user has to know. */
struct run_random run_random(const struct run *run);
const char *run_say_random(const struct run_random *random);

/* From here on Ctrl-C and SIGTERM end the run and not the process: to be called
 * before anything is done that has to be undone. */
void run_catch_signals(struct run *run);

/* Lets everything pass until it ends or the user interrupts. The exit status
 * of the program (of the workload: 0) is stored in *status, the wall time in
 * *seconds. */
int run_all(struct run *run, int *status, double *seconds);

/* The same step by step, for who has other things to do meanwhile: it begins;
 * it goes on for about so many seconds of wall time if a model is to work or a
 * clock to be stepped, and else returns at once (a replay has no steps); and
 * when it is over, or whoever began it has had enough (a program gets SIGTERM),
 * it ends. Exit codes. */
int run_begin(struct run *run);
int run_go_on(struct run *run, double seconds, bool *is_over);
int run_finish(struct run *run, int *status);

/* Ends the traffic as Ctrl-C does that of a workload: a program runs on
 * uncounted. May be called from any thread, and while the model runs. */
void run_stop(void);

/* Whether the user has had enough, of this run and of others to come. */
bool run_was_interrupted(void);

/* Ends it, and a program with it, as SIGTERM does; a program that still runs
 * two seconds later is killed. */
void run_end(struct run *run);

/* Whether a line of progress may be on standard error now: a terminal which the
 * program does not use. */
bool run_may_show(struct run *run);

/* Ends what still runs. */
void run_free(struct run *run);

#endif
