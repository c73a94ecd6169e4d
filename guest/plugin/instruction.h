/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Recognises the few instructions that the plugin has to know.
 */
#ifndef UNCORE_GUEST_INSTRUCTION_H
#define UNCORE_GUEST_INSTRUCTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum instruction_kind {
	INSTRUCTION_OTHER,
	/* Carried out here. */
	INSTRUCTION_RDMSR,
	INSTRUCTION_WRMSR,
	INSTRUCTION_CPUID,
	INSTRUCTION_MARK_BEGIN,
	INSTRUCTION_MARK_END,
	/* Only noticed. */
	INSTRUCTION_HALT,
	INSTRUCTION_PAUSE,
	INSTRUCTION_TIME,	   /* reads the time stamp counter */
	INSTRUCTION_ADDRESS_SPACE, /* changes it, or may */
	/* Empties the buffers of streaming stores. */
	INSTRUCTION_FENCE,
	INSTRUCTION_LOCKED, /* does so, too, where it accesses memory */
	INSTRUCTION_STREAM, /* its stores go past the caches */
};

struct qemu_plugin_insn;

enum instruction_kind instruction_kind(const uint8_t *bytes, size_t num);
enum instruction_kind instruction_of(const struct qemu_plugin_insn *insn);

static inline bool instruction_is_special(enum instruction_kind kind)
{
	return kind > INSTRUCTION_OTHER && kind < INSTRUCTION_HALT;
}

#endif
