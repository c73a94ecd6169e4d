/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Looks up what QEMU 7.2 and 10.0 have. Most of it is not an interface: other
 * versions may lack it, and then this says what. (From 10.1 on the interface
 * writes registers, but neither leaves an instruction out nor raises a fault.)
 */
#include "qemu_symbols.h"

#include <dlfcn.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* Of the plugin interface: the address of an access is the guest's;
 * instructions are copied out. */
enum { VERSION_PHYSICAL = 2, VERSION_COPIES = 3 };

struct symbol {
	const char *name;
	size_t place;
	bool is_needed;
};

struct qemu_symbols qemu;

#define PLACE(member) offsetof(struct qemu_symbols, member)

/* Of rows with the same place the first one counts that is there. */
static const struct symbol symbols[] = {
	{ "qemu_get_cpu", PLACE(get_cpu), true },
	{ "cpu_loop_exit_noexc", PLACE(leave), true },
	{ "cpu_exit", PLACE(end_turn), true },
	{ "cpu_x86_cpuid", PLACE(identify), true },
	{ "object_class_by_name", PLACE(find_class), true },
	{ "cpus_get_virtual_clock", PLACE(ask_ns), true },
	{ "cpus_get_elapsed_ticks", PLACE(ask_ticks), true },
	{ "bql_lock_impl", PLACE(lock), false }, /* since QEMU 9 */
	{ "qemu_mutex_lock_iothread_impl", PLACE(lock), true },
	{ "bql_unlock", PLACE(unlock), false },
	{ "qemu_mutex_unlock_iothread", PLACE(unlock), true },
	{ "all_cpu_threads_idle", PLACE(all_halted), true },
	{ "qemu_clock_deadline_ns_all", PLACE(next_timer_ns), true },
	{ "qemu_clock_notify", PLACE(tell_timers), true },
	{ "cpu_physical_memory_map", PLACE(map), true },
	{ "cpu_physical_memory_unmap", PLACE(unmap), true },
	{ "qemu_ram_block_from_host", PLACE(block_of), true },
	{ "qemu_ram_get_idstr", PLACE(block_name), true },
	{ "object_resolve_path_type", PLACE(find_object), false },
	{ "qdev_get_child_bus", PLACE(child_bus), false },
	{ "pci_data_read", PLACE(read_pci), false },
	{ "pci_data_write", PLACE(write_pci), false },
	{ "cpu_inl", PLACE(read_port), false },
	{ "get_system_io", PLACE(ports), false },
	{ "get_system_memory", PLACE(memory), false },
	{ "memory_region_init_io", PLACE(make_region), false },
	{ "memory_region_add_subregion_overlap", PLACE(add_region), false },
	{ "qemu_plugin_insn_data", PLACE(insn_data), true },
	{ "g_byte_array_new", PLACE(new_array), true },
	{ "g_byte_array_set_size", PLACE(resize_array), true },
	{ "mttcg_enabled", PLACE(threads), false },
	{ "tcg_cpu_init_cflags", PLACE(begin_cpu), false },
	{ "qemu_register_shutdown_notifier", PLACE(notify_shutdown), false },
	{ "ShutdownCause_lookup", PLACE(shutdown_reasons), false },
	{ "tb_flush", PLACE(flush), true },
	/* What later versions do by themselves. */
	{ "qemu_plugin_disable_mem_helpers", PLACE(forget_callbacks), false },
	{ "one_insn_per_tb", PLACE(one_by_one), false }, /* since QEMU 8 */
	{ "singlestep", PLACE(one_by_one), true },
	{ "raise_exception_err_ra", PLACE(raise), true },
	{ "x86_cpu_gdb_read_register", PLACE(read_register), true },
	{ "x86_cpu_gdb_write_register", PLACE(write_register), true },
};

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
		if (!find(&symbols[i]) && symbols[i].is_needed)
			return &symbols[i];
	return NULL;
}

bool qemu_symbols_find(int version)
{
	const struct symbol *lacks = missing();

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
