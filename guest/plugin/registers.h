/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Instructions that the model answers instead of QEMU: RDMSR and WRMSR of its
 * registers, CPUID where QEMU's answer would mislead, and the marks of a guest
 * program. How the guest's registers are reached: registers_internal.c.
 */
#ifndef UNCORE_GUEST_REGISTERS_H
#define UNCORE_GUEST_REGISTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "instruction.h"

struct channel;
struct cpuid_answer;
struct qemu_plugin_tb;

/* The guest's RAX, RBX, RCX and RDX. */
struct registers {
	uint64_t a, b, c, d;
};

enum registers_outcome {
	REGISTERS_QEMUS, /* the instruction is to be QEMU's */
	REGISTERS_KEPT,	 /* done; no register has changed */
	REGISTERS_AD,	 /* done, with new values in a and d */
	REGISTERS_ALL,	 /* and in b and c, too */
	REGISTERS_FAULT, /* raises #GP */
};

/* GDB's numbers of what is read and written. */
enum {
	REGISTERS_RAX,
	REGISTERS_RBX,
	REGISTERS_RCX,
	REGISTERS_RDX,
	REGISTERS_RIP = 16,
	REGISTERS_CS = 18,
};

/* Of CS: not 0 in user space. */
enum { REGISTERS_PRIVILEGE_MASK = 3 };

void registers_start(const struct channel *channel);

/* Executes one for a CPU, after `executed` instructions of its turn. */
enum registers_outcome registers_execute(unsigned index, uint64_t executed,
					 enum instruction_kind kind, bool user,
					 struct registers *registers);

/* Looks at a new block of `num` instructions. True if it is never executed to
 * its end, so that nothing else is to be seen of it. */
bool registers_internal_translate(struct qemu_plugin_tb *tb, size_t num);

/* At each block of one instruction. */
void registers_internal_step(void);

/* What QEMU answers to the CPUID of these registers; false if its processor is
 * not found. */
bool registers_internal_identify(unsigned index,
				 const struct registers *registers,
				 struct cpuid_answer *answer);

#endif
