/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Caches: those of the model, the private ones by their fixed sizes, the LLC of
 * a socket as one cache. Where a leaf is a list of descriptors it says what a
 * Westmere does, whose 0xFF leads to leaf 4.
 *
 * Counters: QEMU's software processor says that it has none at all, which
 * monitoring tools take for an unusable PMU. A Xeon E7 has version 3 of the
 * architectural ones. Programs are told; the kernel would start a driver for
 * them, which wants what QEMU does not have. So with the sensors of heat, APERF
 * and MPERF (leaf 6), and in leaf 1 with all but TM2, which LIKWID looks for
 * among the flags that the kernel shows.
 */
#include "cpuid.h"

#include "channel.h"
#include "model/box/privcache.h"

enum {
	LEAF_FEATURES = 0x1,
	LEAF_DESCRIPTORS = 0x2,
	LEAF_CACHES = 0x4,
	LEAF_THERMAL = 0x6,
	LEAF_PERFORMANCE = 0xa,
	LEAF_L2 = 0x80000006u,
	LEAF_POWER = 0x80000007u,

	VERSION = 3,
	NUM_COUNTERS = 4,
	NUM_FIXED = 3,
	WIDTH_BITS = 48,
	NUM_EVENTS = 7, /* architectural ones, all there */

	LINE_BYTES = 64,
	KB = 1024,
	WAYS_8 = 6, /* AMD's codes */
	WAYS_16 = 8,
	/* Leaf 4 */
	DATA = 1,
	CODE = 2,
	UNIFIED = 3,
	SELF_STARTING = 1 << 8,
	SHARERS_BIT = 14, /* CPU numbers that are kept for sharers, less 1 */
	CORES_BIT = 26,
	WAYS_BIT = 22,
	INCLUSIVE = 1 << 1,
	SAME_RATE = 1 << 8, /* of the time stamp counter, in all states */
	/* Leaf 1: the clock and heat are looked after */
	MONITORS = 1 << 8,		 /* ecx: TM2 */
	KEEPS_CLOCK = 1 << 22 | 1 << 29, /* edx: ACPI, TM */
	/* Leaf 6 */
	SENSOR = 1 << 0,
	SAME_TIMER = 1 << 2, /* the APIC's runs in all states */
	PACKAGE_SENSOR = 1 << 6,
	NUM_THRESHOLDS = 2,
	HAS_APERF = 1 << 0,
	PACKAGE_THERM_STATUS = 0x1b1,
};

/* The CPU numbers of a socket, less 1: a power of two of them. */
static uint32_t last_of_socket(const struct channel *channel)
{
	uint32_t room = 1;

	while (room < channel->cores_per_socket)
		room *= 2;
	return room - 1;
}

static void cache(const struct channel *channel, uint32_t index,
		  struct cpuid_answer *answer)
{
	const struct {
		uint32_t type, level, ways, sets;
	} caches[] = {
		{ DATA, 1, PRIVCACHE_L1D_WAYS, PRIVCACHE_L1D_SETS },
		{ CODE, 1, channel->l1i_ways,
		  PRIVCACHE_L1I_LINES / channel->l1i_ways },
		{ UNIFIED, 2, channel->l2_ways, channel->l2_sets },
		{ UNIFIED, 3, channel->llc_ways,
		  channel->llc_bytes / LINE_BYTES / channel->llc_ways },
	};

	*answer = (struct cpuid_answer){ 0 };
	if (index >= sizeof(caches) / sizeof(caches[0]))
		return;
	if (caches[index].level == 3) {
		answer->eax = last_of_socket(channel) << SHARERS_BIT;
		answer->edx = INCLUSIVE;
	}
	answer->eax |= caches[index].type | caches[index].level << 5 |
		       SELF_STARTING |
		       (channel->cores_per_socket - 1) << CORES_BIT;
	answer->ebx = (caches[index].ways - 1) << WAYS_BIT | (LINE_BYTES - 1);
	answer->ecx = caches[index].sets - 1;
}

static bool performance(bool user, struct cpuid_answer *answer)
{
	*answer = (struct cpuid_answer){
		.eax = VERSION | NUM_COUNTERS << 8 | WIDTH_BITS << 16 |
		       NUM_EVENTS << 24,
		.edx = NUM_FIXED | WIDTH_BITS << 5,
	};
	return user;
}

static bool has_register(const struct channel *channel, uint32_t address)
{
	uint32_t i;

	for (i = 0; i < channel->num_registers; i++)
		if (channel->registers[i] == address)
			return true;
	return false;
}

/* As with the counters, the kernel would drive what QEMU does not have. */
static bool thermal(const struct channel *channel, bool user,
		    struct cpuid_answer *answer)
{
	*answer = (struct cpuid_answer){
		.eax = SENSOR | SAME_TIMER,
		.ebx = NUM_THRESHOLDS,
		.ecx = HAS_APERF,
	};
	if (has_register(channel, PACKAGE_THERM_STATUS))
		answer->eax |= PACKAGE_SENSOR;
	return user;
}

bool cpuid_answer(const struct channel *channel, uint32_t leaf,
		  uint32_t subleaf, bool user, struct cpuid_answer *answer)
{
	if (leaf == LEAF_PERFORMANCE)
		return performance(user, answer);
	if (leaf == LEAF_FEATURES) {
		answer->ecx |= MONITORS;
		answer->edx |= user ? KEEPS_CLOCK : 0;
		return true;
	}
	if (leaf == LEAF_THERMAL)
		return thermal(channel, user, answer);
	if (!channel->llc_ways)
		return false;
	switch (leaf) {
	case LEAF_DESCRIPTORS:
		*answer = (struct cpuid_answer){ .eax = 0x55035a01,
						 .ebx = 0x00f0b2ff,
						 .edx = 0x00ca0000 };
		return true;
	case LEAF_CACHES: cache(channel, subleaf, answer); return true;
	case LEAF_L2:
		*answer = (struct cpuid_answer){
			.ecx = channel->l2_ways * channel->l2_sets *
					       LINE_BYTES / KB
				       << 16 |
			       (channel->l2_ways == 8 ? WAYS_8 : WAYS_16)
				       << 12 |
			       LINE_BYTES,
		};
		return true;
	case LEAF_POWER:
		*answer = (struct cpuid_answer){ .edx = SAME_RATE };
		return true;
	default: return false;
	}
}
