/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The pages of `uncore explain`: one file per kind of thing. Each function
 * prints a page and says so with EXPLAIN_DONE, or leaves the name to the next
 * one with EXPLAIN_UNKNOWN.
 */
#ifndef UNCORE_TOOL_EXPLAIN_H
#define UNCORE_TOOL_EXPLAIN_H

#include "tool/metrics.h"
#include "tool/page.h"
#include "uncore/error.h"
#include "uncore/family.h"

struct uncore_erratum;

enum explain_result {
	EXPLAIN_DONE,
	EXPLAIN_UNKNOWN, /* no such thing of this kind */
	EXPLAIN_FAILED,	 /* there is one, and a sentence has been said */
};

struct explain {
	const char *machine; /* as for --machine */
	const struct uncore_family *family;
	struct metric_list metrics; /* all there are */
	struct page page;
	int status; /* of the command, after EXPLAIN_FAILED */
};

enum explain_result explain_register(struct explain *explain, const char *name);
enum explain_result explain_metric(struct explain *explain, const char *name);

/* Events come last: what is no event is nothing. */
enum explain_result explain_event(struct explain *explain, const char *text);

/* All names of a kind, for the search of near ones. */
void explain_offer_registers(const struct explain *explain,
			     struct uncore_closest *closest);
void explain_offer_metrics(const struct explain *explain,
			   struct uncore_closest *closest);
void explain_offer_events(const struct explain *explain,
			  struct uncore_closest *closest);

/* Lists the rows of docs/errata.md that concern what a page is about
 * (explain_errata.c). */
void explain_errata(struct explain *explain,
		    bool (*concerns)(const struct explain *explain,
				     const void *about,
				     const struct uncore_erratum *erratum),
		    const void *about);

/* Fills in explain->metrics; an exit code. metrics_close() in any case. */
int explain_open_metrics(struct explain *explain);

/* The options of traffic that makes an event count, given by its text; NULL
 * where none is known. To be freed. *is_rare: few runs make it count
 * (explain_setup.c). */
char *explain_traffic(const struct explain *explain, const char *text,
		      bool *is_rare);

/* The command that tries an event or a metric: its option and value, and the
 * options of the traffic (explain_setup.c). */
void explain_command(struct explain *explain, const char *option,
		     const char *value, const char *traffic);

/* The metrics whose formula uses an event (explain_metric.c). */
void explain_metrics_of(struct explain *explain, const char *box,
			const char *event);

#endif
