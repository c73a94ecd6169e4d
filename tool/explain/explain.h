/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The pages of `uncore explain`: one file per kind of thing. Each function
 * prints a page and returns an exit code, or leaves the name to the next one
 * with EXPLAIN_UNKNOWN.
 */
#ifndef UNCORE_TOOL_EXPLAIN_H
#define UNCORE_TOOL_EXPLAIN_H

#include "tool/metrics.h"
#include "tool/page.h"
#include "uncore/family.h"

struct uncore_erratum;
struct uncore_event;
struct uncore_write;

enum { EXPLAIN_UNKNOWN = -1 }; /* no such thing of this kind */

struct explain {
	const char *machine; /* as for --machine */
	const struct uncore_family *family;
	size_t num_registers;	    /* of the uncore */
	struct metric_list metrics; /* all there are */
	struct page page;
};

int explain_register(struct explain *explain, const char *name);
int explain_metric(struct explain *explain, const char *name);

/* The page of a metric by its index; the words for its kind and its split. */
void explain_metric_page(struct explain *explain, size_t index);
extern const char *const explain_kinds[], *const explain_splits[];

/* Events come last: what is no event is nothing. */
int explain_event(struct explain *explain, const char *text);

/* Register number index, of the uncore and then of a logical CPU; false past
 * the last one. */
bool explain_register_at(const struct explain *explain, size_t index,
			 struct uncore_register *reg);

/* Lists the rows of docs/errata.md that concern what a page is about. */
void explain_errata(struct explain *explain,
		    bool (*concerns)(const struct explain *explain,
				     const void *about,
				     const struct uncore_erratum *erratum),
		    const void *about);

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

/* The event that a page is about. */
struct explain_subject {
	struct uncore_event *event;
	struct uncore_event_info info; /* not of raw codes */
	struct uncore_box box;
	size_t num_masks;
	unsigned multiplier;
	unsigned counter; /* that it gets when it is alone */
	struct uncore_write
		*writes; /* that set it up then; freed with free() */
	size_t num_writes;
	char *refused; /* NULL, or why it cannot be set up; to be freed */
};

/* Prints the page of an event of the guide, or what there is to say of raw
 * codes (explain_event_page.c). */
void explain_event_page(struct explain *explain,
			const struct explain_subject *subject);
void explain_event_raw(struct explain *explain,
		       const struct explain_subject *subject);

/* The option of the port at which an event of a router is seen to count; false
 * where that is not known, or any will do. */
bool explain_usual_port(const struct explain *explain,
			const struct uncore_event *event, char option[64]);

/* The text of an event with a unit mask and an option put in (NULL: none), to
 * be freed. */
char *explain_extended(const char *text, const char *mask, const char *option);

/* Fills in what sets the event up; prints the writes that do so, events near
 * it, a command (explain_setup.c). */
void explain_event_plan(const struct explain *explain,
			struct explain_subject *subject);
void explain_event_registers(struct explain *explain,
			     const struct explain_subject *subject);
void explain_event_related(struct explain *explain,
			   const struct explain_subject *subject);
void explain_event_command(struct explain *explain,
			   const struct explain_subject *subject);

#endif
