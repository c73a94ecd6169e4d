/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Looks up the functions of QEMU 7.2. They are not an interface: other versions
 * may lack them, and then this says which one.
 */
#include "bridge/guest/qemu_symbols.h"

#include <dlfcn.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

struct symbol {
	const char *name;
	size_t place;
};

struct qemu_symbols qemu;

#define PLACE(member) offsetof(struct qemu_symbols, member)

static const struct symbol symbols[] = {
	{ "qemu_get_cpu", PLACE(get_cpu) },
	{ "x86_cpu_gdb_read_register", PLACE(read_register) },
	{ "x86_cpu_gdb_write_register", PLACE(write_register) },
	{ "g_byte_array_new", PLACE(new_array) },
	{ "g_byte_array_set_size", PLACE(resize_array) },
	{ "cpu_loop_exit_noexc", PLACE(leave) },
	{ "raise_exception_err_ra", PLACE(raise) },
	{ "cpu_get_ticks", PLACE(read_ticks) },
	{ "singlestep", PLACE(one_by_one) },
	{ "cpu_exit", PLACE(end_turn) },
	{ "tb_flush", PLACE(flush) },
	{ "cpu_physical_memory_map", PLACE(map) },
	{ "cpu_physical_memory_unmap", PLACE(unmap) },
	{ "qemu_ram_block_from_host", PLACE(block_of) },
	{ "qemu_ram_get_idstr", PLACE(block_name) },
	{ "qemu_plugin_insn_data", PLACE(insn_bytes) },
};

bool qemu_symbols_find(void)
{
	size_t i;

	for (i = 0; i < sizeof(symbols) / sizeof(symbols[0]); i++) {
		void *found = dlsym(RTLD_DEFAULT, symbols[i].name);

		if (!found) {
			fprintf(stderr,
				"uncore: this QEMU does not export %s, so a "
				"guest's registers cannot be reached; Debian's "
				"qemu-system-x86 7.2 does\n",
				symbols[i].name);
			return false;
		}
		memcpy((char *)&qemu + symbols[i].place, &found, sizeof(found));
	}
	return true;
}

void qemu_symbols_insn_bytes(const struct qemu_plugin_insn *insn,
			     uint8_t *bytes, size_t num)
{
	memcpy(bytes, qemu.insn_bytes(insn), num);
}
