/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * How a counter listens to a signal while it is enabled (or has to follow a
 * queue all the time), in one of two ways:
 *
 * - Where only a sum over cycles matters, the signal keeps it once for all who
 *   want it, however many; a counter looks at it when it is read.
 * - Else a tap hangs in the list of the signal and hands every change on to its
 *   counter, in the order of their cycles: what is published for the present
 *   cycle at once, what is published for cycles to come some time after they
 *   have passed, but before anybody looks.
 */
#ifndef UNCORE_TAP_H
#define UNCORE_TAP_H

#include <stdbool.h>
#include <stdint.h>

#include "model/pmu/filter.h"
#include "model/pmu/signal.h"

struct counter;

/* What a counter does with a signal. */
enum tap_input {
	TAP_COUNTED, /* it is what is counted */
	TAP_GATE,    /* it is the condition for counting (M-Box flag) */
	TAP_NUM_INPUTS
};

struct sig_tap {
	struct sig_tap *next;
	struct counter *counter;
	const struct filter *filter; /* NULL: every packet */
	uint16_t signal;
	uint8_t input;	/* enum tap_input */
	bool is_urgent; /* the counter's overflow is told in its cycle */
};

/* A bank of signals, all 0 and untapped, or NULL without memory. The sim has
 * to outlive it and must not run on after tap_bank_free(). */
struct sigbank *tap_bank_new(struct sim *sim, unsigned num_signals);
void tap_bank_free(struct sigbank *bank);

/* The box's clock makes num cycles in den of the uncore's, at most one in each:
 * at the uncore's cycle t it is in its cycle t * num / den, rounded down, and
 * that is when all that is published for t happens. Before anything is
 * published. */
void tap_bank_set_clock(struct sigbank *bank, uint32_t num, uint32_t den);

/* The present cycle of the box, of which counters and sums count; and when one
 * of its cycles begins, as the sim counts. */
uint64_t tap_now(struct sigbank *bank);
uint64_t tap_time(struct sigbank *bank, uint64_t cycle);

/* How many of its cycles so many of the uncore are. */
double tap_cycles(struct sigbank *bank, double cycles);

/* Puts the tap on tap->signal; afterwards its level is what the signal has in
 * the present cycle. */
void tap_attach(struct sigbank *bank, struct sig_tap *tap);
void tap_detach(struct sigbank *bank, struct sig_tap *tap);

/* Over all cycles before the present one, from some cycle on. */
struct tap_sums {
	uint64_t total; /* of levels and pulses */
	uint64_t busy;	/* cycles in which there was any */
	int64_t last;	/* level and pulses in the latest of the cycles */
	int64_t fresh;	/* pulses in the present cycle, so far */
};

/* A sum that a counter wants: of a signal, or of the packets of one that pass
 * a filter. */
struct tap_wish {
	const struct filter *filter; /* NULL: everything */
	uint16_t signal;
	bool busy; /* sums.busy is wanted, not total */
};

/* Keeps the sums, for one more. False: not from this very cycle on, since
 * others have seen something in it already. */
bool tap_sums_begin(struct sigbank *bank, const struct tap_wish *wish);
void tap_sums_end(struct sigbank *bank, const struct tap_wish *wish);
struct tap_sums tap_sums(struct sigbank *bank, const struct tap_wish *wish);

/* To be called before anything that depends on what has been published: the
 * box settles, and what is due goes to taps. */
void tap_look(struct sigbank *bank);
void tap_catch_up(struct sigbank *bank); /* the same, but for the box */

/* Whether anybody wants more of a signal than totals: for him sig_past() is too
 * late. */
bool tap_is_ordered(struct sigbank *bank, unsigned id);
bool tap_is_any_ordered(struct sigbank *bank); /* of its signals */

/* The level of a signal at present, all spans included, or those that pass a
 * filter (NULL: there is none); after tap_look(). */
int64_t tap_level(struct sigbank *bank, unsigned id);
int64_t tap_filtered_level(struct sigbank *bank, unsigned id,
			   const struct filter *filter);

/* While the engine's time stands (facts.h): n events, or packets with a header,
 * for counters with PMIs alone; whether a signal has one. */
void tap_fact(struct sigbank *bank, unsigned id, unsigned n,
	      const struct sig_header *header);
bool tap_has_urgent(struct sigbank *bank, unsigned id);
bool tap_is_any_urgent(struct sigbank *bank); /* of its signals */

/* For counters with PMIs: a bound on what has been published of a signal and
 * not been told yet, and when the next of the bank will be told (SIM_NEVER:
 * there is none). */
uint64_t tap_pending(struct sigbank *bank, unsigned id);
uint64_t tap_next(struct sigbank *bank);

#endif
