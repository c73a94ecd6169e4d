/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Looks up what QEMU 7.2 or QEMU 10.1 and later have. Most of it is not an
 * interface: other versions may lack it, and then this says what.
 */
#include "bridge/guest/qemu_symbols.h"

#include <dlfcn.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* Of the plugin interface: instructions are copied out; registers written. */
enum { VERSION_COPIES = 3, VERSION_REGISTERS = 5 };

enum need {
	NEVER,
	ALWAYS,
	INTERNAL, /* where the interface has no registers */
	OFFICIAL, /* where it has */
};

struct symbol {
	const char *name;
	size_t place;
	enum need need;
};

struct qemu_symbols qemu;

#define PLACE(member) offsetof(struct qemu_symbols, member)

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
	{ "tb_flush", PLACE(flush), INTERNAL },
	{ "qemu_plugin_disable_mem_helpers", PLACE(forget_callbacks),
	  INTERNAL },
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

bool qemu_symbols_find(int version)
{
	size_t i;

	qemu.official = version >= VERSION_REGISTERS;
	for (i = 0; i < sizeof(symbols) / sizeof(symbols[0]); i++) {
		void *found = dlsym(RTLD_DEFAULT, symbols[i].name);

		if (!found && is_needed(&symbols[i])) {
			fprintf(stderr,
				"uncore: this QEMU (its plugin interface is "
				"number %d) does not export %s, without which "
				"a guest cannot be served; Debian's "
				"qemu-system-x86 7.2 does\n",
				version, symbols[i].name);
			return false;
		}
		memcpy((char *)&qemu + symbols[i].place, &found, sizeof(found));
	}
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
