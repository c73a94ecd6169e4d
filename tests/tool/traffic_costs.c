/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Loops of known instructions, each in a region of its own, so many rounds as
 * the argument says. Everything they touch is in the L1D, but of those whose
 * name begins with l2: that is in the L2 alone. What pages touches lies in four
 * times as many pages as the first level of the TLB has entries; large_pages
 * does the same in one page of 2 MB. wide and fused are there where the
 * processor has them.
 */
#include "uncore/mark.h"

#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

enum {
	WORDS = 64,
	NO_NAMES = 77,
	LINE = 64,
	L2_LINES = 2048,
	L2_STEP = 331, /* lines */
	PAGES = 256,
	PAGE_STEP = 4096 + LINE,
	LARGE = 2 << 20,
	FAR_STEP = 4096 + 8 * LINE, /* an eighth of the L1's sets */
};

#ifdef UNCORE_MARK_BEGIN_NAMED
static struct {
	void *self; /* the chase goes round here */
	uint64_t zeros[WORDS];
	uint64_t numbers[WORDS];
	uint64_t count;
} data;

/* Nobody ever changes these: they go to the L1 and not back. */
static const _Alignas(4096) char clean[L2_LINES * LINE] = { 1 };
static _Alignas(4096) char lines[L2_LINES * LINE];
static _Alignas(4096) char pages[PAGES * FAR_STEP];

/* At each step how far from the beginning the next one is. */
static void chain(char *at, size_t num, size_t step_bytes, size_t steps)
{
	for (size_t i = 0; i < num; i++)
		*(uint64_t *)(void *)(at + i * step_bytes) =
			(i + steps) % num * step_bytes;
}

/* The instructions, and a count down to 0 in RCX. */
#define LOOP(name, instructions) LOOP_IN(name, data.zeros, instructions)
#define LOOP_IN(name, place, instructions)                                     \
	do {                                                                   \
		uint64_t left = rounds;                                        \
		uncore_region_begin(name);                                     \
		__asm__ volatile("xor %%eax, %%eax\nxor %%edx, %%edx\n"        \
				 ".p2align 4\n1:\n" instructions               \
				 "dec %%rcx\njnz 1b\n"                         \
				 : "+c"(left)                                  \
				 : "S"(&data.self), "b"(place),                \
				   "D"(data.numbers), "m"(data)                \
				 : "rax", "rdx", "r8", "r9", "r10", "r11",     \
				   "xmm0", "xmm1", "xmm2", "xmm3", "xmm4",     \
				   "xmm5", "xmm6", "xmm7", "cc", "memory");    \
		uncore_region_end(name);                                       \
	} while (0)

static void run(uint64_t rounds)
{
	char *large = aligned_alloc(LARGE, LARGE);

	data.self = &data.self;
	LOOP("adds", "add $1, %%rax\nadd $2, %%rax\nadd $3, %%rax\n"
		     "add $4, %%rax\n");
	LOOP("multiply", "imul %%rdx, %%rax\n");
	LOOP("choose", "test %%rdx, %%rdx\ncmovne %%rax, %%r8\n"
		       "cmovne %%r8, %%rax\n");
	LOOP("independent",
	     "add $1, %%rax\nadd $1, %%rdx\nadd $1, %%r8\nadd $1, %%r9\n"
	     "add $1, %%r10\nadd $1, %%r11\nadd $1, %%rax\nadd $1, %%rdx\n"
	     "add $1, %%r8\nadd $1, %%r9\nadd $1, %%r10\nadd $1, %%r11\n"
	     "add $1, %%rax\n");
	LOOP("loads", "mov (%%rdi), %%rax\nmov 8(%%rdi), %%rdx\n"
		      "mov 16(%%rdi), %%r8\nmov 24(%%rdi), %%r9\n"
		      "mov 32(%%rdi), %%r10\nmov 40(%%rdi), %%r11\n");
	LOOP("stores", "mov %%rax, (%%rdi)\nmov %%rax, 8(%%rdi)\n"
		       "mov %%rax, 16(%%rdi)\nmov %%rax, 24(%%rdi)\n");
	LOOP("fp_sum", "addsd (%%rdi), %%xmm0\n");
	LOOP("fp_product", "mulsd (%%rdi), %%xmm0\n");
	LOOP("fp_both", "mulsd %%xmm1, %%xmm0\naddsd %%xmm2, %%xmm0\n");
	LOOP("vectors", "addpd %%xmm1, %%xmm0\n");
	LOOP("chase", "mov (%%rsi), %%rsi\n");
	LOOP("index", "mov (%%rbx, %%rax, 8), %%rax\n");
	LOOP("divide", "xor %%edx, %%edx\nmov $7, %%r8d\ndiv %%r8d\n");
	LOOP("counter", "addq $1, (%%rdi)\n");
	LOOP("gather", "mov (%%rbx, %%rax, 8), %%rdx\n"
		       "addsd (%%rdi, %%rdx, 8), %%xmm0\n"
		       "mov %%ecx, %%eax\nand $31, %%eax\n");
	LOOP("rep_bytes", "mov %%rcx, %%r8\nmov $512, %%ecx\n"
			  "mov %%rbx, %%rdi\nrep stosb\nmov %%r8, %%rcx\n");
	LOOP("rep_words", "mov %%rcx, %%r8\nmov $64, %%ecx\nmov %%rdi, %%r9\n"
			  "mov %%rsi, %%r10\nmov %%rdi, %%rsi\n"
			  "mov %%rbx, %%rdi\nrep movsq\nmov %%r9, %%rdi\n"
			  "mov %%r10, %%rsi\nmov %%r8, %%rcx\n");
	LOOP("two_blocks", "addsd %%xmm1, %%xmm0\njmp 2f\nnop\n2:\n"
			   "addsd %%xmm1, %%xmm0\n");
	if (__builtin_cpu_supports("avx"))
		LOOP("wide", "vmovupd (%%rdi), %%ymm0\n"
			     "vmovupd 32(%%rdi), %%ymm1\n"
			     "vmovupd 64(%%rdi), %%ymm2\n"
			     "vmovupd 96(%%rdi), %%ymm3\n"
			     "vmovupd 128(%%rdi), %%ymm4\n"
			     "vmovupd 160(%%rdi), %%ymm5\n");
	if (__builtin_cpu_supports("fma"))
		LOOP("fused", "vfmadd231pd (%%rdi), %%ymm7, %%ymm0\n"
			      "vfmadd231pd 32(%%rdi), %%ymm7, %%ymm1\n"
			      "vfmadd231pd 64(%%rdi), %%ymm7, %%ymm2\n"
			      "vfmadd231pd 96(%%rdi), %%ymm7, %%ymm3\n"
			      "vfmadd231pd %%ymm7, %%ymm7, %%ymm4\n"
			      "vfmadd231pd %%ymm7, %%ymm7, %%ymm5\n"
			      "vfmadd231pd %%ymm7, %%ymm7, %%ymm6\n"
			      "vfmadd231pd (%%rdi), %%ymm7, %%ymm0\n");
	chain(lines, L2_LINES, LINE, L2_STEP);
	LOOP_IN("l2_chase", lines, "mov (%%rbx, %%rax), %%rax\n");
	LOOP_IN("l2_read", clean,
		"mov (%%rbx, %%rax), %%r8\n"
		"add $64, %%rax\nand $0x1ffff, %%eax\n");
	LOOP_IN("l2_write", lines,
		"mov %%r8, (%%rbx, %%rax)\n"
		"add $64, %%rax\nand $0x1ffff, %%eax\n");
	chain(pages, PAGES, PAGE_STEP, 1);
	LOOP_IN("pages", pages, "mov (%%rbx, %%rax), %%rax\n");
	chain(pages, PAGES, FAR_STEP, 1);
	LOOP_IN("l2_pages", pages, "mov (%%rbx, %%rax), %%rax\n");
	madvise(large, LARGE, MADV_HUGEPAGE);
	chain(large, PAGES, PAGE_STEP, 1);
	LOOP_IN("large_pages", large, "mov (%%rbx, %%rax), %%rax\n");
}

int main(int argc, char **argv)
{
	run(argc > 1 ? strtoull(argv[1], NULL, 0) : 1000);
	return 0;
}
#else
int main(void)
{
	return NO_NAMES;
}
#endif
