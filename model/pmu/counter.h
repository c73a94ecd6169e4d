/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * One counter: the exact integral of its input over cycles. Between two changes
 * of its signals the input is constant, so any number of cycles is added in one
 * step; a change costs the same whatever the length of the run.
 *
 * Invariants
 * 1. All cycles before `done` are in `count`; cycle `done` is not.
 * 2. level[] is the input's level from cycle `done` on, pulses[] what came on
 *    top of it in cycle `done` alone.
 * 3. A counter that is not `active` adds nothing; its taps, if it still has
 *    any, only keep level[] right (S-Box tally).
 * 4. A `summed` counter has no taps. Its signals keep their sums; what they
 *    were when `done` was reached is in `seen_sum`, level[] is as at first.
 * 5. A counter with pmi_en has an event in the queue no later than the first
 *    cycle that could see its overflow, so the PMI leaves in the right cycle.
 * 6. A counter that stops and goes on in the same cycle, as software does that
 *    reads or takes turns in no time, has missed nothing: what it had heard of
 *    that cycle is in `left`, and its edge detector goes on.
 * 7. What is published for cycles to come reaches a counter late, but before
 *    anybody looks at it (tap_look()) and in time for invariant 5.
 */
#ifndef UNCORE_COUNTER_H
#define UNCORE_COUNTER_H

#include <stdbool.h>
#include <stdint.h>

#include "model/pmu/tap.h"

/* Of most counters. */
#define COUNTER_BITS 48
#define COUNTER_MASK ((UINT64_C(1) << COUNTER_BITS) - 1)

/* One tapped signal of an expression. */
struct term {
	struct filter filter; /* all bytes set, also where unused */
	uint16_t signal;
	uint8_t input; /* enum tap_input */
	bool filtered;
};

/* What a count follows from. */
enum counter_sort {
	COUNTER_OF_TIME,  /* from when accesses come, too */
	COUNTER_OF_STATE, /* from their order alone */
	COUNTER_OF_CLOCK, /* they are cycles of the box */
};

/* What a counter counts, decoded from its control registers (decode.h). Terms
 * and options have all bytes set, so that two may be compared by memcmp(). */
struct expression {
	struct term *terms;
	unsigned num_terms;
	unsigned max_terms; /* there is room for */
	struct options {
		/* 0: the sum of the terms; N: 1 in cycles with sum >= N. */
		uint16_t at_least[TAP_NUM_INPUTS];
		bool below[TAP_NUM_INPUTS]; /* or, with N: sum < N */
		/* 0, or the modulus of a sub-counter that the value goes into
		 * each cycle and whose overflows are counted. */
		uint16_t accumulate;
		/* 0, or the width of a sub-counter that follows a queue. */
		uint8_t tally_bits;
		uint8_t threshold; /* 0: none */
		bool invert;
		bool edge_detect;
		bool gated;   /* counts only in cycles with the gate at 1 */
		bool never;   /* nothing is selected: counts nothing */
		bool follows; /* the terms are what another counter has */
		bool down;
		bool stops;	     /* at an overflow, until that is cleared */
		bool pmi;	     /* an overflow is reported to the U-Box */
		uint8_t sort;	     /* enum counter_sort */
		uint8_t early_carry; /* as in struct uc_box */
		/* The first event that it has a term of, and its unit mask if
		 * it is one alone, or NULL. */
		const struct uc_event *event;
		const struct uc_unit_mask *unit_mask;
	} options;
};

typedef void counter_overflow_fn(void *context, struct counter *counter);

struct counter {
	struct sim *sim;
	struct sigbank *bank;
	counter_overflow_fn *overflow; /* in the first cycle that sees it */
	void *context;

	uint64_t mask; /* the bits it has: COUNTER_MASK, or others before it is
			* first used */
	uint64_t count;
	uint64_t done;
	int64_t level[TAP_NUM_INPUTS];
	int64_t pulses[TAP_NUM_INPUTS];
	int64_t left[TAP_NUM_INPUTS]; /* pulses[] when it stopped, in .. */
	uint64_t left_at;  /* .. this cycle; SIM_NEVER: its events are others */
	uint64_t sum;	   /* accumulate: the sub-counter */
	uint64_t seen_sum; /* see invariant 4 */
	int64_t tally;	   /* while no tally expression is tapped */
	uint64_t wake_at;  /* SIM_NEVER: no event is expected */
	uint64_t reserve;  /* see counter_watch.c */
	uint64_t requester; /* see sim.h: of what it has heard of last */
	uint64_t written;   /* what software put in, modulo its mask */
	uint32_t num_programs, num_starts; /* it was given what it counts, or
					    * began to count or stopped */
	bool active;
	bool summed;   /* looks at its signals' sums when it is read */
	bool previous; /* edge detect: the condition in the last cycle */
	bool stopped;
	bool is_near; /* to its overflow, which is to be reported */
	bool carried; /* out of bit 23 since it was last written */

	struct expression expression;
	struct sig_tap *taps; /* as many as terms */
	unsigned num_taps;    /* attached, or signals that keep sums for it */
};

/* A counter at 0, not active, with room for so many terms (1 at least) until
 * there are more; false without memory. */
bool counter_init(struct counter *counter, struct sigbank *bank,
		  unsigned num_terms);
void counter_free(struct counter *counter);

/* Makes the counter count *expression from the present cycle on, or not. The
 * terms are copied. Nothing happens where nothing is new. */
void counter_configure(struct counter *counter,
		       const struct expression *expression, bool active);

/* Whether configuring it so would change what is counted. */
bool counter_is_new(const struct counter *counter,
		    const struct expression *expression);

/* Adds all cycles before the present one. */
void counter_sync(struct counter *counter, uint64_t now);

/* What software sees, at the present cycle. */
uint64_t counter_read(struct counter *counter);
void counter_write(struct counter *counter, uint64_t value);

/* rst_all: the counter and its sub-counters go to 0. */
void counter_reset(struct counter *counter);
void counter_reset_tally(struct counter *counter);

/* The overflow bit was cleared: a stopped counter goes on. */
void counter_resume(struct counter *counter);

/* What it has counted since it is there, whatever software wrote, modulo its
 * mask; and so much more, of which no overflow is told: true where there was
 * one. */
uint64_t counter_total(struct counter *counter);
bool counter_grow(struct counter *counter, uint64_t n);

/* Whether what is told of quick accesses reaches it. */
static inline bool counter_hears_past(const struct counter *counter)
{
	return counter->summed || counter->expression.options.pmi;
}

/* For tap.c: the input changes in a cycle that is not after the present one and
 * not before any that the counter has been told of. */
void counter_level(struct counter *counter, unsigned input, uint64_t now,
		   int64_t delta);
void counter_pulse(struct counter *counter, unsigned input, uint64_t now,
		   unsigned n);

/* The same while the engine's time stands (facts.h), of one with a PMI that
 * adds what it hears: n events have happened. */
void counter_fact(struct counter *counter, uint64_t n, uint64_t requester);

/* counter_watch.c: for a counter that is up to date, after a change in the
 * present cycle; and after something was published for cycles to come. */
void counter_watch(struct counter *counter);
void counter_expect(struct counter *counter);

/* Adds all cycles before `now`, of which it has been told everything. */
void counter_advance(struct counter *counter, uint64_t now);

/* The counted value of a cycle, the gate applied; with_pulses: of cycle done,
 * else of the cycles after it. */
uint64_t counter_value(const struct counter *counter, bool with_pulses);

/* Threshold and invert, or else whether there is any. */
bool counter_condition(const struct options *options, uint64_t value);

#endif
