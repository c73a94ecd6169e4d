/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The time in the guest is the model's: its time stamp counter and all of
 * QEMU's clocks that pass only while a guest runs are asked here.
 */
#ifndef UNCORE_GUEST_CLOCK_H
#define UNCORE_GUEST_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "channel.h"

void clock_start(struct channel *channel);

/* QEMU asks us from now on; false, with a message, if it cannot. To be called
 * when QEMU makes the first CPU. */
bool clock_attach(void);

/* The time stamp counter, when so many instructions of the present CPU's turn
 * are done. */
uint64_t clock_ticks(uint64_t executed);

/* The time stamp counter is read next by the instruction behind so many of the
 * turn. */
void clock_place(uint64_t executed);

/* The present CPU's turn has come so far. Another CPU's follows, or the end of
 * the round. */
void clock_turn(uint64_t executed);

/* The model gets this round, whose longest turn was of so many instructions;
 * it has given it back; nothing is left of the present one. */
void clock_hand_over(unsigned round, uint64_t instructions);
void clock_take_back(unsigned round, uint64_t end_ticks);

/* All CPUs are halted, and the model holds no round; one goes on. */
void clock_sleep(void);
void clock_wake(void);

#endif
