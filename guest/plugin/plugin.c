/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The plugin that full-system QEMU loads to give its guest the model's uncore:
 * what is to happen at which instruction is decided here when QEMU translates
 * them, and the commonest cases of accesses are dealt with.
 *
 * QEMU runs with -accel tcg,thread=single, so nothing here runs twice at once.
 */
#include "qemu_plugin.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "link.h"
#include "meminfo.h"
#include "memory.h"
#include "pci.h"
#include "qemu_symbols.h"
#include "registers.h"
#include "restart.h"
#include "turn.h"

enum {
	LINE_BYTES = 64,
	PAGE_BYTES = 4096,
	/* The processor's first instruction after a reset. */
	RESET_VECTOR = 0xfffffff0,
};

/* The data word of a block: where its code begins (the model's address), how
 * many bytes of its page follow the first, and its instructions, of which QEMU
 * takes 512 at most. No code is as one byte at address 0. */
enum {
	BLOCK_INSN_BITS = 10,
	BLOCK_INSN_MASK = (1 << BLOCK_INSN_BITS) - 1,
	BLOCK_BYTE_BITS = 12,
	BLOCK_BYTE_MASK = (1 << BLOCK_BYTE_BITS) - 1,
	/* What a look-up in the L1I gets, aligned. */
	PIECE_BYTES = 16,
};

QEMU_PLUGIN_EXPORT int qemu_plugin_version = QEMU_PLUGIN_API;

static struct channel *channel;

/* How many instructions were executed when the one at this place in the block
 * was begun. What QEMU does itself for an interrupt it shows as an access of
 * some earlier instruction. */
static uint64_t executed_at(const struct vcpu *vcpu, size_t place)
{
	uint64_t most = vcpu->instructions - vcpu->before;

	return vcpu->before + (place < most ? place : most);
}

static void on_memory(unsigned index, uint32_t info, uint64_t vaddr,
		      void *data);

/* This and use_code() are called last thing and not inlined, so that the fast
 * paths need no stack. */
static __attribute__((noinline)) void use_data(struct vcpu *vcpu, uint32_t info,
					       uint64_t vaddr, size_t place)
{
	uint64_t last = vaddr + meminfo_size_bytes(info) - 1;
	bool store;

	if (!turn_recording || !vcpu->turn)
		return;
	store = meminfo_is_store(info);
	if (memory_use_data(vcpu, info, vaddr, executed_at(vcpu, place), store))
		privcache_retire(&vcpu->cache,
				 store ? PRIVCACHE_STORE : PRIVCACHE_LOAD);
	if (vaddr / LINE_BYTES != last / LINE_BYTES && turn_recording)
		memory_use_data(vcpu, info, last, executed_at(vcpu, place),
				store);
}

/* `data` is the instruction's place in its block. */
static void on_memory(unsigned index, uint32_t info, uint64_t vaddr, void *data)
{
	struct vcpu *vcpu = &vcpus[index];
	uint64_t vline = vaddr / LINE_BYTES;
	/* 0: dirty, 1: clean, else another line */
	uint64_t differs =
		vcpu->recent[vline % PRIVCACHE_L1D_SETS] ^ (vline * 2 + 1);

	if (differs <= 1 && vaddr % LINE_BYTES <= LINE_BYTES - 8 &&
	    (!differs || !meminfo_may_store(info))) {
		vcpu->cache.counts[meminfo_is_store(info)
					   ? UNCORE_CORE_STORES
					   : UNCORE_CORE_LOADS_L1D] +=
			turn_recording;
		return;
	}
	use_data(vcpu, info, vaddr, (uintptr_t)data);
}

static void on_locked(unsigned index, uint32_t info, uint64_t vaddr, void *data)
{
	struct vcpu *vcpu = &vcpus[index];

	if (vcpu->combining.num)
		memory_fence(vcpu, executed_at(vcpu, (uintptr_t)data));
	on_memory(index, info, vaddr, data);
}

static void on_stream(unsigned index, uint32_t info, uint64_t vaddr, void *data)
{
	struct vcpu *vcpu = &vcpus[index];
	unsigned size_bytes = meminfo_size_bytes(info);
	unsigned first = LINE_BYTES - vaddr % LINE_BYTES;

	if (!turn_recording || !vcpu->turn)
		return;
	if (first > size_bytes)
		first = size_bytes;
	privcache_retire(&vcpu->cache, PRIVCACHE_STORE);
	memory_stream(vcpu, info, vaddr, executed_at(vcpu, (uintptr_t)data),
		      first);
	if (first < size_bytes && turn_recording)
		memory_stream(vcpu, info, vaddr + first,
			      executed_at(vcpu, (uintptr_t)data),
			      size_bytes - first);
}

/* Look-ups of code from its first byte to its last: a block that goes on where
 * the one before it ended goes on with what that got. */
static uint64_t look_ups(struct vcpu *vcpu, uint64_t first, uint64_t last)
{
	uint64_t pieces = last / PIECE_BYTES - first / PIECE_BYTES + 1;

	pieces -= first == vcpu->code_end && first % PIECE_BYTES != 0;
	vcpu->code_end = last + 1;
	return pieces;
}

static __attribute__((noinline)) void use_code(struct vcpu *vcpu,
					       uint64_t block)
{
	uint64_t first = block >> (BLOCK_INSN_BITS + BLOCK_BYTE_BITS);
	uint64_t last = first + (block >> BLOCK_INSN_BITS & BLOCK_BYTE_MASK);
	uint64_t line = first / LINE_BYTES;

	if (!last || !turn_recording || !vcpu->turn)
		return;
	vcpu->cache.counts[UNCORE_CORE_L1I_READS] +=
		look_ups(vcpu, first, last);
	for (; line <= last / LINE_BYTES && turn_recording && vcpu->turn;
	     line++)
		if (vcpu->recent_code[vcpu_code_set(vcpu, line)] != line)
			memory_use_code(vcpu, line);
}

static __attribute__((noinline)) void begin_block(struct vcpu *vcpu,
						  uint64_t block)
{
	unsigned num = block & BLOCK_INSN_MASK;

	turn_enter(vcpu, num);
	vcpu->before = vcpu->instructions;
	vcpu->instructions += num;
	if (block >> BLOCK_INSN_BITS)
		use_code(vcpu, block);
}

static void on_block(unsigned index, void *data)
{
	struct vcpu *vcpu = &vcpus[index];
	uint64_t block = (uintptr_t)data;
	uint64_t before = vcpu->instructions;
	uint64_t after = before + (block & BLOCK_INSN_MASK);

	if (after >= vcpu->limit) {
		begin_block(vcpu, block);
		return;
	}
	vcpu->before = before;
	vcpu->instructions = after;
	if (block >> BLOCK_INSN_BITS)
		use_code(vcpu, block);
}

/* Perhaps one that was made to come to an instruction further on. */
static void on_single(unsigned index, void *data)
{
	registers_internal_step();
	on_block(index, data);
}

/* The second page of a block that lies in two. */
static void on_second_page(unsigned index, void *data)
{
	use_code(&vcpus[index], (uintptr_t)data);
}

static void on_halt(unsigned index, void *data)
{
	(void)data;
	turn_halt(&vcpus[index]);
}

static void on_pause(unsigned index, void *data)
{
	(void)data;
	turn_yield(&vcpus[index]);
}

/* Its place in the block; a block is no more than some hundred instructions. */
static void on_time(unsigned index, void *data)
{
	clock_place(executed_at(&vcpus[index], (uintptr_t)data));
}

/* Its place in the block. */
static void on_fence(unsigned index, void *data)
{
	struct vcpu *vcpu = &vcpus[index];

	memory_fence(vcpu, executed_at(vcpu, (uintptr_t)data));
}

static void on_address_space(unsigned index, void *data)
{
	on_fence(index, data);
	memory_forget_pages(&vcpus[index]);
}

/* The firmware begins, and no CPU has paging. */
static void on_reset(unsigned index, void *data)
{
	unsigned i;

	(void)data;
	turn_reset(&vcpus[index]);
	for (i = 0; i < channel->num_cpus; i++)
		memory_forget_pages(&vcpus[i]);
}

/* The code of instructions first to last, which lie in one page. */
static uint64_t code_bytes(struct qemu_plugin_tb *tb, size_t first, size_t last)
{
	const struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, last);
	const char *begin =
		qemu_plugin_insn_haddr(qemu_plugin_tb_get_insn(tb, first));
	const char *end = qemu_plugin_insn_haddr(insn);
	uint64_t line, address;

	if (!begin || !end)
		return 0;
	end += qemu_plugin_insn_size(insn) - 1;
	/* What an instruction has in the next page is left out. */
	if ((uintptr_t)begin / PAGE_BYTES != (uintptr_t)end / PAGE_BYTES)
		end = (const char *)(((uintptr_t)begin | (PAGE_BYTES - 1)));
	line = memory_line(begin);
	if (line == MEMORY_NO_LINE || memory_line(end) == MEMORY_NO_LINE)
		return 0;
	address = line * LINE_BYTES + (uintptr_t)begin % LINE_BYTES;
	return (address << BLOCK_BYTE_BITS | (uint64_t)(end - begin))
	       << BLOCK_INSN_BITS;
}

/* The first instruction in the block's second page, or num. */
static size_t second_page(struct qemu_plugin_tb *tb, size_t num)
{
	uint64_t page = qemu_plugin_tb_vaddr(tb) / PAGE_BYTES;
	size_t i;

	for (i = num; i > 0; i--)
		if (qemu_plugin_insn_vaddr(qemu_plugin_tb_get_insn(tb, i - 1)) /
			    PAGE_BYTES ==
		    page)
			break;
	return i;
}

static void watch_code(struct qemu_plugin_tb *tb, size_t num, uint64_t *block)
{
	size_t second = second_page(tb, num);

	*block |= code_bytes(tb, 0, second - 1);
	if (second == num)
		return;
	qemu_plugin_register_vcpu_insn_exec_cb(
		qemu_plugin_tb_get_insn(tb, second), on_second_page,
		QEMU_PLUGIN_NO_REGS,
		(void *)(uintptr_t)code_bytes(tb, second, num - 1));
}

static void notice(struct qemu_plugin_insn *insn, enum instruction_kind kind,
		   size_t place)
{
	if (kind == INSTRUCTION_TIME)
		qemu_plugin_register_vcpu_insn_exec_cb(
			insn, on_time, QEMU_PLUGIN_NO_REGS, (void *)place);
	if (kind == INSTRUCTION_HALT)
		qemu_plugin_register_vcpu_insn_exec_cb(
			insn, on_halt, QEMU_PLUGIN_NO_REGS, NULL);
	if (kind == INSTRUCTION_PAUSE)
		qemu_plugin_register_vcpu_insn_exec_cb(
			insn, on_pause, QEMU_PLUGIN_NO_REGS, NULL);
	if (!memory_is_watched())
		return;
	if (kind == INSTRUCTION_ADDRESS_SPACE)
		qemu_plugin_register_vcpu_insn_exec_cb(insn, on_address_space,
						       QEMU_PLUGIN_NO_REGS,
						       (void *)place);
	if (kind == INSTRUCTION_FENCE)
		qemu_plugin_register_vcpu_insn_exec_cb(
			insn, on_fence, QEMU_PLUGIN_NO_REGS, (void *)place);
	qemu_plugin_register_vcpu_mem_cb(
		insn,
		kind == INSTRUCTION_STREAM   ? on_stream
		: kind == INSTRUCTION_LOCKED ? on_locked
					     : on_memory,
		QEMU_PLUGIN_NO_REGS,
		QEMU_PLUGIN_MEM_READ | QEMU_PLUGIN_MEM_WRITE, (void *)place);
}

static void on_translate(uint64_t id, struct qemu_plugin_tb *tb)
{
	size_t num = qemu_plugin_tb_n_insns(tb);
	uint64_t block = num;
	size_t i;

	(void)id;
	if (!turn_is_on() || registers_internal_translate(tb, num))
		return;
	if (qemu_plugin_tb_vaddr(tb) == RESET_VECTOR)
		qemu_plugin_register_vcpu_tb_exec_cb(tb, on_reset,
						     QEMU_PLUGIN_NO_REGS, NULL);
	if (memory_is_watched())
		watch_code(tb, num, &block);
	/* Not of the block but of its first instruction: so it comes behind
	 * what is carried out there (registers_internal.c). */
	qemu_plugin_register_vcpu_insn_exec_cb(
		qemu_plugin_tb_get_insn(tb, 0), num > 1 ? on_block : on_single,
		QEMU_PLUGIN_NO_REGS, (void *)(uintptr_t)block);
	for (i = 0; i < num; i++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);

		notice(insn, instruction_of(insn), i);
	}
}

/* QEMU has dropped all blocks. Up to 7.2 it leaves in each CPU the list of
 * callbacks of its last instruction's accesses, which is freed now, and would
 * follow it at the next access that no block makes: the stack of an interrupt.
 */
static void on_flush(uint64_t id)
{
	unsigned i;

	(void)id;
	for (i = 0; qemu.forget_callbacks && i < channel->num_cpus; i++) {
		void *cpu = qemu.get_cpu((int)i);

		if (cpu)
			qemu.forget_callbacks(cpu);
	}
}

static void on_exit_of_qemu(uint64_t id, void *data)
{
	(void)id;
	(void)data;
	turn_end();
}

/* QEMU 10 takes a CPU that runs beside no other for the only one: callbacks
 * would get the index of the CPU for which a block was translated, not of the
 * one that executes it. */
static void tell_cpus_apart(unsigned index)
{
	if (qemu.begin_cpu)
		qemu.begin_cpu(qemu.get_cpu((int)index), true);
}

static void on_vcpu_init(uint64_t id, unsigned index)
{
	(void)id;
	tell_cpus_apart(index);
	if (!clock_attach() || !pci_attach(channel))
		exit(EXIT_FAILURE);
	if (qemu.threads && *qemu.threads)
		fprintf(stderr, "uncore: a guest's CPUs must share a thread: "
				"-accel tcg,thread=single\n");
	else if (index >= channel->num_cpus)
		fprintf(stderr,
			"uncore: the guest has more CPUs than the model: %u\n",
			channel->num_cpus);
	else
		return;
	exit(EXIT_FAILURE);
}

static __attribute__((constructor)) void choose_version(void)
{
	if (dlsym(RTLD_DEFAULT, QEMU_PLUGIN_OLD_FUNCTION))
		qemu_plugin_version = QEMU_PLUGIN_API_OLD;
}

static const char *find_argument(int argc, char **argv)
{
	int i;

	for (i = 0; i < argc; i++)
		if (strncmp(argv[i], "channel=", 8) == 0)
			return argv[i] + 8;
	fprintf(stderr,
		"uncore: this plugin wants the argument channel=PATH\n");
	return NULL;
}

QEMU_PLUGIN_EXPORT int qemu_plugin_install(uint64_t id,
					   const struct qemu_plugin_info *info,
					   int argc, char **argv)
{
	const char *path = find_argument(argc, argv);

	if (!info->system_emulation ||
	    strcmp(info->target_name, "x86_64") != 0) {
		fprintf(stderr, "uncore: this plugin is for "
				"qemu-system-x86_64\n");
		return -1;
	}
	if (!path || !qemu_symbols_find(info->version.cur))
		return -1;
	channel = link_open(path);
	if (!channel)
		return -1;
	meminfo_learn();
	registers_start(channel);
	turn_start(channel);
	restart_watch(channel);
	qemu_plugin_register_vcpu_init_cb(id, on_vcpu_init);
	qemu_plugin_register_vcpu_tb_trans_cb(id, on_translate);
	qemu_plugin_register_flush_cb(id, on_flush);
	qemu_plugin_register_atexit_cb(id, on_exit_of_qemu, NULL);
	link_set(channel, &channel->ready, 1);
	return 0;
}
