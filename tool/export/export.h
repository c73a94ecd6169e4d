/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The inside of `uncore export`, shared by its files:
 *
 *     cmd_export.c      options
 *     export_run.c      what is open while it runs, and its loop
 *     export_view.c     counts and metrics as families of samples
 *     export_self.c     families about the exporter itself, and about turns
 *     export_name.c     names, units and words of families
 *     export_text.c     families as text, in two formats
 *     export_http.c     what is answered over HTTP
 *     export_address.c  where it listens, and whose requests are meant for it
 */
#ifndef UNCORE_TOOL_EXPORT_H
#define UNCORE_TOOL_EXPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "tool/event_set.h"
#include "tool/monitor.h"
#include "tool/target.h"

struct export_http;
struct uncore_event;
struct uncore_family;

/* --- export_address.c --- */

enum { EXPORT_URL_BYTES = 80 };

/* Listens at "ADDRESS:PORT", "[ADDRESS]:PORT" or at a port of 127.0.0.1; port 0
 * is a free one. *url is "http://127.0.0.1:9300" then; *is_open tells whether
 * other machines can reach it. An exit code, after a sentence; *fd is to be
 * closed. */
int export_listen(const char *where, int *fd, char url[EXPORT_URL_BYTES],
		  bool *is_open);

/* Whether a request is for us by its header Host: for the address at which the
 * connection came in, for localhost, or for one of the names, with any port. */
bool export_is_for_us(const char *host, int connection,
		      const char *const *names, size_t num_names);

/* --- export_http.c: whoever counts calls export_http_wait() in its loop, and
 * in it requests are taken and pages made for them. Nothing can be changed from
 * outside: GET and HEAD of two paths, and no bodies. One that is slow, huge or
 * many keeps nobody else waiting. --- */

enum export_page {
	EXPORT_OPEN_METRICS, /* /metrics, for who accepts OpenMetrics 1.0 */
	EXPORT_PLAIN,	     /* /metrics in Prometheus's older text format */
	EXPORT_HEALTH,	     /* /healthz */
	NUM_EXPORT_PAGES
};

/* What it has answered so far. */
struct export_http_stats {
	uint64_t scrapes; /* of /metrics */
	uint64_t refused; /* unknown paths, methods and hosts */
	uint64_t dropped; /* connections that made room for others */
	unsigned clients; /* connected now */
};

/* What does not change. */
struct export_site {
	/* "ADDRESS:PORT", "[ADDRESS]:PORT", or a port of 127.0.0.1 alone; port
	 * 0 is a free one. */
	const char *where;
	/* Names by which it may be asked, besides its address, localhost and
	 * this machine's own where other machines can reach it. */
	const char *const *names;
	size_t num_names;
	/* Writes a page; false: the counters could not be read. */
	bool (*page)(void *context, enum export_page page, FILE *file);
	void *context;
};

/* Listens; an exit code, after a sentence. In any case export_http_close() is
 * to be called. The site must outlive it. *url is "http://127.0.0.1:9300" then,
 * and *is_open tells whether others than this machine can reach it. */
int export_http_open(const struct export_site *site, struct export_http **http,
		     char url[EXPORT_URL_BYTES], bool *is_open);
void export_http_close(struct export_http *http); /* NULL is allowed */

/* Answers who asks, and waits for so long, or until a signal comes or somebody
 * has been answered. `http` NULL: it only waits. */
void export_http_wait(struct export_http *http, double seconds);

/* NULL: nothing was answered. */
struct export_http_stats export_http_stats(const struct export_http *http);

/* --- export_text.c: families of samples, as OpenMetrics 1.0 or in the text
 * format 0.0.4 that Prometheus had before it (and that the textfile collector
 * of node_exporter reads). The form is kept there: a family is begun once, its
 * samples follow it, and names end as their kind wants. --- */

enum export_kind {
	EXPORT_COUNTER, /* never falls */
	EXPORT_GAUGE,
	EXPORT_INFO, /* of value 1: its labels tell */
};

struct export_family {
	enum export_kind kind;
	const char *name;
	const char *unit; /* what the name ends with, or "" */
	const char *help;
};

struct export_text {
	FILE *file;
	bool is_open_metrics;
	const struct export_family *family;
	bool is_begun; /* a sample of it has been written */
};

struct export_label {
	const char *name, *value;
};

/* A family; it is written when its first sample is, so one that has none is
 * left out. It is needed until the next one begins. */
void export_text_family(struct export_text *text,
			const struct export_family *family);

/* A sample with labels up to one without a name (NULL: none); of a number, or
 * of a count with all its digits. What is no number (NAN, infinite) is not
 * written. */
void export_text_sample(struct export_text *text,
			const struct export_label *labels, double value);
void export_text_count(struct export_text *text,
		       const struct export_label *labels, uint64_t value);

void export_text_end(struct export_text *text);

/* --- export_name.c: of events, uncore_BOX_EVENT, and of metrics,
 * uncore_METRIC_UNIT in base units (bytes, seconds, shares of one). What
 * counters have behind their names (_total) is the writer's to add. What stands
 * behind HELP is the event or metric as the command line has it, in the words
 * of `uncore list`. All texts are to be freed. --- */

/* The name of an event with its unit masks and options, the same for one box
 * and for all of them. */
char *export_event_name(const struct uncore_event *event);
char *export_event_help(const struct uncore_family *family,
			const struct uncore_event *event, bool takes_turns);

/* Whether two events are the same, apart from the instance that they are of. */
bool export_is_same_event(const struct uncore_event *a,
			  const struct uncore_event *b);

/* How a metric is told: its value times `times`, over `over`. */
struct export_unit {
	const char *suffix; /* of the name, a unit; "": none */
	double times, over;
};

struct export_unit export_metric_unit(const struct uncore_metric *metric);
char *export_metric_name(const struct uncore_metric *metric,
			 const struct export_unit *unit);
char *export_metric_help(const struct uncore_metric *metric,
			 const struct export_unit *unit, bool takes_turns);

/* --- export_view.c: each event as a counter, one sample for each box of each
 * socket; each metric that is a total as a counter, any other as a gauge over
 * the time between two sweeps, one sample for each socket or, where it cannot
 * be split, one. No name has a total beside its parts, so sums over labels are
 * right. What could not be had has no sample. --- */

/* An event with the counts that are its samples, those of one that is named
 * again (for another box, or by another word) each once. */
struct export_event {
	struct export_family family;
	const struct uncore_event *event; /* as it was named first */
	size_t *counts;			  /* numbers in the monitor */
	size_t num;
};

/* A metric. */
struct export_figure {
	struct export_family family;
	size_t chosen; /* number in the monitor */
	struct uncore_metric metric;
	struct export_unit unit;
	unsigned num;	/* of values: sockets, or 1 for the machine */
	double *values; /* as of the last sweep, in the unit; NAN: none */
	double *held;	/* of a total, the most that it ever was */
};

/* About the exporter itself. */
struct export_self {
	uint64_t sweeps, failed_sweeps, failed_files;
	double sweep_seconds;	/* of all sweeps */
	double started_seconds; /* since 1970 */
	bool is_counting;	/* what is watched goes on */
	struct export_http_stats http;
};

struct export_view {
	struct monitor *monitor;
	struct export_event *events;
	size_t num_events;
	struct export_figure *figures;
	size_t num_figures;
};

/* Names all of it; export_view_close() is to be called before the monitor is
 * closed. */
void export_view_open(struct export_view *view, struct monitor *monitor);
void export_view_close(struct export_view *view);

/* After a sweep: takes the values of the metrics. */
void export_view_take(struct export_view *view);

/* Writes all families; the second, of export_self.c, those about the exporter,
 * and about turns. */
void export_view_write(const struct export_view *view,
		       const struct export_self *self,
		       struct export_text *text);
void export_self_write(const struct export_view *view,
		       const struct export_self *self,
		       struct export_text *text);

/* --- export_run.c --- */

struct export_settings {
	struct target_settings target;
	struct event_list events;
	const char *metrics; /* NULL: none given */
	struct option_texts metric_files;
	const char *listen, *textfile;
	struct option_texts hosts;
	const char *interval;
	double interval_seconds; /* the same, or what it is if not given */
	bool once, no_multiplex, takes_turns, force;
};

/* Everything that must be undone at the end. */
struct export
{
	const struct export_settings *settings;
	struct monitor monitor;
	struct export_view view;
	struct export_self self;
	struct export_site site;
	struct export_http *http; /* NULL: none */
	bool is_well;		  /* the last sweep could read the counters */
	double due_seconds;	  /* CLOCK_MONOTONIC, of the next sweep */
	double swept_seconds;	  /* the same, as the last one began */
	int status;		  /* of what had to be written and was not */
};

/* Counters, pages, socket: an exit code. In any case export_close() is to be
 * called, which returns status, what --check found, or the program's. */
int export_open(struct export *export);
int export_close(struct export *export, int status);

/* Tells what is counted until it ends, or whoever started it has enough; an
 * exit code. */
int export_run(struct export *export);

#endif
