/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Registers see all that the guides have and are the first choice; the kernel's
 * PMUs are real as well; the model is always there.
 */
#include "doctor/way.h"

#include <stdlib.h>
#include <string.h>

#include "access/pci_map.h"
#include "base/text.h"
#include "table/table.h"

bool way_has_msr_safe(const struct facts *facts)
{
	return facts->msr_safe == ROOT_WRITE &&
	       (root_can(&facts->root, ROOT_CAP_SYS_RAWIO) ||
		(facts->allowlist && !facts->not_listed));
}

bool way_may_perf(const struct facts *facts)
{
	return facts->has_paranoid &&
	       (facts->paranoid <= 0 ||
		(facts->paranoid <= WAY_PERFMON_HELPS &&
		 root_can(&facts->root, ROOT_CAP_PERFMON)) ||
		root_can(&facts->root, ROOT_CAP_SYS_ADMIN));
}

bool way_is_off(const char *allow_writes)
{
	return allow_writes &&
	       (!strcmp(allow_writes, "off") || !strcmp(allow_writes, "0") ||
		!strcmp(allow_writes, "N"));
}

/* What keeps the MSRs from being written, or NULL. */
static char *msrs_closed(const struct facts *facts)
{
	char *why = NULL;

	if (way_has_msr_safe(facts))
		return NULL;
	if (facts->msr == ROOT_MISSING)
		return strdup("there is no /dev/cpu/0/msr");
	if (facts->msr < ROOT_WRITE)
		return strdup(facts->msr == ROOT_READ
				      ? "/dev/cpu/0/msr may not be written"
				      : "/dev/cpu/0/msr may not be opened");
	if (facts->is_locked)
		text_error(0, &why,
			   "the kernel is locked down (%s) and lets nobody "
			   "write registers",
			   facts->lockdown);
	else if (way_is_off(facts->allow_writes))
		why = strdup("the msr module lets nobody write registers");
	return why;
}

static char *registers_closed(const struct facts *facts)
{
	char *why;

	if (!facts->family)
		return strdup("this processor is of no family whose registers "
			      "are known here");
	why = msrs_closed(facts);
	if (!why && facts->registers_refused)
		text_error(0, &why, "its registers do not answer (%s)",
			   facts->registers_refused);
	if (!why && pci_map_is_for(facts->family) && !facts->lists_functions)
		why = strdup("no PCI functions are to be seen");
	if (!why && pci_map_is_for(facts->family) &&
	    !root_can(&facts->root, ROOT_CAP_SYS_ADMIN))
		why = strdup("PCI functions are closed without CAP_SYS_ADMIN");
	return why;
}

static char *perf_closed(const struct facts *facts)
{
	char *why = NULL;

	if (!facts->num_pmus)
		return strdup("the kernel shows no PMU of an uncore");
	if (!way_may_perf(facts))
		return strdup("the kernel opens its PMUs to nobody without "
			      "CAP_PERFMON");
	if (facts->perf_refused)
		text_error(0, &why, "the kernel opens none of its PMUs (%s)",
			   facts->perf_refused);
	return why;
}

char *way_closed(const struct facts *facts, enum uncore_way way)
{
	switch (way) {
	case UNCORE_WAY_REGISTERS: return registers_closed(facts);
	case UNCORE_WAY_PERF: return perf_closed(facts);
	default: return NULL;
	}
}

enum uncore_way way_best(const struct facts *facts, char *const *closed,
			 char **reason)
{
	*reason = NULL;
	if (!closed[UNCORE_WAY_REGISTERS]) {
		text_error(0, reason,
			   "this processor is an %s, and its registers can be "
			   "written",
			   facts->family->title);
		return UNCORE_WAY_REGISTERS;
	}
	if (!closed[UNCORE_WAY_PERF]) {
		text_error(0, reason,
			   "the kernel has %zu PMU%s of the uncore that can be "
			   "opened, and %s",
			   facts->num_pmus, facts->num_pmus == 1 ? "" : "s",
			   closed[UNCORE_WAY_REGISTERS]);
		return UNCORE_WAY_PERF;
	}
	text_error(0, reason, "%s, and %s", closed[UNCORE_WAY_REGISTERS],
		   closed[UNCORE_WAY_PERF]);
	return UNCORE_WAY_MODEL;
}
