/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What CPUID says about the processor, one "name value" a line: what a program
 * (and the C library's choice of memcpy) believes that it runs on. Caches are
 * "LEVEL TYPE BYTES WAYS" with type 1 data, 2 code, 3 both.
 */
#include <cpuid.h>
#include <stdio.h>
#include <string.h>

static void print_vendor(void)
{
	unsigned a, words[3];
	char text[13] = "";

	__cpuid(0, a, words[0], words[2], words[1]);
	memcpy(text, words, sizeof(words));
	printf("vendor %s\n", text);
}

static void print_signature(void)
{
	unsigned a, b, c, d;
	unsigned family, model;

	__cpuid(1, a, b, c, d);
	family = a >> 8 & 0xf;
	model = a >> 4 & 0xf;
	if (family == 6 || family == 15)
		model |= a >> 12 & 0xf0;
	if (family == 15)
		family += a >> 20 & 0xff;
	printf("family %u\nmodel %u\nstepping %u\n", family, model, a & 0xf);
	printf("sse2 %u\nsse3 %u\nssse3 %u\nsse4_1 %u\nsse4_2 %u\n",
	       d >> 26 & 1, c & 1, c >> 9 & 1, c >> 19 & 1, c >> 20 & 1);
	printf("popcnt %u\naes %u\npclmulqdq %u\nosxsave %u\navx %u\n",
	       c >> 23 & 1, c >> 25 & 1, c >> 1 & 1, c >> 27 & 1, c >> 28 & 1);
	printf("clflush_bytes %u\n", (b >> 8 & 0xff) * 8);
}

static void print_extensions(void)
{
	unsigned a, b = 0, c = 0, d;

	if (__get_cpuid_count(7, 0, &a, &b, &c, &d) == 0)
		b = 0;
	printf("avx2 %u\nerms %u\navx512f %u\nclflushopt %u\nclwb %u\n",
	       b >> 5 & 1, b >> 9 & 1, b >> 16 & 1, b >> 23 & 1, b >> 24 & 1);
	c = 0;
	__get_cpuid(0x80000001, &a, &b, &c, &d);
	printf("prefetchw %u\n", c >> 8 & 1);
}

static void print_caches(void)
{
	unsigned a, b, c, d, i;

	for (i = 0; __get_cpuid_count(4, i, &a, &b, &c, &d) && a & 0x1f; i++) {
		unsigned ways = (b >> 22) + 1;
		unsigned long bytes = (unsigned long)ways *
				      ((b >> 12 & 0x3ff) + 1) *
				      ((b & 0xfff) + 1) * (c + 1UL);

		printf("cache %u %u %lu %u\n", a >> 5 & 7, a & 0x1f, bytes,
		       ways);
	}
}

int main(void)
{
	print_vendor();
	print_signature();
	print_extensions();
	print_caches();
	return 0;
}
