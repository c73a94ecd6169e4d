/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * A stay fills each of its cycles up by one layer. Where that makes the layer
 * of the level full, the level is published.
 */
#include "model/nehalem-ex/overlap.h"

#include <string.h>

static void move(struct overlap *overlap, uint64_t now)
{
	uint64_t base = now & ~UINT64_C(63), from = overlap->base;

	if (base - from > OVERLAP_CYCLES)
		from = base - OVERLAP_CYCLES;
	for (; from < base; from += 64)
		memset(overlap->layers[from / 64 % OVERLAP_WORDS], 0,
		       sizeof(overlap->layers[0]));
	overlap->base = base;
}

static void publish(struct sigbank *bank, unsigned signal, uint64_t at,
		    uint64_t bits)
{
	while (bits) {
		unsigned first = (unsigned)__builtin_ctzll(bits), num;
		uint64_t rest = ~(bits >> first);

		num = rest ? (unsigned)__builtin_ctzll(rest) : 64;
		sig_span(bank, signal, at + first, at + first + num, 1);
		if (first + num >= 64)
			return;
		bits &= ~UINT64_C(0) << (first + num);
	}
}

/* Cycles of one word; those in which the level begins to be 1. */
static uint64_t fill(struct overlap *overlap, uint64_t at, uint64_t bits)
{
	uint64_t *layers = overlap->layers[at / 64 % OVERLAP_WORDS];

	for (unsigned i = 0; i < overlap->enough && bits; i++) {
		uint64_t full = layers[i] & bits;

		layers[i] |= bits;
		if (i + 1 == overlap->enough)
			return bits & ~full;
		bits = full;
	}
	return 0;
}

void overlap_add_slowly(struct overlap *overlap, struct sigbank *bank,
			unsigned signal, uint64_t now, uint64_t from,
			uint64_t to)
{
	if (to > overlap->base + OVERLAP_CYCLES)
		move(overlap, now);
	if (to > overlap->base + OVERLAP_CYCLES)
		to = overlap->base + OVERLAP_CYCLES;
	while (from < to) {
		uint64_t word = from & ~UINT64_C(63), end = word + 64;
		uint64_t bits = ~UINT64_C(0) << (from - word);

		if (end > to)
			bits &= (UINT64_C(1) << (to - word)) - 1;
		publish(bank, signal, word, fill(overlap, word, bits));
		from = end;
	}
}
