/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What is told of transactions while time stands (detail.h). Those of a class
 * go the same way and tell the same: of the first one what it tells is noted,
 * all others are counted, and what they tell is told together when time goes
 * on. So it costs nothing how much that is, nor how many listen.
 *
 * Invariants
 * 1. What is in the notes is what is told by a transaction of the class:
 *    whoever begins one has put into its class all that this depends on.
 * 2. Notes are of the signals that somebody listens to. When that changes,
 *    which it does not while time stands, all are forgotten.
 * 3. Where somebody looks at addresses there are no notes: each one is told.
 * 4. Who looks at the order in which things happen (thresholds, edges) hears
 *    nothing: in quick stretches there is none. But a counter whose overflow
 *    interrupts hears of each transaction at once, and is told so in its class.
 */
#ifndef UNCORE_FACTS_H
#define UNCORE_FACTS_H

#include "model/pmu/signal.h"

/* A class; all 0 at first. */
struct facts {
	struct facts *next; /* of those that were counted */
	uint32_t edition;   /* of its notes: they hold if it is the book's */
	uint32_t first;
	uint32_t num : 31, is_urgent : 1; /* is_urgent: see invariant 4 */
	uint32_t times;			  /* not told yet */
};

struct facts_note;

struct facts_book {
	struct facts_note *notes;
	struct sig_header *headers; /* of those that have one */
	unsigned num_notes, notes_room, num_headers, headers_room;
	uint32_t edition;
	unsigned num_changes; /* of who listens, when it began */
	/* See facts_begin_apart(); and around the class that is noted. */
	unsigned num_apart, num_around;
	bool is_lost;	       /* what is noted now depends on more */
	unsigned first_header; /* of what is noted now */
	struct facts *noted;   /* the class that is, or NULL */
	struct facts *counted; /* all that are not told yet */
};

void facts_init(struct facts_book *book);
void facts_fini(struct facts_book *book);

/* Time stands from now on: forgets what is not true any more, if the listeners'
 * changes (pmu_num_changes()) are not as many as they were. It goes on: tells
 * what has been counted. */
void facts_renew(struct facts_book *book, unsigned num_changes);
void facts_publish(struct facts_book *book);

/* The rest of facts_count() and facts_begin(). */
void facts_tell_urgent(const struct facts_book *book,
		       const struct facts *facts);
void facts_note(struct facts_book *book, struct facts *facts);

static inline bool facts_are_known(const struct facts_book *book,
				   const struct facts *facts)
{
	return facts->edition == book->edition;
}

/* Another transaction of a class that is known. */
static inline void facts_count(struct facts_book *book, struct facts *facts)
{
	if (facts->is_urgent)
		facts_tell_urgent(book, facts);
	if (!facts->num || facts->times++)
		return;
	facts->next = book->counted;
	book->counted = facts;
}

/* A transaction of a class: false if it is known, and has been counted; else it
 * is to be told by the functions below, up to facts_end(). One within another
 * one is a part of that. */
static inline bool facts_begin(struct facts_book *book, struct facts *facts)
{
	if (facts_are_known(book, facts) && !book->noted) {
		facts_count(book, facts);
		return false;
	}
	facts_note(book, facts);
	return true;
}

void facts_end(struct facts_book *book, const struct facts *facts);

/* What comes in between is told, and does not belong to the class. */
static inline void facts_begin_apart(struct facts_book *book)
{
	book->num_apart++;
}

static inline void facts_end_apart(struct facts_book *book)
{
	book->num_apart--;
}

/* n events; a packet. */
void facts_tell_heard(struct facts_book *book, struct sigbank *bank,
		      unsigned id, unsigned n);
void facts_tell_packet_heard(struct facts_book *book, struct sigbank *bank,
			     unsigned id, const struct sig_header *header);
static inline void facts_tell(struct facts_book *book, struct sigbank *bank,
			      unsigned id, unsigned n)
{
	if (bank->heard[id])
		facts_tell_heard(book, bank, id, n);
}

static inline void facts_tell_packet(struct facts_book *book,
				     struct sigbank *bank, unsigned id,
				     const struct sig_header *header)
{
	if (bank->heard[id])
		facts_tell_packet_heard(book, bank, id, header);
}

#endif
