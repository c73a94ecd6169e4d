/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * A virtual CPU of the guest: where its turn stands, and its private caches.
 * All run by turns in one thread, so nothing here is locked.
 */
#ifndef UNCORE_GUEST_VCPU_H
#define UNCORE_GUEST_VCPU_H

#include <stdbool.h>
#include <stdint.h>

#include "channel.h"
#include "model/box/chase.h"
#include "model/box/combining.h"
#include "model/box/privcache.h"

enum { VCPU_PAGES = 1024 };

/* A shortcut that fits no line. */
#define VCPU_NOTHING UINT64_MAX

/* A virtual page and where it lies, in the model and in this process. */
struct vcpu_page {
	uint64_t key; /* page and vcpu->generation; 0: empty */
	uint64_t first_line;
	const char *host;
};

struct vcpu {
	/* Of this turn: executed, with the present block; before that block;
	 * at the latest record. */
	uint64_t instructions;
	uint64_t before;
	uint64_t recorded;
	uint64_t waited; /* of these, for an instruction that waits */
	/* Of this turn: so many are its end, and so many want turn_enter(),
	 * which is the same while the CPU has its turn, else 0. */
	uint64_t end;
	uint64_t limit;
	struct channel_turn *turn; /* in the round that is filled; NULL: none */
	bool awake;		   /* not halted */

	/* Shortcuts: per set of the L1s the line that was used last there. Data
	 * lines are virtual, doubled, plus 1 when dirty; lines of code are the
	 * model's. */
	uint64_t recent[PRIVCACHE_L1D_SETS];
	uint64_t recent_code[PRIVCACHE_L1I_MAX_SETS];

	uint64_t code_end; /* of the block before, the model's address */

	struct vcpu_page pages[VCPU_PAGES];
	uint64_t generation; /* of the pages; never 0 */
	struct chase chase;
	struct combining combining; /* of streaming stores */
	struct privcache cache;
};

extern struct vcpu vcpus[CHANNEL_MAX_CPUS];

/* The set of the L1I that a line belongs to. */
static inline unsigned vcpu_code_set(const struct vcpu *vcpu, uint64_t line)
{
	return line & (privcache_l1i_sets(&vcpu->cache.shape) - 1);
}

#endif
