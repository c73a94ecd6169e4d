/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The code that QEMU makes keeps the guest's registers in this processor's;
 * memory has them at the start of a block. So a block that holds one of these
 * instructions further behind is left at its start and executed one instruction
 * at a time, until the instruction is the first of its block. There it is
 * carried out, and the CPU goes on behind it, or with an exception at it: no
 * interrupt and no other CPU comes between, and QEMU never sees it.
 */
#include "bridge/guest/registers.h"

#include <stdlib.h>
#include <string.h>

#include "bridge/guest/cpuid.h"
#include "bridge/guest/qemu_symbols.h"
#include "bridge/guest/turn.h"

/* In the order of GDB's file of registers. */
enum { RAX, RBX, RCX, RDX, RIP = 16, CS = 18 };

enum {
	NUM_GENERAL = 16,
	GENERAL_PROTECTION = 13,
	PRIVILEGE_MASK = 3,
	TIME_STAMP = 0x10, /* architectural, of every processor */
	MAX_STEPS = 256,   /* to the instruction; else it was left */
	/* QEMU's object of a CPU begins with what all processors have. */
	ENVIRONMENT_SEARCH_BYTES = 1 << 16,
};

static const struct channel *channel;
static void *environments[CHANNEL_MAX_CPUS];
static unsigned steps;

void registers_start(const struct channel *with)
{
	channel = with;
}

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
	static const int order[8] = { RAX, RCX, RDX, RBX, 7, 6, 4, 5 };
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

static void raise_fault(void *cpu, unsigned index)
{
	if (!environments[index])
		environments[index] = find_environment(cpu);
	if (environments[index])
		qemu.raise(environments[index], GENERAL_PROTECTION, 0, 0);
}

static int compare(const void *a, const void *b)
{
	uint32_t left = *(const uint32_t *)a;
	uint32_t right = *(const uint32_t *)b;

	return left < right ? -1 : left > right;
}

static bool is_model_register(uint32_t address)
{
	return bsearch(&address, channel->registers, channel->num_registers,
		       sizeof(address), compare);
}

/* The instruction is done; the CPU goes on behind it. */
static void skip(void *cpu, struct vcpu *vcpu, unsigned size_bytes)
{
	vcpu->instructions++;
	set(cpu, RIP, get(cpu, RIP) + size_bytes);
	qemu.leave(cpu);
}

static void answer(void *cpu, uint64_t value)
{
	set(cpu, RAX, (uint32_t)value);
	set(cpu, RDX, value >> 32);
}

/* Returns if the instruction is QEMU's. */
static void read_register(void *cpu, unsigned index, unsigned size_bytes)
{
	struct vcpu *vcpu = &vcpus[index];
	uint32_t address = (uint32_t)get(cpu, RCX);

	if (address == TIME_STAMP) {
		answer(cpu, (uint64_t)qemu.read_ticks());
		skip(cpu, vcpu, size_bytes);
	}
	if (!is_model_register(address) ||
	    !turn_request(vcpu, vcpu->instructions, REQUEST_READ, address, 0))
		return;
	if (channel->request.fault)
		raise_fault(cpu, index);
	answer(cpu, channel->request.fault ? 0 : channel->request.value);
	skip(cpu, vcpu, size_bytes);
}

static void write_register(void *cpu, unsigned index, unsigned size_bytes)
{
	struct vcpu *vcpu = &vcpus[index];
	uint32_t address = (uint32_t)get(cpu, RCX);
	uint64_t value;

	if (!is_model_register(address))
		return;
	value = get(cpu, RDX) << 32 | (uint32_t)get(cpu, RAX);
	if (!turn_request(vcpu, vcpu->instructions, REQUEST_WRITE, address,
			  value))
		return;
	if (channel->request.fault)
		raise_fault(cpu, index);
	skip(cpu, vcpu, size_bytes);
}

static void identify(void *cpu, unsigned index, unsigned size_bytes)
{
	struct cpuid_answer answer;

	if (!cpuid_answer((uint32_t)get(cpu, RAX), &answer))
		return;
	set(cpu, RAX, answer.eax);
	set(cpu, RBX, answer.ebx);
	set(cpu, RCX, answer.ecx);
	set(cpu, RDX, answer.edx);
	skip(cpu, &vcpus[index], size_bytes);
}

static void mark(void *cpu, unsigned index, unsigned size_bytes,
		 enum channel_request_kind kind)
{
	struct vcpu *vcpu = &vcpus[index];

	if (turn_request(vcpu, vcpu->instructions, kind, 0, 0))
		skip(cpu, vcpu, size_bytes);
}

void registers_carry_out(unsigned index, enum instruction_kind kind,
			 unsigned size_bytes)
{
	void *cpu = qemu.get_cpu((int)index);
	bool user = get(cpu, CS) & PRIVILEGE_MASK;

	*qemu.one_by_one = 0;
	if (vcpus[index].instructions >= vcpus[index].limit)
		turn_enter(&vcpus[index], 0);
	if (!turn_is_on())
		return;
	if (kind == INSTRUCTION_RDMSR && !user)
		read_register(cpu, index, size_bytes);
	else if (kind == INSTRUCTION_WRMSR && !user)
		write_register(cpu, index, size_bytes);
	else if (kind == INSTRUCTION_CPUID && user)
		identify(cpu, index, size_bytes);
	else if (kind == INSTRUCTION_MARK_BEGIN)
		mark(cpu, index, size_bytes, REQUEST_MARK_BEGIN);
	else if (kind == INSTRUCTION_MARK_END)
		mark(cpu, index, size_bytes, REQUEST_MARK_END);
}

void registers_approach(unsigned index)
{
	*qemu.one_by_one = 1;
	steps = 0;
	qemu.leave(qemu.get_cpu((int)index));
}

void registers_step(void)
{
	if (*qemu.one_by_one && ++steps > MAX_STEPS)
		*qemu.one_by_one = 0;
}
