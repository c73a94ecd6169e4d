/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What is used of QEMU besides its plugin interface. Distributions build QEMU
 * with loadable modules, so its executable exports its functions. No others are
 * looked up anywhere else.
 */
#ifndef UNCORE_GUEST_QEMU_SYMBOLS_H
#define UNCORE_GUEST_QEMU_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct qemu_plugin_insn;

/* GLib's, as its header has it. */
struct byte_array {
	uint8_t *data;
	unsigned len;
};

struct notifier {
	void (*notify)(struct notifier *notifier, void *data);
	void *neighbours[2]; /* QEMU's */
};

/* The words for the values of an enumeration; more follows. */
struct enum_names {
	const char *const *names;
};

/* What answers accesses to a region of memory or ports; most fields are QEMU's
 * defaults. */
struct region_calls {
	uint64_t (*read)(void *opaque, uint64_t offset, unsigned bytes);
	void (*write)(void *opaque, uint64_t offset, uint64_t value,
		      unsigned bytes);
	void (*with_attributes[2])(void);
	int endianness;
	struct {
		unsigned least, most;
		bool unaligned;
		bool (*accepts)(void);
	} valid;
	struct {
		unsigned least, most;
		bool unaligned;
	} impl;
};

struct qemu_symbols {
	/* The physical address of an access is the guest's. */
	bool is_physical;

	void *(*get_cpu)(int index);
	/* These two do not return: the CPU goes on at its instruction pointer,
	 * the second one with an exception. */
	void (*leave)(void *cpu);
	void (*raise)(void *environment, int exception, int error,
		      uintptr_t host_address);
	void (*end_turn)(void *cpu);
	void (*identify)(void *environment, uint32_t leaf, uint32_t subleaf,
			 uint32_t *eax, uint32_t *ebx, uint32_t *ecx,
			 uint32_t *edx);
	/* An object of its type system; an accelerator's begins with its
	 * functions. */
	void *(*find_class)(const char *name);
	/* The clock of timers in a guest, and the time stamp counter. */
	int64_t (*ask_ns)(void);
	int64_t (*ask_ticks)(void);
	/* QEMU's big lock: without it no CPU wakes up, no timer runs. What is
	 * handed over names the caller. */
	void (*lock)(const char *file, int line);
	void (*unlock)(void);
	bool (*all_halted)(void);
	/* Until the next timer of a clock: 0: past, negative: there is none.
	 * After time has jumped, whoever waits for one is told. */
	int64_t (*next_timer_ns)(int clock, int kinds);
	void (*tell_timers)(int clock);
	/* Blocks of one instruction are made. A truth value since QEMU 8, the
	 * first byte of an integer before. */
	bool *one_by_one;
	void (*flush)(void *cpu); /* all blocks, when the CPU is left */

	const bool *threads; /* a thread for each CPU; may be missing */
	/* Says whether other CPUs may run beside this one; since QEMU 8. */
	void (*begin_cpu)(void *cpu, bool parallel);
	/* Of its present instruction; missing where QEMU does so itself. */
	void (*forget_callbacks)(void *cpu);

	/* Calls with a pointer to the reason, an int; both may be missing. */
	void (*notify_shutdown)(struct notifier *notifier);
	const struct enum_names *shutdown_reasons;

	/* A register in the order of GDB; appended to the array. */
	int (*read_register)(void *cpu, struct byte_array *array, int number);
	int (*write_register)(void *cpu, uint8_t *bytes, int number);
	struct byte_array *(*new_array)(void);
	struct byte_array *(*resize_array)(struct byte_array *array,
					   unsigned bytes);

	void *(*map)(uint64_t address, uint64_t *bytes, bool write);
	void (*unmap)(void *host, uint64_t bytes, bool write, uint64_t used);
	void *(*block_of)(const void *host, bool round, uint64_t *offset);
	const char *(*block_name)(const void *block);
	/* PCI; missing in a QEMU that cannot have our buses. An object is found
	 * by its type, a bus by its owner's name for it. */
	void *(*find_object)(const char *path, const char *type,
			     bool *ambiguous);
	void *(*child_bus)(void *device, const char *name);
	uint32_t (*read_pci)(void *bus, uint32_t address, unsigned bytes);
	void (*write_pci)(void *bus, uint32_t address, uint32_t value,
			  unsigned bytes);
	uint32_t (*read_port)(uint32_t port);
	void *(*ports)(void);
	void *(*memory)(void);
	void (*make_region)(void *region, void *owner,
			    const struct region_calls *calls, void *opaque,
			    const char *name, uint64_t bytes);
	void (*add_region)(void *below, uint64_t place, void *region,
			   int priority);

	const void *insn_data; /* of either of two types */
	bool copies_insn;      /* the second one */
};

extern struct qemu_symbols qemu;

/* False, with a message, when this QEMU lacks something. `version` is that of
 * its plugin interface. */
bool qemu_symbols_find(int version);

/* Copies the bytes of an instruction. */
void qemu_symbols_insn_bytes(const struct qemu_plugin_insn *insn,
			     uint8_t *bytes, size_t num);

#endif
