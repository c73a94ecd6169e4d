/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * QEMU 7.2 leaves in a CPU, when it leaves a block, the list of callbacks for
 * the accesses of the instruction before (mended in 8.0: there it is cleared).
 * When all blocks are made anew the list is freed, and the next access that is
 * not made by code of a block, such as the stack of an interrupt, follows it
 * into memory that something else may have. Blocks are made anew whenever
 * traffic begins or ends, and when QEMU has no room for more.
 *
 * So this finds the place of that pointer, which is where a CPU has a pointer
 * to an array whose first member begins with our callback, and clears it when
 * the lists have been freed. No CPU is running then. Everything is read the way
 * that another process would, because most words are no pointers.
 */
#include "bridge/guest/stale.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/uio.h>
#include <unistd.h>

#include "bridge/guest/qemu_symbols.h"

enum {
	SEARCH_BYTES = 1 << 14, /* of what all processors have */
	MAX_TRIES = 1000,	/* mostly the first is enough */
};

#define FIRST_POINTER (UINT64_C(1) << 16)
#define LAST_POINTER  (UINT64_C(1) << 47)

static size_t offset; /* 0: not known */
static unsigned tries;

static bool read_word(uint64_t address, uint64_t *word)
{
	struct iovec here = { word, sizeof(*word) };
	struct iovec there = { (void *)(uintptr_t)address, sizeof(*word) };

	return address >= FIRST_POINTER && address < LAST_POINTER &&
	       address % sizeof(*word) == 0 &&
	       process_vm_readv(getpid(), &here, 1, &there, 1, 0) ==
		       sizeof(*word);
}

void stale_learn(unsigned index, const void *callback)
{
	const uint64_t *words = qemu.get_cpu((int)index);
	uint64_t members, first;
	size_t i;

	if (offset || tries == MAX_TRIES)
		return;
	tries++;
	for (i = 1; i < SEARCH_BYTES / sizeof(*words); i++)
		if (read_word(words[i], &members) &&
		    read_word(members, &first) &&
		    first == (uintptr_t)callback) {
			offset = i * sizeof(*words);
			return;
		}
}

void stale_clear(unsigned num_cpus)
{
	unsigned i;

	for (i = 0; offset && i < num_cpus; i++) {
		char *cpu = qemu.get_cpu((int)i);

		if (cpu)
			*(void **)(void *)(cpu + offset) = NULL;
	}
}
