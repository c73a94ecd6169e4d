/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What one side of a comparison says: figures by name, with all that is known
 * of how sure they are. They come from results of `uncore stat --json` (several
 * results one behind the other are repeats) or from a recording.
 */
#ifndef UNCORE_TOOL_FIGURES_H
#define UNCORE_TOOL_FIGURES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "significance.h"
#include "tool/run.h"

struct option_texts;

/* From FIGURE_SYMBOL on they are parts of the samples of an event. */
enum figure_kind { FIGURE_EVENT, FIGURE_METRIC, FIGURE_SYMBOL, FIGURE_STACK };
enum { NUM_FIGURE_KINDS = FIGURE_STACK + 1 };

struct figure {
	enum figure_kind kind;
	char *name;  /* text of the event, name of the metric or function */
	char *place; /* "" or "S0 cbox3", "region 'x'"; the function's file */
	char *unit;  /* of a metric; the event that a function was sampled by */
	char *why;   /* there is no value; NULL: not known */
	size_t num;  /* repeats with a value */
	double mean;
	double squares; /* sum of squared distances from the mean */
	/* What a single result says about itself; 0: it is exact, NAN: it is
	 * an estimate, and nobody knows how good. */
	double standard_error, freedom;
	struct significance_samples samples; /* of a function */
	unsigned run;			     /* that it was last seen in */
};

/* The runs of which not all was in detail (docs/sampled.md). */
struct results_detail {
	unsigned runs; /* 0: none, or nobody says so */
	double accesses, detailed;
	double time_error; /* in parts of the time, of the latest; NAN: not
			    * known */
};

struct results {
	const char *path;
	char *machine, *what; /* NULL: the file does not say so */
	unsigned runs;
	struct run_random random; /* of all runs together */
	struct results_detail detail;
	struct figure *list;
	size_t num;
	size_t next; /* where the next one looked for is likely to be */
};

/* A value of a figure that is found by kind, name, place and unit (NULL: "");
 * NAN: it has none, and why. Texts are copied. NULL: the run has
 * had it. */
struct figure_key {
	enum figure_kind kind;
	const char *name, *place, *unit;
};
struct figure *results_add(struct results *results,
			   const struct figure_key *key, double value,
			   const char *why);

/* One more run of which this part was in detail; 1: it was none of those. */
void results_add_detail(struct results *results, double accesses, double share,
			double time_error);

/* What one more result knows of its random bytes. */
void results_set_random(struct results *results,
			const struct run_random *random);

/* By which a figure is found. */
struct figure_key figure_key_of(const struct figure *figure);

/* The same for the mean of `num` runs with its standard error (NAN: it is the
 * value of one). */
struct figure_mean {
	double value, standard_error;
	size_t num;
};
struct figure *results_add_mean(struct results *results,
				const struct figure_key *key,
				const struct figure_mean *mean,
				const char *why);

/* The figure, or num. */
size_t results_find(struct results *results, const struct figure_key *key);

/* Reads a file of any kind; an exit code. In any case results_free() is to be
 * called. `files` are for the metrics of recordings; `socket` -1: all. */
struct results_options {
	const struct option_texts *files;
	int socket;
	bool stacks; /* of a recording, too */
};
int results_read(struct results *results, const char *path,
		 const struct results_options *options);
void results_free(struct results *results);

/* All of a file, or of standard input ("-"), to be freed, but of a recording
 * the head alone; an exit code. The same of what is open and called so; a
 * sentence and NULL if that cannot be had. */
int results_text(const char *path, char **text);
char *results_text_of(FILE *file, const char *path);

/* For each kind of file; an exit code. */
int results_read_json(struct results *results, const char *text);
int results_read_recording(struct results *results,
			   const struct results_options *options);

#endif
