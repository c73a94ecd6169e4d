/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Visits: what a box has to tell of something that passed it, kept as one
 * record with its times, and put into signals only where somebody listens.
 *
 * A box fills in a record when it knows all of a visit; the record's teller
 * publishes its signals by the tell_*() functions below. It is called at once
 * if anybody listens to a signal of the bank, and again when somebody begins to
 * listen to one, for that signal alone, as long as the visit is not past. So
 * who listens sees what he would if everything were published always; a visit
 * that nobody asks about costs the writing of its record.
 *
 * A teller depends on its record and on nothing that changes, publishes on the
 * banks of its visits alone, and nothing after `last`.
 */
#ifndef UNCORE_VISIT_H
#define UNCORE_VISIT_H

#include <stddef.h>

#include "model/pmu/signal.h"

/* bank: the first one of the visits. */
typedef void visit_tell_fn(struct sigbank *bank, const void *visit);

/* A record begins with it. */
struct visit {
	visit_tell_fn *tell;
	/* No pulse is later and no span ends later; not before now, or nobody
	 * who comes later is told. */
	uint64_t last;
};

/* The visits of a bank, or of several, in the order in which they were kept. */
struct visits {
	char *next;    /* room for one more */
	char *end;     /* with a record that ends there more is to be done */
	unsigned size; /* of a record */
	unsigned num_heard; /* signals of the banks that somebody listens to */
	struct sigbank *bank;
	/* visit.c alone */
	struct visits_block *first, *latest;
	struct visits_seat *seats;
};

/* Visits of a bank with records of up to `size` bytes; another bank of the same
 * clock may join. They go with the last of their banks. NULL, or false, without
 * memory. */
struct visits *visits_new(struct sigbank *bank, size_t size);
bool visits_join(struct visits *visits, struct sigbank *bank);

/* Slow paths: somebody listens to the latest record; the block is full. */
SIG_SLOW void visits_tell(struct visits *visits);
SIG_SLOW void visits_end_block(struct visits *visits);

/* The place for the next record; visits_keep() follows, with nothing between
 * the two but the writing of the record. */
static inline void *visits_next(struct visits *visits)
{
	return visits->next;
}

static inline void visits_keep(struct visits *visits)
{
	visits->next += visits->size;
	if (visits->num_heard)
		visits_tell(visits);
	if (visits->next == visits->end)
		visits_end_block(visits);
}

/* For tellers: sig_span(), sig_later(), sig_packet_at() and sig_span_packet()
 * where somebody listens. */

static inline void tell_span(struct sigbank *bank, unsigned id, uint64_t from,
			     uint64_t to, int n)
{
	if (bank->heard[id])
		sig_span(bank, id, from, to, n);
}

static inline void tell_later(struct sigbank *bank, unsigned id, uint64_t time,
			      unsigned n)
{
	if (bank->heard[id])
		sig_later(bank, id, time, n);
}

static inline void tell_packet_at(struct sigbank *bank, unsigned id,
				  uint64_t time,
				  const struct sig_header *header)
{
	if (bank->heard[id])
		sig_packet_at(bank, id, time, header);
}

static inline void tell_span_packet(struct sigbank *bank, unsigned id,
				    uint64_t from, uint64_t to, int n,
				    const struct sig_header *header)
{
	if (bank->heard[id])
		sig_span_packet(bank, id, from, to, n, header);
}

#endif
