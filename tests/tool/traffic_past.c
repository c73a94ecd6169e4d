/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Instructions that do not go through the caches like a load or a store. SIZE
 * may end in K or M; N or PASSES = 0 prepares everything and does nothing.
 *
 *   load SIZE PASSES       plain loads, one a line, for comparison
 *   unused SIZE PASSES     plain loads, of values that nobody uses
 *   store SIZE PASSES      plain stores, one a line
 *   add SIZE PASSES        plain loads, one a line, each with a store behind it
 *   stream SIZE PASSES     MOVNTDQ, four a line
 *   partial SIZE PASSES    MOVNTI of 8 bytes, one a line: no line is full
 *   flush N                a store and a CLFLUSH of one line, N times
 *   clflushopt N, clwb N   ... a CLFLUSHOPT, a CLWB
 *   t0, t1, t2, nta, w SIZE PASSES   prefetches, one a line, and no load
 *   split N                LOCK XADD of a word in two lines, N times
 *   movs SIZE PASSES       REP MOVSB from memory that is in no cache
 *   stos SIZE PASSES       REP STOSB
 *   copy SIZE PASSES       MOVDQA, a line of four at a time
 *   set SIZE PASSES
 *   memcpy SIZE PASSES     the C library's
 *   memset SIZE PASSES
 */
#include <emmintrin.h>

#include "tests/tool/traffic.h"

enum { VECTOR = sizeof(__m128i) };

/* PASSES times over SIZE bytes. */
static int repeat(void (*pass)(volatile uint8_t *memory, size_t size),
		  volatile uint8_t *(*prepare)(size_t size), char **argv)
{
	size_t size = number(argv[0]);
	size_t passes = number(argv[1]);
	volatile uint8_t *memory = prepare(size);

	while (passes--)
		pass(memory, size);
	return 0;
}

#define REPEAT(name, pass, prepare)                                            \
	static int name(int argc, char **argv)                                 \
	{                                                                      \
		(void)argc;                                                    \
		return repeat(pass, prepare, argv);                            \
	}

static void plain_loads(volatile uint8_t *memory, size_t size)
{
	load_lines(memory, size);
}

/* Four lines for one register: no value is used, and three are lost at once. */
static void unused_loads(volatile uint8_t *memory, size_t size)
{
	size_t i;

	for (i = 0; i < size; i += 4 * LINE)
		__asm__ volatile("mov (%0), %%eax\n\t"
				 "mov 64(%0), %%eax\n\t"
				 "mov 128(%0), %%eax\n\t"
				 "mov 192(%0), %%eax"
				 :
				 : "r"(memory + i)
				 : "eax", "memory");
}

static void plain_stores(volatile uint8_t *memory, size_t size)
{
	store_lines(memory, size, 2);
}

static void additions(volatile uint8_t *memory, size_t size)
{
	size_t i;

	for (i = 0; i < size; i += LINE)
		memory[i] += 2;
}

static void full_lines(volatile uint8_t *memory, size_t size)
{
	size_t i;

	for (i = 0; i < size; i += VECTOR)
		_mm_stream_si128((__m128i *)(memory + i), _mm_set1_epi8(2));
	_mm_sfence();
}

static void parts_of_lines(volatile uint8_t *memory, size_t size)
{
	size_t i;

	for (i = 0; i < size; i += LINE)
		_mm_stream_si64((long long *)(memory + i), 2);
	_mm_sfence();
}

REPEAT(load, plain_loads, cold)
REPEAT(unused, unused_loads, cold)
REPEAT(store, plain_stores, cold)
REPEAT(add, additions, cold)
REPEAT(stream, full_lines, fresh)
REPEAT(partial, parts_of_lines, fresh)

#define PREFETCH(name, instruction)                                            \
	static void name##_lines(volatile uint8_t *memory, size_t size)        \
	{                                                                      \
		for (size_t i = 0; i < size; i += LINE)                        \
			__asm__ volatile(instruction " %0"                     \
					 :                                     \
					 : "m"(memory[i]));                    \
	}                                                                      \
	REPEAT(name, name##_lines, cold)

PREFETCH(prefetch_t0, "prefetcht0")
PREFETCH(prefetch_t1, "prefetcht1")
PREFETCH(prefetch_t2, "prefetcht2")
PREFETCH(prefetch_nta, "prefetchnta")
PREFETCH(prefetch_w, "prefetchw")

static _Alignas(PAGE) volatile uint8_t page[PAGE];

#define FLUSH(name, instruction)                                               \
	static int name(int argc, char **argv)                                 \
	{                                                                      \
		(void)argc;                                                    \
		for (size_t left = number(argv[0]); left; left--) {            \
			page[0] = (uint8_t)left;                               \
			__asm__ volatile(instruction                           \
					 :                                     \
					 : "a"(page)                           \
					 : "memory");                          \
		}                                                              \
		_mm_mfence();                                                  \
		return 0;                                                      \
	}

FLUSH(flush, "clflush (%%rax)")

/* As bytes: assemblers and processors of the modelled one's time know neither.
 * CLFLUSHOPT (%rax) is 66 0F AE /7, CLWB (%rax) 66 0F AE /6. */
FLUSH(clflushopt, ".byte 0x66, 0x0f, 0xae, 0x38")
FLUSH(clwb, ".byte 0x66, 0x0f, 0xae, 0x30")

static int split(int argc, char **argv)
{
	/* Two bytes in one line, two in the next. */
	volatile uint32_t *word =
		(volatile uint32_t *)(uintptr_t)(page + LINE - 2);
	size_t count = number(argv[0]);
	size_t i;

	(void)argc;
	for (i = 0; i < count; i++) {
		uint32_t one = 1;

		__asm__ volatile("lock xaddl %0, %1"
				 : "+r"(one), "+m"(*word)
				 :
				 : "memory");
	}
	return *word == (uint32_t)count ? 0 : WRONG;
}

static void rep_movsb(void *to, const void *from, size_t size)
{
	__asm__ volatile("rep movsb"
			 : "+D"(to), "+S"(from), "+c"(size)
			 :
			 : "memory");
}

static void rep_stosb(void *to, const void *unused, size_t size)
{
	(void)unused;
	__asm__ volatile("rep stosb"
			 : "+D"(to), "+c"(size)
			 : "a"(1)
			 : "memory");
}

static void vector_copy(void *to, const void *from, size_t size)
{
	__m128i *target = to;
	const __m128i *source = from;

	for (; size; size -= LINE, target += 4, source += 4) {
		__m128i a = _mm_load_si128(source);
		__m128i b = _mm_load_si128(source + 1);
		__m128i c = _mm_load_si128(source + 2);
		__m128i d = _mm_load_si128(source + 3);

		_mm_store_si128(target, a);
		_mm_store_si128(target + 1, b);
		_mm_store_si128(target + 2, c);
		_mm_store_si128(target + 3, d);
		__asm__ volatile("" ::: "memory"); /* not memcpy's code */
	}
}

static void vector_set(void *to, const void *unused, size_t size)
{
	__m128i *target = to;

	(void)unused;
	for (; size; size -= LINE, target += 4) {
		_mm_store_si128(target, _mm_set1_epi8(1));
		_mm_store_si128(target + 1, _mm_set1_epi8(1));
		_mm_store_si128(target + 2, _mm_set1_epi8(1));
		_mm_store_si128(target + 3, _mm_set1_epi8(1));
		__asm__ volatile("" ::: "memory");
	}
}

static void library_copy(void *to, const void *from, size_t size)
{
	memcpy(to, from, size);
	__asm__ volatile("" : : "r"(to) : "memory");
}

static void library_set(void *to, const void *unused, size_t size)
{
	(void)unused;
	memset(to, 1, size);
	__asm__ volatile("" : : "r"(to) : "memory");
}

/* All source bytes that are looked at are 1, and the target becomes 1. */
static int move(void (*how)(void *to, const void *from, size_t size),
		char **argv)
{
	size_t size = number(argv[0]);
	size_t passes = number(argv[1]);
	void *from = (void *)cold(size);
	uint8_t *to = (uint8_t *)fresh(size);

	if (!passes)
		return 0;
	while (passes--)
		how(to, from, size);
	return to[0] == 1 && to[size - LINE] == 1 ? 0 : WRONG;
}

#define MOVE(name, how)                                                        \
	static int name(int argc, char **argv)                                 \
	{                                                                      \
		(void)argc;                                                    \
		return move(how, argv);                                        \
	}

MOVE(movs, rep_movsb)
MOVE(stos, rep_stosb)
MOVE(copy, vector_copy)
MOVE(set, vector_set)
MOVE(use_memcpy, library_copy)
MOVE(use_memset, library_set)

int main(int argc, char **argv)
{
	static const struct deed deeds[] = {
		{ "load", load, 2 },	     { "store", store, 2 },
		{ "add", add, 2 },	     { "unused", unused, 2 },
		{ "stream", stream, 2 },     { "partial", partial, 2 },
		{ "flush", flush, 1 },	     { "clflushopt", clflushopt, 1 },
		{ "clwb", clwb, 1 },	     { "t0", prefetch_t0, 2 },
		{ "t1", prefetch_t1, 2 },    { "t2", prefetch_t2, 2 },
		{ "nta", prefetch_nta, 2 },  { "w", prefetch_w, 2 },
		{ "split", split, 1 },	     { "movs", movs, 2 },
		{ "stos", stos, 2 },	     { "copy", copy, 2 },
		{ "set", set, 2 },	     { "memcpy", use_memcpy, 2 },
		{ "memset", use_memset, 2 }, { NULL, NULL, 0 },
	};

	return do_deed(deeds, argc, argv);
}
