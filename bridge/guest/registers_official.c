/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * QEMU from 10.1 on, whose plugin interface reads and writes registers. Written
 * from its description and never run: the project's machines have QEMU 7.2.
 *
 * An instruction cannot be left out there. So what a WRMSR does is done before
 * QEMU's own, which ignores registers it does not know, and what an RDMSR or
 * CPUID answers is put in place before the instruction behind it. No exception
 * can be raised: a register that faults reads 0, and is not written.
 */
#include "bridge/guest/registers.h"

#include <stdio.h>
#include <string.h>

#include "bridge/guest/qemu_symbols.h"
#include "bridge/guest/turn.h"
#include "bridge/guest/qemu_plugin.h"

enum {
	/* The data word of an instruction: its place in the block and kind. */
	KIND_BITS = 4,
	NUM_USED = 5,
};

/* An answer that waits for the instruction at this address. */
struct answer {
	bool waits;
	uint64_t address;
	struct registers registers;
	enum registers_outcome outcome;
};

static const char *const names[NUM_USED] = { "rax", "rbx", "rcx", "rdx", "cs" };
static void *handles[NUM_USED];
static struct answer answers[CHANNEL_MAX_CPUS];

enum { A, B, C, D, CODE_SEGMENT };

/* They are the same for all CPUs. */
static void find_handles(void)
{
	const struct register_list *list;
	unsigned i, k;

	if (handles[A])
		return;
	list = qemu.get_registers();
	for (i = 0; i < list->num; i++)
		for (k = 0; k < NUM_USED; k++)
			if (!handles[k] &&
			    !strcmp(list->list[i].name, names[k]))
				handles[k] = list->list[i].handle;
}

static struct byte_array *array_of(unsigned bytes)
{
	static struct byte_array *array;

	if (!array)
		array = qemu.new_array();
	return qemu.resize_array(array, bytes);
}

static uint64_t get(unsigned which)
{
	struct byte_array *array = array_of(0);
	uint64_t value = 0;

	qemu.read_handle(handles[which], array);
	memcpy(&value, array->data,
	       array->len < sizeof(value) ? array->len : sizeof(value));
	return value;
}

static void set(unsigned which, uint64_t value)
{
	struct byte_array *array = array_of(sizeof(value));

	memcpy(array->data, &value, sizeof(value));
	qemu.write_handle(handles[which], array);
}

static void on_special(unsigned index, void *data)
{
	uintptr_t special = (uintptr_t)data;
	struct answer *answer = &answers[index];
	struct vcpu *vcpu = &vcpus[index];
	uintptr_t place = special >> KIND_BITS;
	static bool told;

	/* The block's own callback comes later. */
	if (!place && vcpu->instructions >= vcpu->limit)
		turn_enter(vcpu, 0);
	find_handles();
	answer->registers.a = get(A);
	answer->registers.c = get(C);
	answer->registers.d = get(D);
	answer->outcome = registers_execute(
		index, place ? vcpu->before + place : vcpu->instructions,
		(enum instruction_kind)(special & ((1 << KIND_BITS) - 1)),
		get(CODE_SEGMENT) & REGISTERS_PRIVILEGE_MASK,
		&answer->registers);
	if (answer->outcome == REGISTERS_FAULT && !told) {
		fprintf(stderr, "uncore: this QEMU cannot raise the faults of "
				"registers; they read 0\n");
		told = true;
	}
	answer->waits = answer->outcome == REGISTERS_AD ||
			answer->outcome == REGISTERS_ALL;
}

/* Keeps where an answer is waited for. */
static void on_expected(unsigned index, void *data)
{
	answers[index].address = (uintptr_t)data;
}

static void on_behind(unsigned index, void *data)
{
	struct answer *answer = &answers[index];

	if (!answer->waits || answer->address != (uintptr_t)data)
		return;
	answer->waits = false;
	set(A, answer->registers.a);
	set(D, answer->registers.d);
	if (answer->outcome != REGISTERS_ALL)
		return;
	set(B, answer->registers.b);
	set(C, answer->registers.c);
}

bool registers_official_translate(struct qemu_plugin_tb *tb, size_t num)
{
	bool was_special = true; /* perhaps in the block before */
	size_t i;

	for (i = 0; i < num; i++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
		enum instruction_kind kind = instruction_of(insn);
		uint64_t address = qemu_plugin_insn_vaddr(insn);

		if (was_special)
			qemu_plugin_register_vcpu_insn_exec_cb(
				insn, on_behind, QEMU_PLUGIN_WRITE_REGS,
				(void *)(uintptr_t)address);
		was_special = instruction_is_special(kind);
		if (!was_special)
			continue;
		qemu_plugin_register_vcpu_insn_exec_cb(
			insn, on_special, QEMU_PLUGIN_WRITE_REGS,
			(void *)((uintptr_t)i << KIND_BITS | kind));
		address += qemu_plugin_insn_size(insn);
		qemu_plugin_register_vcpu_insn_exec_cb(
			insn, on_expected, QEMU_PLUGIN_NO_REGS,
			(void *)(uintptr_t)address);
	}
	return false;
}
