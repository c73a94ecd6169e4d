/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * A counter that reports its overflow has to see it in its cycle, though nobody
 * looks. What it needs to know for that has three sources: the state it is in,
 * which goes on for ever if nothing changes; what is published for the present
 * cycle, which it hears at once; and what is published for cycles to come,
 * which it hears late.
 *
 * Of the last it only knows a bound for what that can add (tap_pending()). As
 * long as there is room for all that and `reserve` more, nothing happens before
 * the state it is in could have used the reserve up. Then, or when more has
 * been published than there is room for, it brings itself up to date; near the
 * overflow it does so whenever something is due.
 */
#include <stdlib.h>

#include "model/pmu/counter.h"

/* Overflows further away than this are not computed, only looked at again
 * after (distance >> FAR_SHIFT) cycles: no input grows 2^FAR_SHIFT a cycle. */
#define FAR_DISTANCE (UINT64_C(1) << 34)
#define FAR_SHIFT    20

/* What a value adds in a cycle; keeps *previous for edge detect. */
static uint64_t increment_of(const struct options *options, uint64_t value,
			     bool *previous)
{
	bool condition = counter_condition(options, value);
	bool was = *previous;

	*previous = condition;
	if (options->edge_detect)
		return condition && !was;
	return options->threshold ? condition : value;
}

/* Cycles of `value` after which the counter has grown by `wanted` (> 0), or
 * SIM_NEVER. */
static uint64_t cycles_until(const struct counter *counter, uint64_t wanted,
			     uint64_t value, uint64_t sum, bool previous)
{
	const struct options *options = &counter->expression.options;
	uint64_t each;

	if (options->accumulate) {
		if (!value)
			return SIM_NEVER;
		return (wanted * options->accumulate - sum + value - 1) / value;
	}
	each = increment_of(options, value, &previous);
	if (options->edge_detect)
		return each >= wanted ? 1 : SIM_NEVER;
	return each ? (wanted + each - 1) / each : SIM_NEVER;
}

/* The first cycle that sees an overflow if no signal changes any more. */
static uint64_t overflow_time(const struct counter *counter, uint64_t room)
{
	const struct options *options = &counter->expression.options;
	uint64_t value = counter_value(counter, true);
	bool previous = counter->previous;
	uint64_t sum = counter->sum;
	uint64_t first, cycles;

	if (options->accumulate) {
		sum += value;
		first = sum / options->accumulate;
		sum %= options->accumulate;
	} else {
		first = increment_of(options, value, &previous);
	}
	if (first >= room)
		return counter->done + 1;
	cycles = cycles_until(counter, room - first,
			      counter_value(counter, false), sum, previous);
	return cycles == SIM_NEVER ? SIM_NEVER : counter->done + 1 + cycles;
}

static uint64_t room_of(const struct counter *counter)
{
	if (counter->expression.options.down)
		return counter->count + 1;
	return counter->mask + 1 - counter->count;
}

/* What is published of its signals and not in the count yet, nor in the state
 * it is in, can add no more. */
static uint64_t pending_of(const struct counter *counter)
{
	uint64_t pending = (uint64_t)counter->pulses[TAP_COUNTED];

	for (unsigned i = 0; i < counter->num_taps; i++)
		pending += tap_pending(counter->bank, counter->taps[i].signal);
	return pending;
}

/* The state it is in can add no more in a cycle. */
static uint64_t rate_of(const struct counter *counter)
{
	const struct options *options = &counter->expression.options;
	int64_t level = counter->level[TAP_COUNTED];

	if (options->threshold && options->invert)
		return 1;
	if (level <= 0)
		return 0;
	if (options->threshold || options->edge_detect)
		return 1;
	return (uint64_t)level;
}

/* When it has to be looked at again, if nothing more is published. */
static uint64_t next_look(struct counter *counter)
{
	uint64_t room = room_of(counter), pending = pending_of(counter);
	uint64_t rate = rate_of(counter), next, time;

	counter->is_near = false;
	counter->reserve = 0;
	if (room >= FAR_DISTANCE)
		return counter->done + (room >> FAR_SHIFT);
	if (pending && room > pending) {
		counter->reserve = (room - pending) / 2;
		if (!rate)
			return SIM_NEVER;
		if (counter->reserve >= rate)
			return counter->done + counter->reserve / rate;
	}
	counter->is_near = true;
	time = overflow_time(counter, room);
	if (!pending)
		return time;
	next = tap_next(counter->bank);
	return next < time ? next : time;
}

/* The box is not to settle: it may be just about to publish something. */
static void catch_up(struct counter *counter)
{
	tap_catch_up(counter->bank);
	counter_advance(counter, tap_now(counter->bank));
	counter_watch(counter);
}

/* time: in cycles of the box. */
static void wake(void *object, uint64_t time)
{
	struct counter *counter = object;

	if (time != counter->wake_at)
		return; /* put off or given up since */
	counter->wake_at = SIM_NEVER;
	catch_up(counter);
}

void counter_watch(struct counter *counter)
{
	uint64_t time;

	if (!counter->active || counter->stopped ||
	    !counter->expression.options.pmi)
		return;
	time = next_look(counter);
	if (time >= counter->wake_at)
		return;
	counter->wake_at = time;
	sim_at(counter->sim, tap_time(counter->bank, time), wake, counter,
	       time);
}

void counter_expect(struct counter *counter)
{
	if (!counter->active || counter->stopped)
		return;
	if (!counter->is_near &&
	    room_of(counter) > pending_of(counter) + counter->reserve)
		return;
	catch_up(counter);
}
