/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Instructions that are carried out here instead of by QEMU: RDMSR and WRMSR of
 * the model's registers, CPUID where QEMU's answer would mislead, and the marks
 * of a guest program.
 */
#ifndef UNCORE_GUEST_REGISTERS_H
#define UNCORE_GUEST_REGISTERS_H

#include "bridge/guest/instruction.h"

struct channel;

void registers_start(const struct channel *channel);

/* At a block's start, its first instruction being one of these. Does not return
 * if it was carried out. */
void registers_carry_out(unsigned index, enum instruction_kind kind,
			 unsigned size_bytes);

/* At the start of a block that has one of these further behind: does not
 * return, and the block is executed one instruction at a time. */
void registers_approach(unsigned index);

/* At each block, as long as blocks are executed one instruction at a time. */
void registers_step(void);

#endif
