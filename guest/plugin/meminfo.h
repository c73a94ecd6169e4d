/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * QEMU's info word of an access is opaque, and asking a question about it is a
 * call each time. At the start the functions are asked about every bit; where
 * one bit alone says "store" and the low bits are the size, they are read
 * directly.
 */
#ifndef UNCORE_MEMINFO_H
#define UNCORE_MEMINFO_H

#include <stdbool.h>
#include <stdint.h>

#include "qemu_plugin.h"

enum { MEMINFO_SIZE_MASK = 7 };

/* Set by meminfo_learn(). */
extern uint32_t meminfo_store_bits; /* one of them is set for a store */
extern bool meminfo_size_is_low;

/* To be called once, before the first access. */
void meminfo_learn(void);

/* False for a load; true for a store, and for what has to be asked about. */
static inline bool meminfo_may_store(uint32_t info)
{
	return info & meminfo_store_bits;
}

static inline bool meminfo_is_store(uint32_t info)
{
	return meminfo_may_store(info) && (meminfo_store_bits != UINT32_MAX ||
					   qemu_plugin_mem_is_store(info));
}

static inline unsigned meminfo_size_bytes(uint32_t info)
{
	if (meminfo_size_is_low)
		return 1U << (info & MEMINFO_SIZE_MASK);
	return 1U << qemu_plugin_mem_size_shift(info);
}

#endif
