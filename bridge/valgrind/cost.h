/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What a block of instructions costs the core by itself, every load a hit of
 * the L1D: the most of what each of its parts needs.
 *
 *   width      micro-operations, so many in a cycle
 *   ports      of arithmetic, loads, stores, additions, multiplications
 *   divider    which takes one at a time
 *   fetch      of code that no loop's buffer holds
 *   carried    the longest way from what a register, or a word of memory at an
 *              address that stays, has at the block's beginning to what the
 *              same one has at its end: where the block is a round of a loop,
 *              the next one cannot be done earlier. What is longer within the
 *              block overlaps with other rounds.
 *
 * What follows from data comes on top: conditional jumps that are guessed
 * wrong, on average, and locked instructions.
 *
 * No word of Valgrind is in here.
 */
#ifndef UNCORE_COST_H
#define UNCORE_COST_H

#include <stdbool.h>
#include <stdint.h>

enum cost_kind {
	COST_MOVE, /* or part of an address: takes no time of its own */
	COST_INT,
	COST_CHOOSE, /* cmov */
	COST_MULTIPLY,
	COST_DIVIDE,
	COST_DIVIDE_WIDE, /* of 128 bits */
	COST_FP_ADD,	  /* compare, least, most */
	COST_FP_MULTIPLY,
	COST_FP_FUSED, /* multiply and add */
	COST_FP_DIVIDE,
	COST_FP_DIVIDE_SINGLE,
	COST_FP_ROOT,
	COST_CONVERT,
	COST_LOAD,
	COST_FORWARD, /* a load from what was stored just before */
	COST_LOCK,    /* a locked instruction */
	COST_HELPER,  /* cpuid and the like */
	COST_NUM_KINDS
};

struct cost_processor {
	uint8_t model; /* as cpuid has it */
	uint8_t ports, load_ports, multipliers;
	bool is_narrow;	      /* 32 bytes are loaded or stored in two cycles */
	bool multipliers_add; /* there is no adder of its own */
	uint8_t fetches; /* code comes in windows of 16 bytes, one a cycle */
	uint8_t refill;	 /* core cycles after a jump that was guessed wrong */
};

/* By the number that cpuid has for its model. */
const struct cost_processor *cost_processor(unsigned model);

/* What is in a block. */
struct cost_sum {
	unsigned uops;	/* of the fused domain */
	unsigned arith; /* of these, such as need a port for arithmetic */
	unsigned loads;
	unsigned stores;
	unsigned windows; /* of 16 bytes of code */
	unsigned rounds;  /* of a loop: jumps that are made */
	bool is_loop;	  /* jumps to its own beginning */
	unsigned num[COST_NUM_KINDS];
};

/* One result. Values have numbers; those below num_places are what outlives the
 * block, and 0 is none. Others are written before they are read. */
struct cost_op {
	uint8_t kind;
	bool keeps; /* what `to` was is part of it */
	uint16_t to;
	uint16_t from[4];
};

enum {
	COST_MAX_PLACES = 96,
	COST_MAX_VALUES = 4096,
	COST_MAX_OPS = 4096,
	COST_SHIFT = 8,
};

/* The longest way from a place to itself: core cycles. */
unsigned cost_carried(const struct cost_processor *processor,
		      const struct cost_op *ops, unsigned num_ops,
		      unsigned num_places);

/* Which loads find their address by what a load brought a round before, as the
 * step through a list does, and all that looks into its node: chain[i] of each
 * op of COST_LOAD is the place whose value goes round so, or 0. Of places
 * beyond the 63rd nothing is known. */
void cost_find_chains(const struct cost_op *ops, unsigned num_ops,
		      unsigned num_values, unsigned num_places, uint8_t *chain);

/* What nothing else overlaps with, locked instructions and the like; in core
 * cycles << COST_SHIFT, as below. */
uint32_t cost_alone(const struct cost_processor *processor,
		    const struct cost_sum *sum);

/* All of it, without jumps that are guessed wrong. */
uint32_t cost_block(const struct cost_processor *processor,
		    const struct cost_sum *sum, unsigned carried);

/* What a jump costs on average, as above, that has to be guessed and closes no
 * loop. */
uint32_t cost_jump(const struct cost_processor *processor);

/* A round of `rep movs` or `rep stos` that moves so many bytes. */
uint32_t cost_round(unsigned bytes);

#endif
