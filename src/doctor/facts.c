/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Kernel, rights and neighbours; the rest has files of its own.
 */
#include "doctor/facts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LOCKS	   "/run/uncore"
#define MSR_PLACE  "/dev/cpu"
#define ALLOWED	   "/sys/module/msr/parameters/allow_writes"
#define LOCKDOWN   "/sys/kernel/security/lockdown"
#define PARANOID   "/proc/sys/kernel/perf_event_paranoid"
#define OS_RELEASE "/proc/sys/kernel/osrelease"

/* The word in brackets of "none [integrity] confidentiality". */
static char *chosen(const char *text)
{
	const char *from = text ? strchr(text, '[') : NULL;

	return from ? strndup(from + 1, strcspn(from + 1, "]")) : NULL;
}

static void read_kernel(struct facts *facts)
{
	const struct root *root = &facts->root;
	char *lockdown = root_text(root, LOCKDOWN);
	char *paranoid = root_text(root, PARANOID);

	facts->release = root_text(root, OS_RELEASE);
	if (!facts->release ||
	    sscanf(facts->release, "%u.%u", &facts->major, &facts->minor) != 2)
		facts->major = facts->minor = 0;
	facts->lockdown = chosen(lockdown);
	facts->is_locked = facts->lockdown && strcmp(facts->lockdown, "none");
	facts->allow_writes = root_text(root, ALLOWED);
	facts->has_paranoid =
		paranoid && sscanf(paranoid, "%d", &facts->paranoid) == 1;
	free(lockdown);
	free(paranoid);
}

static void read_msr(struct facts *facts)
{
	const struct root *root = &facts->root;

	facts->msr = root_right(root, "/dev/cpu/0/msr");
	facts->msr_safe = root_right(root, "/dev/cpu/0/msr_safe");
	facts->has_msr_module = root_has(root, "/sys/module/msr");
	/* The driver asks for it whatever the file's mode says. */
	if (!root->is_here && facts->msr > ROOT_CLOSED &&
	    !root_can(root, ROOT_CAP_SYS_RAWIO))
		facts->msr = ROOT_CLOSED;
}

static void read_locks(struct facts *facts)
{
	char *folder = facts->root.is_here ? lock_user_folder()
					   : root_path(&facts->root, LOCKS);

	if (folder)
		facts->holder = lock_look(folder, MSR_PLACE, &facts->owner);
	free(folder);
}

bool facts_gather(struct facts *facts, const char *root, bool is_quick)
{
	*facts = (struct facts){ .is_quick = is_quick };
	root_open(&facts->root, root);
	facts_processor(facts);
	facts_place(facts);
	read_kernel(facts);
	read_msr(facts);
	facts_allowlist(facts);
	facts_pmus(facts);
	facts_functions(facts);
	read_locks(facts);
	if (facts->root.is_here)
		facts_live(facts);
	return facts->processor;
}

void facts_free(struct facts *facts)
{
	for (size_t i = 0; i < facts->num_pmus; i++) {
		free(facts->pmus[i].name);
		free(facts->pmus[i].cpumask);
		free(facts->pmus[i].box);
	}
	free(facts->pmus);
	free(facts->hidden);
	free(facts->processor);
	free(facts->hypervisor);
	free(facts->container);
	free(facts->release);
	free(facts->lockdown);
	free(facts->allow_writes);
	free(facts->allowlist);
	free(facts->registers_refused);
	free(facts->perf_refused);
	free(facts->neighbour);
	free(facts->clocks);
	free(facts->dead_clocks);
}
