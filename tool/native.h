/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * A run without a model in this process: the program itself on this machine, or
 * a time that passes while something else runs.
 */
#ifndef UNCORE_TOOL_NATIVE_H
#define UNCORE_TOOL_NATIVE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

struct uncore_target;
struct uncore_target_event;

enum native_kind {
	NATIVE_TRAFFIC, /* until it ends, or the user has enough */
	NATIVE_CYCLES,	/* so many, of a stepped clock */
	NATIVE_SECONDS, /* of wall time */
	NATIVE_PROGRAM, /* until a child of this process ends */
};

struct native {
	enum native_kind kind;
	uint64_t cycles;
	double seconds;
	pid_t child;	  /* 0: it has ended */
	int child_status; /* as of waitpid() */
	struct uncore_target *target;
	bool waits;		       /* by itself, for what may come */
	const volatile int *stop;      /* set by Ctrl-C */
	double (*turn)(void *context); /* as in struct run */
	/* Told of PMIs, which are subscribed to; NULL: nobody. */
	void (*pmi)(void *context, const struct uncore_target_event *event);
	void *context;
	double clock_hz;	    /* of a stepped clock, else 0 */
	uint64_t passed, next_turn; /* cycles of that; else next_turn is ns */
	uint64_t end_ns, look_ns;
};

/* Between two looks for the end of traffic. */
enum { NATIVE_END_CYCLES = 1024 };

/* Whether it and the target's clock fit; an exit code. */
int native_check(const struct native *native);

/* It begins; it goes on for about so many seconds of wall time (one that does
 * not wait, and whose clock is not to be stepped, only looks what has come).
 * Exit codes. Turns are taken at the start and in between; of a program SIGCHLD
 * is blocked meanwhile. */
int native_begin(struct native *native);
int native_go_on(struct native *native, double seconds, bool *is_over);

/* Calls a turn (NULL: none) and says how long it is to last, in units of so
 * many a second: at least one, and not more than can be added to a time. */
uint64_t native_turn(double (*turn)(void *context), void *context,
		     double in_second);

uint64_t wall_ns(void);
double wall_seconds(void);
struct timespec wall_timespec(uint64_t ns);

#endif
