/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Streaming stores of lines and of parts of lines: WHAT is done to LINES lines
 * of memory that nothing has used; 0 does nothing.
 *
 *   half, left     four MOVNTI of 8 bytes, the first half; left: no fence after
 *   words, vectors, quads    one MOVNTI of 4 bytes, MOVNTPS, MOVNTQ a line
 *   some, few      MASKMOVDQU, MASKMOVQ of every other byte
 *   all, none      four MASKMOVDQU of all bytes, of none
 *   reverse        a whole line, its bytes from the end on
 *   ten            first halves of ten lines, then second ones, back to front
 *   eleven         eleven lines by turns, 8 bytes each time
 *   early          a line's first 8 bytes, nine whole lines, and its rest
 *   sfence, mfence, lock, cpuid, call, load, lfence, nothing
 *                  a half, then this, then the other half
 */
#include <immintrin.h>
#include <stdbool.h>
#include <unistd.h>

#include <sys/syscall.h>

#include "tests/tool/traffic.h"

enum { WORD = 8, WORDS = LINE / WORD, HALF = WORDS / 2 };

static volatile uint32_t locked;

static void store_words(volatile uint8_t *line, unsigned from, unsigned to)
{
	for (unsigned i = from; i < to; i++)
		_mm_stream_si64((long long *)(uintptr_t)(line + i * WORD), 1);
}

static void half(volatile uint8_t *line)
{
	store_words(line, 0, HALF);
}

static void words(volatile uint8_t *line)
{
	_mm_stream_si32((int *)(uintptr_t)(line + 20), 1);
}

static void vectors(volatile uint8_t *line)
{
	_mm_stream_ps((float *)(uintptr_t)(line + 16), _mm_set1_ps(1));
}

static void quads(volatile uint8_t *line)
{
	_mm_stream_pi((__m64 *)(uintptr_t)(line + 8), _mm_set1_pi8(1));
	_mm_empty();
}

static void mask(volatile uint8_t *at, __m128i bytes)
{
	_mm_maskmoveu_si128(_mm_set1_epi8(1), bytes, (char *)(uintptr_t)at);
}

static void some(volatile uint8_t *line)
{
	mask(line + 32, _mm_set1_epi16((short)0x8000));
}

static void few(volatile uint8_t *line)
{
	_mm_maskmove_si64(_mm_set1_pi8(1), _mm_set1_pi16((short)0x8000),
			  (char *)(uintptr_t)(line + 24));
	_mm_empty();
}

static void all(volatile uint8_t *line)
{
	for (unsigned i = 0; i < LINE; i += 16)
		mask(line + i, _mm_set1_epi8(-1));
}

static void none(volatile uint8_t *line)
{
	for (unsigned i = 0; i < LINE; i += 16)
		mask(line + i, _mm_setzero_si128());
}

static void reverse(volatile uint8_t *line)
{
	for (unsigned i = WORDS; i--;)
		store_words(line, i, i + 1);
}

/* Groups of lines */

static void ten(volatile uint8_t *line)
{
	for (unsigned i = 0; i < 10; i++)
		store_words(line + i * LINE, 0, HALF);
	for (unsigned i = 10; i--;)
		store_words(line + i * LINE, HALF, WORDS);
}

static void eleven(volatile uint8_t *line)
{
	for (unsigned word = 0; word < WORDS; word++)
		for (unsigned i = 0; i < 11; i++)
			store_words(line + i * LINE, word, word + 1);
}

static void early(volatile uint8_t *line)
{
	store_words(line, 0, 1);
	for (unsigned i = 1; i < 10; i++)
		store_words(line + i * LINE, 0, WORDS);
	store_words(line, 1, WORDS);
}

/* What comes between two halves */

static void then_sfence(volatile uint8_t *line)
{
	(void)line;
	_mm_sfence();
}

static void then_mfence(volatile uint8_t *line)
{
	(void)line;
	_mm_mfence();
}

static void then_lfence(volatile uint8_t *line)
{
	(void)line;
	_mm_lfence();
}

static void then_lock(volatile uint8_t *line)
{
	(void)line;
	__atomic_fetch_add(&locked, 1, __ATOMIC_SEQ_CST);
}

static void then_cpuid(volatile uint8_t *line)
{
	uint32_t a = 0, b, c = 0, d;

	(void)line;
	__asm__ volatile("cpuid"
			 : "+a"(a), "=b"(b), "+c"(c), "=d"(d)
			 :
			 : "memory");
}

static void then_call(volatile uint8_t *line)
{
	(void)line;
	syscall(SYS_getppid);
}

static void then_load(volatile uint8_t *line)
{
	(void)line[HALF * WORD];
}

static void then_nothing(volatile uint8_t *line)
{
	(void)line;
}

static const struct what {
	const char *name;
	void (*group)(volatile uint8_t *line);
	void (*then)(volatile uint8_t *line);
	unsigned lines; /* of a group; 0: 1 */
	bool is_left;	/* unfenced */
} whats[] = {
	{ .name = "half", .group = half },
	{ .name = "left", .group = half, .is_left = true },
	{ .name = "words", .group = words },
	{ .name = "vectors", .group = vectors },
	{ .name = "quads", .group = quads },
	{ .name = "some", .group = some },
	{ .name = "few", .group = few },
	{ .name = "all", .group = all },
	{ .name = "none", .group = none },
	{ .name = "reverse", .group = reverse },
	{ .name = "ten", .group = ten, .lines = 10 },
	{ .name = "eleven", .group = eleven, .lines = 11 },
	{ .name = "early", .group = early, .lines = 10 },
	{ .name = "sfence", .group = half, .then = then_sfence },
	{ .name = "mfence", .group = half, .then = then_mfence },
	{ .name = "lfence", .group = half, .then = then_lfence },
	{ .name = "lock", .group = half, .then = then_lock },
	{ .name = "cpuid", .group = half, .then = then_cpuid },
	{ .name = "call", .group = half, .then = then_call },
	{ .name = "load", .group = half, .then = then_load },
	{ .name = "nothing", .group = half, .then = then_nothing },
};

static void use(const struct what *what, size_t lines)
{
	volatile uint8_t *memory = fresh(lines * LINE);
	unsigned group = what->lines ? what->lines : 1;

	for (size_t i = 0; i + group <= lines; i += group) {
		volatile uint8_t *line = memory + i * LINE;

		what->group(line);
		if (!what->then)
			continue;
		what->then(line);
		store_words(line, HALF, WORDS);
	}
	if (!what->is_left)
		_mm_sfence();
}

int main(int argc, char **argv)
{
	for (size_t i = 0; argc == 3 && i < sizeof(whats) / sizeof(*whats); i++)
		if (!strcmp(argv[1], whats[i].name)) {
			use(&whats[i], number(argv[2]));
			return 0;
		}
	fprintf(stderr, "usage: %s WHAT LINES\n", argv[0]);
	return USAGE;
}
