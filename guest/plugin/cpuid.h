/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Answers of CPUID that differ from QEMU's, whose options set neither the sizes
 * of caches nor what counters there are.
 */
#ifndef UNCORE_GUEST_CPUID_H
#define UNCORE_GUEST_CPUID_H

#include <stdbool.h>
#include <stdint.h>

struct channel;

struct cpuid_answer {
	uint32_t eax, ebx, ecx, edx;
};

/* False for a leaf that is QEMU's. `user`: a program asks, not the kernel.
 * Then *answer is QEMU's before. */
bool cpuid_answer(const struct channel *channel, uint32_t leaf,
		  uint32_t subleaf, bool user, struct cpuid_answer *answer);

#endif
