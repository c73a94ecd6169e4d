/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The machine and its kernel. What makes all of it useless (a hypervisor, a
 * container) is an obstacle only where nothing real is left.
 */
#include <stdlib.h>
#include <string.h>

#include "doctor/findings.h"
#include "table/table.h"

#define MODEL "uncore stat --on model -- ./app"

static void look_at_processor(struct uncore_doctor *doctor)
{
	const struct facts *facts = &doctor->facts;
	const struct uc_family *family = facts->family;

	finding_add(doctor, "processor",
		    family ? UNCORE_FINDING_OK : UNCORE_FINDING_NOTE,
		    family ? say("the processor is an %s, whose registers are "
				 "known here",
				 family->title)
			   : say("the processor is of no family whose "
				 "registers are known here; what the kernel "
				 "counts of it can be had with --on perf"),
		    say("/proc/cpuinfo: %s", facts->processor), NULL);
}

/* A virtual machine or a container, of which `what` says which. */
static void look_around(struct uncore_doctor *doctor, const char *id,
			const char *name, const char *evidence)
{
	bool is_real = finding_is_real(doctor);

	if (!evidence)
		finding_add(doctor, id, UNCORE_FINDING_OK,
			    say("this is no %s, as far as can be seen", name),
			    NULL, NULL);
	else if (is_real)
		finding_add(doctor, id, UNCORE_FINDING_NOTE,
			    say("this is a %s, but what it has of the uncore "
				"can be counted",
				name),
			    say("%s", evidence), NULL);
	else
		finding_add(doctor, id, UNCORE_FINDING_OBSTACLE,
			    say("this is a %s, and there is nothing to count "
				"in it; the model works",
				name),
			    say("%s", evidence), say(MODEL));
}

/* CAP_PERFMON came with 5.8. */
static void look_at_kernel(struct uncore_doctor *doctor)
{
	const struct facts *facts = &doctor->facts;
	bool is_old =
		facts->major < 5 || (facts->major == 5 && facts->minor < 8);

	if (!facts->release)
		finding_add(doctor, "kernel", UNCORE_FINDING_NOTE,
			    say("which kernel this is cannot be seen"),
			    say("/proc/sys/kernel/osrelease: not there"), NULL);
	else
		finding_add(
			doctor, "kernel",
			is_old ? UNCORE_FINDING_NOTE : UNCORE_FINDING_OK,
			is_old ? say("the kernel is older than 5.8 and "
				     "knows no CAP_PERFMON: CAP_SYS_ADMIN "
				     "takes its place")
			       : say("the kernel is Linux %s", facts->release),
			say("/proc/sys/kernel/osrelease: %s", facts->release),
			NULL);
}

static void look_at_lockdown(struct uncore_doctor *doctor)
{
	const struct facts *facts = &doctor->facts;
	bool matters = facts->is_locked && facts->family;

	finding_add(doctor, "lockdown",
		    matters	       ? UNCORE_FINDING_OBSTACLE
		    : facts->is_locked ? UNCORE_FINDING_NOTE
				       : UNCORE_FINDING_OK,
		    facts->is_locked
			    ? say("the kernel is locked down, as with Secure "
				  "Boot: it writes no registers for anybody, "
				  "root included; its own PMUs still count")
			    : say("the kernel is not locked down"),
		    say("/sys/kernel/security/lockdown: %s",
			facts->lockdown ? facts->lockdown : "not there"),
		    matters ? say("count with --on perf, or switch Secure Boot "
				  "off in the firmware and start without "
				  "lockdown=")
			    : NULL);
}

static void add_word(char *words, const char *word)
{
	if (*words)
		strcat(words, ", ");
	strcat(words, word);
}

static void look_at_rights(struct uncore_doctor *doctor)
{
	static const struct {
		unsigned number;
		const char *name;
	} rows[] = {
		{ ROOT_CAP_SYS_RAWIO, "CAP_SYS_RAWIO" },
		{ ROOT_CAP_SYS_ADMIN, "CAP_SYS_ADMIN" },
		{ ROOT_CAP_PERFMON, "CAP_PERFMON" },
	};
	const struct root *root = &doctor->facts.root;
	char has[64] = "", lacks[64] = "";

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		add_word(root_can(root, rows[i].number) ? has : lacks,
			 rows[i].name);
	finding_add(
		doctor, "capabilities",
		*lacks ? UNCORE_FINDING_NOTE : UNCORE_FINDING_OK,
		!*lacks ? say("this process has %s", has)
		: root->is_inner
			? say("this process is in a user namespace, where "
			      "its capabilities are none of the kernel's")
		: *has ? say("this process has %s, and lacks %s", has, lacks)
		       : say("this process lacks %s", lacks),
		say("/proc/self/status: CapEff %016llx",
		    (unsigned long long)root->capabilities),
		NULL);
}

void findings_of_machine(struct uncore_doctor *doctor)
{
	look_at_processor(doctor);
	look_around(doctor, "virtual-machine", "virtual machine",
		    doctor->facts.hypervisor);
	look_around(doctor, "container", "container", doctor->facts.container);
	look_at_kernel(doctor);
	look_at_lockdown(doctor);
	look_at_rights(doctor);
}
