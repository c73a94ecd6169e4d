/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The plugin that QEMU loads to run a program as traffic: it sees every load,
 * store and block of instructions of every thread.
 *
 * Most accesses hit the line that was used last in its set of the L1D; they are
 * recognised here with one comparison by virtual address and change nothing.
 * Everything else goes to vcpu_use().
 */
#include "bridge/guest/qemu_plugin.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

#include "bridge/qemu/follow.h"
#include "bridge/guest/meminfo.h"
#include "bridge/qemu/vcpu.h"

enum {
	MAX_VCPUS = 1 << 16,
	LINE_BYTES = 64,
	/* An access behind this offset may leave its line. */
	SAFE_OFFSET = LINE_BYTES - 8,
};

/* The data word of a block: its first line, and its two counts. */
enum {
	BLOCK_INSN_BITS = 12,
	BLOCK_INSN_MASK = (1 << BLOCK_INSN_BITS) - 1,
	BLOCK_LINE_BITS = 8,
	BLOCK_LINE_MASK = (1 << BLOCK_LINE_BITS) - 1,
	ONE_LINE = 1 << BLOCK_INSN_BITS,
	ONE_LINE_MASK = BLOCK_LINE_MASK << BLOCK_INSN_BITS,
};

QEMU_PLUGIN_EXPORT int qemu_plugin_version = QEMU_PLUGIN_API;

static struct vcpu *vcpus[MAX_VCPUS];
static unsigned num_vcpus; /* highest index so far, plus 1 */

/* Whether the line is the last one that was used in its set, and dirty if this
 * is a store. */
static inline bool changes_nothing(const struct vcpu *vcpu, uint64_t vaddr,
				   enum privcache_use use)
{
	uint64_t vline = vaddr / LINE_BYTES;
	uint64_t differs =
		vcpu->recent[vline % PRIVCACHE_L1D_SETS] ^ (vline * 2 + 1);

	return differs <= (use == PRIVCACHE_LOAD);
}

/* This and use_code() are called last thing and not inlined, so that the fast
 * paths need no stack. */
static __attribute__((noinline)) void use_data(struct vcpu *vcpu, uint32_t info,
					       uint64_t vaddr, uint64_t code)
{
	enum privcache_use use = PRIVCACHE_LOAD;
	uint64_t last = vaddr + meminfo_size_bytes(info) - 1;

	if (meminfo_is_store(info))
		use = PRIVCACHE_STORE;
	if (!changes_nothing(vcpu, vaddr, use))
		vcpu_use(vcpu, vaddr, use, code);
	if (vaddr / LINE_BYTES != last / LINE_BYTES)
		vcpu_use(vcpu, last, use, code);
}

static void on_memory(unsigned index, uint32_t info, uint64_t vaddr, void *data)
{
	struct vcpu *vcpu = vcpus[index];
	uint64_t vline = vaddr / LINE_BYTES;
	/* 0: dirty, 1: clean, else another line */
	uint64_t differs =
		vcpu->recent[vline % PRIVCACHE_L1D_SETS] ^ (vline * 2 + 1);

	if (differs <= 1 && vaddr % LINE_BYTES <= SAFE_OFFSET &&
	    (!differs || !meminfo_may_store(info)))
		return;
	use_data(vcpu, info, vaddr, (uintptr_t)data);
}

static __attribute__((noinline)) void use_code(struct vcpu *vcpu,
					       uint64_t block)
{
	unsigned lines = block >> BLOCK_INSN_BITS & BLOCK_LINE_MASK;
	uint64_t vline = block >> (BLOCK_INSN_BITS + BLOCK_LINE_BITS);

	if (atomic_load_explicit(vcpu->attention, memory_order_relaxed))
		vcpu_enter(vcpu);
	if (vcpu->instructions >= VCPU_QUIET_INSTRUCTIONS)
		vcpu_pass_time(vcpu);
	for (; lines; lines--, vline++)
		if (vcpu->recent_code[vline % PRIVCACHE_L1I_SETS] != vline)
			vcpu_use(vcpu, vline * LINE_BYTES, PRIVCACHE_FETCH,
				 vline * LINE_BYTES);
}

static void on_block(unsigned index, void *data)
{
	struct vcpu *vcpu = vcpus[index];
	uint64_t block = (uintptr_t)data;
	uint64_t vline = block >> (BLOCK_INSN_BITS + BLOCK_LINE_BITS);

	vcpu->instructions += block & BLOCK_INSN_MASK;
	if ((block & ONE_LINE_MASK) == ONE_LINE &&
	    vcpu->recent_code[vline % PRIVCACHE_L1I_SETS] == vline &&
	    vcpu->instructions < VCPU_QUIET_INSTRUCTIONS &&
	    !atomic_load_explicit(vcpu->attention, memory_order_relaxed))
		return;
	use_code(vcpu, block);
}

static void on_translate(uint64_t id, struct qemu_plugin_tb *tb)
{
	size_t num = qemu_plugin_tb_n_insns(tb);
	uint64_t first = qemu_plugin_tb_vaddr(tb);
	uint64_t last = first;
	uint64_t block;
	size_t i;

	(void)id;
	for (i = 0; i < num; i++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);

		uint64_t code = qemu_plugin_insn_vaddr(insn);

		qemu_plugin_register_vcpu_mem_cb(
			insn, on_memory, QEMU_PLUGIN_NO_REGS,
			QEMU_PLUGIN_MEM_READ | QEMU_PLUGIN_MEM_WRITE,
			(void *)(uintptr_t)code);
		last = code + qemu_plugin_insn_size(insn) - 1;
	}
	block = first / LINE_BYTES;
	block = block << BLOCK_LINE_BITS |
		(last / LINE_BYTES - first / LINE_BYTES + 1);
	block = block << BLOCK_INSN_BITS | num;
	qemu_plugin_register_vcpu_tb_exec_cb(tb, on_block, QEMU_PLUGIN_NO_REGS,
					     (void *)(uintptr_t)block);
}

static void on_vcpu_init(uint64_t id, unsigned index)
{
	(void)id;
	if (index < MAX_VCPUS) {
		free(vcpus[index]); /* of a thread that has ended */
		vcpus[index] = vcpu_new();
	}
	if (index >= MAX_VCPUS || !vcpus[index]) {
		fprintf(stderr, "uncore: no memory for thread %u\n", index);
		abort();
	}
	if (index >= num_vcpus)
		num_vcpus = index + 1;
}

static void on_vcpu_exit(uint64_t id, unsigned index)
{
	(void)id;
	vcpu_detach(vcpus[index]);
}

static void on_syscall(uint64_t id, unsigned index, int64_t number, uint64_t a1,
		       uint64_t a2, uint64_t a3, uint64_t a4, uint64_t a5,
		       uint64_t a6, uint64_t a7, uint64_t a8)
{
	(void)id;
	(void)a6;
	(void)a7;
	(void)a8;
	if (number == SYS_exit || number == SYS_exit_group ||
	    follow_is_exec(number))
		vcpu_pass_time(vcpus[index]);
	vcpu_release(vcpus[index]);
	if (!follow_is_exec(number))
		return;
	vcpu_detach(vcpus[index]);
	follow_exec(vcpu_arena(), number, a1, a2, a3, a4, a5);
}

/* The process ends: also the threads that are still there. */
static void on_process_exit(uint64_t id, void *data)
{
	unsigned i;

	(void)id;
	(void)data;
	for (i = 0; i < num_vcpus; i++)
		if (vcpus[i])
			vcpu_detach(vcpus[i]);
}

static void on_fork_child(void)
{
	vcpu_forked(vcpus, num_vcpus);
}

/* Runs when QEMU has loaded this, before it looks at the version. */
static __attribute__((constructor)) void choose_version(void)
{
	if (dlsym(RTLD_DEFAULT, QEMU_PLUGIN_OLD_FUNCTION))
		qemu_plugin_version = QEMU_PLUGIN_API_OLD;
}

static bool take_arguments(int argc, char **argv)
{
	int i;

	for (i = 0; i < argc; i++)
		if (strncmp(argv[i], "arena=", 6) == 0)
			return vcpu_open_arena(argv[i] + 6);
	fprintf(stderr, "uncore: this plugin wants the argument arena=PATH\n");
	return false;
}

QEMU_PLUGIN_EXPORT int qemu_plugin_install(uint64_t id,
					   const struct qemu_plugin_info *info,
					   int argc, char **argv)
{
	if (info->system_emulation) {
		fprintf(stderr, "uncore: this plugin is for qemu-x86_64\n");
		return -1;
	}
	if (!take_arguments(argc, argv))
		return -1;
	meminfo_learn();
	follow_init();
	pthread_atfork(NULL, NULL, on_fork_child);
	qemu_plugin_register_vcpu_init_cb(id, on_vcpu_init);
	qemu_plugin_register_vcpu_exit_cb(id, on_vcpu_exit);
	qemu_plugin_register_vcpu_tb_trans_cb(id, on_translate);
	qemu_plugin_register_vcpu_syscall_cb(id, on_syscall);
	qemu_plugin_register_atexit_cb(id, on_process_exit, NULL);
	return 0;
}
