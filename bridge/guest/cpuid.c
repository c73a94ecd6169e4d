/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * QEMU's software processor says that it has no performance counters at all,
 * which monitoring tools take for an unusable PMU. A Xeon E7 has version 3 of
 * the architectural ones.
 */
#include "bridge/guest/cpuid.h"

enum {
	LEAF_PERFORMANCE = 0xa,
	VERSION = 3,
	NUM_COUNTERS = 4,
	NUM_FIXED = 3,
	WIDTH_BITS = 48,
	NUM_EVENTS = 7, /* architectural ones, all there */
};

bool cpuid_answer(uint32_t leaf, struct cpuid_answer *answer)
{
	if (leaf != LEAF_PERFORMANCE)
		return false;
	*answer = (struct cpuid_answer){
		.eax = VERSION | NUM_COUNTERS << 8 | WIDTH_BITS << 16 |
		       NUM_EVENTS << 24,
		.edx = NUM_FIXED | WIDTH_BITS << 5,
	};
	return true;
}
