/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What the sections of an event's page share.
 */
#ifndef UNCORE_TOOL_EXPLAIN_EVENT_H
#define UNCORE_TOOL_EXPLAIN_EVENT_H

#include "explain.h"

struct uncore_event;
struct uncore_write;

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

/* The port at which an event of a router is seen to count; false where that is
 * not known, or any will do. */
bool explain_usual_port(const struct explain *explain,
			const struct uncore_event *event, char *port,
			size_t size);

/* Fills in what sets the event up (explain_setup.c). */
void explain_event_plan(const struct explain *explain,
			struct explain_subject *subject);

/* The writes that set it up; events near it; a command (explain_setup.c). */
void explain_event_registers(struct explain *explain,
			     const struct explain_subject *subject);
void explain_event_related(struct explain *explain,
			   const struct explain_subject *subject);
void explain_event_command(struct explain *explain,
			   const struct explain_subject *subject);

#endif
