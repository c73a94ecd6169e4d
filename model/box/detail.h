/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Which accesses go through the engine. Those of a window do, one after the
 * other in their time; those of the quick stretch behind it change the same
 * state in the same order of the cores' clocks, and publish the facts of it,
 * while the engine's time stands. What is under way at the seam goes on behind
 * the stretch as if nothing had been between; where the kind of processor
 * cannot have that (kind.is_over) cores get nothing before all of it is over,
 * behind the window, and the next window begins some accesses later, when as
 * much is under way again.
 *
 * How long a stretch is follows from a credit: an access in the engine takes 1
 * of it, each access brings detail.share, and instructions a little, so that
 * all is detailed where accesses are few. Where cores fight for lines, and
 * where the kind of processor says why, all is detailed, too.
 */
#ifndef UNCORE_DETAIL_H
#define UNCORE_DETAIL_H

#include <stdbool.h>
#include <stdint.h>

#include "uncore/model.h"

struct core;
struct growth;
struct socket;

enum { DETAIL_MOVED = 61, DETAIL_USED = 1021 };

/* What accesses took, what they should have, and the ratio of these. */
struct detail_pace {
	double cycles, expected, factor;
};

struct detail {
	struct socket *const *sockets;
	unsigned num_cores;  /* of all sockets */
	uint64_t window;     /* accesses */
	double share;	     /* of all, 0 to 1 */
	bool adapts;	     /* share() is more at first */
	uint64_t start;	     /* accesses that all go through the engine */
	uint64_t left;	     /* of the window; 0: a stretch is due */
	double credit;	     /* accesses that may go through the engine */
	struct detail_seam { /* where the latest stretch or window ended */
		uint64_t accesses, instructions, moves;
	} seam;
	bool is_long;	      /* the window goes on, or the start does */
	const char *reason;   /* why it went on, half a sentence; NULL: never */
	uint64_t kept;	      /* accesses that went through the engine for it */
	const char *keeps;    /* why it has to go on now; NULL: it need not */
	uint64_t begins_at;   /* so many left: it begins, for who is told */
	uint64_t num_quick;   /* accesses so far */
	uint64_t skipped;     /* cycles << 16 that stretches took, so far */
	struct core *sleeper; /* nothing happens before it is woken; NULL: no */
	double wakes_at;      /* cycle, with those of stretches */
	bool is_quick, is_resting;
	bool is_idle; /* cores compute, and ask for nothing: a rest, too */
	bool is_looked_for_idle; /* soon */
	uint64_t idle_at;	 /* cycle */
	uint64_t busy_until;	 /* of a stretch: cycles << 16 */
	uint64_t computed;	 /* cycles << 16 of NONE since then */
	uint64_t rested;	 /* that cores computed while all was idle */
	uint64_t random;	 /* where windows lie */
	uint64_t others;	 /* of a stretch: see detail_wakes(); */
	uint64_t front;		 /* when its latest access began, */
	uint64_t passed;	 /* and how long that was after its beginning */
	unsigned num_due;	 /* PMUs that interrupt behind the access */
	bool is_settling;	 /* cores wait until all is over */
	bool is_paused;	 /* a stretch goes on when there is more traffic, or
			      * when the model runs again */
	bool is_stopped; /* the stretch is to pause */
	uint64_t end; /* where the model is to return, cycles << 16 with those
		       * of stretches; UINT64_MAX: behind any stretch */
	struct costs *costs;	 /* what accesses take, see costs.h, */
	struct detail_pace pace; /* and all cores of late */
	struct detail_core *cores;
	/* Changed lines that went from core to core of late, by their number:
	 * one that does so again while it stands here is fought for. */
	uint64_t moved[DETAIL_MOVED];
	/* Lines that cores asked for of late, by their number, and the core,
	 * plus 1: a store of another one takes a line that is in use. */
	struct detail_use {
		uint64_t line;
		unsigned core;
	} used[DETAIL_USED];
	uint64_t num_moves;    /* of lines that are fought for */
	struct growth *growth; /* NULL: no counter is read at any moment */
	/* As uncore_model_on_window(). */
	void (*on_window)(void *context, enum uncore_model_seam seam,
			  const uint64_t *classes);
	void *window_context;
};

/* As the machine's parameters say; NULL: all is detailed. False without memory.
 */
bool detail_new(struct socket *const *sockets, struct detail **detail);
void detail_free(struct detail *detail);

/* Accesses so far, as uncore_model_classes() has them. */
void detail_classes(const struct detail *detail, uint64_t *classes);

/* A core wants its next access, and the window is over: all that is quick until
 * the next one begins; false: not yet, the core is run then. */
bool detail_stretch(struct detail *detail, const struct core *core);

/* All wait for time until this cycle, those of stretches counted; then, or when
 * the rest is ended before, the core is woken. */
void detail_rest(struct detail *detail, struct core *core, double wakes_at);
bool detail_end_rest(struct detail *detail); /* whether there was one */

/* A core that asks for nothing for so many cycles may be the last that did:
 * then what happens meanwhile is known, as in a rest. It begins a little later,
 * when all is answered, and ends before somebody asks. */
enum { DETAIL_IDLE = 20000, DETAIL_SETTLED = 5000 };
void detail_look_for_idle(struct detail *detail);
void detail_end_idle(struct detail *detail);

/* Cycles in which the core had something to do in stretches. */
uint64_t detail_busy_cycles(const struct detail *detail, unsigned core);

/* So many accesses after each other are looked at together for what they cost.
 */
enum { DETAIL_LOOK = 512 };
void detail_look(struct detail *detail);
void detail_begin_window(struct detail *detail);

/* Uncore cycles that have passed while the engine's time stood, so far. */
static inline uint64_t detail_skipped(const struct detail *detail)
{
	return detail ? (detail->skipped + detail->passed) >> 16 : 0;
}

/* Software has changed which counters count: what comes next goes through the
 * engine. */
void detail_renew(struct detail *detail);

/* The model is to return. */
static inline void detail_stop(struct detail *detail)
{
	if (detail)
		detail->is_stopped = detail->is_quick;
}

/* An access has begun in the engine, or joined one that is under way. */
static inline void detail_count(struct detail *detail)
{
	if (!detail || !detail->left)
		return;
	if (!(--detail->left % DETAIL_LOOK))
		detail_look(detail);
	if (detail->left == detail->begins_at)
		detail_begin_window(detail);
}

/* A core got a line that another one, of any socket, had changed. */
static inline void detail_moves(struct detail *detail, uint64_t line)
{
	uint64_t *place = &detail->moved[line % DETAIL_MOVED];

	detail->num_moves += *place == line;
	*place = line;
}

/* A core got a line: to write to it, perhaps. */
static inline void detail_uses(struct detail *detail, uint64_t line,
			       unsigned core, bool writes)
{
	struct detail_use *place = &detail->used[(uint32_t)line % DETAIL_USED];

	detail->num_moves += writes && place->core && place->line == line &&
			     place->core != core + 1;
	*place = (struct detail_use){ line, core + 1 };
}

/* A core has traffic again: nobody knows any more until when the one goes on
 * that had the latest access of a stretch. */
static inline void detail_wakes(struct detail *detail)
{
	if (detail)
		detail->others = 0;
}

/* Whether the next access is not for the engine. */
static inline bool detail_is_due(const struct detail *detail)
{
	return detail && !detail->left;
}

#endif
