/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Looks up what QEMU 7.2 and 10.0 have. Most of it is not an interface: other
 * versions may lack it, and then this says what. From 10.1 on registers are an
 * interface, which is only used where QEMU's own functions are missing, because
 * it can do less (registers_official.c).
 */
#include "bridge/guest/qemu_symbols.h"

#include <dlfcn.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* Of the plugin interface: the address of an access is the guest's;
 * instructions are copied out; registers written. */
enum { VERSION_PHYSICAL = 2, VERSION_COPIES = 3, VERSION_REGISTERS = 5 };

enum need {
	NEVER,
	ALWAYS,
	INTERNAL, /* for registers by QEMU's own functions */
	OFFICIAL, /* for registers by the interface */
};

struct symbol {
	const char *name;
	size_t place;
	enum need need;
};

struct qemu_symbols qemu;

#define PLACE(member) offsetof(struct qemu_symbols, member)

/* Of rows with the same place the first one counts that is there. */
static const struct symbol symbols[] = {
	{ "qemu_get_cpu", PLACE(get_cpu), ALWAYS },
	{ "cpu_loop_exit_noexc", PLACE(leave), ALWAYS },
	{ "cpu_exit", PLACE(end_turn), ALWAYS },
	{ "cpu_get_ticks", PLACE(read_ticks), ALWAYS },
	{ "cpu_physical_memory_map", PLACE(map), ALWAYS },
	{ "cpu_physical_memory_unmap", PLACE(unmap), ALWAYS },
	{ "qemu_ram_block_from_host", PLACE(block_of), ALWAYS },
	{ "qemu_ram_get_idstr", PLACE(block_name), ALWAYS },
	{ "qemu_plugin_insn_data", PLACE(insn_data), ALWAYS },
	{ "g_byte_array_new", PLACE(new_array), ALWAYS },
	{ "g_byte_array_set_size", PLACE(resize_array), ALWAYS },
	{ "mttcg_enabled", PLACE(threads), NEVER },
	{ "tcg_cpu_init_cflags", PLACE(begin_cpu), NEVER },
	{ "qemu_register_shutdown_notifier", PLACE(notify_shutdown), NEVER },
	{ "ShutdownCause_lookup", PLACE(shutdown_reasons), NEVER },
	{ "tb_flush", PLACE(flush), INTERNAL },
	/* What later versions do by themselves. */
	{ "qemu_plugin_disable_mem_helpers", PLACE(forget_callbacks), NEVER },
	{ "one_insn_per_tb", PLACE(one_by_one), NEVER }, /* since QEMU 8 */
	{ "singlestep", PLACE(one_by_one), INTERNAL },
	{ "raise_exception_err_ra", PLACE(raise), INTERNAL },
	{ "x86_cpu_gdb_read_register", PLACE(read_register), INTERNAL },
	{ "x86_cpu_gdb_write_register", PLACE(write_register), INTERNAL },
	{ "qemu_plugin_get_registers", PLACE(get_registers), OFFICIAL },
	{ "qemu_plugin_read_register", PLACE(read_handle), OFFICIAL },
	{ "qemu_plugin_write_register", PLACE(write_handle), OFFICIAL },
};

static bool is_needed(const struct symbol *symbol)
{
	return symbol->need == ALWAYS ||
	       symbol->need == (qemu.official ? OFFICIAL : INTERNAL);
}

static bool find(const struct symbol *symbol)
{
	char *place = (char *)&qemu + symbol->place;
	void *found;

	memcpy(&found, place, sizeof(found));
	if (!found)
		found = dlsym(RTLD_DEFAULT, symbol->name);
	memcpy(place, &found, sizeof(found));
	return found;
}

/* The first one that is needed and not there, or NULL. */
static const struct symbol *missing(void)
{
	size_t i;

	for (i = 0; i < sizeof(symbols) / sizeof(symbols[0]); i++)
		if (!find(&symbols[i]) && is_needed(&symbols[i]))
			return &symbols[i];
	return NULL;
}

bool qemu_symbols_find(int version)
{
	const struct symbol *lacks = missing();

	if (lacks && lacks->need == INTERNAL && version >= VERSION_REGISTERS) {
		qemu.official = true;
		lacks = missing();
	}
	if (lacks) {
		fprintf(stderr,
			"uncore: this QEMU (its plugin interface is number %d) "
			"does not export %s, without which a guest cannot be "
			"served; Debian's qemu-system-x86 7.2 and 10.0 do\n",
			version, lacks->name);
		return false;
	}
	qemu.is_physical = version >= VERSION_PHYSICAL;
	qemu.copies_insn = version >= VERSION_COPIES;
	return true;
}

void qemu_symbols_insn_bytes(const struct qemu_plugin_insn *insn,
			     uint8_t *bytes, size_t num)
{
	size_t (*copy)(const struct qemu_plugin_insn *insn, void *bytes,
		       size_t num);
	const void *(*get)(const struct qemu_plugin_insn *insn);

	if (qemu.copies_insn) {
		memcpy(&copy, &qemu.insn_data, sizeof(copy));
		copy(insn, bytes, num);
	} else {
		memcpy(&get, &qemu.insn_data, sizeof(get));
		memcpy(bytes, get(insn), num);
	}
}
