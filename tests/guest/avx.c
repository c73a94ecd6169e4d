/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Runs in a guest (exact_e5.py): adds up with AVX, and prints leaf 6 of CPUID,
 * heat and clocks, and what leaf 1 says of it: TM2, ACPI, TM.
 */
#include <cpuid.h>
#include <immintrin.h>
#include <stdio.h>

enum { NUM = 8 };

__attribute__((target("avx"))) static float add(const float *a, const float *b)
{
	float sum = 0, sums[NUM];

	_mm256_storeu_ps(sums,
			 _mm256_add_ps(_mm256_loadu_ps(a), _mm256_loadu_ps(b)));
	for (unsigned i = 0; i < NUM; i++)
		sum += sums[i];
	return sum;
}

int main(void)
{
	static const float a[NUM] = { 1, 2, 3, 4, 5, 6, 7, 8 };
	unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;

	__get_cpuid_count(6, 0, &eax, &ebx, &ecx, &edx);
	printf("%.0f %x %x %x", (double)add(a, a), eax, ebx, ecx);
	__get_cpuid(1, &eax, &ebx, &ecx, &edx);
	printf(" %u %u %u\n", ecx >> 8 & 1, edx >> 22 & 1, edx >> 29 & 1);
	return 0;
}
