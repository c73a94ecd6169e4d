/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Station: something that serves one at a time, a pipeline, a ring slot, a
 * port, a wire. A calendar has a bit for each cycle of the near future and
 * gives out the first cycles that are free. Who asks later may still get an
 * earlier cycle, so the order of asking need not be the order of arrival.
 *
 * Invariants
 * 1. Nobody asks for a cycle before `now`, and `now` never goes back.
 * 2. Bits stand for the cycles base .. base + CALENDAR_CYCLES - 1; base is a
 *    multiple of 64 and not after now. A word says whose bits it has: one that
 *    is left over from earlier cycles is as good as empty.
 * 3. Spans say what is taken from calendar_end() on, where the last 64 of the
 *    bits begin; these bits say it, too. So who begins before calendar_end()
 *    looks at bits only, who begins later at spans only.
 * 4. Spans are in order and do not touch; all but the last entry may be used.
 *    When one more would be, the narrowest gap counts as taken: only far ahead
 *    and with many gaps a cycle may be lost.
 */
#ifndef UNCORE_CALENDAR_H
#define UNCORE_CALENDAR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	CALENDAR_WORDS = 32,
	CALENDAR_CYCLES = CALENDAR_WORDS * 64,
	CALENDAR_SPANS = 7,
};

struct calendar_span {
	uint64_t from, to; /* `to` is the first cycle behind it */
};

struct calendar_word {
	uint64_t number; /* of its cycles: c / 64, and one more */
	uint64_t taken;	 /* of cycle c: bit c % 64 */
};

/* All 0: nothing is taken. */
struct calendar {
	uint64_t base;
	uint64_t num_spans;
	struct calendar_word words[CALENDAR_WORDS];
	struct calendar_span spans[CALENDAR_SPANS];
};

/* Slow paths (calendar.c). What calendar_mark_far() takes, from .. to - 1, free
 * or not and however many, ends behind calendar_end(). */
void calendar_see_spans(struct calendar *calendar);
uint64_t calendar_take_slowly(struct calendar *calendar, uint64_t now,
			      uint64_t from, unsigned num);
void calendar_mark_far(struct calendar *calendar, uint64_t from, uint64_t to);
bool calendar_is_far_free(const struct calendar *calendar, uint64_t from,
			  unsigned num);

/* The first of `num` (1 to 64) free cycles in a row from `from` on. */
uint64_t calendar_free_from(const struct calendar *calendar, uint64_t from,
			    unsigned num);

/* What is before `now` is of no interest any more. */
static inline void calendar_forget(struct calendar *calendar, uint64_t now)
{
	if (now < calendar->base + 64)
		return;
	calendar->base = now & ~UINT64_C(63);
	if (calendar->num_spans)
		calendar_see_spans(calendar);
}

/* What begins before this cycle ends within the bits. */
static inline uint64_t calendar_end(const struct calendar *calendar)
{
	return calendar->base + CALENDAR_CYCLES - 64;
}

/* The lowest `num` bits, 1 to 64. */
static inline uint64_t calendar_mask(unsigned num)
{
	return UINT64_MAX >> (64 - num);
}

/* The bits of the 64 cycles that contain one. */
static inline uint64_t calendar_bits(const struct calendar *calendar,
				     uint64_t cycle)
{
	const struct calendar_word *word =
		&calendar->words[cycle / 64 % CALENDAR_WORDS];

	return word->number == cycle / 64 + 1 ? word->taken : 0;
}

/* Sets some of them. */
static inline void calendar_set(struct calendar *calendar, uint64_t cycle,
				uint64_t bits)
{
	struct calendar_word *word =
		&calendar->words[cycle / 64 % CALENDAR_WORDS];

	word->taken = calendar_bits(calendar, cycle) | bits;
	word->number = cycle / 64 + 1;
}

/* Bit 0: cycle `from`, bit 1: the next one, up to 64 of them. `from` is before
 * calendar_end(). */
static inline uint64_t calendar_look(const struct calendar *calendar,
				     uint64_t from)
{
	unsigned bit = from % 64;
	uint64_t low = calendar_bits(calendar, from) >> bit;

	if (!bit)
		return low;
	return low | calendar_bits(calendar, from + 63) << (64 - bit);
}

/* Takes cycles from .. from + num - 1, free or not; num is 1 to 64. */
static inline void calendar_mark(struct calendar *calendar, uint64_t from,
				 unsigned num)
{
	unsigned bit = from % 64;

	if (from + num > calendar_end(calendar)) {
		calendar_mark_far(calendar, from, from + num);
		return;
	}
	calendar_set(calendar, from, calendar_mask(num) << bit);
	if (bit + num > 64)
		calendar_set(calendar, from + 63,
			     calendar_mask(num) >> (64 - bit));
}

/* Whether cycles from .. from + num - 1 are free; num is 1 to 64. */
static inline bool calendar_is_free(const struct calendar *calendar,
				    uint64_t from, unsigned num)
{
	if (from >= calendar_end(calendar))
		return calendar_is_far_free(calendar, from, num);
	if (from % 64 + num <= 64)
		return !(calendar_bits(calendar, from) >> from % 64 &
			 calendar_mask(num));
	return !(calendar_look(calendar, from) & calendar_mask(num));
}

/* Takes cycles from .. from + num - 1 if they are free and that is seen at the
 * first look. */
static inline bool calendar_try(struct calendar *calendar, uint64_t from,
				unsigned num)
{
	struct calendar_word *word =
		&calendar->words[from / 64 % CALENDAR_WORDS];
	uint64_t mask = calendar_mask(num) << from % 64;

	if (from + num > calendar_end(calendar) || from % 64 + num > 64)
		return false;
	if (word->number != from / 64 + 1) {
		word->number = from / 64 + 1;
		word->taken = 0;
	}
	if (word->taken & mask)
		return false;
	word->taken |= mask;
	return true;
}

/* Takes the first `num` (1 to 64) free cycles in a row from `from` on, which is
 * not before `now`; returns the first of them. */
static inline uint64_t calendar_take(struct calendar *calendar, uint64_t now,
				     uint64_t from, unsigned num)
{
	if (calendar_try(calendar, from, num))
		return from;
	return calendar_take_slowly(calendar, now, from, num);
}

#endif
