/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * One event as text and as register contents:
 *
 *     BOX[N]/EVENT[.MASK...][,option=value...]/
 *
 * Parsing, encoding and decoding read and write nothing but memory. Functions
 * return 0 or a negative UNCORE_ERR_*; see error.h for `char **error`.
 */
#ifndef UNCORE_EVENT_H
#define UNCORE_EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "uncore/address.h"
#include "uncore/family.h"

#ifdef __cplusplus
extern "C" {
#endif

struct uncore_event;
struct uncore_plan;

/* A value to be written to a register, or read from it. */
struct uncore_write {
	uint64_t address;
	uint64_t value;
	const char *name; /* of the register; as long as the program */
};

/* The event that a text describes, to be freed with uncore_event_free(). */
int uncore_event_parse(const struct uncore_family *family, const char *text,
		       struct uncore_event **event, char **error);
void uncore_event_free(struct uncore_event *event);

/* The text it was parsed from; lives as long as the event. */
const char *uncore_event_text(const struct uncore_event *event);

/* The same event with every default spelled out; as long as the event. */
const char *uncore_event_canonical(const struct uncore_event *event);

/* What the kernel is given for an event of a live family, as perf can be given
 * it, too: uncore_imc/config=0x304/. To be freed with free(); NULL for other
 * families and without memory. */
char *uncore_event_kernel(const struct uncore_event *event);

/* What one of its counts is: so much (1 where nothing is said) of a unit ("":
 * of what is counted). Source: sysfs, or a list of events. */
double uncore_event_scale(const struct uncore_event *event, const char **unit);

const char *uncore_event_box(const struct uncore_event *event);

/* The box instance it is for, or -1 for all of them. */
int uncore_event_instance(const struct uncore_event *event);

/* The port of an R-Box event; 0 in boxes without ports. */
unsigned uncore_event_port(const struct uncore_event *event);

/* Name of the event in the guide, NULL for one given by raw codes; and of
 * its unit mask number index, NULL past the last one. */
const char *uncore_event_name(const struct uncore_event *event);
const char *uncore_event_unit_mask(const struct uncore_event *event,
				   size_t index);

/* What its count is a number of: "events", "packets", "flits", "cycles" (in
 * which something was so), "entry cycles" (entries, summed over cycles),
 * "changes" (edge_detect). */
const char *uncore_event_unit(const struct uncore_event *event);

/* An option of the event that filters packets or commands; strings live as long
 * as the program. */
struct uncore_filter {
	const char *name;
	const char *alias; /* another name of it, or NULL */
	const char *brief;
	const char *source;
	const void *handle; /* for the library's functions */
};

/* Filter option number index; false past the last one. And the names that its
 * values may have, such as M, E, S, F, I: number index, NULL past the last. */
bool uncore_event_filter(const struct uncore_event *event, size_t index,
			 struct uncore_filter *filter);
const char *uncore_filter_choice(const struct uncore_filter *filter,
				 size_t index);

/* Why the guide says not to use it, or NULL. */
const char *uncore_event_excluded(const struct uncore_event *event);

/* Why it counts 0 whatever happens, since its filter lets nothing pass, and
 * what to write instead; to be freed with free(). NULL: something may pass. */
char *uncore_event_passes_nothing(struct uncore_event *event);

/* Whether the order of accesses alone decides how often it happens, and not
 * when they do (docs/sampled.md); an option that compares asks for that. */
bool uncore_event_is_state(const struct uncore_event *event);

/* Events that one count stands for (sub-counters of B-Box and R-Box). */
unsigned uncore_event_multiplier(const struct uncore_event *event);

/* Counters and sub-registers for several events at once, found wherever there
 * is a way. What cannot run together is refused (UNCORE_ERR_CONFLICT,
 * UNCORE_ERR_NO_COUNTER) with a sentence that says which events it is about and
 * what they both need. The events must outlive the plan; free it with
 * uncore_plan_free(). */
int uncore_plan_new(const struct uncore_family *family,
		    struct uncore_event *const *events, size_t num_events,
		    struct uncore_plan **plan, char **error);
void uncore_plan_free(struct uncore_plan *plan);

/* The counter of event number index in one of its box instances (of another
 * one: in its first): the same in all of them unless they have different events
 * to count. Events that are programmed alike share a counter. */
unsigned uncore_plan_counter(const struct uncore_plan *plan, size_t index,
			     unsigned instance);

/* The counter register of an event in one of its instances. */
uint64_t uncore_plan_counter_address(const struct uncore_plan *plan,
				     size_t index, unsigned instance);

/* A register that an event of a plan needs in one box instance. */
struct uncore_plan_use {
	uint64_t address;
	const char *name; /* as long as the program */
	uint64_t mask;	  /* the bits that it needs */
	uint64_t value;	  /* with these values */
	bool is_shared;	  /* other events of the plan need it too */
};

/* Register number n of an event: the control of its counter first, then those
 * that it sets besides; false past the last one. */
bool uncore_plan_use(const struct uncore_plan *plan, size_t index,
		     unsigned instance, size_t n, struct uncore_plan_use *use);

/* The writes that bring the PMU from the reset state to counting the first
 * `last + 1` events, in the order of the guide's set-up sequence: reset,
 * filters and sub-registers, controls, box enables, switches. `first`
 * leaves out what belongs to the events before it only. *writes is an array of
 * *num_writes, to be freed with free(). */
int uncore_plan_writes(const struct uncore_plan *plan, size_t first,
		       size_t last, struct uncore_write **writes,
		       size_t *num_writes, char **error);

/* A register that starts and stops the counters of a socket's boxes, or of one
 * box: the values that do so, and the one that stops and resets them. */
struct uncore_switch {
	uint64_t address;
	const char *name; /* as long as the program */
	uint64_t start, stop, reset;
};

/* Switch number index of what a plan counts; false past the last one. Boxes of
 * a family without any count as soon as their controls are written. */
bool uncore_plan_switch(const struct uncore_plan *plan, size_t index,
			struct uncore_switch *out);

/* The text of the event that a control register and, where it has them, its
 * sub-registers select: parsing and encoding it gives the same values. The
 * control is writes[0]; registers that are not among the writes are taken to
 * be 0. *text is to be freed with free(). */
int uncore_event_decode(const struct uncore_family *family,
			const struct uncore_write *writes, size_t num_writes,
			char **text, char **error);

/* Lines that say what writes[0] means: register, fields, and what is selected
 * or enabled as far as it and the other registers given tell. *text is to be
 * freed with free(). */
int uncore_event_explain(const struct uncore_family *family,
			 const struct uncore_write *writes, size_t num_writes,
			 char **text, char **error);

#ifdef __cplusplus
}
#endif

#endif
