/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * An alarm for one purpose of the M-Box. The event queue cannot take an event
 * back, so an alarm that is moved to an earlier cycle leaves an event behind.
 * Each alarm remembers the few cycles it has asked for: a cycle is asked for
 * once however often the alarm comes back to it, and an event that finds the
 * alarm set to another cycle does nothing.
 */
#include "model/box/mbox_parts.h"

void mbox_alarm_start(struct mbox_alarm *alarm)
{
	alarm->cycle = SIM_NEVER;
	alarm->num_asked = 0;
}

/* Sets the alarm, unless it is set to an earlier cycle already; fn gets the
 * M-Box and the cycle. */
void mbox_alarm_set(struct mbox *mbox, struct mbox_alarm *alarm, uint64_t cycle,
		    sim_fn *fn)
{
	if (cycle >= alarm->cycle)
		return;
	alarm->cycle = cycle;
	for (unsigned i = 0; i < alarm->num_asked; i++)
		if (alarm->asked[i] == cycle)
			return;
	if (alarm->num_asked < MBOX_MAX_ASKED)
		alarm->asked[alarm->num_asked++] = cycle;
	sim_at(mbox->sim, cycle, fn, mbox, cycle);
}

/* An event has come: whether it is the one the alarm is set to. Then the alarm
 * is off. */
bool mbox_alarm_rings(struct mbox_alarm *alarm, uint64_t cycle)
{
	for (unsigned i = 0; i < alarm->num_asked; i++) {
		if (alarm->asked[i] == cycle) {
			alarm->asked[i] = alarm->asked[--alarm->num_asked];
			break;
		}
	}
	if (alarm->cycle != cycle)
		return false;
	alarm->cycle = SIM_NEVER;
	return true;
}
