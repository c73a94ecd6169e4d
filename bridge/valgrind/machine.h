/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What Linux tells of its machine in files: to the program these are the
 * modelled machine's nodes of memory and, unless it is to see the host's, its
 * processors. And what cpuid says, from which some of that is made.
 */
#ifndef UNCORE_MACHINE_H
#define UNCORE_MACHINE_H

#include "bridge/valgrind/core.h"

/* machine.c: a call that names such a file is answered; false: it is the
 * kernel's. */
bool machine_answers(UWord call, const UWord *args, Long *result);

/* cpuid.c: to be called before all others there, with what Valgrind runs on
 * this machine (VEX_HWCAPS_AMD64_*). */
void cpuid_begin(UInt hwcaps);
/* What the modelled processor says of this leaf. */
struct leaf {
	uint32_t a, b, c, d;
};
struct leaf cpuid_answer(uint32_t number, uint32_t sub);
/* The number of a core's local APIC. */
uint32_t cpuid_apic(unsigned core);

/* machine_text.c: what such a file says; text that does not fit is cut. */
enum { MACHINE_TEXT_BYTES = 1 << 18 };
struct text {
	HChar bytes[MACHINE_TEXT_BYTES];
	Int length;
};
void text_add(struct text *text, const HChar *format, ...)
	__attribute__((format(printf, 2, 3)));
/* A set of CPUs or nodes (bit n of word n / 64: that of this number), as the
 * kernel writes masks, and as it writes lists. */
struct set {
	uint64_t words[2];
};
struct set set_of(UInt first, UInt last);
void text_add_mask(struct text *text, struct set set, UInt num_bits);
void text_add_list(struct text *text, struct set set);
/* Of one processor in /proc/cpuinfo. */
void text_add_processor(struct text *text, UInt core);
/* Files of the kernel's, but for what differs; false: it is none of them (by
 * its path without a slash in front), or the kernel does not show it. */
bool text_fill_changing(struct text *text, const HChar *path);

#endif
