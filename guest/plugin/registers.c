/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What the instructions do. QEMU's RDMSR forgets the time stamp counter.
 */
#include "registers.h"

#include <stdlib.h>

#include "clock.h"
#include "cpuid.h"
#include "memory.h"
#include "turn.h"

enum { TIME_STAMP = 0x10 /* architectural, of every processor */ };

static const struct channel *channel;

void registers_start(const struct channel *with)
{
	channel = with;
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

static void put_value(struct registers *registers, uint64_t value)
{
	registers->a = (uint32_t)value;
	registers->d = value >> 32;
}

static enum registers_outcome read_register(unsigned index, uint64_t executed,
					    struct registers *registers)
{
	uint32_t address = (uint32_t)registers->c;

	if (address == TIME_STAMP) {
		put_value(registers, clock_ticks(executed));
		return REGISTERS_AD;
	}
	if (!is_model_register(address) ||
	    !turn_request(&vcpus[index], executed, REQUEST_READ, address, 0))
		return REGISTERS_QEMUS;
	if (channel->request.fault)
		return REGISTERS_FAULT;
	put_value(registers, channel->request.value);
	return REGISTERS_AD;
}

static enum registers_outcome write_register(unsigned index, uint64_t executed,
					     const struct registers *registers)
{
	uint32_t address = (uint32_t)registers->c;
	uint64_t value = registers->d << 32 | (uint32_t)registers->a;

	if (!is_model_register(address) ||
	    !turn_request(&vcpus[index], executed, REQUEST_WRITE, address,
			  value))
		return REGISTERS_QEMUS;
	return channel->request.fault ? REGISTERS_FAULT : REGISTERS_KEPT;
}

static enum registers_outcome identify(unsigned index, bool user,
				       struct registers *registers)
{
	struct cpuid_answer answer;

	if (!registers_internal_identify(index, registers, &answer) ||
	    !cpuid_answer(channel, (uint32_t)registers->a,
			  (uint32_t)registers->c, user, &answer))
		return REGISTERS_QEMUS;
	*registers = (struct registers){ answer.eax, answer.ebx, answer.ecx,
					 answer.edx };
	return REGISTERS_ALL;
}

enum registers_outcome registers_execute(unsigned index, uint64_t executed,
					 enum instruction_kind kind, bool user,
					 struct registers *registers)
{
	bool begin = kind == INSTRUCTION_MARK_BEGIN;

	if (!turn_is_on())
		return REGISTERS_QEMUS;
	if (kind == INSTRUCTION_RDMSR && !user)
		return read_register(index, executed, registers);
	if (kind == INSTRUCTION_WRMSR && !user)
		return write_register(index, executed, registers);
	if (kind == INSTRUCTION_CPUID) {
		memory_fence(&vcpus[index], executed);
		return identify(index, user, registers);
	}
	if ((begin || kind == INSTRUCTION_MARK_END) &&
	    turn_request(&vcpus[index], executed,
			 begin ? REQUEST_MARK_BEGIN : REQUEST_MARK_END, 0, 0))
		return REGISTERS_KEPT;
	return REGISTERS_QEMUS;
}
