/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What `uncore export` answers over HTTP. A thread of its own takes requests,
 * and never touches counters: it has the pages of the last sweep, and asks for
 * a new sweep where they are too old. All who ask while one is under way share
 * it. Whoever counts calls export_http_wait() in its loop, and hands new pages
 * over when it says so.
 *
 * Nothing can be changed from outside: GET and HEAD of two paths, and no
 * bodies. One that is slow, huge or many keeps nobody else waiting.
 */
#ifndef UNCORE_TOOL_EXPORT_HTTP_H
#define UNCORE_TOOL_EXPORT_HTTP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct export_http;

/* The pages of a sweep. */
enum export_page {
	EXPORT_OPEN_METRICS, /* /metrics, for who accepts OpenMetrics 1.0 */
	EXPORT_PLAIN,	     /* /metrics in Prometheus's older text format */
	EXPORT_HEALTH,	     /* /healthz; empty: 503 */
	NUM_EXPORT_PAGES
};

struct export_pages {
	struct export_content {
		char *bytes; /* from malloc() */
		size_t size;
	} list[NUM_EXPORT_PAGES];
	uint64_t swept_ns; /* CLOCK_MONOTONIC, as the sweep began */
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
	double oldest_seconds; /* so old a page may be */
};

/* Listens, and begins to answer with the pages, which it takes over as
 * export_http_publish() does. An exit code, after a sentence; in any case
 * export_http_close() is to be called. The site must outlive it. */
int export_http_open(const struct export_site *site, struct export_pages *pages,
		     struct export_http **http);
void export_http_close(struct export_http *http); /* NULL is allowed */

/* "http://127.0.0.1:9300", as long as it is open; and whether others than this
 * machine can reach it. */
const char *export_http_address(const struct export_http *http);
bool export_http_is_open_to_others(const struct export_http *http);

/* Waits for so long, or until a signal comes, or until somebody wants pages
 * that are not as old as those that are there: then it is true. `http` NULL: it
 * only waits. */
bool export_http_wait(struct export_http *http, double seconds);

/* New pages; their contents are taken, and are NULL afterwards. */
void export_http_publish(struct export_http *http, struct export_pages *pages);

void export_http_stats(struct export_http *http,
		       struct export_http_stats *stats);

#endif
