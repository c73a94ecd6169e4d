/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The arithmetic of a counter. A cycle's input goes through, in this order:
 * sum of the terms, at-least comparison, gate, then either the accumulating
 * sub-counter or threshold, invert and edge detect; what is left is added.
 *
 * Choices where the guide is silent are rows in docs/errata.md.
 */
#include "model/pmu/counter.h"

#include <stdlib.h>
#include <string.h>

#include "model/sim/bug.h"

/* Overflows further away than this are not computed, only looked at again
 * after (distance >> FAR_SHIFT) cycles: no input grows 2^FAR_SHIFT a cycle. */
#define FAR_DISTANCE (UINT64_C(1) << 34)
#define FAR_SHIFT    20

/* A counter that stops at its overflow looks at each cycle from here on. To get
 * here takes a quarter of an hour of the model's time, and so does the rest. */
static bool is_near_overflow(const struct counter *counter)
{
	return counter->count > counter->mask / 2;
}

/* Room for so many terms; nothing is attached. */
static bool make_room(struct counter *counter, unsigned num)
{
	struct expression *own = &counter->expression;

	free(own->terms);
	free(counter->taps);
	own->max_terms = num;
	own->terms = calloc(num, sizeof(*own->terms));
	counter->taps = calloc(num, sizeof(*counter->taps));
	return own->terms && counter->taps;
}

bool counter_init(struct counter *counter, struct sigbank *bank,
		  unsigned num_terms)
{
	counter->mask = COUNTER_MASK;
	counter->sim = bank->sim;
	counter->bank = bank;
	counter->wake_at = counter->left_at = SIM_NEVER;
	counter->done = tap_now(bank);
	counter->expression.options.never = true;
	counter->expression.terms = NULL;
	counter->taps = NULL;
	return make_room(counter, num_terms);
}

void counter_free(struct counter *counter)
{
	free(counter->taps);
	free(counter->expression.terms);
}

/* The value of one input in a cycle. */
static uint64_t input_value(const struct counter *counter, unsigned input,
			    int64_t pulses)
{
	int64_t sum = counter->level[input] + pulses;
	uint16_t at_least = counter->expression.options.at_least[input];

	if (at_least)
		return (sum >= at_least) !=
		       counter->expression.options.below[input];
	return sum > 0 ? (uint64_t)sum : 0;
}

/* The counted value of a cycle, the gate applied; with_pulses: of cycle done,
 * else of the cycles after it. */
uint64_t counter_value(const struct counter *counter, bool with_pulses)
{
	const int64_t none[TAP_NUM_INPUTS] = { 0 };
	const int64_t *pulses = with_pulses ? counter->pulses : none;

	if (counter->expression.options.gated &&
	    !input_value(counter, TAP_GATE, pulses[TAP_GATE]))
		return 0;
	return input_value(counter, TAP_COUNTED, pulses[TAP_COUNTED]);
}

bool counter_condition(const struct options *options, uint64_t value)
{
	if (!options->threshold)
		return value != 0;
	return (value >= options->threshold) != options->invert;
}

static void add_down(struct counter *counter, uint64_t each, uint64_t cycles)
{
	if (each * cycles <= counter->count) {
		counter->count -= each * cycles;
		return;
	}
	if (counter->expression.options.stops) {
		cycles = counter->count / each + 1;
		counter->stopped = true;
	}
	counter->count = (counter->count - each * cycles) & counter->mask;
	counter->overflow(counter->context, counter);
}

/* The bits below an early carry; 0: there is none. */
static uint64_t below_carry(const struct counter *counter)
{
	return (UINT64_C(1) << counter->expression.options.early_carry) - 1;
}

static void add(struct counter *counter, uint64_t each, uint64_t cycles)
{
	uint64_t room = counter->mask - counter->count;

	if (!each || !cycles)
		return;
	if (counter->expression.options.down) {
		add_down(counter, each, cycles);
		return;
	}
	if ((counter->count & below_carry(counter)) + each * cycles >
	    below_carry(counter))
		counter->carried = true;
	if (each * cycles <= room) {
		counter->count += each * cycles;
		return;
	}
	if (counter->expression.options.stops) {
		cycles = (room + each) / each;
		counter->stopped = true;
	}
	counter->count = (counter->count + each * cycles) & counter->mask;
	counter->overflow(counter->context, counter);
}

static void add_to_sub_counter(struct counter *counter, uint64_t value)
{
	uint64_t modulus = counter->expression.options.accumulate;
	uint64_t sum = counter->sum + value;

	counter->sum = sum % modulus;
	add(counter, sum / modulus, 1);
}

static void accumulate(struct counter *counter, uint64_t value, uint64_t cycles)
{
	counter->previous =
		counter_condition(&counter->expression.options, value);
	add_to_sub_counter(counter, value * cycles);
}

/* Adds cycles that all have the same value. */
static void run(struct counter *counter, uint64_t value, uint64_t cycles)
{
	const struct options *options = &counter->expression.options;
	bool is, was = counter->previous;

	if (counter->stopped || !cycles)
		return;
	if (options->accumulate) {
		accumulate(counter, value, cycles);
		return;
	}
	is = counter->previous = counter_condition(options, value);
	if (options->edge_detect)
		add(counter, is && !was, 1);
	else
		add(counter, options->threshold ? is : value, cycles);
}

/* Whether nothing matters but a sum that signals keep. Not where somebody wants
 * to be told in the very cycle of an overflow, or where one stops the counter
 * and is near. */
static bool can_be_summed(const struct counter *counter)
{
	const struct expression *expression = &counter->expression;
	const struct options *options = &expression->options;

	if (options->at_least[TAP_COUNTED] > 1 || options->below[TAP_COUNTED] ||
	    (options->at_least[TAP_COUNTED] && expression->num_terms != 1))
		return false;
	if (options->at_least[TAP_COUNTED] && expression->terms[0].filtered)
		return false;
	if (counter->stopped || (options->stops && is_near_overflow(counter)))
		return false;
	return !options->threshold && !options->edge_detect &&
	       !options->gated && !options->pmi && !options->down &&
	       !options->tally_bits;
}

static void use_taps(struct counter *counter);

static struct tap_wish wish_of(const struct counter *counter, unsigned i)
{
	const struct term *term = &counter->expression.terms[i];

	return (struct tap_wish){
		.filter = term->filtered ? &term->filter : NULL,
		.signal = term->signal,
		.busy = counter->expression.options.at_least[TAP_COUNTED],
	};
}

/* All that its signals have added up to before the present cycle. */
static uint64_t sum_of(const struct counter *counter, int64_t *last)
{
	uint64_t sum = 0;

	*last = 0;
	for (unsigned i = 0; i < counter->num_taps; i++) {
		struct tap_wish wish = wish_of(counter, i);
		struct tap_sums sums = tap_sums(counter->bank, &wish);

		sum += wish.busy ? sums.busy : sums.total;
		*last += sums.last;
	}
	return sum;
}

static void sync_summed(struct counter *counter)
{
	int64_t last;
	uint64_t sum = sum_of(counter, &last);
	uint64_t value = sum - counter->seen_sum;

	counter->seen_sum = sum;
	counter->previous = last > 0;
	if (counter->expression.options.accumulate)
		add_to_sub_counter(counter, value);
	else
		add(counter, value, 1);
}

static void sync_active(struct counter *counter, uint64_t now)
{
	uint64_t cycles = now - counter->done;

	if (counter->pulses[TAP_COUNTED] || counter->pulses[TAP_GATE]) {
		run(counter, counter_value(counter, true), 1);
		cycles--;
	}
	run(counter, counter_value(counter, false), cycles);
}

void counter_advance(struct counter *counter, uint64_t now)
{
	if (now == counter->done)
		return;
	if (counter->summed)
		sync_summed(counter);
	else if (counter->active && !counter->stopped)
		sync_active(counter, now);
	counter->pulses[TAP_COUNTED] = 0;
	counter->pulses[TAP_GATE] = 0;
	counter->done = now;
}

/* While time stands sums may grow: what is told of quick accesses is past. */
void counter_sync(struct counter *counter, uint64_t now)
{
	if (now == counter->done) {
		if (counter->summed)
			sync_summed(counter);
		return;
	}
	tap_look(counter->bank);
	counter_advance(counter, now);
	if (counter->summed && !can_be_summed(counter))
		use_taps(counter);
}

static int64_t follow(const struct counter *counter, int64_t delta)
{
	int64_t level = counter->level[TAP_COUNTED] + delta;
	int64_t size = INT64_C(1) << counter->expression.options.tally_bits;

	if (delta < 0)
		return level < 0 ? 0 : level;
	return level & (size - 1);
}

void counter_level(struct counter *counter, unsigned input, uint64_t now,
		   int64_t delta)
{
	counter_advance(counter, now);
	if (counter->expression.options.tally_bits && input == TAP_COUNTED)
		counter->level[input] = follow(counter, delta);
	else
		counter->level[input] += delta;
}

void counter_pulse(struct counter *counter, unsigned input, uint64_t now,
		   unsigned n)
{
	counter_advance(counter, now);
	counter->pulses[input] += n;
}

/* In no order, so not for who asks when things happen. */
void counter_fact(struct counter *counter, uint64_t n, uint64_t requester)
{
	const struct options *options = &counter->expression.options;

	if (!counter->active || counter->stopped || options->threshold ||
	    options->edge_detect || options->gated || options->tally_bits ||
	    options->at_least[TAP_COUNTED])
		return;
	counter->requester = requester;
	if (options->accumulate)
		add_to_sub_counter(counter, n);
	else
		add(counter, n, 1);
}

static bool same_terms(const struct expression *a, const struct expression *b)
{
	return a->num_terms == b->num_terms &&
	       !memcmp(a->terms, b->terms, a->num_terms * sizeof(*a->terms));
}

bool counter_is_new(const struct counter *counter,
		    const struct expression *expression)
{
	const struct expression *old = &counter->expression;

	return memcmp(&old->options, &expression->options,
		      sizeof(old->options)) ||
	       !same_terms(old, expression);
}

static void detach(struct counter *counter)
{
	tap_look(counter->bank);
	if (counter->expression.options.tally_bits)
		counter->tally = counter->level[TAP_COUNTED];
	while (counter->num_taps) {
		unsigned i = --counter->num_taps;
		struct tap_wish wish = wish_of(counter, i);

		if (counter->summed)
			tap_sums_end(counter->bank, &wish);
		else
			tap_detach(counter->bank, &counter->taps[i]);
	}
	counter->summed = false;
	for (unsigned input = 0; input < TAP_NUM_INPUTS; input++) {
		counter->level[input] = 0;
		counter->pulses[input] = 0;
	}
}

static bool attach_sums(struct counter *counter)
{
	int64_t last;

	counter->summed = true;
	for (unsigned i = 0; i < counter->expression.num_terms; i++) {
		struct tap_wish wish = wish_of(counter, i);

		if (!tap_sums_begin(counter->bank, &wish)) {
			detach(counter);
			return false;
		}
		counter->num_taps++;
		counter->level[TAP_COUNTED] += tap_filtered_level(
			counter->bank, wish.signal, wish.filter);
	}
	counter->seen_sum = sum_of(counter, &last);
	return true;
}

static void take_levels(struct counter *counter)
{
	const struct expression *expression = &counter->expression;

	memset(counter->level, 0, sizeof(counter->level));
	for (unsigned i = 0; i < expression->num_terms; i++) {
		const struct term *term = &expression->terms[i];

		counter->level[term->input] += tap_filtered_level(
			counter->bank, term->signal,
			term->filtered ? &term->filter : NULL);
	}
	if (expression->options.tally_bits)
		counter->level[TAP_COUNTED] = counter->tally;
}

/* What a box says when somebody begins to listen may begin in this very cycle:
 * the levels are taken when all of that has been told. */
static void attach(struct counter *counter)
{
	const struct expression *expression = &counter->expression;

	for (unsigned i = 0; i < expression->num_terms; i++) {
		const struct term *term = &expression->terms[i];
		struct sig_tap *tap = &counter->taps[i];

		tap->counter = counter;
		tap->filter = term->filtered ? &term->filter : NULL;
		tap->signal = term->signal;
		tap->input = term->input;
		tap->is_urgent = expression->options.pmi;
		tap_attach(counter->bank, tap);
	}
	counter->num_taps = expression->num_terms;
	tap_look(counter->bank);
	take_levels(counter);
}

/* What has come in the present cycle already. */
static void get_fresh(const struct counter *counter, int64_t *fresh)
{
	memcpy(fresh, counter->pulses, sizeof(counter->pulses));
	for (unsigned i = 0; counter->summed && i < counter->num_taps; i++) {
		struct tap_wish wish = wish_of(counter, i);

		fresh[TAP_COUNTED] += tap_sums(counter->bank, &wish).fresh;
	}
}

/* From the present cycle on, of which a part has been heard already. */
static void attach_with(struct counter *counter, const int64_t *fresh)
{
	attach(counter);
	memcpy(counter->pulses, fresh, sizeof(counter->pulses));
}

static void use_taps(struct counter *counter)
{
	int64_t fresh[TAP_NUM_INPUTS];

	get_fresh(counter, fresh);
	detach(counter);
	attach_with(counter, fresh);
}

static void take(struct counter *counter, const struct expression *expression)
{
	struct expression *own = &counter->expression;

	if (!same_terms(own, expression))
		counter->sum = 0;
	if (expression->num_terms > own->max_terms &&
	    !make_room(counter, expression->num_terms))
		bug_no_memory();
	own->num_terms = expression->num_terms;
	memcpy(own->terms, expression->terms,
	       expression->num_terms * sizeof(*own->terms));
	memcpy(&own->options, &expression->options, sizeof(own->options));
	if (!own->options.stops)
		counter->stopped = false;
}

/* For a counter with other events, or one that stops. */
static void leave(struct counter *counter, bool is_new)
{
	if (counter->active) {
		counter->left_at = counter->done;
		get_fresh(counter, counter->left);
	}
	if (is_new)
		counter->left_at = SIM_NEVER;
	detach(counter);
}

static void start(struct counter *counter)
{
	bool goes_on = counter->left_at == counter->done;

	if (goes_on && (counter->left[TAP_COUNTED] || counter->left[TAP_GATE]))
		attach_with(counter, counter->left);
	else if (!(can_be_summed(counter) && attach_sums(counter)))
		attach(counter);
	if (!counter->active && !goes_on)
		counter->previous =
			counter_condition(&counter->expression.options,
					  counter_value(counter, false));
}

void counter_configure(struct counter *counter,
		       const struct expression *expression, bool active)
{
	bool is_new = counter_is_new(counter, expression);

	active = active && !expression->options.never;
	if (active == counter->active && !is_new)
		return;
	counter_sync(counter, tap_now(counter->bank));
	leave(counter, is_new);
	take(counter, expression);
	counter->num_programs += is_new;
	counter->num_starts++;
	counter->wake_at = SIM_NEVER;
	if (active)
		start(counter);
	else if (expression->options.tally_bits)
		attach(counter);
	counter->active = active;
	counter_watch(counter);
}

uint64_t counter_read(struct counter *counter)
{
	uint64_t value;

	counter_sync(counter, tap_now(counter->bank));
	value = counter->count;
	if (below_carry(counter) && counter->carried &&
	    (value & below_carry(counter)) <= 1)
		value += below_carry(counter) + 1;
	return value & counter->mask;
}

void counter_write(struct counter *counter, uint64_t value)
{
	counter_sync(counter, tap_now(counter->bank));
	counter->written += value - counter->count;
	counter->count = value & counter->mask;
	counter->carried = false;
	counter->stopped = false;
	counter->wake_at = SIM_NEVER;
	if (counter->summed && !can_be_summed(counter))
		use_taps(counter);
	counter_watch(counter);
}

void counter_reset(struct counter *counter)
{
	counter_write(counter, 0);
	counter->sum = 0;
	counter_reset_tally(counter);
}

void counter_reset_tally(struct counter *counter)
{
	counter_sync(counter, tap_now(counter->bank));
	counter->tally = 0;
	if (counter->expression.options.tally_bits)
		counter->level[TAP_COUNTED] = 0;
	counter_watch(counter);
}

void counter_resume(struct counter *counter)
{
	counter_sync(counter, tap_now(counter->bank));
	counter->stopped = false;
	counter_watch(counter);
}

uint64_t counter_total(struct counter *counter)
{
	uint64_t counted;

	counter_sync(counter, tap_now(counter->bank));
	counted = counter->count - counter->written;
	return (counter->expression.options.down ? -counted : counted) &
	       counter->mask;
}

bool counter_grow(struct counter *counter, uint64_t n)
{
	bool is_down = counter->expression.options.down;
	uint64_t room =
		is_down ? counter->count : counter->mask - counter->count;

	counter->count += is_down ? -n : n;
	counter->count &= counter->mask;
	return n > room;
}
