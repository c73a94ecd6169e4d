/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The MSRs of a family that is known: the module, its file, what it lets be
 * written, and msr-safe, which may stand in for it.
 */
#include <stdlib.h>
#include <string.h>

#include "doctor/findings.h"
#include "doctor/way.h"
#include "table/table.h"

#define MSR	 "/dev/cpu/0/msr"
#define MSR_SAFE "/dev/cpu/0/msr_safe"
#define ALLOWED	 "/sys/module/msr/parameters/allow_writes"

/* What stands in the way of the msr module hurts nobody who has msr-safe. */
static enum uncore_finding_status obstacle(const struct uncore_doctor *doctor)
{
	return way_has_msr_safe(&doctor->facts) ? UNCORE_FINDING_NOTE
						: UNCORE_FINDING_OBSTACLE;
}

static void look_at_module(struct uncore_doctor *doctor)
{
	const struct facts *facts = &doctor->facts;

	if (facts->msr != ROOT_MISSING)
		finding_add(doctor, "msr-module", UNCORE_FINDING_OK,
			    say("the msr module is there"), say(MSR ": there"),
			    NULL);
	else if (facts->container)
		finding_add(doctor, "msr-module", obstacle(doctor),
			    say("the container has no msr files"),
			    say(MSR ": not there"),
			    say("modprobe msr outside of it, and give it "
				"/dev/cpu (docker run --device=/dev/cpu/0/msr "
				"--cap-add=SYS_RAWIO ...)"));
	else
		finding_add(doctor, "msr-module", obstacle(doctor),
			    say("the msr module is not loaded"),
			    say(MSR ": not there; /sys/module/msr: %s",
				facts->has_msr_module ? "there" : "not there"),
			    say("modprobe msr"));
}

static void look_at_file(struct uncore_doctor *doctor)
{
	const struct facts *facts = &doctor->facts;
	bool can = root_can(&facts->root, ROOT_CAP_SYS_RAWIO);
	char *mode = root_mode(&facts->root, MSR);

	if (facts->msr == ROOT_WRITE)
		finding_add(doctor, "msr-rights", UNCORE_FINDING_OK,
			    say("the file of the registers can be opened"),
			    say(MSR ": %s", mode ? mode : ""), NULL);
	else
		finding_add(doctor, "msr-rights", obstacle(doctor),
			    facts->msr == ROOT_READ
				    ? say("the file of the registers may be "
					  "read, and not written")
			    : can ? say("the file of the registers is closed "
					"to this user")
				  : say("the registers are closed to who lacks "
					"CAP_SYS_RAWIO, whatever the mode of "
					"their file"),
			    say(MSR ": %s; user %u%s", mode ? mode : "",
				facts->root.user,
				can ? "" : " without CAP_SYS_RAWIO"),
			    say("sudo uncore ..., or as docs/machines.md has "
				"it"));
	free(mode);
}

static void look_at_writes(struct uncore_doctor *doctor)
{
	const struct facts *facts = &doctor->facts;
	const char *value = facts->allow_writes;
	bool is_off = value && (!strcmp(value, "off") || !strcmp(value, "0") ||
				!strcmp(value, "N"));

	if (!value)
		return;
	finding_add(doctor, "msr-writes",
		    is_off ? obstacle(doctor) : UNCORE_FINDING_OK,
		    is_off ? say("the msr module lets nobody write registers")
			   : say("the msr module lets registers be written%s",
				 strcmp(value, "default")
					 ? ""
					 : ", and says so in the kernel's log"),
		    say(ALLOWED ": %s", value),
		    is_off ? say("echo on >" ALLOWED) : NULL);
}

/* The kernel's own file is enough for who may open it. */
static void look_at_msr_safe(struct uncore_doctor *doctor)
{
	const struct facts *facts = &doctor->facts;
	bool needed = facts->msr != ROOT_WRITE;

	if (facts->msr_safe == ROOT_MISSING)
		return;
	if (facts->msr_safe != ROOT_WRITE)
		finding_add(
			doctor, "msr-safe",
			needed ? UNCORE_FINDING_OBSTACLE : UNCORE_FINDING_NOTE,
			say("msr-safe is loaded, and its files are closed "
			    "to this user"),
			say(MSR_SAFE ": closed to user %u", facts->root.user),
			say("chgrp and chmod g+rw /dev/cpu/*/msr_safe for "
			    "a group of yours"));
	else if (!facts->allowlist)
		finding_add(doctor, "msr-safe", UNCORE_FINDING_NOTE,
			    say("msr-safe is loaded; what its list has cannot "
				"be read"),
			    say("/dev/cpu/msr_allowlist: closed"), NULL);
	else if (facts->not_listed)
		finding_add(doctor, "msr-safe",
			    needed ? UNCORE_FINDING_OBSTACLE
				   : UNCORE_FINDING_NOTE,
			    say("msr-safe is loaded, and its list lacks %zu "
				"registers of the uncore or bits of them",
				facts->not_listed),
			    say("/dev/cpu/msr_allowlist: not enough for %s, "
				"the first of them",
				facts->not_listed_name),
			    say("(cat /dev/cpu/msr_allowlist; uncore encode "
				"--allowlist -m %s) >list, without what is "
				"twice; cat list >/dev/cpu/msr_allowlist",
				facts->family->name));
	else
		finding_add(doctor, "msr-safe", UNCORE_FINDING_OK,
			    say("msr-safe lets all registers of the uncore be "
				"read and written"),
			    say("/dev/cpu/msr_allowlist: has them"), NULL);
}

void findings_of_registers(struct uncore_doctor *doctor)
{
	const struct facts *facts = &doctor->facts;

	if (!facts->family)
		return;
	look_at_module(doctor);
	if (facts->msr != ROOT_MISSING)
		look_at_file(doctor);
	look_at_writes(doctor);
	look_at_msr_safe(doctor);
	if (facts->registers_refused)
		finding_add(doctor, "registers", UNCORE_FINDING_OBSTACLE,
			    say("the registers do not answer"),
			    say("%s", facts->registers_refused), NULL);
}
