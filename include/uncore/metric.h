/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Figures made from counts. Metrics are rows of text (data/FORMAT.md): those of
 * a family are built in, a user adds files of their own. A set of metrics knows
 * which events each of them needs, and makes its value from counts.
 *
 * Functions return 0 or a negative UNCORE_ERR_*; see error.h for `char
 * **error`.
 */
#ifndef UNCORE_METRIC_H
#define UNCORE_METRIC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "uncore/session.h"

#ifdef __cplusplus
extern "C" {
#endif

struct uncore_family;
struct uncore_metrics; /* a set */

enum uncore_metric_kind {
	UNCORE_METRIC_TOTAL, /* grows with time: scaled to the whole run */
	UNCORE_METRIC_RATE,  /* per time */
	UNCORE_METRIC_RATIO, /* of counts: shares, means, latencies */
};

/* The smallest part of the machine that it can be had for. */
enum uncore_metric_split {
	UNCORE_SPLIT_MACHINE,
	UNCORE_SPLIT_SOCKET,
	UNCORE_SPLIT_BOX,
};

/* One metric; strings live as long as the set and are "" where there is
 * nothing to say. */
struct uncore_metric {
	const char *name;
	const char *brief;
	const char *categories; /* "llc,summary" */
	const char *unit;
	const char *formula;
	const char *minimum; /* formulas of what is plausible; "": none */
	const char *maximum;
	const char *includes;
	const char *excludes;
	const char *note;
	const char *source;
	const char *file; /* where the row stands */
	unsigned line;
	enum uncore_metric_kind kind;
	enum uncore_metric_split split;
	const char *box; /* whose instances it is split by; NULL: none */
	size_t num_events;
};

/* A number that is a property of the machine, for the plausible limits. */
struct uncore_metric_fact {
	const char *name;
	const char *unit;
	const char *brief;
	const char *param; /* the model's parameter it follows; "": none */
	double value;
};

/* The built-in metrics of a family. */
int uncore_metrics_new(const struct uncore_family *family,
		       struct uncore_metrics **metrics, char **error);
void uncore_metrics_free(struct uncore_metrics *metrics);

/* Adds those of a file; one with the name of another takes its place. Errors
 * name file, line and column; some of the file's metrics may have been added
 * then. */
int uncore_metrics_read(struct uncore_metrics *metrics, const char *path,
			char **error);

/* Metric number index; false past the last one. */
bool uncore_metrics_at(const struct uncore_metrics *metrics, size_t index,
		       struct uncore_metric *metric);

/* Text of event number event of a metric, NULL past the last one. The events of
 * a metric must count at the same time. */
const char *uncore_metrics_event(const struct uncore_metrics *metrics,
				 size_t index, size_t event);

/* Key number key that the formulas of a metric name, with what it stands for
 * (the text of an event, a formula, a number); false past the last one. The
 * strings are good until the set changes. */
struct uncore_metric_key {
	const char *name;
	const char *text;
};
bool uncore_metrics_key(const struct uncore_metrics *metrics, size_t index,
			size_t key, struct uncore_metric_key *found);

/* What is shown of a category where not all of it is asked for. Number index,
 * of which the latest of a name counts; false past the last one. */
struct uncore_metric_category {
	const char *name;
	const char *title;
	const char *shows; /* metrics, with commas and blanks between them */
};
bool uncore_metrics_category(const struct uncore_metrics *metrics, size_t index,
			     struct uncore_metric_category *category);

/* The metrics that a list of names, categories and globs ("llc,qpi_*") stands
 * for, each once, in the order of the words: *chosen is an array of indices, to
 * be freed with free(). Of a category those that it shows; "CATEGORY:all" is
 * all of it, and "all" everything. A word that fits nothing is an error, with
 * the nearest names. */
int uncore_metrics_choose(const struct uncore_metrics *metrics,
			  const char *words, size_t **chosen, size_t *num,
			  char **error);

/* Fact number index; false past the last one. */
bool uncore_metrics_fact(const struct uncore_metrics *metrics, size_t index,
			 struct uncore_metric_fact *fact);
void uncore_metrics_set_fact(struct uncore_metrics *metrics, size_t index,
			     double value);

/* How often an event of a metric happened in one box. */
struct uncore_metric_count {
	size_t event; /* as in uncore_metrics_event() */
	unsigned socket;
	unsigned instance;
	size_t index;	    /* as in uncore_session_count(); of the counts that
			     * uncore_metric_source_counts() makes */
	double value;	    /* of the whole run */
	const char *reason; /* why it could not be had; NULL: it could */
	/* Of an event that took turns, else NULL: the estimate that value is
	 * of. All those of a metric are of the same cells. */
	const struct uncore_estimate *estimate;
};

/* The counts of all events of one metric, over the same span of time. */
struct uncore_metric_counts {
	const struct uncore_metric_count *counts;
	size_t num;
	unsigned num_sockets;
	double seconds; /* of the run */
	double cycles;	/* of the uncore clock, in the same */
	double share;	/* part of the run in which they were counted; 1: all
			 * of it */
	bool is_apart;	/* events did not count at the same time: what one of
			 * them missed another may have seen */
	double instructions; /* executed in the whole run; 0: not known */
	/* Of a sampled run the estimate that cycles are of, and seconds with
	 * them; NULL: they are known. Its cells are those of the events. */
	const struct uncore_estimate *time;
	bool lacks_time; /* too few windows: what needs it is not valid */
};

/* What the value is wanted for. */
struct uncore_metric_scope {
	int socket;   /* -1: all */
	int instance; /* of uncore_metric.box; -1: all */
};

struct uncore_metric_value {
	bool valid;
	bool is_empty; /* not valid, since nothing happened to make it of */
	double value;  /* in the metric's unit, doubtful or not; NAN: none */
	/* Where events took turns, else 0: the standard error, and the half
	 * width of the interval that holds the true value 99 times in 100 (95
	 * of a sampled run). */
	double standard_error, error;
	enum uncore_telling telling; /* session.h; FEWER: 0, since an event was
				      * not seen in the windows of a sampled
				      * run, and less than `error` */
	char reason[200]; /* why not valid; or why it is doubtful; or "" */
};

/* The value of metric number index. It is not valid where an event was not
 * counted, where there is nothing to divide by, and where the value lies
 * outside what the machine can do. Of events that took turns it is not valid
 * either where there were too few turns to tell the error, where it would be 0
 * only because an event was not seen in its turns, and where an event was seen
 * in one short stretch only. */
void uncore_metrics_value(const struct uncore_metrics *metrics, size_t index,
			  const struct uncore_metric_counts *counts,
			  const struct uncore_metric_scope *scope,
			  struct uncore_metric_value *value);

/* The most that metric number index can be over the time and on the sockets
 * that the counts tell, which is what its values are judged by: NAN where there
 * is no such limit, or where it is made from counts that are not among them. */
double uncore_metrics_most(const struct uncore_metrics *metrics, size_t index,
			   const struct uncore_metric_counts *counts,
			   const struct uncore_metric_scope *scope);

/* The run that the counts of a session belong to. */
struct uncore_metric_run {
	double seconds;
	double cycles; /* of the uncore clock */
	double clock_hz;
	double instructions; /* 0: not known */
};

/* All counts of a session as they were at its last read, taken once for many
 * metrics. The session must outlive it; NULL: nothing was counted. */
struct uncore_metric_source;
int uncore_metric_source_new(const struct uncore_session *session,
			     const struct uncore_metric_run *run,
			     unsigned num_sockets,
			     struct uncore_metric_source **source);
void uncore_metric_source_free(struct uncore_metric_source *source);

/* What was counted for a metric, in the slices in which all its events ran;
 * where there are none, of each event in its own slices.
 * counts->counts is to be freed with free(), counts->time lives as long as the
 * source. */
int uncore_metric_source_counts(const struct uncore_metric_source *source,
				const struct uncore_metrics *metrics,
				size_t index,
				struct uncore_metric_counts *counts);

#ifdef __cplusplus
}
#endif

#endif
