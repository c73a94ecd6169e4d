/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The inside of `uncore compare`, shared by its files:
 *
 *     cmd_compare.c        two sides, printed
 *     compare_settings.c   options
 *     compare.c            rows, what is called a change (docs/compare.md),
 *                          their order, and as a table
 *     limit.c              --fail-above
 *     merge.c              --merge
 *     results.c            what a side says: figures by name, with all that is
 *                          known of how sure they are
 *     results_json.c       ... from results of `uncore stat --json` (several
 *                          results one behind the other are repeats)
 *     results_recording.c  ... from a recording
 *     significance.c       how likely a difference is where there is none
 */
#ifndef UNCORE_TOOL_COMPARE_H
#define UNCORE_TOOL_COMPARE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "tool/metrics.h"
#include "tool/options.h"
#include "tool/run.h"

struct table;

/* --- significance.c: docs/compare.md has the formulas and where they come
 * from --- */

/* A number, and how sure it is. */
struct significance_value {
	double value;
	double variance; /* of it; 0: it is exact */
	double freedom;	 /* degrees of freedom of the variance; INFINITY: that
			  * is exact, too */
};

struct significance {
	double first, second;  /* variances that were reckoned with */
	double difference;     /* of the second from the first */
	double standard_error; /* of it */
	double freedom;	       /* degrees of freedom of that */
	double p; /* probability of such a difference, or a bigger one, where
		   * there is none */
};

/* Whether two numbers are the same (Welch's test). */
struct significance significance_test(const struct significance_value *first,
				      const struct significance_value *second);

/* The same where the variance of one is an estimate from the other: both have
 * the degrees of freedom of that in common. */
struct significance
significance_test_common(const struct significance_value *first,
			 const struct significance_value *second,
			 double freedom);

/* Of num samples this many were of the one that is asked for; `total` events
 * are behind them all. */
struct significance_samples {
	double hits, num, total;
};

/* Whether two of them stand for the same number of events. */
struct significance
significance_test_samples(const struct significance_samples *first,
			  const struct significance_samples *second);

/* The probability that something with Student's distribution is not between
 * -t and t. */
double significance_outside(double t, double freedom);

/* The number of standard errors within which it is with this probability. */
double significance_within(double probability, double freedom);

/* The degrees of freedom of an interval that is as many standard errors wide
 * on either side as significance_within() says: its reverse in the second
 * argument. INFINITY where the interval is not wider than that of a normal
 * distribution. */
double significance_freedom(double probability, double errors);

/* --- results.c --- */

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

/* --- compare.c --- */

/* In the order in which rows are shown. */
enum compare_verdict {
	VERDICT_CHANGED, /* told apart from chance */
	VERDICT_EXACT,	 /* different, and any other runs would be as these */
	VERDICT_ONE_RUN, /* exact and different; what chance does to such a
			  * run is not known from one on each side */
	VERDICT_ONLY_A,
	VERDICT_ONLY_B,
	VERDICT_UNKNOWN, /* an estimate whose error nobody knows */
	VERDICT_CHANCE,	 /* not told apart */
	VERDICT_SAME,	 /* to the last digit */
	VERDICT_NONE,	 /* there is no value */
};

struct comparison {
	const struct figure *a, *b; /* NULL: only the other side has it */
	enum compare_verdict verdict;
	double first, second; /* NAN: none */
	struct significance
		significance; /* difference NAN: none; p NAN: not tested */
	double error;	      /* half width of the interval; NAN: not known */
	double ratio, ratio_error;
};

struct compare_list {
	struct comparison *rows;
	size_t num;
	double confidence; /* 0 to 1 */
	/* Another run of either side would count the same, to the digit; and
	 * if not, it is since random bytes were asked for. */
	bool repeats, is_random;
	bool is_mixed; /* one side was sampled, the other was not */
};

/* All rows. Both sides must outlive the list, which is to be freed. */
void compare_make(struct compare_list *list, struct results *a,
		  struct results *b, double confidence);
void compare_free(struct compare_list *list);

/* The figure that both sides have, or the one. */
const struct figure *compare_figure(const struct comparison *row);

/* How much it grew, in parts of A; infinite from 0, NAN where not known. */
double compare_growth(const struct comparison *row);

enum compare_order { ORDER_SIGNIFICANCE, ORDER_SIZE, ORDER_NAME };
void compare_sort(struct compare_list *list, enum compare_order order);

/* "event", "metric", ...; "changed", "one run", ... */
extern const char *const compare_kinds[];
const char *compare_verdict(const struct comparison *row);

/* Adds the columns for people, or all of them; and a row. */
void compare_columns(struct table *table, bool all);
void compare_add(struct table *table, const struct comparison *row, bool all);

/* --- compare_settings.c, cmd_compare.c, merge.c --- */

struct compare_settings {
	struct option_words paths; /* two, but for --merge */
	const char *by, *sort, *confidence, *fail_above, *socket, *top;
	const char *separator, *output, *html, *markdown;
	struct option_texts patterns;
	struct option_texts metric_files;
	bool changed, json, merge, replace;
	/* made of these */
	bool shows[NUM_FIGURE_KINDS];
	enum compare_order order;
	double level, limit; /* parts of 1; limit NAN: none */
	bool is_gate;	     /* --fail-above is for what is worse, or missed */
	FILE *markdown_file; /* NULL: none */
	int only_socket;     /* -1: all */
	unsigned long long most_rows;
};

extern const struct options compare_options;

/* Whether they go together, and what they mean; an exit code. */
int compare_settings_check(struct compare_settings *settings);

/* Compares both sides, which this may add rows to, and prints that to *file,
 * which is opened where it is NULL; an exit code. */
#define COMPARE_CONFIDENCE 0.99
int compare_sides(const struct compare_settings *settings,
		  struct results *sides, FILE **file);

/* --merge: prints the table of a sweep whose shards the files are; an exit
 * code. */
int compare_merge(const struct compare_settings *settings, FILE *file);

/* --- limit.c: --fail-above, which rows are beyond it, and which nobody can
 * tell of --- */

/* A number of per cent as part of 1; NAN: it is none. */
double limit_percent(const char *text);

/* Sets the limit as --fail-above has it (NAN: it was not given); an exit code.
 */
int limit_read(struct compare_settings *settings);

enum limit {
	LIMIT_KEPT,
	LIMIT_BEYOND,
	LIMIT_UNTOLD, /* of a gate alone: it cannot be compared */
};
enum limit limit_of(const struct compare_settings *settings,
		    const struct comparison *row);
size_t limit_count(const struct compare_settings *settings,
		   const struct compare_list *list, enum limit limit);

/* Says how many rows are which, and their names, put as they have to be;
 * nothing without --fail-above. */
typedef void limit_put(const char *text, FILE *file);
void limit_say(const struct compare_settings *settings,
	       const struct compare_list *list, limit_put *put, FILE *file);

#endif
