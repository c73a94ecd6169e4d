/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 */
#include "meminfo.h"

enum { INFO_BITS = 32 };

uint32_t meminfo_store_bits;
bool meminfo_size_is_low;

static void learn_store(void)
{
	unsigned bit;

	meminfo_store_bits = 0;
	for (bit = 0; bit < INFO_BITS; bit++)
		if (qemu_plugin_mem_is_store(UINT32_C(1) << bit))
			meminfo_store_bits |= UINT32_C(1) << bit;
	if (!meminfo_store_bits ||
	    qemu_plugin_mem_is_store(~meminfo_store_bits) ||
	    !qemu_plugin_mem_is_store(UINT32_MAX))
		meminfo_store_bits = UINT32_MAX; /* ask each time */
}

static void learn_size(void)
{
	const uint32_t others = ~(uint32_t)MEMINFO_SIZE_MASK;
	unsigned size;

	meminfo_size_is_low = true;
	for (size = 0; size <= MEMINFO_SIZE_MASK; size++)
		if (qemu_plugin_mem_size_shift(size) != size ||
		    qemu_plugin_mem_size_shift(size | others) != size)
			meminfo_size_is_low = false;
}

void meminfo_learn(void)
{
	learn_store();
	learn_size();
}
