/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * QEMU 7.2 and 10.0, whose plugin interfaces write no registers, by functions
 * that their executables export.
 *
 * The code that QEMU makes keeps the guest's registers in this processor's;
 * memory has them at the start of a block. So a block that holds one of these
 * instructions further behind is left at its start and executed one instruction
 * at a time, until the instruction is the first of its block. There it is
 * carried out, and the CPU goes on behind it, or with an exception at it: no
 * interrupt and no other CPU comes between, and QEMU never sees it.
 *
 * Memory has the registers also behind an instruction that QEMU makes by a call
 * of its own that may change any of them. RDMSR is one, and the commonest of
 * all, so where its block goes on behind it, it is carried out there: QEMU's
 * own has left RCX and the instruction pointer alone. (If it faults, RAX and
 * RDX are 0, where a processor keeps them.)
 */
#include "registers.h"

#include <string.h>

#include "cpuid.h"
#include "qemu_plugin.h"
#include "qemu_symbols.h"
#include "turn.h"

enum {
	NUM_GENERAL = 16,
	GENERAL_PROTECTION = 13,
	MAX_STEPS = 256, /* to the instruction; else it was left */
	/* QEMU's object of a CPU begins with what all processors have. */
	ENVIRONMENT_SEARCH_BYTES = 1 << 16,
	/* The data word of an instruction: its kind and size. */
	SIZE_BITS = 4,
};

static void *environments[CHANNEL_MAX_CPUS];
static unsigned steps;

static uint64_t get(void *cpu, int number)
{
	static struct byte_array *array;
	uint64_t value = 0;

	if (!array)
		array = qemu.new_array();
	qemu.resize_array(array, 0);
	qemu.read_register(cpu, array, number);
	memcpy(&value, array->data,
	       array->len < sizeof(value) ? array->len : sizeof(value));
	return value;
}

static void set(void *cpu, int number, uint64_t value)
{
	qemu.write_register(cpu, (uint8_t *)&value, number);
}

/* QEMU's array of the general registers, in the processor's order; NULL if it
 * is not found. It is what raising an exception wants. */
static void *find_environment(void *cpu)
{
	static const int order[8] = {
		REGISTERS_RAX,
		REGISTERS_RCX,
		REGISTERS_RDX,
		REGISTERS_RBX,
		7,
		6,
		4,
		5,
	};
	uint64_t general[NUM_GENERAL];
	size_t offset;
	int i;

	for (i = 0; i < NUM_GENERAL; i++)
		general[i] = get(cpu, i < 8 ? order[i] : i);
	for (offset = 0; offset < ENVIRONMENT_SEARCH_BYTES; offset += 8)
		if (!memcmp((char *)cpu + offset, general, sizeof(general)))
			return (char *)cpu + offset;
	return NULL;
}

bool registers_internal_identify(unsigned index,
				 const struct registers *registers,
				 struct cpuid_answer *answer)
{
	if (!environments[index])
		environments[index] =
			find_environment(qemu.get_cpu((int)index));
	if (!environments[index])
		return false;
	qemu.identify(environments[index], (uint32_t)registers->a,
		      (uint32_t)registers->c, &answer->eax, &answer->ebx,
		      &answer->ecx, &answer->edx);
	return true;
}

/* Does not return, except in 16-bit and 32-bit code, where the registers are
 * not all seen. */
static void raise_fault(void *cpu, unsigned index)
{
	if (!environments[index])
		environments[index] = find_environment(cpu);
	if (environments[index])
		qemu.raise(environments[index], GENERAL_PROTECTION, 0, 0);
}

/* The instruction is done; the CPU goes on behind it. */
static void skip(void *cpu, struct vcpu *vcpu, unsigned size_bytes)
{
	vcpu->instructions++;
	set(cpu, REGISTERS_RIP, get(cpu, REGISTERS_RIP) + size_bytes);
	qemu.leave(cpu);
}

static void take_over(void *cpu, const struct registers *registers,
		      enum registers_outcome outcome)
{
	if (outcome == REGISTERS_KEPT)
		return;
	set(cpu, REGISTERS_RAX, registers->a);
	set(cpu, REGISTERS_RDX, registers->d);
	if (outcome != REGISTERS_ALL)
		return;
	set(cpu, REGISTERS_RBX, registers->b);
	set(cpu, REGISTERS_RCX, registers->c);
}

/* At a block's start, its first instruction being one of ours. Returns if that
 * is QEMU's all the same. */
static void on_special(unsigned index, void *data)
{
	uintptr_t special = (uintptr_t)data;
	void *cpu = qemu.get_cpu((int)index);
	struct vcpu *vcpu = &vcpus[index];
	struct registers registers = { 0 };
	enum registers_outcome outcome;

	*qemu.one_by_one = false;
	if (vcpu->instructions >= vcpu->limit)
		turn_enter(vcpu, 0);
	registers.a = get(cpu, REGISTERS_RAX);
	registers.c = get(cpu, REGISTERS_RCX);
	registers.d = get(cpu, REGISTERS_RDX);
	outcome = registers_execute(
		index, vcpu->instructions,
		(enum instruction_kind)(special >> SIZE_BITS),
		get(cpu, REGISTERS_CS) & REGISTERS_PRIVILEGE_MASK, &registers);
	if (outcome == REGISTERS_QEMUS)
		return;
	if (outcome == REGISTERS_FAULT) {
		raise_fault(cpu, index);
		registers.a = registers.d = 0;
	}
	take_over(cpu, &registers, outcome);
	skip(cpu, vcpu, special & ((1 << SIZE_BITS) - 1));
}

static void on_approach(unsigned index, void *data)
{
	(void)data;
	if (!turn_is_on())
		return;
	*qemu.one_by_one = true;
	steps = 0;
	qemu.leave(qemu.get_cpu((int)index));
}

void registers_internal_step(void)
{
	if (*qemu.one_by_one && ++steps > MAX_STEPS)
		*qemu.one_by_one = false;
}

/* QEMU has executed an RDMSR at this place in the block. */
static void on_behind_read(unsigned index, void *data)
{
	void *cpu = qemu.get_cpu((int)index);
	struct registers registers = { .c = get(cpu, REGISTERS_RCX) };
	enum registers_outcome outcome =
		registers_execute(index, vcpus[index].before + (uintptr_t)data,
				  INSTRUCTION_RDMSR, false, &registers);

	if (outcome == REGISTERS_FAULT)
		raise_fault(cpu, index);
	if (outcome == REGISTERS_AD)
		take_over(cpu, &registers, outcome);
}

/* Whether the only one of a block is an RDMSR that is not its end. */
static bool is_read_inside(const struct qemu_plugin_tb *tb, size_t first,
			   size_t num)
{
	size_t i;

	if (first + 1 == num || instruction_of(qemu_plugin_tb_get_insn(
					tb, first)) != INSTRUCTION_RDMSR)
		return false;
	for (i = first + 1; i < num; i++)
		if (instruction_is_special(
			    instruction_of(qemu_plugin_tb_get_insn(tb, i))))
			return false;
	return true;
}

bool registers_internal_translate(struct qemu_plugin_tb *tb, size_t num)
{
	size_t i;

	for (i = 0; i < num; i++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
		enum instruction_kind kind = instruction_of(insn);
		uintptr_t special = (uintptr_t)kind << SIZE_BITS |
				    qemu_plugin_insn_size(insn);

		if (!instruction_is_special(kind))
			continue;
		if (is_read_inside(tb, i, num)) {
			qemu_plugin_register_vcpu_insn_exec_cb(
				qemu_plugin_tb_get_insn(tb, i + 1),
				on_behind_read, QEMU_PLUGIN_NO_REGS, (void *)i);
			return false;
		}
		qemu_plugin_register_vcpu_tb_exec_cb(
			tb, i ? on_approach : on_special, QEMU_PLUGIN_NO_REGS,
			(void *)special);
		return i > 0;
	}
	return false;
}
