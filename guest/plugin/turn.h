/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Turns of the virtual CPUs, and the rounds made of them. A round is over when
 * a virtual CPU whose turn in it is over comes again, when all have halted,
 * when a turn's records are full, or when the guest asks the model something.
 */
#ifndef UNCORE_GUEST_TURN_H
#define UNCORE_GUEST_TURN_H

#include "vcpu.h"

/* Whether memory accesses become records at present. */
extern bool turn_recording;

/* The first round begins. */
void turn_start(struct channel *channel);

/* Before a block of instructions, when executing it would reach the limit. The
 * block is not yet among vcpu->instructions. Does not return, but leaves the
 * block, if it is another CPU's turn. */
void turn_enter(struct vcpu *vcpu, unsigned block_instructions);

/* Requests of one access; `executed` of this turn's instructions are before it.
 * Returns how many these are in the turn that goes on: none where this one was
 * handed over before. */
uint64_t turn_put(struct vcpu *vcpu, uint64_t executed,
		  const struct privcache_request *requests, unsigned num,
		  bool depends);

/* The CPU executes a halting instruction. */
void turn_halt(struct vcpu *vcpu);

/* The CPU executes an instruction that lets others run. */
void turn_yield(struct vcpu *vcpu);

/* The guest starts anew, on this CPU. */
void turn_reset(struct vcpu *vcpu);

/* QEMU ends: hands over what there is. */
void turn_end(void);

/* Asks the model: hands over the round up to `executed` instructions of this
 * turn, and waits for the answer, in channel->request. False when nobody
 * answers any more. */
bool turn_request(struct vcpu *vcpu, uint64_t executed,
		  enum channel_request_kind kind, uint32_t address,
		  uint64_t value);

/* The same of the CPU that is at an access to a configuration space, wherever
 * in its block that is. False also if there is none. */
bool turn_request_pci(enum channel_request_kind kind, uint32_t address,
		      unsigned bytes, uint64_t value);

/* Of the present CPU's turn. */
uint64_t turn_executed(void);

/* Whether the model is there. */
bool turn_is_on(void);

#endif
