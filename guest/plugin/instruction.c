/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * By bytes, behind any prefixes; the first row that fits counts.
 */
#include "instruction.h"

#include <string.h>

#include "channel.h"
#include "qemu_plugin.h"
#include "qemu_symbols.h"

enum { MAX_BYTES = 3, MAX_INSTRUCTION_BYTES = 15 };

struct pattern {
	uint8_t bytes[MAX_BYTES];
	uint8_t mask[MAX_BYTES];
	uint8_t kind; /* enum instruction_kind */
};

static const struct pattern patterns[] = {
	{ { 0x0f, 0x32 }, { 0xff, 0xff }, INSTRUCTION_RDMSR },
	{ { 0x0f, 0x30 }, { 0xff, 0xff }, INSTRUCTION_WRMSR },
	{ { 0x0f, 0xa2 }, { 0xff, 0xff }, INSTRUCTION_CPUID },
	{ { 0xf4 }, { 0xff }, INSTRUCTION_HALT },
	/* RDTSC, RDTSCP */
	{ { 0x0f, 0x31 }, { 0xff, 0xff }, INSTRUCTION_TIME },
	{ { 0x0f, 0x01, 0xf9 }, { 0xff, 0xff, 0xff }, INSTRUCTION_TIME },
	/* With a prefix; see below */
	{ { 0x90 }, { 0xff }, INSTRUCTION_PAUSE },
	/* MWAIT */
	{ { 0x0f, 0x01, 0xc9 }, { 0xff, 0xff, 0xff }, INSTRUCTION_HALT },
	/* MOV to a control register */
	{ { 0x0f, 0x22 }, { 0xff, 0xff }, INSTRUCTION_ADDRESS_SPACE },
	/* /7 with a register: SWAPGS and others */
	{ { 0x0f, 0x01, 0xf8 }, { 0xff, 0xff, 0xf8 }, INSTRUCTION_OTHER },
	/* INVLPG, LMSW */
	{ { 0x0f, 0x01, 0x38 },
	  { 0xff, 0xff, 0x38 },
	  INSTRUCTION_ADDRESS_SPACE },
	{ { 0x0f, 0x01, 0x30 },
	  { 0xff, 0xff, 0x38 },
	  INSTRUCTION_ADDRESS_SPACE },
	/* INVPCID, RSM */
	{ { 0x0f, 0x38, 0x82 },
	  { 0xff, 0xff, 0xff },
	  INSTRUCTION_ADDRESS_SPACE },
	{ { 0x0f, 0xaa }, { 0xff, 0xff }, INSTRUCTION_ADDRESS_SPACE },
	/* MFENCE, SFENCE; SYSCALL, IRET */
	{ { 0x0f, 0xae, 0xf0 }, { 0xff, 0xff, 0xf8 }, INSTRUCTION_FENCE },
	{ { 0x0f, 0xae, 0xf8 }, { 0xff, 0xff, 0xf8 }, INSTRUCTION_FENCE },
	{ { 0x0f, 0x05 }, { 0xff, 0xff }, INSTRUCTION_FENCE },
	{ { 0xcf }, { 0xff }, INSTRUCTION_FENCE },
	/* MOVNTPS, MOVNTI, MOVNTDQ and those like them; MASKMOVDQU */
	{ { 0x0f, 0x2b }, { 0xff, 0xff }, INSTRUCTION_STREAM },
	{ { 0x0f, 0xc3 }, { 0xff, 0xff }, INSTRUCTION_STREAM },
	{ { 0x0f, 0xe7 }, { 0xff, 0xff }, INSTRUCTION_STREAM },
	{ { 0x0f, 0xf7 }, { 0xff, 0xff }, INSTRUCTION_STREAM },
	/* XCHG */
	{ { 0x86 }, { 0xfe }, INSTRUCTION_LOCKED },
};

enum { LOCK = 0xf0, VEX3 = 0xc4, VEX2 = 0xc5, VEX_MAP = 0x1f };

static bool is_prefix(uint8_t byte)
{
	static const uint8_t prefixes[] = { 0x26, 0x2e, 0x36, 0x3e, 0x64, 0x65,
					    0x66, 0x67, 0xf0, 0xf2, 0xf3 };

	return memchr(prefixes, byte, sizeof(prefixes)) ||
	       (byte & 0xf0) == 0x40; /* REX */
}

static enum instruction_kind mark_kind(const uint8_t *bytes, size_t num)
{
	static const uint8_t nopl[CHANNEL_NOP_BYTES] = { 0x0f, 0x1f, 0x80 };
	uint32_t displacement;

	if (num != sizeof(nopl) + sizeof(displacement) ||
	    memcmp(bytes, nopl, sizeof(nopl)))
		return INSTRUCTION_OTHER;
	memcpy(&displacement, bytes + sizeof(nopl), sizeof(displacement));
	if (displacement == CHANNEL_MARK_BEGIN)
		return INSTRUCTION_MARK_BEGIN;
	if (displacement == CHANNEL_MARK_END)
		return INSTRUCTION_MARK_END;
	return INSTRUCTION_OTHER;
}

static bool fits(const struct pattern *pattern, const uint8_t *bytes,
		 size_t num)
{
	size_t i;

	for (i = 0; i < MAX_BYTES; i++)
		if (pattern->mask[i] &&
		    (i >= num ||
		     (bytes[i] & pattern->mask[i]) != pattern->bytes[i]))
			return false;
	return true;
}

/* Those with VEX are like those behind 0f, and only few of interest. */
static enum instruction_kind vex_kind(const uint8_t *bytes, size_t num)
{
	size_t at = *bytes == VEX3 ? 3 : 2;

	if (num <= at || (*bytes == VEX3 && (bytes[1] & VEX_MAP) != 1))
		return INSTRUCTION_OTHER;
	return memchr("\x2b\xe7\xf7", bytes[at], 3) ? INSTRUCTION_STREAM
						    : INSTRUCTION_OTHER;
}

enum instruction_kind instruction_kind(const uint8_t *bytes, size_t num)
{
	bool is_locked = false;
	size_t i;

	if (num && *bytes == 0x90)
		return INSTRUCTION_OTHER; /* NOP */
	for (; num && is_prefix(*bytes); bytes++, num--)
		is_locked |= *bytes == LOCK;
	if (is_locked)
		return INSTRUCTION_LOCKED;
	if (num && (*bytes == VEX2 || *bytes == VEX3))
		return vex_kind(bytes, num);
	for (i = 0; i < sizeof(patterns) / sizeof(patterns[0]); i++)
		if (fits(&patterns[i], bytes, num))
			return patterns[i].kind;
	return mark_kind(bytes, num);
}

enum instruction_kind instruction_of(const struct qemu_plugin_insn *insn)
{
	size_t size = qemu_plugin_insn_size(insn);
	uint8_t bytes[MAX_INSTRUCTION_BYTES];

	if (size > sizeof(bytes))
		return INSTRUCTION_OTHER;
	qemu_symbols_insn_bytes(insn, bytes, size);
	return instruction_kind(bytes, size);
}
