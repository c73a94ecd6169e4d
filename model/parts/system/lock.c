/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * See lock.h.
 */
#include "model/parts/system/lock.h"

#include <string.h>

#include "model/sim/sim.h"

static void stop_all(struct lock *lock, unsigned turn)
{
	lock->is_held = true;
	lock->holder = turn;
	lock->agreed = lock->kind->tell_all(
		lock->object, turn, true,
		sim_later(lock->ready[turn], lock->free_from));
	if (!lock->num_awaited)
		lock->kind->grant(lock->object, turn, lock->agreed);
}

/* In the order in which they come to the master. */
static void wait(struct lock *lock, unsigned turn)
{
	unsigned place = lock->num++;

	for (; place; place--) {
		uint8_t before = lock->waiting[place - 1];

		if (lock->ready[before] <= lock->ready[turn])
			break;
		lock->waiting[place] = before;
	}
	lock->waiting[place] = (uint8_t)turn;
}

void lock_ask(struct lock *lock, unsigned turn, uint64_t ready)
{
	lock->ready[turn] = ready;
	if (lock->is_held)
		wait(lock, turn);
	else
		stop_all(lock, turn);
}

void lock_agree(struct lock *lock, uint64_t at)
{
	lock->agreed = sim_later(lock->agreed, at);
	if (!--lock->num_awaited)
		lock->kind->grant(lock->object, lock->holder, lock->agreed);
}

uint64_t lock_give_back(struct lock *lock, unsigned turn, uint64_t at)
{
	lock->free_from = lock->kind->tell_all(lock->object, turn, false, at);
	lock->is_held = false;
	return lock->free_from;
}

void lock_next(struct lock *lock)
{
	unsigned turn = lock->waiting[0];

	if (!lock->num)
		return;
	lock->num--;
	memmove(lock->waiting, lock->waiting + 1, lock->num);
	stop_all(lock, turn);
}
