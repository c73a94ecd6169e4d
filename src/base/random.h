/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * SplitMix64, the generator of Steele, Lea and Flood (2014): numbers that look
 * random and are the same whenever they are drawn from the same seed. Here as
 * it stands: traffic is drawn for each access.
 */
#ifndef UNCORE_BASE_RANDOM_H
#define UNCORE_BASE_RANDOM_H

#include <stdint.h>

#define RANDOM_STEP UINT64_C(0x9e3779b97f4a7c15)

/* A number whose every bit depends on every bit of x; different for each x, and
 * 0 for 0. */
static inline uint64_t random_mix(uint64_t x)
{
	x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
	return x ^ x >> 31;
}

/* The next number of a sequence that begins with any state. */
static inline uint64_t random_next(uint64_t *state)
{
	return random_mix(*state += RANDOM_STEP);
}

/* Number `index` of those that belong to a seed, without those before it. */
static inline uint64_t random_at(uint64_t seed, uint64_t index)
{
	return random_mix(seed * RANDOM_STEP + random_mix(index));
}

#endif
