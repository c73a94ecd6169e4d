/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What `uncore export` answers over HTTP. Whoever counts calls
 * export_http_wait() in its loop: in it requests are taken, and pages made for
 * them.
 *
 * Nothing can be changed from outside: GET and HEAD of two paths, and no
 * bodies. One that is slow, huge or many keeps nobody else waiting.
 */
#ifndef UNCORE_TOOL_EXPORT_HTTP_H
#define UNCORE_TOOL_EXPORT_HTTP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "export_address.h"

struct export_http;

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

#endif
