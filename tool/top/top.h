/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The inside of `uncore top`, shared by its files:
 *
 *     cmd_top.c      options; live, a recording, or one table
 *     top_past.c     the figures, and what they were, step by step; one table
 *                    of them, where there is no terminal
 *     top_live.c     steps from counters that count
 *     top_file.c     steps from a recording
 *     top_screen.c   what stands where on the screen
 *     top_keys.c     what the keys do to it, and pages of text over it
 *     top_term.c     the terminal: taken, read, given back
 *     top_record.c   what is counted while it is on the screen, into a file
 *
 * A *figure* is a metric; a *step* is the time between two sweeps, or a part of
 * a recording. A figure has a value in each *column*: the machine is column 0,
 * its sockets follow.
 */
#ifndef UNCORE_TOOL_TOP_H
#define UNCORE_TOOL_TOP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "tool/event_set.h"
#include "tool/explain/explain.h"
#include "tool/metrics.h"
#include "tool/target.h"

struct uncore_family;
struct uncore_recorder;
struct monitor;

struct top_settings {
	struct target_settings target;
	struct event_list events; /* none */
	const char *metrics;
	struct option_texts metric_files;
	const char *interval, *output;
	bool once, no_multiplex, takes_turns, force;
	/* made of these */
	double interval_seconds;
	const char *recording; /* NULL: live */
};

struct top_figure {
	char name[64], unit[24], brief[128]; /* unit as it is shown */
	bool is_total;			     /* shown by the second */
	double by;	  /* of what the metric is: bytes are shown in GB/s */
	bool is_split;	  /* there is one of each socket */
	bool takes_turns; /* an estimate whose error nobody knows */
	double *most;	  /* of each column: as the machine has it; NAN: none */
	double *seen;	  /* of each column: the largest so far */
	char reason
		[200]; /* why the latest is none; "": it is, or nobody knows */
};

struct top_step {
	double seconds; /* from the start to its end */
	double length;
	double *values; /* of each figure those of all columns; NAN: none */
};

/* Begins as all zero. Of very many steps the latest are kept, in a ring. */
enum { TOP_MOST_STEPS = 7200 };
struct top_past {
	struct top_figure *figures;
	size_t num_figures, num_columns;
	struct top_step steps[TOP_MOST_STEPS];
	size_t num_steps; /* from the start */
};

/* Figures for the metrics of a list, on so many sockets, without limits. In any
 * case top_past_free() is to be called. */
void top_past_open(struct top_past *past, const struct metric_list *list,
		   unsigned num_sockets);
void top_past_free(struct top_past *past);

/* Limits of the figures, by who knows the most that one can be in a socket
 * (-1: the machine) in so many seconds; NAN: there is no such limit. */
void top_past_limit(struct top_past *past,
		    double (*most)(const void *of, size_t figure, int socket,
				   double seconds),
		    const void *of);

/* A step with no values yet. Values are put as the metrics have them: what
 * grows with time is made one by the second. */
void top_past_add(struct top_past *past, double seconds, double length);
void top_past_put(struct top_past *past, size_t step, size_t figure,
		  size_t column, double value);

/* A step, which is there; the first one that is. */
const struct top_step *top_past_step(const struct top_past *past, size_t step);
size_t top_past_first(const struct top_past *past);

/* NAN where there is none, or no such step. */
double top_past_get(const struct top_past *past, size_t step, size_t figure,
		    size_t column);

/* What a full bar stands for; *is_limit: the machine can no more, else it is
 * the largest that was seen; NAN: neither. */
double top_past_full(const struct top_past *past, size_t figure, size_t column,
		     bool *is_limit);

/* Opened with the command's settings; what follows looks at it. */
struct top {
	const struct top_settings *settings;
	const struct uncore_family *family;
	struct metric_list *list; /* of the figures, in their order */
	struct top_past past;
	char *title;	/* machine, origin, what */
	char line[160]; /* what it costs, or what the recording is */
	struct top_screen {
		size_t selected, first; /* figure; the one on the first line */
		size_t first_column;	/* socket on the left */
		size_t step;	   /* that is looked at, if not the latest */
		bool is_past;	   /* such a step is looked at */
		bool is_ascii;	   /* no block characters */
		char message[160]; /* on the last line but one; "": none */
	} screen;
	struct monitor *monitor;   /* NULL: a recording */
	struct top_record *record; /* NULL: none is written */
	int record_status;	   /* an exit code: one could not be */
	size_t minute;		   /* steps of a line of history */
};

/* Live: opens registers and events, counts until the user has enough or, for a
 * table, it is over. An exit code, or the exit status of the program. */
int top_live(struct top *top, bool is_table);

/* A recording; an exit code. */
int top_file(struct top *top, bool is_table);

/* One table of the latest step; an exit code. */
int top_table(const struct top *top, FILE *file);

/* "uncore top" and what is looked at, to be freed. */
char *top_title(const char *machine, const char *origin, const char *what);

/* --- top_screen.c --- */

/* Draws all of it anew. */
void top_draw(struct top *top);

/* The step that is looked at; 0 if there is none yet. */
size_t top_shown_step(const struct top *top);

/* How many figures have room, and how many columns. */
void top_room(const struct top *top, size_t *rows, size_t *columns);

/* --- top_keys.c --- */

/* What a key does to what is shown. False: leave. */
bool top_answer(struct top *top, int key);

/* Shows what is there until the user leaves. */
void top_look(struct top *top);

/* Draws the page over the figures, if one is open. */
bool top_page_draw(void);
void top_page_close(void);

/* --- top_term.c --- */

/* Takes the terminal: from here on what is printed is kept, and comes out with
 * top_term_close(), which gives the terminal back in any case. An exit code and
 * a sentence where it cannot be drawn on. */
int top_term_open(struct top_screen *screen);
void top_term_close(void);

/* The next key, or a negative number if none came in so many seconds or a
 * signal came. */
int top_term_key(double seconds);

/* --- top_record.c --- */
/* Begins, or ends, a recording; what happened is in the message. */
void top_record_switch(struct top *top);
/* After a sweep. */
void top_record_sweep(struct top *top);
/* Ends it, if there is one, with the sentence of `uncore record`. An exit
 * code. */
int top_record_close(struct top *top);
/* What is written so far, where there is one. */
void top_record_say(const struct top *top, char *text, size_t size);

#endif
