/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What an event needs of a box (docs/estimates.md): one of some counters, bits
 * of shared registers with their values, and slots that hold a content. Events
 * of the same kind count the same thing and share a counter.
 */
#ifndef UNCORE_EVENT_NEED_H
#define UNCORE_EVENT_NEED_H

#include "event/event.h"
#include "table/table.h"

enum {
	NEED_MAX_HOLDS = 16,  /* that one event may ask for */
	NEED_MAX_CONTENT = 4, /* registers of a slot */
	NEED_ANY = -1,	      /* slot or counter: no wish */
};

/* A slot of a family that must hold a content. The families of a box with ports
 * are the kinds of slots of its ports; those of other boxes are twins. */
struct hold {
	uint8_t family;
	uint8_t slots;	  /* bit n: slot n will do */
	uint16_t content; /* equal number: equal content */
};

struct need {
	const struct uncore_event *event;
	struct event_view view;		    /* without what is in slots */
	uint64_t content[NEED_MAX_CONTENT]; /* of the registers of a slot */
	uint32_t counters;		    /* bit n: counter n may count it */
	uint32_t row_counters; /* the same without the option counter= */
	unsigned first, last;  /* instances of the box */
	unsigned kind;
	size_t same; /* the first event with all the same needs */
	int named;   /* slot that the event's name says, if another would do */
	struct hold holds[NEED_MAX_HOLDS];
	unsigned num_holds;
	bool has_home; /* holds[0] is the slot that its counter looks at */
};

/* What `num` events need, to be freed with free(); NULL without memory. Kinds,
 * contents and `same` may be compared within one such array. */
struct need *needs_new(struct uncore_event *const *events, size_t num);

/* All registers of an event in a slot, what points at it and en included. */
void need_view(const struct need *need, unsigned slot, struct event_view *view);

/* Whether the two have an instance in common. */
bool need_meets(const struct need *a, const struct need *b);

/* Whether both need the same bits with different values; the first of them. */
bool need_differs(const struct need *a, const struct need *b,
		  enum uc_role *role, unsigned *bit);

/* Whether no two of the events of one instance do; in one pass. */
bool needs_agree(const struct need *const *needs, size_t num);

#endif
