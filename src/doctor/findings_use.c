/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Who counts already, and whether clocks move.
 */
#include "doctor/findings.h"

static void look_at_holder(struct uncore_doctor *doctor)
{
	const struct facts *facts = &doctor->facts;
	const struct lock_owner *owner = &facts->owner;

	if (facts->holder == LOCK_HELD)
		finding_add(doctor, "in-use", UNCORE_FINDING_OBSTACLE,
			    say("another uncore counts with the registers"),
			    say("its lock: process %ld (%s), since %s",
				owner->process, owner->command, owner->since),
			    say("wait, or end process %ld", owner->process));
	else if (facts->holder == LOCK_LEFT)
		finding_add(doctor, "left-behind", UNCORE_FINDING_OBSTACLE,
			    say("a command that was killed has left its "
				"settings in the registers"),
			    say("its journal: process %ld (%s), since %s",
				owner->process, owner->command, owner->since),
			    say("uncore reset"));
	else if (facts->neighbour)
		finding_add(doctor, "in-use", UNCORE_FINDING_OBSTACLE,
			    say("somebody else counts with the registers"),
			    say("%s", facts->neighbour), NULL);
	else
		finding_add(doctor, "in-use", UNCORE_FINDING_OK,
			    say("nobody else counts with the registers, as far "
				"as can be seen"),
			    NULL, NULL);
}

static void look_at_clocks(struct uncore_doctor *doctor)
{
	const struct facts *facts = &doctor->facts;

	if (!facts->root.is_here)
		finding_add(doctor, "clock", UNCORE_FINDING_NOTE,
			    say("whether the clocks of the boxes move was not "
				"looked at: a tree of files has none"),
			    NULL, NULL);
	else if (facts->dead_clocks)
		finding_add(
			doctor, "clock", UNCORE_FINDING_OBSTACLE,
			say("clocks of boxes stand still: the boxes are "
			    "switched off, or are not those of the guide"),
			say("the same when read twice: %s", facts->dead_clocks),
			NULL);
	else if (facts->clocks)
		finding_add(doctor, "clock", UNCORE_FINDING_OK,
			    say("the clocks that can be read without writing "
				"move"),
			    say("read twice: %s", facts->clocks), NULL);
	else
		finding_add(doctor, "clock", UNCORE_FINDING_NOTE,
			    say("no clock of a box runs that could be read "
				"without writing"),
			    NULL, NULL);
}

void findings_of_use(struct uncore_doctor *doctor)
{
	const struct facts *facts = &doctor->facts;

	if (!facts->family || facts->msr == ROOT_MISSING)
		return;
	look_at_holder(doctor);
	if (!facts->is_quick && !facts->registers_refused)
		look_at_clocks(doctor);
}
