/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The lock of a machine, as its quiesce master has it: who holds it has stopped
 * all other cores and all devices.
 *
 *	Lock -> master, StopReq1 -> all
 *	     <- when all have answered; devices do so when what they began is
 *		over
 *	Unlock -> master, StartReq2 -> all
 *	     <- when all have answered; then the next Lock goes on
 *
 * Invariants
 * 1. It is held from the transaction of a Lock until that of its Unlock.
 * 2. Who waits for it goes on in the order of arrival at the master.
 * 3. Who waits is stopped and started like all others.
 */
#ifndef UNCORE_LOCK_H
#define UNCORE_LOCK_H

#include <stdbool.h>
#include <stdint.h>

enum { LOCK_TURNS = 128 };

/* Who asks is called by a number below LOCK_TURNS. */
struct lock_kind {
	/* For somebody all others are told, from the cycle `at` on, to stop, or
	 * to start again: when all have answered of whom that is known.
	 * lock->num_awaited is how many are left, who do it by lock_agree(). */
	uint64_t (*tell_all)(void *object, unsigned turn, bool is_stop,
			     uint64_t at);
	/* All stand, as the master knows in the cycle `at`: who asked may go
	 * on. */
	void (*grant)(void *object, unsigned turn, uint64_t at);
};

struct lock {
	const struct lock_kind *kind;
	void *object;
	bool is_held;
	uint64_t free_from;   /* if it is not */
	unsigned holder;      /* if it is, or about to be, */
	unsigned num_awaited; /* who have not agreed yet, */
	uint64_t agreed;      /* and when all others have */
	unsigned num;	      /* who wait */
	uint8_t waiting[LOCK_TURNS];
	uint64_t ready[LOCK_TURNS];
};

/* A Lock is at the master, and may be worked on in the cycle `ready`. */
void lock_ask(struct lock *lock, unsigned turn, uint64_t ready);

/* One of those that were awaited stands; the master knows in the cycle `at`. */
void lock_agree(struct lock *lock, uint64_t at);

/* The Unlock of a turn may be worked on in the cycle `at`: when all have
 * started. lock_next() after the answer to it. */
uint64_t lock_give_back(struct lock *lock, unsigned turn, uint64_t at);
void lock_next(struct lock *lock);

#endif
