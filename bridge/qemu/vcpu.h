/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * A virtual CPU of QEMU, that is a thread of the program, and its place on a
 * core of the modelled machine.
 */
#ifndef UNCORE_VCPU_H
#define UNCORE_VCPU_H

#include <stdbool.h>
#include <stdint.h>

#include "bridge/qemu/arena.h"
#include "model/box/chase.h"

enum {
	VCPU_TLB_ENTRIES = 1024,
	VCPU_QUIET_INSTRUCTIONS = 50000,
};

/* A shortcut that fits no line. */
#define VCPU_NOTHING UINT64_MAX

struct vcpu_translation {
	uint64_t page;
	uint64_t frame;
};

struct vcpu {
	/* Not 0: call vcpu_enter(). Points to the core's word while the core is
	 * held, to one that is always set otherwise. */
	_Atomic uint32_t *attention;
	uint64_t instructions;	 /* since the latest record */
	uint64_t counted;	 /* of them, those added to the core's */
	struct arena_core *core; /* never NULL */

	/* Shortcuts: per set of the L1s the line (virtual address / 64) that
	 * was used last there; data lines are doubled, plus 1 when dirty. */
	uint64_t recent[PRIVCACHE_L1D_SETS];
	uint64_t recent_code[PRIVCACHE_L1I_SETS];

	struct vcpu_translation tlb[VCPU_TLB_ENTRIES];

	struct chase chase;

	struct arena_thread *thread; /* NULL: has no core */
	uint64_t code;		     /* address of the latest access's */
	uint32_t tid;
	unsigned socket;
	unsigned blocks; /* since others have waited for this core */
	bool held;
	bool off; /* runs uncounted from now on */
};

/* The shared memory of this process; false (with a message) without it. */
bool vcpu_open_arena(const char *path);
struct arena *vcpu_arena(void);

/* In a forked child: no vCPU has a core yet, and the pages are copies. */
void vcpu_forked(struct vcpu *const *vcpus, unsigned num);

/* A vCPU, placed on a core; NULL without memory. */
struct vcpu *vcpu_new(void);

/* The thread has ended, or executes another program. */
void vcpu_detach(struct vcpu *vcpu);

/* Tells the model how many instructions have passed since the latest record. To
 * be called every VCPU_QUIET_INSTRUCTIONS, and before the thread ends. */
void vcpu_pass_time(struct vcpu *vcpu);

/* Before a system call: records are published, the core is let go. */
void vcpu_release(struct vcpu *vcpu);

/* Data or code of one line (virtual address / 64), `vaddr` somewhere in it, for
 * the instruction at `code`. */
void vcpu_use(struct vcpu *vcpu, uint64_t vaddr, enum privcache_use use,
	      uint64_t code);

/* At the start of a block of instructions whenever *attention is set: takes the
 * core if it is not held, and does what it asks for. */
void vcpu_enter(struct vcpu *vcpu);

#endif
