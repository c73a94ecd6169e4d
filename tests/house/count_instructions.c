/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * A plugin for QEMU's user mode that counts the instructions of a program and
 * writes their number to the standard error at its end: a measure of work that
 * no other load of the machine changes.
 */
#include <inttypes.h>
#include <stdio.h>

#include "bridge/guest/qemu_plugin.h"

QEMU_PLUGIN_EXPORT int qemu_plugin_version = QEMU_PLUGIN_API_OLD;

static _Atomic uint64_t instructions;

static void run(unsigned vcpu, void *number)
{
	(void)vcpu;
	instructions += (uintptr_t)number;
}

static void translate(uint64_t id, struct qemu_plugin_tb *tb)
{
	(void)id;
	qemu_plugin_register_vcpu_tb_exec_cb(
		tb, run, QEMU_PLUGIN_NO_REGS,
		(void *)(uintptr_t)qemu_plugin_tb_n_insns(tb));
}

static void end(uint64_t id, void *unused)
{
	(void)id, (void)unused;
	fprintf(stderr, "instructions: %" PRIu64 "\n", instructions);
}

QEMU_PLUGIN_EXPORT int qemu_plugin_install(uint64_t id,
					   const struct qemu_plugin_info *info,
					   int argc, char **argv)
{
	(void)argc, (void)argv;
	/* found by name only in QEMU that wants the newer version */
	if (info->version.min > QEMU_PLUGIN_API_OLD)
		return -1;
	qemu_plugin_register_vcpu_tb_trans_cb(id, translate);
	qemu_plugin_register_atexit_cb(id, end, NULL);
	return 0;
}
