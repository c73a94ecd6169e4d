/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Answers of CPUID that differ from QEMU's, for programs of the guest. The
 * guest's kernel gets QEMU's: it would start a driver for the core's counters,
 * which QEMU does not have.
 */
#ifndef UNCORE_GUEST_CPUID_H
#define UNCORE_GUEST_CPUID_H

#include <stdbool.h>
#include <stdint.h>

struct cpuid_answer {
	uint32_t eax, ebx, ecx, edx;
};

/* False for a leaf that is QEMU's. */
bool cpuid_answer(uint32_t leaf, struct cpuid_answer *answer);

#endif
