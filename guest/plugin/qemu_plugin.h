/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The part of QEMU's plugin interface that is used here; it is the same in
 * versions 1 (QEMU 7.2) to 4 (QEMU 10.0). Distributions package QEMU without a
 * header for plugins, so the few functions are declared as QEMU exports them.
 */
#ifndef UNCORE_QEMU_PLUGIN_H
#define UNCORE_QEMU_PLUGIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define QEMU_PLUGIN_EXPORT __attribute__((visibility("default")))

/* QEMU 9 refuses plugins made for version 1, older ones those for version 2;
 * QEMU 11 refuses both. */
enum { QEMU_PLUGIN_API_OLD = 1, QEMU_PLUGIN_API = 2 };
/* Only QEMU of the old interface has this function. */
#define QEMU_PLUGIN_OLD_FUNCTION "qemu_plugin_n_vcpus"

/* Opaque: a translation block, an instruction of it, a place in memory. */
struct qemu_plugin_tb;
struct qemu_plugin_insn;
struct qemu_plugin_hwaddr;

enum qemu_plugin_regs {
	QEMU_PLUGIN_NO_REGS,
	QEMU_PLUGIN_READ_REGS,
	QEMU_PLUGIN_WRITE_REGS,
};
enum qemu_plugin_mem { QEMU_PLUGIN_MEM_READ = 1, QEMU_PLUGIN_MEM_WRITE = 2 };

struct qemu_plugin_info {
	const char *target_name;
	struct {
		int min;
		int cur;
	} version;
	bool system_emulation;
};

typedef void qemu_plugin_vcpu_fn(uint64_t id, unsigned vcpu);
typedef void qemu_plugin_tb_trans_fn(uint64_t id, struct qemu_plugin_tb *tb);
typedef void qemu_plugin_exec_fn(unsigned vcpu, void *data);
typedef void qemu_plugin_mem_fn(unsigned vcpu, uint32_t info, uint64_t address,
				void *data);
typedef void qemu_plugin_flush_fn(uint64_t id);
typedef void qemu_plugin_exit_fn(uint64_t id, void *data);
typedef void qemu_plugin_syscall_fn(uint64_t id, unsigned vcpu, int64_t number,
				    uint64_t a1, uint64_t a2, uint64_t a3,
				    uint64_t a4, uint64_t a5, uint64_t a6,
				    uint64_t a7, uint64_t a8);

void qemu_plugin_register_vcpu_init_cb(uint64_t id, qemu_plugin_vcpu_fn *fn);
void qemu_plugin_register_vcpu_exit_cb(uint64_t id, qemu_plugin_vcpu_fn *fn);
void qemu_plugin_register_atexit_cb(uint64_t id, qemu_plugin_exit_fn *fn,
				    void *data);
void qemu_plugin_register_vcpu_syscall_cb(uint64_t id,
					  qemu_plugin_syscall_fn *fn);
void qemu_plugin_register_vcpu_tb_trans_cb(uint64_t id,
					   qemu_plugin_tb_trans_fn *fn);
void qemu_plugin_register_flush_cb(uint64_t id, qemu_plugin_flush_fn *fn);
void qemu_plugin_register_vcpu_tb_exec_cb(struct qemu_plugin_tb *tb,
					  qemu_plugin_exec_fn *fn,
					  enum qemu_plugin_regs regs,
					  void *data);
void qemu_plugin_register_vcpu_mem_cb(struct qemu_plugin_insn *insn,
				      qemu_plugin_mem_fn *fn,
				      enum qemu_plugin_regs regs,
				      enum qemu_plugin_mem which, void *data);

void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *insn,
					    qemu_plugin_exec_fn *fn,
					    enum qemu_plugin_regs regs,
					    void *data);

size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);
uint64_t qemu_plugin_tb_vaddr(const struct qemu_plugin_tb *tb);
struct qemu_plugin_insn *
qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *tb, size_t index);
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *insn);
size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *insn);
/* Where the instruction lies in this process; NULL if not in RAM. */
void *qemu_plugin_insn_haddr(const struct qemu_plugin_insn *insn);
bool qemu_plugin_mem_is_store(uint32_t info);
unsigned qemu_plugin_mem_size_shift(uint32_t info);

/* Valid inside the callback of the access. */
struct qemu_plugin_hwaddr *qemu_plugin_get_hwaddr(uint32_t info,
						  uint64_t address);
bool qemu_plugin_hwaddr_is_io(const struct qemu_plugin_hwaddr *place);
uint64_t qemu_plugin_hwaddr_phys_addr(const struct qemu_plugin_hwaddr *place);

/* The program's own file, to be freed. */
char *qemu_plugin_path_to_binary(void);

/* Found by QEMU in the plugin. */
extern int qemu_plugin_version;
int qemu_plugin_install(uint64_t id, const struct qemu_plugin_info *info,
			int argc, char **argv);

#endif
