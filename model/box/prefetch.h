/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The four hardware prefetchers of a core of Nehalem and Westmere: what each
 * remembers of the accesses that reach it, and which lines it asks for. It
 * neither knows what the caches hold nor fills them; model/box/privcache.c
 * does.
 *
 * All work with lines (physical address / 64) and never leave a line's page of
 * 4 KB. From Intel's optimisation manual (248966; the L1's under Core and
 * Nehalem, the L2's numbers under Sandy Bridge, where they are first printed):
 *   next line     a load that goes on upwards from data loaded very recently
 *                 brings the next line into the L1D;
 *   stride        an instruction whose loads have a regular stride of up to
 *                 2 KB, in either direction, brings the next one into the L1D;
 *   adjacent      what the L2 fetches is completed to a pair of 128 bytes;
 *   streamer      up to 32 streams, one a page, upwards or downwards, up to 20
 *                 lines ahead and two for each look-up of the L2; look-ups by
 *                 the L1's prefetchers and by fetches count, too.
 * That the four can be switched off one by one, and by which bits of MSR 0x1A4,
 * is in Intel's "Disclosure of Hardware Prefetcher Control".
 *
 * Assumed: how much is remembered of recent loads (16 lines) and instructions
 * (256, found by the low bits of their addresses, as in the processor); that
 * two steps of the same length or direction are enough; that a stream which was
 * not looked up lately makes room for a new one; that a line which was asked
 * for far ahead, into the LLC alone, is asked for into the L2 when the stream
 * has come near, besides the two. Left out: running less far ahead when the
 * core has much under way, strides finer than a line, the fetch unit's own
 * prefetches.
 *
 * Freestanding, no pointers inside; all zero means nothing seen yet. Not thread
 * safe.
 */
#ifndef UNCORE_PREFETCH_H
#define UNCORE_PREFETCH_H

#include <stdint.h>

/* Prefetchers that are on, as bits: those of MSR 0x1A4, which has a 1 for each
 * that is off. */
enum {
	PREFETCH_STREAMER = 1,
	PREFETCH_ADJACENT = 2,
	PREFETCH_NEXT_LINE = 4,
	PREFETCH_STRIDE = 8,
	PREFETCH_ALL = 15,
};

enum {
	PREFETCH_LOADS = 16,
	PREFETCH_CODES = 256,
	PREFETCH_MAX_STRIDE = 32, /* lines */
	PREFETCH_STREAMS = 32,
	PREFETCH_HEADS = 64,
	PREFETCH_AHEAD = 20, /* lines */
	PREFETCH_PER_LOOKUP = 2,
	PREFETCH_STEPS = 2, /* alike, before a prefetcher believes in them */
};

/* The loads of an instruction. */
struct prefetch_code {
	uint32_t tag;  /* the rest of its address; 0: empty */
	uint32_t line; /* its latest, modulo 2^32 */
	int8_t stride;
	uint8_t steps; /* of that stride */
};

/* Look-ups of the L2 in one page. */
struct prefetch_stream {
	uint8_t latest;	  /* line in the page */
	uint8_t reached;  /* the farthest line asked for */
	int8_t direction; /* 1, -1; 0: not known yet */
	uint8_t steps;	  /* in that direction */
};

struct prefetch {
	uint64_t loads[PREFETCH_LOADS]; /* lines plus 1 */
	struct prefetch_code codes[PREFETCH_CODES];
	uint32_t pages[PREFETCH_STREAMS]; /* of the streams, plus 1 */
	/* Lists of streams, by their pages: numbers plus 1, 0 ends a list. */
	uint8_t heads[PREFETCH_HEADS], next[PREFETCH_STREAMS];
	struct prefetch_stream streams[PREFETCH_STREAMS];
	uint32_t used; /* bit n: stream n was looked up lately */
	uint32_t hand; /* the next that may make room */
};

/* A load of a line: the next line that ought to be in the L1D, if any (0: line
 * 0 is never one). */
uint64_t prefetch_next_line(struct prefetch *prefetch, uint64_t line);

/* The same for a load by the instruction at `code` (0: not known). */
uint64_t prefetch_stride(struct prefetch *prefetch, uint64_t line,
			 uint64_t code);

/* A look-up of a line in the L2: how many lines ought to be there, in lines[].
 */
unsigned prefetch_stream(struct prefetch *prefetch, uint64_t line,
			 uint64_t lines[PREFETCH_PER_LOOKUP]);

/* Before such a look-up: the line that its stream has come near to by it, where
 * the stream had been that far before; else 0. Near are so many lines. */
uint64_t prefetch_near(const struct prefetch *prefetch, uint64_t line,
		       unsigned near);

/* The other line of the pair. */
static inline uint64_t prefetch_adjacent(uint64_t line)
{
	return line ^ 1;
}

#endif
