/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * A plugin of QEMU's user mode: writes how many instructions all threads of a
 * process have executed into the file that its argument names.
 */
#define _GNU_SOURCE /* for RTLD_DEFAULT */
#include <dlfcn.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "guest/plugin/qemu_plugin.h"

QEMU_PLUGIN_EXPORT int qemu_plugin_version = QEMU_PLUGIN_API;

static uint64_t instructions;
static char path[4096];

static void executed(unsigned vcpu, void *num)
{
	(void)vcpu;
	__atomic_fetch_add(&instructions, (uintptr_t)num, __ATOMIC_RELAXED);
}

static void translated(uint64_t id, struct qemu_plugin_tb *tb)
{
	void *num = (void *)qemu_plugin_tb_n_insns(tb);

	(void)id;
	qemu_plugin_register_vcpu_tb_exec_cb(tb, executed, QEMU_PLUGIN_NO_REGS,
					     num);
}

static void ended(uint64_t id, void *data)
{
	FILE *out = fopen(path, "w");

	(void)id;
	(void)data;
	if (!out)
		return;
	fprintf(out, "%" PRIu64 "\n", instructions);
	fclose(out);
}

static __attribute__((constructor)) void choose_version(void)
{
	if (dlsym(RTLD_DEFAULT, QEMU_PLUGIN_OLD_FUNCTION))
		qemu_plugin_version = QEMU_PLUGIN_API_OLD;
}

QEMU_PLUGIN_EXPORT int qemu_plugin_install(uint64_t id,
					   const struct qemu_plugin_info *info,
					   int argc, char **argv)
{
	(void)info;
	if (argc != 1 || strncmp(argv[0], "out=", 4))
		return 1;
	snprintf(path, sizeof(path), "%s", argv[0] + 4);
	qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
	qemu_plugin_register_atexit_cb(id, ended, NULL);
	return 0;
}
